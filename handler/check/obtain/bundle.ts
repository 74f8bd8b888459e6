import { HandlerError } from "../../errors/handler-error.ts";
import { isJsonObject, parseJson } from "../../text/parse-json.ts";

/** bundle.json: what a check bundle holds. */
export interface BundleManifest {
  readonly version: string;
  readonly protocol: number;
  readonly minimumHandlerVersion: string;
  readonly files: readonly BundleFile[];
}

export interface BundleFile {
  readonly name: string;
  readonly sha256: string;
  readonly size: number;
  /** FNV-1a of 32 bits, eight hexadecimal digits: finds a damaged disk, and no enemy. Bundles of version 1 have none. */
  readonly fnv1a?: string;
}

/** A bundle whose every byte has been verified. */
export interface Bundle {
  readonly manifest: BundleManifest;
  /** SHA-256 of bundle.json, lower-case hex; reckoned when it is asked for. */
  readonly digest: string;
  readonly manifestBytes: Buffer;
  readonly files: ReadonlyMap<string, Buffer>;
}

export const maxManifestBytes = 64 * 1024;
export const maxBundleFileBytes = 4 * 1024 * 1024;
const maxFiles = 20;

/** node:crypto costs 2 MiB of resident memory, which a wait with the package's own bundle does without. */
export function sha256(bytes: Uint8Array): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest("hex");
}

/** Reads bundle.json; `source` says in an error whose it is. */
export function parseManifest(bytes: Uint8Array, source: string): BundleManifest {
  const parsed = parseJson(new TextDecoder().decode(bytes));
  if (parsed.kind !== "value" || !isJsonObject(parsed.value))
    throw untrusted(source, "bundle.json is not a JSON object");
  const { version, protocol, minimumHandlerVersion, files } = parsed.value;
  if (typeof version !== "string" || !/^[\w.+-]{1,64}$/u.test(version))
    throw untrusted(source, "bundle.json names no version");
  if (typeof protocol !== "number") throw untrusted(source, "bundle.json names no protocol");
  if (typeof minimumHandlerVersion !== "string") throw untrusted(source, "bundle.json names no minimumHandlerVersion");
  if (!Array.isArray(files) || files.length === 0 || files.length > maxFiles) {
    throw untrusted(source, `bundle.json must list 1 to ${String(maxFiles)} files`);
  }
  return { version, protocol, minimumHandlerVersion, files: files.map((file: unknown) => parseFile(file, source)) };
}

function parseFile(file: unknown, source: string): BundleFile {
  if (!isJsonObject(file)) throw untrusted(source, "bundle.json lists something that is not a file");
  const { name, sha256: digest, size, fnv1a } = file;
  // Only plain names: nothing that could leave our folder, on either system.
  if (typeof name !== "string" || !/^[\dA-Za-z][\w.-]{0,63}$/u.test(name) || name.endsWith(".")) {
    throw untrusted(source, "bundle.json lists a file whose name is not a plain file name");
  }
  if (typeof digest !== "string" || !/^[\da-f]{64}$/u.test(digest)) throw untrusted(source, `${name} has no sha256`);
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0 || size > maxBundleFileBytes) {
    throw untrusted(source, `the size of ${name} must be from 0 to ${String(maxBundleFileBytes)} bytes`);
  }
  return { name, sha256: digest, size, ...(typeof fnv1a === "string" && { fnv1a }) };
}

/** Compares what was read with what bundle.json promises. */
export function verifyFile(file: BundleFile, bytes: Uint8Array, source: string): void {
  verifySize(file, bytes, source);
  const digest = sha256(bytes);
  if (digest !== file.sha256) {
    throw untrusted(source, `the SHA-256 of ${file.name} is ${digest}, bundle.json says ${file.sha256}`);
  }
}

/** For a bundle that nobody can have changed: whether the disk still gives what was written. */
export function verifyUndamaged(file: BundleFile, bytes: Uint8Array, source: string): void {
  if (file.fnv1a === undefined) {
    verifyFile(file, bytes, source);
    return;
  }
  verifySize(file, bytes, source);
  const found = fnv1a(bytes);
  if (found !== file.fnv1a) {
    throw untrusted(source, `${file.name} is damaged: its FNV-1a is ${found}, bundle.json says ${file.fnv1a}`);
  }
}

function verifySize(file: BundleFile, bytes: Uint8Array, source: string): void {
  if (bytes.length !== file.size) {
    throw untrusted(source, `${file.name} has ${String(bytes.length)} bytes, bundle.json says ${String(file.size)}`);
  }
}

function fnv1a(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

export function untrusted(source: string, reason: string): HandlerError {
  return new HandlerError("checkUntrusted", `Cannot use the check bundle from ${source}: ${reason}`);
}
