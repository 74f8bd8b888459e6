import { cutAtWord } from "../../handler/text/cut-text.ts";
import { msBetween } from "../verdict/moment.ts";
import { groupedCauses, type StatusRow } from "./status-rows.ts";

const order = ["failed", "deadline", "unknown", "waiting", "bootstrapped"];
const columns = ["CLUSTER", "OWNER", "MACHINE", "OUTCOME", "REASON", "STAGE", "SINCE", "MESSAGE"] as const;

/** The list for people: what failed on top, causes counted first. `width` is that of the terminal; 0 cuts nothing. */
export function renderStatus(
  rows: readonly StatusRow[],
  { now, width }: { readonly now: string; readonly width: number },
): string {
  if (rows.length === 0)
    return "No machines. Is the Cluster labelled bootstrap.capz.io/watch=true? (-A looks into all namespaces.)\n";
  const causes = groupedCauses(rows).map(
    ({ machines, owner, reason }) =>
      `${String(machines)} ${machines === 1 ? "machine" : "machines"} of ${owner}: ${reason}`,
  );
  const sorted = rows.toSorted(
    (a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome) || (a.machine < b.machine ? -1 : 1),
  );
  const table = [[...columns], ...sorted.map((row) => cellsOf(row, now))];
  const widths = columns.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  const lines = table.map((cells) => {
    const line = cells
      .map((cell, column) => (column === columns.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ");
    return width > 0 && line.length > width ? cutAtWord(line, width) : line;
  });
  return `${[...causes, ...(causes.length === 0 ? [] : [""]), ...lines.map((line) => line.trimEnd())].join("\n")}\n`;
}

function cellsOf(row: StatusRow, now: string): string[] {
  const { cluster, owner, machine, outcome, reason, stage, since, firstLine, gone } = row;
  const name = owner.includes("/") ? owner.slice(owner.indexOf("/") + 1) : owner;
  return [
    cluster,
    name,
    gone ? `${machine} (gone)` : machine,
    outcome,
    reason,
    stage ?? "-",
    ageOf(since, now),
    firstLine,
  ];
}

/** As kubectl writes ages: "45s", "12m", "3h", "5d". */
function ageOf(since: string, now: string): string {
  const seconds = Math.max(0, Math.round(msBetween(since, now) / 1000));
  if (seconds < 120) return `${String(seconds)}s`;
  if (seconds < 7200) return `${String(Math.floor(seconds / 60))}m`;
  return seconds < 172_800 ? `${String(Math.floor(seconds / 3600))}h` : `${String(Math.floor(seconds / 86_400))}d`;
}
