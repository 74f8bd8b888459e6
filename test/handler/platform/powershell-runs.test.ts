import { expect } from "@jest/globals";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { windowsPrograms } from "../../../handler/platform/powershell-windows.ts";
import { readProcessTable } from "../../../handler/platform/process-table-windows.ts";
import { capzWindowsScript } from "../../support/capz-windows-command.ts";
import { onPowerShell } from "../../support/on-powershell.ts";
import { runPowerShell, testWithPowerShell } from "../../support/powershell.ts";
import { evidenceTexts } from "../../support/powershell-texts.ts";

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

/** Two events, newest first, in a culture that writes times with dots. */
const events = `$culture = [System.Globalization.CultureInfo]::InvariantCulture.Clone()
$culture.DateTimeFormat.TimeSeparator = '.'
$culture.DateTimeFormat.Calendar = New-Object System.Globalization.GregorianCalendar
[System.Threading.Thread]::CurrentThread.CurrentCulture = $culture
function Get-CimInstance($ClassName) { [pscustomobject]@{ LastBootUpTime = [System.DateTime]::Now } }
function Get-WinEvent($MaxEvents, $FilterHashtable) {
  foreach ($minute in 31, 30) {
    $time = (New-Object System.DateTime(2026, 3, 1, 8, $minute, 5, [System.DateTimeKind]::Utc)).ToLocalTime()
    [pscustomobject]@{ TimeCreated = $time; LevelDisplayName = 'Error'; ProviderName = 'Service Control Manager'; Id = 7000 + $minute; Message = "The kubelet\`r\`n  {0} did not start." }
  }
}
`;

function evidence(origin: string): string {
  return evidenceTexts().find(({ name }) => name === origin)?.text ?? "";
}

testWithPowerShell.each(["event log System", "event log Application", "restarts"])(
  "%s is one line per event, oldest first, in every culture",
  async (origin) => {
    const { code, stdout, stderr } = await runPowerShell([...quiet, "-Command", events + evidence(origin)], {
      env: { TZ: "Asia/Tokyo" },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.toString().trim().split(/\r?\n/u)).toEqual([
      "2026-03-01T08:30:05Z Error Service Control Manager 7030: The kubelet {0} did not start.",
      "2026-03-01T08:31:05Z Error Service Control Manager 7031: The kubelet {0} did not start.",
    ]);
  },
);

const noEvents = "function Get-CimInstance { [pscustomobject]@{ LastBootUpTime = [System.DateTime]::Now } }\n";

testWithPowerShell.each([
  ["no such events are an answer", "NoMatchingEventsFound", { code: 0, words: "" }],
  ["no such log is a reason", "NoMatchingLogsFound", { code: 1, words: "There is nothing." }],
])("%s", async (_, id, expected) => {
  const failing = `${noEvents}function Get-WinEvent { [CmdletBinding()]param($MaxEvents, $FilterHashtable) Write-Error 'There is nothing.' -ErrorId '${id}' }\n`;
  const result = await runPowerShell([...quiet, "-Command", failing + evidence("event log System")]);
  expect({ code: result.code, stdout: result.stdout.toString(), words: result.stderr.trim() }).toEqual({
    stdout: "",
    ...expected,
  });
});

testWithPowerShell("events that come beside an error are kept", async () => {
  const mixed = `${events}$inner = \${function:Get-WinEvent}\nfunction Get-WinEvent($MaxEvents, $FilterHashtable) { Write-Error 'No description.'; & $inner }\n`;
  const { stdout } = await runPowerShell([...quiet, "-Command", mixed + evidence("event log System")]);
  expect(stdout.toString().trim().split("\n")).toHaveLength(2);
});

testWithPowerShell("a cmdlet that the machine lacks is named", async () => {
  const { code, stderr } = await runPowerShell([...quiet, "-Command", evidence("Get-HnsNetwork")]);
  expect(code).toBe(1);
  expect(stderr).toContain("Get-HnsNetwork");
});

testWithPowerShell("services and networks are one line each, in the words that the rules know", async () => {
  const services = `function Get-CimInstance($ClassName) {
  foreach ($name in 'Spooler', 'kubelet', 'containerd') { [pscustomobject]@{ Name = $name; State = 'Stopped'; StartMode = 'Auto'; ExitCode = [uint32]1067 } }
}
function Get-HnsNetwork { [pscustomobject]@{ Name = 'azure'; Type = 'l2bridge'; State = 1 } }
`;
  const listed = await runPowerShell([...quiet, "-Command", services + evidence("services")]);
  expect(listed.stdout.toString().split(/\r?\n/u)).toEqual([
    "kubelet ActiveState=Stopped StartMode=Auto ExecMainStatus=1067",
    "containerd ActiveState=Stopped StartMode=Auto ExecMainStatus=1067",
    "",
  ]);
  const networks = await runPowerShell([...quiet, "-Command", services + evidence("Get-HnsNetwork")]);
  expect(networks.stdout.toString().trim()).toBe("hns-network azure type=l2bridge state=1");
});

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
