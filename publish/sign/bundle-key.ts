import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { PublishError } from "../publish-error.ts";

export interface BundleKey {
  /** PEM of the private half (PKCS #8). */
  readonly privateKey: string;
  /** Entry of trusted-keys.json. */
  readonly entry: { readonly keyId: string; readonly publicKey: string };
}

/**
 * The public half of a key for trying things out begins with these twelve bits, so that it is known for one under any name and in any
 * list: its PEM reads "MCowBQYDK2VwAyEAde…". One in 4,096 keys of other makers does so by chance.
 */
const mark = { first: 0x75, second: 0xe0 } as const;

/**
 * The name of a key, as the option gives it.
 * @throws PublishError where it would not be one word in a list, a log and a message
 */
export function requireKeyId(keyId: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/u.test(keyId)) return keyId;
  throw new PublishError(
    `--key-id is "${keyId}"; a name of a key has 1 to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or digit.`,
    "Give it another name, for example release-2026.",
  );
}

/** Tries until one fits: 4,096 on average, about a second. */
export function makeDevelopmentKey(keyId: string): BundleKey {
  for (;;) {
    const pair = generateKeyPairSync("ed25519");
    if (isMarked(pair.publicKey)) return toKey(`development-${keyId}`, pair);
  }
}

export function makeReleaseKey(keyId: string): BundleKey {
  for (;;) {
    const pair = generateKeyPairSync("ed25519");
    if (!isMarked(pair.publicKey)) return toKey(keyId, pair);
  }
}

/** Whether no package may be shipped that trusts this key. */
export function isDevelopmentKey(keyId: string, publicKey: string): boolean {
  return keyId.startsWith("development-") || isMarked(createPublicKey(publicKey));
}

/** SPKI of an Ed25519 key: 12 bytes that are always the same, then the 32 of the key (RFC 8410). */
function isMarked(publicKey: KeyObject): boolean {
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(12);
  return raw[0] === mark.first && ((raw[1] ?? 0) & 0xf0) === mark.second;
}

function toKey(keyId: string, pair: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }): BundleKey {
  return {
    privateKey: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    entry: { keyId, publicKey: pair.publicKey.export({ type: "spki", format: "pem" }).toString() },
  };
}
