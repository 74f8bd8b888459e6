import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { buildClient, type BuiltClient } from "../../publish/build-client.ts";
import { sha256 } from "../../publish/digest.ts";
import { projectVersion } from "../../publish/project.ts";

const answers = join(import.meta.dirname, "../fixtures/answers");
let folder = "";
let client: BuiltClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capz-client-"));
  client = await buildClient(join(folder, "first"));
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Run {
  readonly exitCode: number | null;
  readonly output: string;
}

/** Runs the file by itself: in an empty folder, with nothing of the project near it. */
function run(
  args: readonly string[],
  options: { readonly first?: readonly string[]; readonly input?: string } = {},
): Run {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...(options.first ?? []), client.program, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: "" },
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  return { exitCode: status, output: `${stdout}${stderr}` };
}

describe("the client in one file", () => {
  test("has less than 1.5 MB, its digest is told, and the same sources give the same bytes", async () => {
    expect(client.bytes).toBeLessThan(1_500_000);
    expect(sha256(readFileSync(client.program))).toBe(client.sha256);
    const again = await buildClient(join(folder, "second"));
    expect(again.sha256).toBe(client.sha256);
    expect(readFileSync(again.archive).equals(readFileSync(client.archive))).toBe(true);
  });

  test("explains in a folder that is gone, and says so where it has to look there", () => {
    const gone = (words: string) =>
      spawnSync(
        "/bin/sh",
        ["-c", `mkdir gone && cd gone && rmdir ../gone && exec ${process.execPath} ${client.program} ${words}`],
        {
          cwd: folder,
          encoding: "utf8",
          env: { PATH: "/usr/bin:/bin" },
        },
      );
    const view = join(answers, "view-absent.json");
    expect(gone(`explain ${view}`)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("not attached to it"),
      stderr: "",
    });
    for (const words of ["diagnose", "diagnose logs.tgz"])
      expect(gone(words)).toMatchObject({
        status: 64,
        stdout: expect.stringContaining("the folder that the command was started in is gone. Next: "),
        stderr: "",
      });
  });

  test("explains with the rules inside of it", () => {
    expect(run(["explain", join(answers, "arm-cse-50.json")])).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining("failed (OutboundConnectivityBlocked)"),
    });
    expect(run(["explain", "-"], { input: readFileSync(join(answers, "view-absent.json"), "utf8") })).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining("not attached to it"),
    });
  });

  test("names a reason, checks settings, and diagnoses copied logs", () => {
    expect(run(["reason", "DnsResolutionFailed"])).toMatchObject({ exitCode: 0 });
    writeFileSync(join(folder, "settings.json"), '{"timeoutSeconds": "5"}');
    expect(run(["settings", "check", "settings.json"])).toMatchObject({
      exitCode: 3,
      output: expect.stringContaining("timeoutSeconds"),
    });
    writeFileSync(
      join(folder, "cloud-init-output.log"),
      "[2026-11-21 09:15:10] error execution phase preflight: dial tcp: lookup api.internal on 10.0.0.10:53: no such host\n",
    );
    const copied = mkdtempSync(join(folder, "logs-"));
    mkdirSync(join(copied, "var/log"), { recursive: true });
    copyFileSync(join(folder, "cloud-init-output.log"), join(copied, "var/log/cloud-init-output.log"));
    expect(run(["diagnose", "--root", copied])).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/^Bootstrap failed \(DnsResolutionFailed\)/u),
    });
  });

  test("has no command of a node, and its help names the four that it has", () => {
    for (const name of ["enable", "supervise", "run", "check", "prepare-image"])
      expect(run([name]).output).toContain(`unknown command '${name}'`);
    expect(run(["--help"]).output).toMatch(/explain[\s\S]*diagnose[\s\S]*reason[\s\S]*settings/u);
  });

  test.each(["darwin", "win32"])("loads and explains where the system is called %s", (platform) => {
    const played = join(folder, `${platform}.cjs`);
    writeFileSync(played, `Object.defineProperty(process, "platform", { value: "${platform}" });\n`);
    const file = join(answers, "azuremachine-reset.yaml");
    expect(run(["explain", file], { first: ["--require", played] })).toEqual(run(["explain", file]));
  });

  test("tells an older Node in one line what it needs", () => {
    const old = join(folder, "old.cjs");
    writeFileSync(old, 'Object.defineProperty(process.versions, "node", { value: "20.20.2" });\n');
    const { exitCode, output } = run(["--help"], { first: ["--require", old] });
    expect(exitCode).toBe(3);
    expect(output).toMatch(/^capz-bootstrap needs Node 22 or newer, and this is Node 20\.20\.2 \(.*\)\. Next: .*\n$/u);
  });
});

test("the package for npm installs without a network and gives the command", async () => {
  const place = mkdtempSync(join(folder, "install-"));
  const env = { PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter), HOME: place };
  const options = ["--prefix", place, "--offline", "--no-audit", "--no-fund", "--silent"];
  expect(spawnSync("npm", ["install", ...options, client.archive], { env, encoding: "utf8" })).toMatchObject({
    status: 0,
  });
  const installed = join(place, "node_modules/capz-bootstrap");
  expect(readdirSync(installed).toSorted()).toEqual([
    "LICENSE",
    "NOTICE",
    "README.md",
    "capz-bootstrap.cjs",
    "package.json",
  ]);
  expect(JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))).toMatchObject({
    engines: { node: ">=22" },
  });
  const { stdout } = spawnSync(join(place, "node_modules/.bin/capz-bootstrap"), ["--version"], {
    env,
    encoding: "utf8",
  });
  expect(stdout.trim()).toBe(await projectVersion());
});

test("the SBOM names the packages that lie in the file, and the file by its digest", () => {
  const { components } = JSON.parse(readFileSync(client.sbom, "utf8")) as {
    readonly components: readonly {
      readonly name: string;
      readonly hashes?: readonly { readonly content: string }[];
    }[];
  };
  expect(components.map(({ name }) => name)).toEqual(["adm-zip", "commander", "valibot", "yaml", "capz-bootstrap.cjs"]);
  expect(components.at(-1)?.hashes?.[0]?.content).toBe(client.sha256);
});
