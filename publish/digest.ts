import { createHash } from "node:crypto";

export function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** FNV-1a of 32 bits: what the handler compares the package's own bundle with, which costs it no cryptography. */
export function fnv1a(content: Uint8Array): string {
  const hash = content.reduce((state, byte) => Math.imul(state ^ byte, 0x01000193), 0x811c9dc5);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** The form of npm's lock file: "sha512-<base64>". */
export function npmIntegrity(content: Uint8Array): string {
  return `sha512-${createHash("sha512").update(content).digest("base64")}`;
}
