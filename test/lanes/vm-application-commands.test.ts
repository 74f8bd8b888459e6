import { beforeAll, expect, test } from "@jest/globals";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { readExtensionDefinition } from "../../publish/extension-definition.ts";
import { listOf, member } from "../../publish/json-value.ts";
import { packageForHost } from "../../scripts/dev/start/package-for-host.ts";
import { renderVmApplication } from "../../publish/vm-application.ts";
import { waitUntil } from "../support/wait-until.ts";

const manifests = join(import.meta.dirname, "../../manifests/vm-application");
let zip = "";

beforeAll(() => {
  ({ zip } = packageForHost());
}, 900_000);

interface Machine {
  readonly download: string;
  readonly install: string;
  readonly root: string;
  run(command: string): { readonly status: number | null; readonly output: string };
  /** Starts it, and waits until the check it starts has written its process id. */
  begin(command: string): Promise<{ readonly pid: number; readonly ended: Promise<number | null> }>;
}

/** A download folder as the guest agent prepares it, and a scratch folder that stands for the machine. */
async function machine(settings: string | undefined): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), "capz-vm-application-"));
  const [download, install, root] = [
    join(folder, "download"),
    join(folder, "opt/capz bootstrap"),
    join(folder, "root"),
  ];
  await mkdir(download);
  await mkdir(join(root, "run/cluster-api"), { recursive: true });
  await copyFile(zip, join(download, "capz-bootstrap.zip"));
  if (settings !== undefined) await writeFile(join(download, "capz-bootstrap.json"), settings);
  const how = {
    cwd: download,
    env: { PATH: process.env["PATH"], CAPZ_INSTALL_FOLDER: install, CAPZ_BOOTSTRAP_ROOT: root },
  };
  return {
    download,
    install,
    root,
    run: (command) => {
      const result = spawnSync("/bin/bash", ["-c", command], { ...how, encoding: "utf8" });
      return { status: result.status, output: result.stdout + result.stderr };
    },
    async begin(command) {
      const child = spawn("/bin/bash", ["-c", command], { ...how, stdio: "ignore" });
      const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
      const file = join(root, "pid");
      await waitUntil("the check is at work", () => existsSync(file) && readFileSync(file, "utf8").trim() !== "");
      return { pid: Number(readFileSync(file, "utf8")), ended };
    },
  };
}

/** A check that says which process waits, and would wait for long. */
const waits = (root: string): string =>
  JSON.stringify({ commandToExecute: `sleep 300 & echo $! > "${root}/pid"; wait`, timeoutSeconds: "600" });

function isGone(pid: number): boolean {
  return !existsSync(`/proc/${String(pid)}`) || readFileSync(`/proc/${String(pid)}/stat`, "utf8").includes(") Z ");
}

async function commandOf(action: "install" | "remove"): Promise<string> {
  const template: unknown = JSON.parse(await renderVmApplication(await readExtensionDefinition("Linux"), "1.0.0"));
  const version = listOf(member(template, "resources"))[1];
  return String(member(version, "properties", "publishingProfile", "manageActions", action));
}

test("the install command says in words that a check failed, and the remove command leaves nothing", async () => {
  const settings = JSON.stringify({ commandToExecute: "echo no kubelet; exit 3", timeoutSeconds: "30" });
  const node = await machine(settings);
  const installed = node.run(await commandOf("install"));
  expect(installed.output).toContain("failed");
  expect(installed.status).toBe(1);
  expect((await stat(join(node.install, "bin/capz-bootstrap"))).mode & 0o100).toBe(0o100);
  expect(node.run(await commandOf("remove")).status).toBe(0);
  await expect(stat(node.install)).rejects.toThrow("ENOENT");
  await expect(stat(join(node.root, "var/lib/capz-bootstrap/run"))).rejects.toThrow("ENOENT");
});

test("for Run Command the verdict comes within 3.5 KB, first and last, without progress", async () => {
  const command = "i=0; while [ $i -lt 400 ]; do echo a line of output number $i; i=$((i+1)); done; exit 3";
  const node = await machine(JSON.stringify({ commandToExecute: command, timeoutSeconds: "30" }));
  node.run(await commandOf("install"));
  const program = `"${node.install}/bin/capz-bootstrap"`;
  // What the shell itself says goes elsewhere.
  const { status } = node.run(`${program} run --brief --settings capz-bootstrap.json >said`);
  const output = await readFile(join(node.download, "said"), "utf8");
  expect(status).toBe(1);
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(3500);
  const lines = output.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^Bootstrap failed \(CommandFailed\)/u);
  expect(lines.at(-1)).toBe(lines[0]);
});

