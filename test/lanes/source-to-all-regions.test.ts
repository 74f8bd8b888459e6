import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { sha256 } from "../../publish/digest.ts";
import { readExtensionDefinition } from "../../publish/extension-definition.ts";
import { projectVersion } from "../../publish/project.ts";
import { createArmPublisher } from "../../publish/rollout/arm-publisher.ts";
import type { CloudPlan } from "../../publish/rollout/plan.ts";
import { createTransport } from "../../publish/rollout/send-request.ts";
import { promoteVersion, publishVersion, versionStatus } from "../../publish/rollout/steps.ts";
import { signPackage, verifyPackageSignature } from "../../publish/sign/package-signature.ts";
import { openContainer } from "../../publish/upload/open-container.ts";
import { writeReadLink } from "../../publish/upload/read-link.ts";
import { uploadPackage } from "../../publish/upload/upload-package.ts";
import { verifyPackage } from "../../publish/verify/verify-package.ts";
import { startArmServer, type ArmServer } from "../support/arm-server.ts";
import { azuriteHookMs, startAzurite, type Azurite } from "../support/azurite.ts";
import { makeTestSigner } from "../support/test-signer.ts";
import { unsignedIdentity } from "../support/unsigned-token.ts";

const project = join(import.meta.dirname, "../..");
let azurite: Azurite;
let arm: ArmServer;
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capz-release-"));
  [azurite, arm] = await Promise.all([startAzurite(), startArmServer()]);
  setDefaultCACertificates([...getCACertificates(), azurite.certificate]);
}, azuriteHookMs);

afterAll(async () => {
  await Promise.all([azurite.close(), arm.close()]);
  await rm(folder, { recursive: true, force: true });
});

/** Builds both packages as another machine would: its own time zone and file modes. */
function buildIn(out: string, timeZone: string, umask: string): void {
  const command = `umask ${umask}; exec "$0" publish/main.ts package all --out "$1"`;
  execFileSync("sh", ["-c", command, process.execPath, out], {
    cwd: project,
    env: { ...process.env, TZ: timeZone, NODE_OPTIONS: "" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

const plan: CloudPlan = {
  cloud: "public",
  backend: "arm",
  subscriptionId: "12345678-1234-1234-1234-123456789abc",
  resourceGroup: "publishing",
  location: "West US 2",
  stages: [
    { name: "canary", regions: ["East US 2 EUAP"], bakeHours: 24, healthGate: ["true"] },
    { name: "first", regions: ["East US 2 EUAP", "West Central US"], bakeHours: 24, healthGate: ["true"] },
    { name: "all", regions: ["*"], bakeHours: 0, healthGate: [] },
  ],
};

test("from the sources to every region: what an agent downloads is what was built, and it runs", async () => {
  const version = await projectVersion();
  const [here, there] = [join(folder, "here"), join(folder, "there")];
  buildIn(here, "Asia/Tokyo", "022");
  buildIn(there, "America/Los_Angeles", "077");
  for (const system of ["Linux", "Windows"]) {
    const name = `CAPZ.${system}.Bootstrapping-${version}.zip`;
    expect(sha256(await readFile(join(there, name)))).toBe(sha256(await readFile(join(here, name))));
    expect((await verifyPackage(join(here, name))).filter(({ result }) => result === "failed")).toEqual([]);
  }
  const zip = join(here, `CAPZ.Linux.Bootstrapping-${version}.zip`);
  const digest = sha256(await readFile(zip));

  const signer = await makeTestSigner();
  await signPackage(zip, `${zip}.sig`, signer);

  const storage = await openContainer({ url: azurite.container }, unsignedIdentity("https://storage.azure.com"));
  const uploaded = await uploadPackage(zip, storage.container);
  const linkFile = join(folder, "link");
  await writeReadLink(storage, uploaded.name, { file: linkFile, days: 1, now: new Date() });

  let now = Date.parse("2026-11-21T08:00:00Z");
  const clock = {
    now: () => new Date(now),
    sleep: (ms: number) => {
      now += ms;
      return Promise.resolve();
    },
  };
  const definition = await readExtensionDefinition("Linux");
  const credential = unsignedIdentity("https://management.azure.com");
  const send = createTransport({ clock });
  const publisher = createArmPublisher({ definition, plan, endpoint: arm.endpoint, credential, send });
  const rollout = { publisher, plan, clock, dryRun: false };

  const mediaLink = (await readFile(linkFile, "utf8")).trim();
  arm.faults.push({ kind: "answer", status: 429, retryAfter: 3 }, { kind: "lost-connection" });
  await publishVersion(rollout, { version, sha256: digest, mediaLink });
  arm.pollsUntilReplicated = 2;
  for (const { name, bakeHours } of plan.stages) {
    arm.faults.push({ kind: "answer", status: 500 }, { kind: "redirect" });
    await promoteVersion(rollout, version, name);
    expect((await versionStatus(rollout, version, 3600)).replication.kind).toBe("completed");
    now += bakeHours * 3_600_000;
  }
  expect(await publisher.list()).toMatchObject([{ version, internal: false, regions: ["*"], sha256: digest }]);

  const downloaded = join(folder, "downloaded.zip");
  await writeFile(downloaded, arm.versions.get(version)?.content ?? "");
  expect(sha256(await readFile(downloaded))).toBe(digest);
  expect(await verifyPackageSignature(downloaded, `${zip}.sig`, signer.root)).toEqual({ kind: "valid" });
  const handlerFolder = join(folder, "handler");
  execFileSync("python3", ["-m", "zipfile", "-e", downloaded, handlerFolder]);
  const output = execFileSync("sh", [join(handlerFolder, "bin/capz-bootstrap"), "--version"], { encoding: "utf8" });
  expect(output.trim()).toBe(version);
}, 600_000);
