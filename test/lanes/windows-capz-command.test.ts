import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { capzWindowsCommand } from "../support/capz-windows-command.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWineMachine, type WineMachine } from "../support/wine-root.ts";
import { lane, wineNeeds } from "./lane.ts";
import { buildPackage } from "./real-package.ts";
import { guardMs, unpackHandler, type SeenStatus, type WindowsHandler } from "./windows-handler.ts";
import {
  cloudbaseInitLog,
  pluginsDone,
  sentinel,
  userDataBegins,
  userDataEnds,
  windowsNode,
  type WindowsNode,
} from "./windows-node.ts";
import { installStandIn, type StandIn } from "./windows-stand-in.ts";

const rounds = 3;

/**
 * CAPZ sends its loop as an encrypted commandToExecute. Handler, check, service manager and registry are real under Wine; the loop
 * itself is played by the stand-in for PowerShell, which sleeps as long as the loop says: 300 s, and 1,200 s in the oldest form.
 */
lane("CAPZ's own command under Wine", { ...wineNeeds, programs: [...wineNeeds.programs, "openssl"] }, () => {
  let machine: WineMachine;
  let handler: WindowsHandler;
  let standIn: StandIn;
  let node: WindowsNode;
  let scratch: string;
  let sequence = 0;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "capz-windows-command-"));
    machine = await startWineMachine();
    handler = await unpackHandler(machine, await buildPackage("Windows"));
    node = windowsNode(machine, scratch);
    standIn = await installStandIn(machine.drive, join(handler.folder, "runtime", "windows-x64", "node.exe"), scratch);
    await node.setValue("HKCU\\Software\\Wine\\DllOverrides", "icacls.exe", "native");
    // Wine ends its service manager with the last program; this one stays.
    void machine.run(["ping", "-n", "100000", "127.0.0.1"]);
    await node.setValue("HKLM\\SYSTEM\\HardwareConfig", "LastConfig", "{6D5F1C0A-9B0E-4E3B-8C55-3D1F6A7B8C9D}");
    expect(await handler.run("install", 0)).toMatchObject({ code: 0 });
  });

  afterAll(async () => {
    standIn.close();
    await machine.dispose();
    await rm(scratch, { recursive: true, force: true });
  });

  afterEach(async () => {
    await node.remove("run", cloudbaseInitLog);
  });

  async function loops(): Promise<number> {
    return (await machine.processes()).filter((line) => line.includes("powershell.js") && line.includes("Test-Path"))
      .length;
  }

  function untilLoops(what: string, isSo: (count: number) => boolean): Promise<boolean> {
    const describe = async () => ({
      programs: await machine.processes(),
      status: await handler.status(sequence),
      log: await handler.log(),
    });
    return waitUntil(what, async () => isSo(await loops()), { timeoutMs: guardMs, describe });
  }

  /**
   * CAPZ's command on a node whose user data runs. When the loop runs and the check has looked beside it, `change` writes one file
   * (`changed`, below the drive). Gives the status, and the milliseconds from that file to the status file, by their times on disk.
   */
  async function play(
    command: string,
    { change, changed }: { readonly change: () => Promise<void>; readonly changed: string },
  ): Promise<{ readonly status: SeenStatus; readonly tookMs: number }> {
    await node.remove("run", cloudbaseInitLog);
    await node.log(userDataBegins);
    sequence += 1;
    await handler.putSettings(sequence, {
      publicSettings: { aftercareSeconds: "0" },
      protectedSettings: await standIn.encrypt({ commandToExecute: command }),
      protectedSettingsCertThumbprint: standIn.thumbprint,
    });
    expect(await handler.run("enable", sequence)).toMatchObject({ code: 0, stderr: "" });
    await untilLoops("the loop", (count) => count > 0);
    await handler.waitFor("the look beside it", sequence, ({ message }) => message.includes("user data"));
    await change();
    const status = await handler.waitFor("the verdict", sequence);
    const written = await stat(join(handler.folder, "Status", `${String(sequence)}.status`));
    const cause = await stat(join(machine.drive, changed));
    await untilLoops("the loop to be ended", (count) => count === 0);
    return { status, tookMs: written.mtimeMs - cause.mtimeMs };
  }

  const joins = { change: () => node.write(sentinel, "success \r\n"), changed: sentinel };
  const fails = {
    change: () => node.log(userDataBegins, userDataEnds(1), pluginsDone),
    changed: cloudbaseInitLog,
  };

  test.each([
    ["v0.5.3: 240 rounds", capzWindowsCommand.replace("-lt 60", "-lt 240")],
    ["since v1.0: 60 rounds", capzWindowsCommand],
  ])("%s: the sentinel ends it with success, failed user data with the cause", async (_, command) => {
    const joined = await play(command, joins);
    expect(joined.status).toMatchObject({ kind: "success", code: 0 });
    const failed = await play(command, fails);
    expect(failed.status.kind).toBe("error");
    expect(failed.status.firstLine).toMatch(/^Bootstrap failed \(CloudbaseInitFailed\) /u);
    // The loop's own end says nothing but this.
    expect(failed.status.message).not.toContain("exited with code -2");
  });

  test("times from the evidence on disk to the status on disk", async () => {
    const joined: number[] = [];
    const failed: number[] = [];
    for (let round = 0; round < rounds; round++) {
      joined.push((await play(capzWindowsCommand, joins)).tookMs);
      failed.push((await play(capzWindowsCommand, fails)).tookMs);
    }
    const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
    process.stdout.write(
      `CAPZ's own command under Wine, medians of ${String(rounds)}: sentinel to success ${String(Math.round(median(joined)))} ms, failure to error ${String(Math.round(median(failed)))} ms\n`,
    );
    expect(joined).toHaveLength(rounds);
  });
});
