import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { obtainCheck } from "../../handler/check/obtain/obtain-check.ts";
import type { Host } from "../../handler/host.ts";
import type { CheckSettings } from "../../handler/settings/settings.ts";
import { ok, type TestServer } from "./http-server.ts";

export interface BundleRecipe {
  readonly version?: string;
  readonly protocol?: number;
  readonly minimumHandlerVersion?: string;
  /** Text of check.sh; the other files are made to go with it. */
  readonly check?: string;
  /** Text of check.cjs, in place of the scripts. */
  readonly program?: string;
  /** Text of rules.json; without it there is no rule. */
  readonly rules?: string;
  /** Further entries of bundle.json's list, for hostile bundles. */
  readonly extraFiles?: readonly { readonly name: string; readonly sha256: string; readonly size: number }[];
}

export interface MadeBundle {
  readonly manifest: string;
  /** Value for the setting checkSha256. */
  readonly digest: string;
  readonly files: Readonly<Record<string, string>>;
}

export function makeBundle(recipe: BundleRecipe = {}): MadeBundle {
  const scripts = { "check.ps1": "exit 75\n", "check.sh": recipe.check ?? "exit 75\n" };
  const files = {
    ...(recipe.program === undefined ? scripts : { "check.cjs": recipe.program }),
    "rules.json": recipe.rules ?? '{"rules":[]}\n',
  };
  const entries = Object.entries(files).map(([name, text]) => ({
    name,
    sha256: hash(text),
    size: Buffer.byteLength(text),
  }));
  const manifest = `${JSON.stringify({
    version: recipe.version ?? "1.0.0",
    protocol: recipe.protocol ?? 1,
    minimumHandlerVersion: recipe.minimumHandlerVersion ?? "1.0.0",
    files: [...entries, ...(recipe.extraFiles ?? [])],
  })}\n`;
  return { manifest, digest: hash(manifest), files };
}

export interface SigningKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  readonly publicKey: string;
}

export function makeSigningKey(keyId: string): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return { keyId, privateKey, publicKey: publicKey.export({ type: "spki", format: "pem" }).toString() };
}

/** The text of bundle.json.sig. */
export function signManifest(manifest: string, key: SigningKey): string {
  const signature = sign(null, Buffer.from(manifest), key.privateKey).toString("base64");
  return JSON.stringify({ keyId: key.keyId, signature });
}

/** Writes the bundle as the embedded one of a package, with the keys that the package trusts. */
export async function embedBundle(
  programFolder: string,
  bundle: MadeBundle,
  keys: readonly SigningKey[] = [],
): Promise<void> {
  const folder = join(programFolder, "bundle");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "bundle.json"), bundle.manifest);
  for (const [name, text] of Object.entries(bundle.files)) await writeFile(join(folder, name), text);
  const trusted = keys.map(({ keyId, publicKey }) => ({ keyId, publicKey }));
  await writeFile(join(folder, "trusted-keys.json"), JSON.stringify(trusted));
}

export interface SignedBundle {
  readonly bundle: MadeBundle;
  readonly key: SigningKey;
}

/** Publishes the bundle below a path of the server. */
export function serveBundle(server: TestServer, path: string, served: MadeBundle | SignedBundle): void {
  const { bundle, key } = "bundle" in served ? served : { bundle: served, key: undefined };
  server.answer(`${path}/bundle.json`, ok(bundle.manifest));
  for (const [name, text] of Object.entries(bundle.files)) server.answer(`${path}/${name}`, ok(text));
  if (key !== undefined) server.answer(`${path}/bundle.json.sig`, ok(signManifest(bundle.manifest, key)));
}

export type BundleSettings = Extract<CheckSettings, { kind: "bundle" }>;

export interface Obtaining {
  readonly vmId?: string;
  readonly handlerVersion?: string;
  readonly remainingMs?: number;
  readonly signal?: AbortSignal;
}

/** The bundle that a supervisor on this host gets for these settings. */
export async function obtainBundle(host: Host, wish: Partial<BundleSettings>, more: Obtaining = {}) {
  const check = await obtainCheck({
    host,
    workFolder: join(host.root, "work"),
    identity: { vmId: more.vmId ?? "vm-1", bootId: "boot-1" },
    handlerVersion: more.handlerVersion ?? "1.0.0",
    deadline: { remainingMs: () => more.remainingMs ?? 400_000 },
    signal: more.signal ?? new AbortController().signal,
    settings: {
      check: { kind: "bundle", version: undefined, sha256: undefined, baseUris: [], required: false, ...wish },
      storage: { kind: "anonymous" },
      proxy: undefined,
    },
  });
  if (check.kind !== "bundle") throw new Error("not a bundle");
  return check;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
