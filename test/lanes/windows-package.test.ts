import { afterAll, beforeAll, expect, test } from "@jest/globals";
import AdmZip from "adm-zip";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import type { CommandResult } from "../support/run-command.ts";
import { projectFolder } from "../support/node-root.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWineMachine, type WineMachine } from "../support/wine-root.ts";
import { lane, wineNeeds } from "./lane.ts";
import { printVersions } from "./print-versions.ts";
import { buildPackage } from "./real-package.ts";
import { exists, guardMs } from "./windows-handler.ts";

const plugins = "Packages/Plugins/Example.ClusterApi.CAPZ.Windows.Bootstrapping";

const manifestFile = v.tuple([v.object({ handlerManifest: v.record(v.string(), v.unknown()) })]);

/** Prints what the launcher handed on, and ends with a code of its own. */
const probeProgram = `
console.log(JSON.stringify({ args: process.argv.slice(2), version: process.version, platform: process.platform, foreign: Object.keys(process.env).filter((name) => /^(NODE_|OPENSSL_|SSLKEYLOG|PSMODULE)/i.test(name)), kept: Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("CAPZ_CALLER_"))) }));
process.exit(7);
`;

lane("the Windows package under Wine", wineNeeds, () => {
  let machine: WineMachine;
  let version: string;

  beforeAll(async () => {
    const built = await buildPackage("Windows");
    version = built.version;
    machine = await startWineMachine();
    const wine = await machine.run(["--version"]);
    expect(wine).toMatchObject({ code: 0, stderr: "" });
    printVersions("windows-package", wine.stdout);
    new AdmZip(built.zip).extractAllTo(join(machine.drive, plugins, version), true);
  });

  afterAll(async () => {
    await machine.dispose();
  });

  /** Runs the launcher as the Windows guest agent does: a command line for cmd, in the handler's folder. */
  function launch(
    folder: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<CommandResult> {
    const cwd = `C:\\${folder.replaceAll("/", "\\")}`;
    return machine.run(["cmd", "/c", "bin\\capz-bootstrap.cmd", ...args], { cwd, env });
  }

  /** A copy of the unpacked package in another folder, with the program replaced by one that tells what it was given. */
  async function copyWithProbe(folder: string): Promise<string> {
    await mkdir(join(machine.drive, folder), { recursive: true });
    await cp(join(machine.drive, plugins, version), join(machine.drive, folder), { recursive: true });
    await writeFile(join(machine.drive, folder, "capz-bootstrap.cjs"), probeProgram);
    return folder;
  }

  test("the packaged node.exe is the Node that the project is built and tested with", async () => {
    const result = await machine.run([
      `C:\\${plugins.replaceAll("/", "\\")}\\${version}\\runtime\\windows-x64\\node.exe`,
      "-p",
      "`${process.version} ${process.platform} ${process.arch}`",
    ]);
    expect(result.stdout.trim()).toBe(`${process.version} win32 x64`);
  });

  test("the launcher hands on arguments and exit code, keeps foreign variables out, and hands them on for the user's command", async () => {
    const folder = await copyWithProbe("launcher");
    const foreign = {
      NODE_OPTIONS: '--require "C:\\evil & echo %PATH% ^ !x!.js"',
      node_path: "C:\\one;C:\\two",
      NODE_DEBUG: "net",
      NODE_DEBUG_NATIVE: "http2",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      OPENSSL_CONF: "C:\\ssl = own.cnf",
      OPENSSL_MODULES: "C:\\modules",
      SSLKEYLOGFILE: "C:\\keys.log",
    };
    const certificates = { NODE_EXTRA_CA_CERTS: "C:\\ca.pem" };
    try {
      const result = await launch(folder, ["enable", "two words"], {
        ...foreign,
        ...certificates,
        PSModulePath: "C:\\Program Files\\PowerShell\\7\\Modules",
        ERRORLEVEL: "0",
      });
      expect(JSON.parse(result.stdout)).toEqual({
        args: ["enable", "two words"],
        version: process.version,
        platform: "win32",
        foreign: Object.keys(certificates),
        kept: Object.fromEntries(Object.entries(foreign).map(([name, value]) => [`CAPZ_CALLER_${name}`, value])),
      });
      expect(result.code).toBe(7);
    } finally {
      await rm(join(machine.drive, folder), { recursive: true });
    }
  });

  test("a folder with blanks, an ampersand and letters beyond ASCII is no obstacle", async () => {
    const folder = await copyWithProbe("Plug ins & mehr (größer)/1.0.0");
    try {
      const result = await launch(folder, ["disable"]);
      expect(result.stderr).toBe("");
      expect(JSON.parse(result.stdout)).toMatchObject({ args: ["disable"] });
    } finally {
      await rm(join(machine.drive, "Plug ins & mehr (größer)"), { recursive: true });
    }
  });

  test("remove.cmd ends the run at work, whose caller hears of it, and leaves neither the program nor its state", async () => {
    const program = join(machine.drive, "Program Files/capz-bootstrap");
    const state = join(machine.drive, "ProgramData/capz-bootstrap/run");
    await cp(join(machine.drive, plugins, version), program, { recursive: true });
    await writeFile(join(machine.drive, "settings.json"), '{"timeoutSeconds":"3600"}');
    const run = machine.run([
      ...["cmd", "/c", "C:\\Program Files\\capz-bootstrap\\bin\\capz-bootstrap.cmd", "run", "--quiet"],
      ...["--settings", "C:\\settings.json"],
    ]);
    await waitUntil("the run to wait", () => exists(join(state, "status/0.status")), { timeoutMs: guardMs });
    await cp(join(projectFolder, "manifests/vm-application/remove.cmd"), join(machine.drive, "remove.cmd"));
    expect(await machine.run(["cmd", "/c", "C:\\remove.cmd"])).toMatchObject({ code: 0 });
    expect(await run).toMatchObject({ code: 3, stderr: expect.stringContaining("stopped before there was a verdict") });
    expect([await exists(program), await exists(state)]).toEqual([false, false]);
    expect(await machine.run(["cmd", "/c", "C:\\remove.cmd"])).toMatchObject({ code: 0 });
  });

  test("every command of the manifest names a file that is in the package", async () => {
    const folder = join(machine.drive, plugins, version);
    const [{ handlerManifest }] = v.parse(
      manifestFile,
      JSON.parse(await readFile(join(folder, "HandlerManifest.json"), "utf8")),
    );
    const commands = Object.entries(handlerManifest).flatMap(([name, value]) =>
      name.endsWith("Command") && typeof value === "string" ? [value] : [],
    );
    expect(commands).toHaveLength(5);
    for (const command of commands) {
      const [file] = command.replaceAll("\\", "/").split(" ");
      expect((await readFile(join(folder, file ?? ""))).length).toBeGreaterThan(0);
    }
  });
});
