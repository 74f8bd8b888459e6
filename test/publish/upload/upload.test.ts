import {
  BlobSASPermissions,
  ContainerClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { buildCheckBundle, bundleVersion } from "../../../publish/check-bundle.ts";
import { sha256 } from "../../../publish/digest.ts";
import { makeReleaseKey } from "../../../publish/sign/bundle-key.ts";
import { signBundle } from "../../../publish/sign/bundle-signature.ts";
import { openContainer, type OpenedContainer } from "../../../publish/upload/open-container.ts";
import { writeReadLink } from "../../../publish/upload/read-link.ts";
import { checkBundleFolder, requireSameBundle, uploadBundle } from "../../../publish/upload/upload-bundle.ts";
import { uploadPackage } from "../../../publish/upload/upload-package.ts";
import { azuriteAccount, azuriteHookMs, azuriteKey, startAzurite, type Azurite } from "../../support/azurite.ts";
import { unsignedIdentity } from "../../support/unsigned-token.ts";

const tool = join(import.meta.dirname, "../../../publish/main.ts");
let azurite: Azurite;
let folder = "";
let certificateFile = "";
let bySignature: ContainerClient;

beforeAll(async () => {
  azurite = await startAzurite();
  setDefaultCACertificates([...getCACertificates(), azurite.certificate]);
  folder = await mkdtemp(join(tmpdir(), "capz-upload-"));
  certificateFile = join(folder, "ca.pem");
  await writeFile(certificateFile, azurite.certificate);
  bySignature = (await openContainer({ url: azurite.container, sas: azurite.sas("rcw") })).container;
}, azuriteHookMs);

afterAll(() => azurite.close());

async function zipOf(name: string, megabytes: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, randomBytes(megabytes * 1024 * 1024));
  return path;
}

const signatureWith = (permissions: string, expiresOn: Date): string =>
  generateBlobSASQueryParameters(
    { containerName: "checks", permissions: ContainerSASPermissions.parse(permissions), expiresOn },
    new StorageSharedKeyCredential(azuriteAccount, azuriteKey),
  ).toString();

interface ToolRun {
  readonly code: number | null;
  readonly output: string;
}

