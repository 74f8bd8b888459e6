import { HandlerError, systemErrorCode } from "../../errors/handler-error.ts";
import { readPackagedFile } from "../../files/packaged-file.ts";
import { isJsonObject, parseJson } from "../../text/parse-json.ts";
import { sha256, untrusted } from "./bundle.ts";

export interface TrustedKey {
  readonly keyId: string;
  /** PEM of an Ed25519 public key. */
  readonly publicKey: string;
}

/** Keys in the package whose signature makes a bundle acceptable; a package without the file trusts none. */
export async function readTrustedKeys(programFolder: string): Promise<readonly TrustedKey[]> {
  const text = await readPackagedFile(programFolder, "trusted-keys.json").catch((error: unknown) => {
    if (systemErrorCode(error) === "ENOENT") return "[]";
    throw error;
  });
  const parsed = parseJson(text);
  return parsed.kind === "value" && Array.isArray(parsed.value) ? parsed.value.flatMap(toKey) : [];
}

function toKey(value: unknown): readonly TrustedKey[] {
  if (!isJsonObject(value) || typeof value["keyId"] !== "string" || typeof value["publicKey"] !== "string") return [];
  return [{ keyId: value["keyId"], publicKey: value["publicKey"] }];
}

export interface Trust {
  /** Lower-case hex; when set, it alone decides. */
  readonly sha256: string | undefined;
  readonly keys: readonly TrustedKey[];
}

/** Whether bundle.json needs its signature beside it to be accepted. */
export function needsSignature(trust: Trust): boolean {
  return trust.sha256 === undefined;
}

/** Nothing can be accepted, so nothing is asked for: the package trusts no key, and the settings name no digest. */
export function noSignatureCounts(version: string | undefined): HandlerError {
  return new HandlerError(
    "checkUntrusted",
    `The check bundle ${version ?? ""} cannot be accepted: this package trusts no key, so no signature counts, and checkSha256 is not set`,
    { hint: "Set checkSha256, or use a package that was built with the key of the bundle's publisher" },
  );
}

/** Throws unless these bytes of bundle.json are the wanted ones or signed by a trusted key. */
export function verifyTrust(
  bytes: Uint8Array,
  signature: Uint8Array | undefined,
  at: { trust: Trust; source: string },
): void {
  const { trust, source } = at;
  if (trust.sha256 !== undefined) {
    const digest = sha256(bytes);
    if (digest !== trust.sha256) {
      throw untrusted(source, `the SHA-256 of bundle.json is ${digest}, checkSha256 says ${trust.sha256}`);
    }
    return;
  }
  if (signature === undefined) throw untrusted(source, "there is neither a checkSha256 nor a bundle.json.sig");
  const { keyId, signed } = parseSignature(signature, source);
  const key = trust.keys.find((candidate) => candidate.keyId === keyId);
  if (key === undefined)
    throw untrusted(source, `bundle.json.sig names the key "${keyId.slice(0, 64)}", which this package does not trust`);
  const { createPublicKey, verify } = process.getBuiltinModule("node:crypto");
  if (!verify(null, bytes, createPublicKey(key.publicKey), signed)) {
    throw untrusted(source, `the signature of the key "${keyId}" does not fit bundle.json`);
  }
}

function parseSignature(bytes: Uint8Array, source: string): { readonly keyId: string; readonly signed: Buffer } {
  const parsed = parseJson(new TextDecoder().decode(bytes));
  if (parsed.kind === "value" && isJsonObject(parsed.value)) {
    const { keyId, signature } = parsed.value;
    if (typeof keyId === "string" && typeof signature === "string")
      return { keyId, signed: Buffer.from(signature, "base64") };
  }
  throw untrusted(source, "bundle.json.sig is not a JSON object with keyId and signature");
}
