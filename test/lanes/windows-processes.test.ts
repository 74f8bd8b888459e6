import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCodes } from "../../handler/errors/error-codes.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWineMachine, type WineMachine } from "../support/wine-root.ts";
import { lane, wineNeeds } from "./lane.ts";
import { buildPackage } from "./real-package.ts";
import { guardMs, open, unpackHandler, type WindowsHandler } from "./windows-handler.ts";
import { cloudbaseInitLog, sentinel, userDataBegins, windowsNode, type WindowsNode } from "./windows-node.ts";
import { installStandIn, type StandIn } from "./windows-stand-in.ts";

const hook = "Program Files/capz-bootstrap-hooks/check.d/10-gpu.ps1";
const quick = { aftercareSeconds: "0", graceSeconds: "0", pollSeconds: "1" };

/** What the packaged program starts and ends on Windows: hooks, a tree without a process list, a guardian in odd folders. */
lane(
  "processes of the Windows package under Wine",
  { ...wineNeeds, programs: [...wineNeeds.programs, "openssl"] },
  () => {
    let machine: WineMachine;
    let handler: WindowsHandler;
    let standIn: StandIn;
    let node: WindowsNode;
    let scratch: string;
    let sequence = 0;

    beforeAll(async () => {
      scratch = await mkdtemp(join(tmpdir(), "capz-windows-processes-"));
      machine = await startWineMachine();
      handler = await unpackHandler(machine, await buildPackage("Windows"), "Plug !x! ins");
      node = windowsNode(machine, scratch);
      standIn = await installStandIn(
        machine.drive,
        join(handler.folder, "runtime", "windows-x64", "node.exe"),
        scratch,
      );
      // Wine prefers its own programs in system32.
      await node.setValue("HKCU\\Software\\Wine\\DllOverrides", "icacls.exe", "native");
      await node.setValue("HKLM\\SYSTEM\\HardwareConfig", "LastConfig", "{6D5F1C0A-9B0E-4E3B-8C55-3D1F6A7B8C9D}");
      expect(await handler.run("install", 0)).toMatchObject({ code: 0, stderr: "" });
    });

    afterAll(async () => {
      standIn.close();
      await machine.dispose();
      await rm(scratch, { recursive: true, force: true });
    });

    afterEach(async () => {
      await handler.run("disable", sequence);
      await node.remove("run", "go", "stand-in/access-list", "Program Files/capz-bootstrap-hooks", cloudbaseInitLog);
    });

    async function apply(settings: Readonly<Record<string, string>>): Promise<number> {
      sequence += 1;
      await handler.putSettings(sequence, open({ ...quick, ...settings }));
      expect(await handler.run("enable", sequence)).toMatchObject({ code: 0, stderr: "" });
      return sequence;
    }

    const running = async (text: string): Promise<number> =>
      (await machine.processes()).filter((line) => line.includes(text)).length;

    test("a hook holds a success back and lets it pass; one that users can change is not run", async () => {
      await node.write(hook, "'stage=waiting-for-gpu'\r\nexit 75\r\n");
      await node.log(userDataBegins);
      const now = await apply({});
      await handler.waitFor("progress", now, ({ message }) => message.includes("s left"));
      await node.write(sentinel, "success \r\n");
      await handler.waitFor("the hook's stage", now, ({ message }) => message.includes("waiting for gpu"));
      await node.write(hook, "exit 0\r\n");
      expect(await handler.waitFor("success", now)).toMatchObject({ kind: "success" });

      await node.write("stand-in/access-list", "D:AI(A;ID;FA;;;SY)(A;OICIID;0x1301bf;;;AU)");
      await node.write(hook, "exit 3\r\n");
      const status = await handler.waitFor("success", await apply({}));
      expect(status).toMatchObject({ kind: "success" });
      const { stdout } = await handler.check();
      expect(stdout).toContain("10-gpu.ps1 was not run");
      expect(stdout).toContain("Authenticated Users can change it");
    });

    test("a supervisor that was killed is back, though exclamation marks and blanks stand in its folder", async () => {
      const now = await apply({
        commandToExecute: "if exist C:\\go (exit 0) else (ping -n 3333 127.0.0.1 >nul)",
        restart: "always",
      });
      // Not the shell, whose own line names the ping, too: under Wine others see it before the supervisor has its number to note.
      const isPing = (line: string): boolean => line.includes("3333") && !line.includes("if exist");
      await waitUntil("the ping", async () => (await machine.processes()).some(isPing), { timeoutMs: guardMs });
      await node.write("go", "");
      const killed = await machine.kill((line) => line.includes("capz-bootstrap.cjs") && !line.includes("for /L"));
      expect(killed).toBe(1);
      expect(await handler.waitFor("success", now)).toMatchObject({ kind: "success" });
      expect(await running("3333")).toBe(0);
    });

    test("where neither WMIC nor PowerShell answers, taskkill ends the tree at the deadline", async () => {
      const wmic = join(machine.drive, "windows/system32/wbem/WMIC.exe");
      await rename(wmic, `${wmic}.away`).catch(() =>
        rename(join(machine.drive, "windows/system32/wbem/wmic.exe"), `${wmic}.away`),
      );
      const commandToExecute = "cmd /c cmd /c ping -n 4444 127.0.0.1 | ping -n 5555 127.0.0.1 >nul";
      const status = await handler.waitFor("an error", await apply({ commandToExecute, timeoutSeconds: "60" }));
      expect(status).toMatchObject({ kind: "error", code: errorCodes.deadlineExceeded.number });
      const ended = async () => (await running("4444")) + (await running("5555")) === 0;
      await waitUntil("the tree to end", ended, { timeoutMs: 60_000 });
    });
  },
);