/** Runs `upload` as a person does, with files that are no packages; `killWhen` ends it with SIGKILL once its output matches. */
async function runUpload(args: readonly string[], sas: string, killWhen?: RegExp): Promise<ToolRun> {
  const child = spawn(process.execPath, [tool, "upload", "--no-verify", ...args], {
    env: { ...process.env, NODE_OPTIONS: "", NODE_EXTRA_CA_CERTS: certificateFile, CAPZ_STORAGE_SAS: sas },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (part: Buffer): void => {
    output += part.toString();
    if (killWhen?.test(output) === true) child.kill("SIGKILL");
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}

test("an uploaded package is, read back, the same bytes, with its MD5 and sha256", async () => {
  const path = await zipOf("whole.zip", 9);
  const seen: number[] = [];
  const result = await uploadPackage(path, bySignature, ({ sentBlocks }) => seen.push(sentBlocks));
  const content = await readFile(path);
  expect(result).toMatchObject({ kind: "uploaded", sha256: sha256(content), bytes: content.length, resumedBlocks: 0 });
  expect(seen).toEqual([1, 2, 3]);
  const properties = await bySignature.getBlobClient("whole.zip").getProperties();
  expect(properties.metadata).toEqual({ sha256: sha256(content) });
  expect(properties.contentMD5).toHaveLength(16);
  expect(properties.contentType).toBe("application/zip");
});

test("the same version again is no work, another content under the same version is refused", async () => {
  const path = await zipOf("once.zip", 1);
  await uploadPackage(path, bySignature);
  expect(await uploadPackage(path, bySignature)).toMatchObject({ kind: "already-there" });
  await zipOf("once.zip", 1);
  await expect(uploadPackage(path, bySignature)).rejects.toThrow("is there already with other content");
});

test("of two uploads of one version at the same time the service keeps one", async () => {
  const path = await zipOf("race.zip", 5);
  const ends = await Promise.allSettled([uploadPackage(path, bySignature), uploadPackage(path, bySignature)]);
  expect(ends.filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(1);
  expect(sha256(await bySignature.getBlobClient("race.zip").downloadToBuffer())).toBe(sha256(await readFile(path)));
});

test("an upload that was killed goes on where it stopped", async () => {
  const path = await zipOf("killed.zip", 60);
  const args = [path, "--container", azurite.container, "--json"];
  const killed = await runUpload(args, azurite.sas("rcw"), /uploaded 2 of 15/);
  expect(killed.code).toBeNull();
  expect(await bySignature.getBlobClient("killed.zip").exists()).toBe(false);
  const resumed = await runUpload(args, azurite.sas("rcw"));
  expect(resumed.code).toBe(0);
  const printed: unknown = JSON.parse(resumed.output.slice(resumed.output.indexOf("{")));
  expect(printed).toMatchObject({ kind: "uploaded", sha256: sha256(await readFile(path)) });
  expect(printed).not.toMatchObject({ resumedBlocks: 0 });
});

test("a container that is not there is named, without the signature", async () => {
  const path = await zipOf("lost.zip", 1);
  const run = await runUpload(
    [path, "--container", azurite.container.replace("checks", "nowhere")],
    azurite.sas("rcw"),
  );
  expect(run.code).toBe(1);
  expect(run.output).toContain("/nowhere");
  expect(run.output).not.toMatch(/sig=(?!<redacted>)/);
});

test("an expired signature is told as such and never printed", async () => {
  const path = await zipOf("expired.zip", 1);
  const sas = signatureWith("rcw", new Date(Date.now() - 60_000));
  const run = await runUpload([path, "--container", azurite.container], sas);
  expect(run.code).toBe(1);
  expect(run.output).toContain("The shared access signature is expired or wrong");
  expect(run.output).not.toContain(new URLSearchParams(sas).get("sig"));
});

describe("a check bundle", () => {
  async function bundleFolder(
    trusted: readonly unknown[] = [],
  ): Promise<{ readonly place: string; readonly keys: string }> {
    const place = await mkdtemp(join(folder, "bundle-"));
    for (const { name, content } of await buildCheckBundle()) await writeFile(join(place, name), content);
    const keys = join(await mkdtemp(join(folder, "keys-")), "trusted-keys.json");
    await writeFile(keys, JSON.stringify(trusted));
    return { place, keys };
  }

  test("lies below its version, bundle.json last, is read back as it is, and is no work the second time", async () => {
    const { privateKey, entry } = makeReleaseKey("release-1");
    const { place, keys } = await bundleFolder([entry]);
    const keyFile = join(folder, "bundle-key.pem");
    await writeFile(keyFile, privateKey);
    await signBundle(place, { id: "release-1", file: keyFile });
    const bundle = await checkBundleFolder(place, keys);
    expect(bundle).toMatchObject({ version: bundleVersion, signedBy: "release-1" });
    expect(bundle.names.at(-1)).toBe("bundle.json");
    const first = await uploadBundle(place, bundle, bySignature);
    expect(first.map(({ name }) => name)).toEqual(bundle.names.map((name) => `check-bundle/${bundleVersion}/${name}`));
    for (const { name, kind } of first) {
      expect(kind).toBe("uploaded");
      const read = await bySignature.getBlobClient(name).downloadToBuffer();
      expect(read).toEqual(await readFile(join(place, name.split("/").at(-1) ?? "")));
    }
    const again = await uploadBundle(place, bundle, bySignature);
    expect(new Set(again.map(({ kind }) => kind))).toEqual(new Set(["already-there"]));
    await writeFile(join(place, "rules.json"), "{}");
    await expect(uploadBundle(place, bundle, bySignature)).rejects.toThrow("is there already with other content");
  });

  test("of a package must be the one that lies under its version, where one lies there", async () => {
    const made = await buildCheckBundle();
    const packed = made.find(({ name }) => name === "bundle.json")?.content ?? Buffer.of();
    await expect(requireSameBundle(packed, bySignature)).resolves.toBeUndefined();
    const changed = Buffer.from(packed.toString("utf8").replace(/"sha256": "./u, '"sha256": "x'));
    await expect(requireSameBundle(changed, bySignature)).rejects.toThrow(
      /that is not the published one .* changed since/u,
    );
    const next = Buffer.from(changed.toString("utf8").replace(bundleVersion, "9.9.9"));
    await expect(requireSameBundle(next, bySignature)).resolves.toBeUndefined();
  });

  test("is refused with a file that bundle.json does not know, and without a signature where a key is trusted", async () => {
    const open = await bundleFolder();
    expect(await checkBundleFolder(open.place, open.keys)).toMatchObject({ signedBy: undefined });
    await writeFile(join(open.place, "check.cjs"), "other");
    await expect(checkBundleFolder(open.place, open.keys)).rejects.toThrow(/check\.cjs .* bundle\.json names/u);
    const closed = await bundleFolder([makeReleaseKey("release-1").entry]);
    await expect(checkBundleFolder(closed.place, closed.keys)).rejects.toThrow("has no bundle.json.sig");
  });
});

test("--dry-run sends nothing", async () => {
  const path = await zipOf("dry.zip", 1);
  const run = await runUpload([path, "--container", azurite.container, "--dry-run"], azurite.sas("rcw"));
  expect(run).toMatchObject({ code: 0 });
  expect(run.output).toContain(`would upload ${path}`);
  expect(await bySignature.getBlobClient("dry.zip").exists()).toBe(false);
});

test("an identity uploads without any signature and signs a read link that only its owner can read", async () => {
  const opened: OpenedContainer = await openContainer(
    { url: azurite.container },
    unsignedIdentity("https://storage.azure.com"),
  );
  const path = await zipOf("identity.zip", 1);
  expect(await uploadPackage(path, opened.container)).toMatchObject({ kind: "uploaded" });
  const file = join(folder, "link");
  await writeReadLink(opened, "identity.zip", { file, days: 2, now: new Date() });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const link = (await readFile(file, "utf8")).trim();
  const response = await fetch(link);
  expect(response.status).toBe(200);
  expect(sha256(Buffer.from(await response.arrayBuffer()))).toBe(sha256(await readFile(path)));
  expect(BlobSASPermissions.parse(new URL(link).searchParams.get("sp") ?? "").write).toBe(false);
});
