import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildCheckBundle, bundleVersion } from "../../publish/check-bundle.ts";

const project = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** Leaves our bundle in `folder`, as it is uploaded for handlers that download it; gives the text of bundle.json. */
export async function writeBundle(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const files = await buildCheckBundle();
  for (const { name, content } of files) await writeFile(join(folder, name), content);
  return files.find(({ name }) => name === "bundle.json")?.content.toString() ?? "";
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
  const { values } = parseArgs({
    options: { sign: { type: "string" }, out: { type: "string", default: "dist/bundle" } },
  });
  const { buildRules } = await import("./build-rules.ts");
  await writeFile(join(project, "scripts/rules.json"), await buildRules());
  const bundle = await writeBundle(join(project, values.out));
  const digest = createHash("sha256").update(bundle).digest("hex");
  process.stdout.write(`${values.out}/bundle.json  version ${bundleVersion}  checkSha256 ${digest}\n`);
  if (values.sign === undefined) return;
  const pem = await readFile(values.sign, "utf8");
  await writeFile(join(project, values.out, "bundle.json.sig"), signBundle(bundle, pem));
  const publicKey = createPublicKey(pem).export({ type: "spki", format: "pem" }).toString();
  const trusted = JSON.stringify({ keyId: keyIdOf(pem), publicKey });
  process.stdout.write(`${values.out}/bundle.json.sig  signed; entry of trusted-keys.json: ${trusted}\n`);
}

if (import.meta.main) await main();
