import { cutAtWord } from "../../handler/text/cut-text.ts";
import { msBetween } from "../verdict/moment.ts";
import { groupedCauses, type StatusRow } from "./status-rows.ts";

const order = ["failed", "deadline", "unknown", "waiting", "bootstrapped"];
const columns = ["CLUSTER", "OWNER", "MACHINE", "OUTCOME", "REASON", "STAGE", "SINCE", "MESSAGE"] as const;

export interface RenderParts {
  readonly now: string;
  /** That of the terminal; 0 cuts nothing. */
  readonly width: number;
  /** Machines of several namespaces may have the same names. */
  readonly withNamespace: boolean;
}

/** The list for people: what failed on top, causes counted first. */
export function renderStatus(rows: readonly StatusRow[], { now, width, withNamespace }: RenderParts): string {
  if (rows.length === 0) return withNamespace ? "No machines.\n" : "No machines. (-A looks into all namespaces.)\n";
  const causes = groupedCauses(rows).map(({ machines, owner, namespace, reason }) => {
    const whose = withNamespace ? `${owner} in ${namespace}` : owner;
    return `${String(machines)} ${machines === 1 ? "machine" : "machines"} of ${whose}: ${reason}`;
  });
  const sorted = rows.toSorted(
    (a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome) || (nameOf(a) < nameOf(b) ? -1 : 1),
  );
  const head = withNamespace ? ["NAMESPACE", ...columns] : [...columns];
  const table = [head, ...sorted.map((row) => [...(withNamespace ? [row.namespace] : []), ...cellsOf(row, now)])];
  const widths = head.map((_, column) => Math.max(...table.map((cells) => cells[column]?.length ?? 0)));
  const lines = table.map((cells) => {
    const line = cells
      .map((cell, column) => (column === head.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join("  ");
    return width > 0 && line.length > width ? cutAtWord(line, width) : line;
  });
  return `${[...causes, ...(causes.length === 0 ? [] : [""]), ...lines.map((line) => line.trimEnd())].join("\n")}\n`;
}

function nameOf({ machine, namespace }: StatusRow): string {
  return `${machine} ${namespace}`;
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
