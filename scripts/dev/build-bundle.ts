import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/** Version of the check bundle: raised with every change of a check or a rule, whatever the handler's version is. */
export const bundleVersion = "1.0.0";
export const protocol = 1;
/** Oldest handler that can run this bundle. */
export const minimumHandlerVersion = "1.0.0";

const scriptsFolder = join(dirname(fileURLToPath(import.meta.url)), "..");
const fileNames = ["check.ps1", "check.sh", "rules.json"] as const;

/** bundle.json for the files of a folder: same files, same bytes. */
export async function buildBundle(folder: string): Promise<string> {
  const files = [];
  for (const name of fileNames) {
    const path = join(folder, name);
    // A bundle may serve one system only; its package is then refused for the other (publish/verify).
    if (!existsSync(path) && name.startsWith("check.")) continue;
    const bytes = await readFile(path);
    files.push({ name, sha256: createHash("sha256").update(bytes).digest("hex"), size: bytes.length });
  }
  if (!files.some(({ name }) => name.startsWith("check.")))
    throw new Error(`Cannot build the bundle: ${folder} has no check`);
  return `${JSON.stringify({ version: bundleVersion, protocol, minimumHandlerVersion, files }, undefined, 2)}\n`;
}

/** bundle.json.sig: Ed25519 over the exact bytes. The key's id is the start of its SHA-256, as `--sign` prints it. */
export function signBundle(bundle: string, privateKeyPem: string): string {
  const key = createPrivateKey(privateKeyPem);
  if (key.asymmetricKeyType !== "ed25519") throw new Error("Cannot sign the bundle: the key is not an Ed25519 key");
  const signature = sign(null, Buffer.from(bundle), key).toString("base64");
  return `${JSON.stringify({ keyId: keyIdOf(privateKeyPem), signature })}\n`;
}

export function keyIdOf(pem: string): string {
  const der = createPublicKey(pem).export({ type: "spki", format: "der" });
  return createHash("sha256").update(der).digest("hex").slice(0, 16);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { sign: { type: "string" } } });
  const { buildRules } = await import("./build-rules.ts");
  await writeFile(join(scriptsFolder, "rules.json"), await buildRules());
  const bundle = await buildBundle(scriptsFolder);
  await writeFile(join(scriptsFolder, "bundle.json"), bundle);
  const digest = createHash("sha256").update(bundle).digest("hex");
  process.stdout.write(`scripts/bundle.json  version ${bundleVersion}  checkSha256 ${digest}\n`);
  if (values.sign === undefined) return;
  const pem = await readFile(values.sign, "utf8");
  await writeFile(join(scriptsFolder, "bundle.json.sig"), signBundle(bundle, pem));
  const publicKey = createPublicKey(pem).export({ type: "spki", format: "pem" }).toString();
  const trusted = JSON.stringify({ keyId: keyIdOf(pem), publicKey });
  process.stdout.write(`scripts/bundle.json.sig  signed; entry of trusted-keys.json: ${trusted}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
