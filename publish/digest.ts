import { createHash } from "node:crypto";

export function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The form of npm's lock file: "sha512-<base64>". */
export function npmIntegrity(content: Uint8Array): string {
  return `sha512-${createHash("sha512").update(content).digest("base64")}`;
}
