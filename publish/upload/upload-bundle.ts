import type { ContainerClient } from "@azure/storage-blob";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseGivenJson, readGivenFile, readGivenJson } from "../given-file.ts";
import { sha256 } from "../digest.ts";
import { listOf, member, readText } from "../json-value.ts";
import { withoutQuery } from "../mask.ts";
import { PublishError } from "../publish-error.ts";
import { verifyBundleSignature } from "../sign/bundle-signature.ts";
import { explainStorageError, statusOf } from "./storage-error.ts";
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

const bundleFile = { what: "file of the check bundle", next: "Build the bundle with: npm run bundle" };
const keysFile = { what: "list of trusted keys", next: "new-bundle-key prints an entry of it." };

/**
 * Reads the bundle as a node would accept it: every file has the digest that bundle.json names, and a trusted key has signed it where
 * the packages trust any.
 */
export async function checkBundleFolder(folder: string, trustedKeys: string): Promise<CheckedBundle> {
  const bytes = await readGivenFile(join(folder, "bundle.json"), bundleFile);
  const manifest = parseGivenJson(bytes.toString("utf8"), join(folder, "bundle.json"), bundleFile);
  const version = readText(manifest, "version", "bundle.json");
  const files = listOf(member(manifest, "files")).map((row) => ({
    name: readText(row, "name", "bundle.json"),
    digest: readText(row, "sha256", "bundle.json"),
  }));
  for (const { name, digest } of files) {
    const found = sha256(await readGivenFile(join(folder, name), bundleFile));
    if (found !== digest)
      throw new PublishError(
        `${name} in ${folder} has the sha256 ${found}; bundle.json names ${digest}.`,
        "Build the bundle again (npm run bundle), and sign it after that.",
      );
  }
  const isSigned = existsSync(join(folder, "bundle.json.sig"));
  if (!isSigned && listOf(await readGivenJson(trustedKeys, keysFile)).length > 0)
    throw new PublishError(
      `${folder} has no bundle.json.sig, and ${trustedKeys} names keys: the packages would refuse it without its digest.`,
      "Sign it first: sign-bundle.",
    );
  const signedBy = isSigned ? await verifyBundleSignature(folder, trustedKeys) : undefined;
  // A node begins with bundle.json: it is there only when all that it names is.
  const names = [...files.map(({ name }) => name), ...(isSigned ? ["bundle.json.sig"] : []), "bundle.json"];
  return { version, names, sha256: sha256(bytes), signedBy };
}

const whenOther = "raise bundleVersion in publish/check-bundle.ts and build again.";

/**
 * Before a package goes out: nodes that have it run the bundle inside it as that version, and all others download what lies in the container under
 * the same name. So the two must be the same bytes.
 */
export async function requireSameBundle(packed: Buffer, container: ContainerClient): Promise<void> {
  const version = readText(JSON.parse(packed.toString("utf8")), "version", "bundle/bundle.json of the package");
  const name = `${bundlesFolder}/${version}/bundle.json`;
  const published = await container
    .getBlobClient(name)
    .downloadToBuffer()
    .catch((error: unknown) => {
      if (statusOf(error) === 404) return undefined;
      throw explainStorageError(error, `${name} cannot be read in ${withoutQuery(container.url)}`);
    });
  if (published === undefined || published.equals(packed)) return;
  throw new PublishError(
    `The package carries a check bundle ${version} (bundle.json ${sha256(packed)}) that is not the published one (${sha256(published)}): the check or a rule has changed since.`,
    `Nothing is uploaded: ${whenOther}`,
  );
}

/** Uploads a bundle once and for all below `check-bundle/VERSION/`. */
export async function uploadBundle(
  folder: string,
  { version, names }: CheckedBundle,
  container: ContainerClient,
): Promise<readonly UploadResult[]> {
  const results: UploadResult[] = [];
  for (const name of names) {
    const kind = { name: `${bundlesFolder}/${version}/${name}`, contentType: "application/octet-stream", whenOther };
    results.push(await uploadFile(join(folder, name), container, kind));
  }
  return results;
}
