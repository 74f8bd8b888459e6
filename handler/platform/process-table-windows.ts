import type { RunProcess } from "../host.ts";
import { decodeOutput, encodedScript, type WindowsPrograms } from "./powershell-windows.ts";

export interface WindowsProcess {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Milliseconds since 1970; undefined where the system does not say. */
  readonly startedMs: number | undefined;
}

/** PowerShell may need seconds while the node bootstraps; a process list is only asked for when something must be ended. */
const listTimeoutMs = 30_000;

/** Ticks of .NET, in UTC: no format of a culture, and no type that Constrained Language Mode refuses. */
const listScript = `Get-CimInstance -ClassName Win32_Process -Property ProcessId,ParentProcessId,Name,CreationDate | ForEach-Object {
  $started = ''
  if ($_.CreationDate) { $started = $_.CreationDate.ToUniversalTime().Ticks }
  '{0},{1},{2},{3}' -f $_.ProcessId, $_.ParentProcessId, $started, $_.Name
}`;

/** Properties of Win32_Process that WMIC is asked for; not every implementation knows the time. */
const wmicLists = ["Caption,CreationDate,ParentProcessId,ProcessId", "Caption,ParentProcessId,ProcessId"] as const;

/**
 * All processes, as WMI knows them: through WMIC, which Windows Server has up to 2022 and which starts in a tenth of PowerShell's time;
 * else through PowerShell; last without times. Undefined when nothing answers: no WMIC, and PowerShell locked down or absent.
 */
export async function readProcessTable(
  programs: WindowsPrograms,
  run: RunProcess,
): Promise<readonly WindowsProcess[] | undefined> {
  const [withTimes, withoutTimes] = wmicLists;
  const tables = [
    () => askWmic(programs.wmic, withTimes, run),
    () => askPowerShell(programs.powershell, run),
    () => askWmic(programs.wmic, withoutTimes, run),
  ];
  for (const read of tables) {
    const table = await read();
    if (table.length > 0) return table;
  }
  return undefined;
}

async function askPowerShell(powershell: string, run: RunProcess): Promise<readonly WindowsProcess[]> {
  const listed = await run(powershell, encodedScript(listScript), { timeoutMs: listTimeoutMs });
  return listed.kind === "exited" ? parseList(decodeOutput(listed.stdout)) : [];
}

async function askWmic(wmic: string, properties: string, run: RunProcess): Promise<readonly WindowsProcess[]> {
  const asked = await run(wmic, ["process", "get", properties], { timeoutMs: listTimeoutMs });
  return asked.kind === "exited" && asked.code === 0 ? parseWmic(decodeOutput(asked.stdout)) : [];
}

/** Lines "pid,parent,ticks,name". */
export function parseList(output: string): readonly WindowsProcess[] {
  return output.split(/\r?\n/u).flatMap((line) => {
    const [pid, parent, started, ...name] = line.trim().split(",");
    if (!isNumber(pid) || !isNumber(parent) || started === undefined) return [];
    return [process(pid, parent, { name: name.join(","), startedMs: millisecondsOf(started) })];
  });
}

/** Ticks are tenths of a microsecond since the year 1. */
function millisecondsOf(ticks: string): number | undefined {
  return /^\d{18}$/u.test(ticks) ? Number(BigInt(ticks) / 10_000n) - 62_135_596_800_000 : undefined;
}

/** What of it tells of a process. */
export function parseWmic(output: string): readonly WindowsProcess[] {
  return parseWmicTable(output).flatMap((cells) => {
    const [pid, parent] = [cells.get("processid"), cells.get("parentprocessid")];
    if (!isNumber(pid) || !isNumber(parent)) return [];
    return [
      process(pid, parent, { name: cells.get("caption") ?? "", startedMs: parseWmiTime(cells.get("creationdate")) }),
    ];
  });
}

/** A table with a heading, as rows of cells by their headings in small letters; a column reaches from the first letter of its heading to the next one's. */
export function parseWmicTable(output: string): readonly ReadonlyMap<string, string>[] {
  const [heading = "", ...lines] = output.split(/\r?\n/u);
  const columns = [...heading.matchAll(/\S+/gu)];
  const cell = (line: string, index: number): string =>
    line.slice(columns[index]?.index, columns[index + 1]?.index).trim();
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => new Map(columns.map(([name], index) => [name.toLowerCase(), cell(line, index)])));
}

/** CIM date and time: 20260301093015.123456+060, the offset in minutes. */
export function parseWmiTime(text: string | undefined): number | undefined {
  const found = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})\.(\d{3})\d{3}([+-]\d{3})$/u.exec(text ?? "");
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, milli = 0, offset = 0] = found
    .slice(1)
    .map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second, milli) - offset * 60_000;
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,15}$/u.test(text);
}

function process(pid: string, parent: string, rest: Pick<WindowsProcess, "name" | "startedMs">): WindowsProcess {
  return { pid: Number(pid), parent: Number(parent), ...rest };
}
