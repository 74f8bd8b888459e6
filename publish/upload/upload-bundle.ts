import type { ContainerClient } from "@azure/storage-blob";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../digest.ts";
import { listOf, member, readText } from "../json-value.ts";
import { PublishError } from "../publish-error.ts";
import { verifyBundleSignature } from "../sign/bundle-signature.ts";
import { uploadFile, type UploadResult } from "./upload-package.ts";

/** Where bundles lie in the container; what stands before VERSION is the address for `checkBaseUris`. */
export const bundlesFolder = "check-bundle";

export interface CheckedBundle {
  readonly version: string;
  /** In the order of their upload. */
  readonly names: readonly string[];
  /** Of bundle.json: the setting checkSha256. */
  readonly sha256: string;
  /** Undefined: nobody signed it, and it is accepted by its digest alone. */
  readonly signedBy: string | undefined;
}

/**
 * Reads the bundle as a node would accept it: every file has the digest that bundle.json names, and a trusted key has signed it where
 * the packages trust any.
 */
export async function checkBundleFolder(folder: string, trustedKeys: string): Promise<CheckedBundle> {
  const bytes = await readFile(join(folder, "bundle.json"));
  const manifest: unknown = JSON.parse(bytes.toString("utf8"));
  const version = readText(manifest, "version", "bundle.json");
  const files = listOf(member(manifest, "files")).map((row) => ({
    name: readText(row, "name", "bundle.json"),
    digest: readText(row, "sha256", "bundle.json"),
  }));
  for (const { name, digest } of files) {
    const found = sha256(await readFile(join(folder, name)));
    if (found !== digest)
      throw new PublishError(
        `${name} in ${folder} has the sha256 ${found}; bundle.json names ${digest}.`,
        "Build the bundle again (npm run bundle), and sign it after that.",
      );
  }
  const isSigned = existsSync(join(folder, "bundle.json.sig"));
  if (!isSigned && listOf(JSON.parse(await readFile(trustedKeys, "utf8"))).length > 0)
    throw new PublishError(
      `${folder} has no bundle.json.sig, and ${trustedKeys} names keys: the packages would refuse it without its digest.`,
      "Sign it first: sign-bundle.",
    );
  const signedBy = isSigned ? await verifyBundleSignature(folder, trustedKeys) : undefined;
  // A node begins with bundle.json: it is there only when all that it names is.
  const names = [...files.map(({ name }) => name), ...(isSigned ? ["bundle.json.sig"] : []), "bundle.json"];
  return { version, names, sha256: sha256(bytes), signedBy };
}

/** Uploads a bundle once and for all below `check-bundle/VERSION/`. */
export async function uploadBundle(
  folder: string,
  { version, names }: CheckedBundle,
  container: ContainerClient,
): Promise<readonly UploadResult[]> {
  const whenOther = "raise bundleVersion in publish/check-bundle.ts and build again.";
  const results: UploadResult[] = [];
  for (const name of names) {
    const kind = { name: `${bundlesFolder}/${version}/${name}`, contentType: "application/octet-stream", whenOther };
    results.push(await uploadFile(join(folder, name), container, kind));
  }
  return results;
}
