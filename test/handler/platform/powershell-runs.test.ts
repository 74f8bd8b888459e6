import { expect } from "@jest/globals";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { windowsPrograms } from "../../../handler/platform/powershell-windows.ts";
import { readProcessTable } from "../../../handler/platform/process-table-windows.ts";
import { capzWindowsScript } from "../../support/capz-windows-command.ts";
import { onPowerShell } from "../../support/on-powershell.ts";
import { runPowerShell, testWithPowerShell } from "../../support/powershell.ts";

const quiet = ["-NoProfile", "-NonInteractive"];

/** Win32_Process as CIM gives it: unsigned numbers, local times, no time for the system's own. */
const processes = `function Get-CimInstance($ClassName, [string[]]$Property) {
  if ($ClassName -ne 'Win32_Process') { throw "unexpected class $ClassName" }
  $started = (New-Object System.DateTime(2026, 3, 1, 8, 30, 15, 123, [System.DateTimeKind]::Utc)).ToLocalTime()
  foreach ($row in @(4, 0, 'System', $null), @(812, 4, 'cmd.exe', $started), @(900, 812, 'a, b {0}.exe', $started)) {
    [pscustomobject]@{ ProcessId = [uint32]$row[0]; ParentProcessId = [uint32]$row[1]; Name = $row[2]; CreationDate = $row[3] }
  }
}
`;

testWithPowerShell.each(["UTC", "Europe/Berlin", "America/St_Johns"])(
  "the process list gives numbers, names and times in %s",
  async (TZ) => {
    const run = onPowerShell((script) => processes + script, { TZ });
    const startedMs = Date.UTC(2026, 2, 1, 8, 30, 15, 123);
    expect(await readProcessTable(windowsPrograms({}), run)).toEqual([
      { pid: 4, parent: 0, name: "System", startedMs: undefined },
      { pid: 812, parent: 4, name: "cmd.exe", startedMs },
      { pid: 900, parent: 812, name: "a, b {0}.exe", startedMs },
    ]);
  },
);

testWithPowerShell("CAPZ's own command ends with 0 when the sentinel appears, and with -2 after 60 looks", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capz-command-"));
  const sentinel = join(folder, "sentinel");
  const command = capzWindowsScript.replace("/run/cluster-api/bootstrap-success.complete", sentinel);
  const counting = "function Start-Sleep($Seconds) { [Console]::Out.Write($Seconds) }\n";
  const late = await runPowerShell([...quiet, "-Command", counting + command]);
  // Linux keeps the last eight bits of an exit code: -2 is 254.
  expect({ code: late.code, stdout: late.stdout.toString() }).toEqual({ code: 254, stdout: "5".repeat(60) });
  const writing = `function Start-Sleep($Seconds) { [System.IO.File]::WriteAllText('${sentinel}', 'success') }\n`;
  expect(await runPowerShell([...quiet, "-Command", writing + command])).toMatchObject({ code: 0 });
  await writeFile(sentinel, "success \r\n");
  expect(await runPowerShell([...quiet, "-Command", command])).toMatchObject({ code: 0 });
  await rm(folder, { recursive: true });
});
