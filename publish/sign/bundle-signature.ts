import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { readGivenFile, readGivenJson } from "../given-file.ts";
import { listOf, member, readText } from "../json-value.ts";
import { PublishError } from "../publish-error.ts";
import { writeAtomic } from "../write-atomic.ts";

const privateKeyFile = {
  what: "private key",
  next: "Make one with: openssl genpkey -algorithm ed25519 -out key.pem",
};
const bundleFile = { what: "check bundle's list", next: "Build the bundle with: npm run bundle" };
const signatureFile = { what: "signature", next: "Sign the bundle first: sign-bundle FOLDER --key FILE --key-id ID" };
const keysFile = { what: "list of trusted keys", next: "new-bundle-key prints an entry of it." };

/** Signs the exact bytes of bundle.json; the handler accepts a downloaded bundle by it (bundle/trusted-keys.json). */
export async function signBundle(folder: string, key: { readonly id: string; readonly file: string }): Promise<string> {
  const privateKey = parsePrivateKey(await readGivenFile(key.file, privateKeyFile), key.file);
  if (privateKey.asymmetricKeyType !== "ed25519") {
    throw new PublishError(
      `The key in ${key.file} is of the type ${privateKey.asymmetricKeyType ?? "unknown"}; bundles are signed with Ed25519.`,
      "Make one with: openssl genpkey -algorithm ed25519 -out key.pem",
    );
  }
  const signature = sign(null, await readGivenFile(join(folder, "bundle.json"), bundleFile), privateKey).toString(
    "base64",
  );
  const path = join(folder, "bundle.json.sig");
  await writeAtomic(path, `${JSON.stringify({ keyId: key.id, signature }, null, 2)}\n`);
  return path;
}

/** The key id that signed the bundle; throws when no trusted key did. */
export async function verifyBundleSignature(folder: string, trustedKeys: string): Promise<string> {
  const bytes = await readGivenFile(join(folder, "bundle.json"), bundleFile);
  const signed = await readGivenJson(join(folder, "bundle.json.sig"), signatureFile);
  const keyId = readText(signed, "keyId", "bundle.json.sig");
  const keys = await readGivenJson(trustedKeys, keysFile);
  const key = listOf(keys).find((row) => member(row, "keyId") === keyId);
  if (key === undefined) throw refusal(`bundle.json.sig names the key "${keyId}", which ${trustedKeys} does not hold.`);
  const signature = Buffer.from(readText(signed, "signature", "bundle.json.sig"), "base64");
  if (verify(null, bytes, createPublicKey(readText(key, "publicKey", trustedKeys)), signature)) return keyId;
  throw refusal(`The signature of the key "${keyId}" does not fit bundle.json in ${folder}.`);
}

function parsePrivateKey(content: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(content);
  } catch (cause) {
    throw new PublishError(`${file} is no private key in PEM without a password.`, privateKeyFile.next, { cause });
  }
}

function refusal(message: string): PublishError {
  return new PublishError(message, "Sign the bundle again after its last change, with a key that the package trusts.");
}
