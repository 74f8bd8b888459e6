import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseManifest, verifyFile } from "../../handler/check/obtain/bundle.ts";
import * as v from "valibot";
import { loadRules } from "../../handler/diagnosis/load-rules.ts";
import {
  buildCheckBundle,
  bundleVersion,
  describeBundle,
  minimumHandlerVersion,
  type BundleWords,
} from "../../publish/check-bundle.ts";

import { shipSearched } from "./read-rules.ts";

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

export interface FromFolder extends BundleWords {
  /** Holds the check (`check.cjs`, or `check.sh` and `check.ps1`) and, where it has its own, rules.json. */
  readonly from: string;
  readonly out: string;
}

/**
 * Makes a bundle of somebody's own check; without rules of its own it gets ours. Tested as the handler tests a downloaded one.
 * @throws Error that names the file and what to change
 */
export async function writeBundleOf({ from, out, ...words }: FromFolder): Promise<string> {
  const names = (await readdir(from)).filter((name) => !name.startsWith(".") && !name.startsWith("bundle.json"));
  const own = await Promise.all(names.map(async (name) => ({ name, content: await readFile(join(from, name)) })));
  if (!own.some(({ name }) => /^check\.(?:cjs|sh|ps1)$/u.test(name))) {
    throw new Error(`"${from}" has no check: it needs check.cjs, check.sh or check.ps1`);
  }
  const files = [...own.filter(({ name }) => name !== "rules.json"), await rulesOf(own)];
  const manifest = describeBundle(files, words);
  for (const file of parseManifest(Buffer.from(manifest), from).files) {
    const content = files.find(({ name }) => name === file.name)?.content ?? Buffer.alloc(0);
    verifyFile(file, content, from);
  }
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  for (const { name, content } of files) await writeFile(join(out, name), content);
  await writeFile(join(out, "bundle.json"), manifest);
  return manifest;
}

interface OwnFile {
  readonly name: string;
  readonly content: Buffer;
}

/** Ours where there are none. The texts that lines are found by are put in here, as for our own rules: nobody has to write them. */
async function rulesOf(own: readonly OwnFile[]): Promise<OwnFile> {
  const name = "rules.json";
  const given = own.find((file) => file.name === name)?.content;
  if (given === undefined) return { name, content: await readFile(join(project, "scripts/rules.json")) };
  const text = withTexts(given.toString("utf8"));
  loadRules(text);
  return { name, content: Buffer.from(text) };
}

const patterns = v.array(v.array(v.looseObject({ source: v.string(), flags: v.picklist(["u", "iu"]) })));
const searched = {
  any: v.optional(patterns),
  all: v.optional(patterns),
  none: v.optional(patterns),
  recoveredBy: v.optional(patterns),
};
const rulesFile = v.looseObject({ rules: v.array(v.looseObject(searched)) });

/** A file of another shape stays as it is: whoever loads it says what is wrong. */
function withTexts(text: string): string {
  const parsed = v.safeParse(rulesFile, JSON.parse(text));
  if (!parsed.success) return text;
  const rules = parsed.output.rules.map((rule) => {
    const { any, all, none, recoveredBy } = rule;
    const shipped = Object.entries({ any, all, none, recoveredBy }).flatMap(([key, list]) =>
      list === undefined ? [] : [[key, list.map(shipTerms)] as const],
    );
    return { ...rule, ...Object.fromEntries(shipped) };
  });
  return `${JSON.stringify({ ...parsed.output, rules })}\n`;
}

function shipTerms(terms: v.InferOutput<typeof patterns>[number]): readonly object[] {
  if (terms.some((term) => "texts" in term)) return terms;
  return shipSearched(terms.map(({ source, flags }) => new RegExp(source, flags)));
}

async function writeOurs(out: string): Promise<string> {
  const { buildRules } = await import("./build-rules.ts");
  await writeFile(join(project, "scripts/rules.json"), await buildRules());
  return writeBundle(out);
}

const usage =
  "npm run bundle [-- --from DIR --version V [--minimum-handler V] [--watch FOLDER …]] [--out DIR] [--sign KEY.pem]";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      version: { type: "string" },
      "minimum-handler": { type: "string", default: minimumHandlerVersion },
      watch: { type: "string", multiple: true, default: [] },
      sign: { type: "string" },
      out: { type: "string", default: "dist/bundle" },
    },
  });
  const { from, version, watch, "minimum-handler": minimum } = values;
  if ((from === undefined) !== (version === undefined)) throw new Error(`--from and --version go together: ${usage}`);
  const out = resolve(project, values.out);
  const bundle =
    from === undefined || version === undefined
      ? await writeOurs(out)
      : await writeBundleOf({ from, out, version, minimumHandlerVersion: minimum, watch });
  const digest = createHash("sha256").update(bundle).digest("hex");
  process.stdout.write(`${values.out}/bundle.json  version ${version ?? bundleVersion}  checkSha256 ${digest}\n`);
  if (values.sign === undefined) return;
  const pem = await readFile(values.sign, "utf8");
  await writeFile(join(out, "bundle.json.sig"), signBundle(bundle, pem));
  const publicKey = createPublicKey(pem).export({ type: "spki", format: "pem" }).toString();
  const trusted = JSON.stringify({ keyId: keyIdOf(pem), publicKey });
  process.stdout.write(`${values.out}/bundle.json.sig  signed; entry of trusted-keys.json: ${trusted}\n`);
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    process.stderr.write(`npm run bundle: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