test("the install command succeeds with the check, also when it is run again over an older version", async () => {
  const node = await machine(JSON.stringify({ commandToExecute: "true", timeoutSeconds: "30" }));
  const command = await commandOf("install");
  expect(node.run(command)).toMatchObject({ status: 0 });
  await writeFile(join(node.install, "left-over"), "");
  expect(node.run(command)).toMatchObject({ status: 0 });
  expect(await readdir(node.install)).not.toContain("left-over");
});

test("a run at work is left alone by a second run, ended by a new install, and by remove, with what it started", async () => {
  const node = await machine(undefined);
  await writeFile(join(node.download, "capz-bootstrap.json"), waits(node.root));
  const [install, remove] = [await commandOf("install"), await commandOf("remove")];
  const first = await node.begin(install);
  const second = node.run(`"${node.install}/bin/capz-bootstrap" run --quiet --settings capz-bootstrap.json`);
  expect(second).toMatchObject({
    status: 3,
    output: expect.stringContaining("another run is at work on this machine"),
  });
  expect(isGone(first.pid)).toBe(false);
  await rm(join(node.root, "pid"));
  const third = await node.begin(install);
  expect(await first.ended).toBe(3);
  expect(isGone(first.pid)).toBe(true);
  expect(node.run(remove).status).toBe(0);
  expect(await third.ended).toBe(3);
  expect(isGone(third.pid)).toBe(true);
  expect(await readdir(join(node.root, "var/lib/capz-bootstrap"))).toEqual([]);
  expect(existsSync(node.install)).toBe(false);
});

test("remove ends a run whose program is half gone", async () => {
  const node = await machine(undefined);
  await writeFile(join(node.download, "capz-bootstrap.json"), waits(node.root));
  const first = await node.begin(await commandOf("install"));
  await rm(join(node.install, "capz-bootstrap.cjs"));
  expect(node.run(await commandOf("remove")).status).toBe(0);
  expect(await first.ended).toBe(3);
  await waitUntil("the check has ended", () => isGone(first.pid));
  expect(existsSync(node.install)).toBe(false);
});

test.each(["Linux", "Windows"] as const)("the template for %s holds commands that a gallery accepts", async (os) => {
  const template: unknown = JSON.parse(await renderVmApplication(await readExtensionDefinition(os), "1.0.0"));
  const version = listOf(member(template, "resources"))[1];
  const profile = member(version, "properties", "publishingProfile");
  for (const action of ["install", "remove"]) {
    const command = String(member(profile, "manageActions", action));
    expect(command.length).toBeLessThanOrEqual(4096);
    if (os === "Windows") expect(command).not.toContain("\n");
  }
  expect(member(template, "parameters", "packageLink")).toEqual({ type: "securestring" });
  expect(member(profile, "settings")).toEqual({
    packageFileName: "capz-bootstrap.zip",
    configFileName: "capz-bootstrap.json",
  });
});

test("a managed Run Command that cannot fetch the package ends with 3, and not as a node that failed", () => {
  const script = join(manifests, "managed-run-command.sh");
  // Refused before any connection: it is not https.
  const env = { ...process.env, packageUri: "http://127.0.0.1:9/package.zip", packageSha256: "0".repeat(64) };
  expect(spawnSync("dash", [script], { env }).status).toBe(3);
});

test.each(["dash", "bash", "busybox sh"])("a managed Run Command without its parameters ends with 3 in %s", (shell) => {
  const [program = "", ...args] = shell.split(" ");
  const script = join(manifests, "managed-run-command.sh");
  const given = { packageUri: "https://a.example/package.zip", packageSha256: "0".repeat(64) };
  for (const name of ["packageUri", "packageSha256"]) {
    const env = { PATH: process.env["PATH"], ...given, [name]: "" };
    const { status, stderr } = spawnSync(program, [...args, script], { env, encoding: "utf8" });
    expect([status, stderr]).toEqual([
      3,
      expect.stringMatching(/^parameters packageUri .* packageSha256 .* needed\n$/u),
    ]);
  }
});

test("the scripts are accepted by dash, and the cloud-init example is a cloud-config", async () => {
  for (const name of ["install.sh", "remove.sh", "managed-run-command.sh"]) {
    expect(spawnSync("dash", ["-n", join(manifests, name)]).status).toBe(0);
  }
  const text = await readFile(join(manifests, "cloud-init.yaml"), "utf8");
  expect(text.startsWith("#cloud-config\n")).toBe(true);
  const [settings] = listOf(member(parse(text), "write_files"));
  expect(JSON.parse(String(member(settings, "content")))).toMatchObject({ timeoutSeconds: "1200" });
});
