import { createPublicKey } from "node:crypto";
import { join } from "node:path";
import { readGivenText } from "./given-file.ts";
import { listOf, member } from "./json-value.ts";
import { projectFolder } from "./project.ts";
import { PublishError } from "./publish-error.ts";
import { isDevelopmentKey } from "./sign/bundle-key.ts";

/** The list of the sources. It is empty: whoever publishes a package decides whose signatures it accepts. */
const sourceFile = join(projectFolder, "manifests/trusted-keys.json");

/**
 * Text of bundle/trusted-keys.json: the keys of the sources, or of the file that the publisher names for this build.
 * @throws PublishError where an entry is no Ed25519 key with a name: a package must not trust something else than was meant
 */
export async function readTrustedKeysFile(file = sourceFile): Promise<string> {
  const text = await readGivenText(file, {
    what: "list of trusted keys",
    next: "new-bundle-key prints an entry of it.",
  });
  const problems = keyProblems(text);
  if (problems.length > 0) throw new PublishError(`${file}: ${problems.join("; ")}.`, "Correct the list of keys.");
  return text.replaceAll("\r\n", "\n");
}

/** What is wrong with a list of trusted keys. */
export function keyProblems(text: string): readonly string[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return ["it is no JSON"];
  }
  if (!Array.isArray(list)) return ["it is no list"];
  const names = listOf(list).map((row) => member(row, "keyId"));
  return [
    ...listOf(list).flatMap((row, index) => entryProblem(row, index)),
    ...(new Set(names).size === names.length ? [] : ["two keys have the same keyId"]),
  ];
}

/** Keys of a list that no package may be shipped with: their private halves lie about on developers' machines. */
export function developmentKeys(text: string): readonly string[] {
  if (keyProblems(text).length > 0) return [];
  const rows: unknown = JSON.parse(text);
  return listOf(rows)
    .map((row) => [String(member(row, "keyId")), String(member(row, "publicKey"))] as const)
    .filter(([keyId, publicKey]) => isDevelopmentKey(keyId, publicKey))
    .map(([keyId]) => keyId);
}

function entryProblem(row: unknown, index: number): readonly string[] {
  const [keyId, publicKey] = [member(row, "keyId"), member(row, "publicKey")];
  const place = `entry ${String(index + 1)}`;
  if (typeof keyId !== "string" || keyId === "" || typeof publicKey !== "string")
    return [`${place} has no keyId or publicKey`];
  try {
    const type = createPublicKey(publicKey).asymmetricKeyType;
    return type === "ed25519" ? [] : [`${place} (${keyId}) is a key of the type ${type ?? "unknown"}, not ed25519`];
  } catch {
    return [`${place} (${keyId}) is no public key in PEM`];
  }
}
