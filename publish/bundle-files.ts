import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "./digest.ts";
import { listOf, member, readText } from "./json-value.ts";
import type { PackageFile } from "./package-file.ts";
import { PublishError } from "./publish-error.ts";

/** The check bundle as the package embeds it: bundle.json and the files it names, their digests checked. */
export async function readBundleFiles(folder: string): Promise<readonly PackageFile[]> {
  const manifest = await read(folder, "bundle.json");
  const named = listOf(member(JSON.parse(manifest.toString("utf8")), "files"));
  const files = await Promise.all(
    named.map(async (row): Promise<PackageFile> => {
      const name = readText(row, "name", "scripts/bundle.json");
      const content = await read(folder, name);
      const wanted = readText(row, "sha256", "scripts/bundle.json");
      if (sha256(content) !== wanted) {
        throw new PublishError(
          `scripts/${name} has the digest ${sha256(content)}; scripts/bundle.json says ${wanted}.`,
          "Run: npm run bundle",
        );
      }
      return { name: `bundle/${name}`, content, mode: name.endsWith(".sh") ? 0o755 : 0o644 };
    }),
  );
  return [{ name: "bundle/bundle.json", content: manifest, mode: 0o644 }, ...files];
}

async function read(folder: string, name: string): Promise<Buffer> {
  try {
    return await readFile(join(folder, name));
  } catch (cause) {
    throw new PublishError(`The check bundle has no ${name} in ${folder}.`, "Run: npm run bundle", { cause });
  }
}
