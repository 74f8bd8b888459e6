import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listOf, member, readText } from "../json-value.ts";
import { PublishError } from "../publish-error.ts";
import { writeAtomic } from "../write-atomic.ts";

/** Signs the exact bytes of bundle.json; the handler accepts a downloaded bundle by it (bundle/trusted-keys.json). */
export async function signBundle(folder: string, key: { readonly id: string; readonly file: string }): Promise<string> {
  const privateKey = createPrivateKey(await readFile(key.file));
  if (privateKey.asymmetricKeyType !== "ed25519") {
    throw new PublishError(
      `The key in ${key.file} is of the type ${privateKey.asymmetricKeyType ?? "unknown"}; bundles are signed with Ed25519.`,
      "Make one with: openssl genpkey -algorithm ed25519 -out key.pem",
    );
  }
  const signature = sign(null, await readFile(join(folder, "bundle.json")), privateKey).toString("base64");
  const path = join(folder, "bundle.json.sig");
  await writeAtomic(path, `${JSON.stringify({ keyId: key.id, signature }, null, 2)}\n`);
  return path;
}

/** The key id that signed the bundle; throws when no trusted key did. */
export async function verifyBundleSignature(folder: string, trustedKeys: string): Promise<string> {
  const signed: unknown = JSON.parse(await readFile(join(folder, "bundle.json.sig"), "utf8"));
  const keyId = readText(signed, "keyId", "bundle.json.sig");
  const keys: unknown = JSON.parse(await readFile(trustedKeys, "utf8"));
  const key = listOf(keys).find((row) => member(row, "keyId") === keyId);
  if (key === undefined) throw refusal(`bundle.json.sig names the key "${keyId}", which ${trustedKeys} does not hold.`);
  const bytes = await readFile(join(folder, "bundle.json"));
  const signature = Buffer.from(readText(signed, "signature", "bundle.json.sig"), "base64");
  if (verify(null, bytes, createPublicKey(readText(key, "publicKey", trustedKeys)), signature)) return keyId;
  throw refusal(`The signature of the key "${keyId}" does not fit bundle.json in ${folder}.`);
}

function refusal(message: string): PublishError {
  return new PublishError(message, "Sign the bundle again after its last change, with a key that the package trusts.");
}
