import { wellLinesOf, type WellLine } from "./went-well.ts";

/** A row of kubectl's list of nodes: name, status, roles, age, version. */
const row = /^(?<name>\S{1,253}) +(?<status>(?:Not)?Ready|Unknown)\S* +\S{1,90} +\d\S{0,12} +v1\.\d/u;

interface Listed {
  readonly line: number;
  readonly text: string;
  readonly name: string;
  readonly isReady: boolean;
}

/** systemd's last word on a unit that did what it is for. */
export const unitDone = /(?<unit>[\w.@-]{2,80})\.service: (?:Succeeded\.|Deactivated successfully\.)/u;

/** A daemon comes to a good end where somebody stops it. */
function isStop(around: readonly string[]): boolean {
  return around.some((line) => /\bStopp(?:ing|ed) /u.test(line));
}

/** Somebody asked whether the node's own daemon runs, and it does. */
const asked = "systemctl is-active ";
const daemon = /\s(?:kubelet|rke2|k3s|k0s)/u;

function isQuestion(line: string): boolean {
  return line.includes(asked) && daemon.test(line.slice(line.indexOf(asked)));
}

/** What had to come before the node's daemon has come where that runs. */
function daemonsUp(lines: readonly string[]): readonly WellLine[] {
  return lines.flatMap((line, at): readonly WellLine[] =>
    isQuestion(line) && lines[at + 1]?.trim() === "active"
      ? [{ kind: "daemon-up", line: at + 1, text: line.trim() }]
      : [],
  );
}

/** What went well in a short log, and what settles one however long it is. */
export function settlingLinesOf(text: string): readonly WellLine[] {
  return [...wellLinesOf(text), ...closingLinesOf(text)];
}

/** Units that came to a good end, a daemon that runs, and a list of nodes that are ready. */
function closingLinesOf(text: string): readonly WellLine[] {
  const lines = text.split("\n");
  const done = lines.flatMap((one, at): readonly WellLine[] =>
    unitDone.test(one) && !isStop(lines.slice(Math.max(0, at - 2), at + 3))
      ? [{ kind: "unit-done", line: at + 1, text: one.trim() }]
      : [],
  );
  return [...done, ...daemonsUp(lines), ...readyListOf(lines)];
}

/**
 * Where kubectl's last list of nodes begins, when every node of it that was named before is ready: whoever asked for it at the end
 * shows that the machine is well.
 */
function readyListOf(lines: readonly string[]): readonly WellLine[] {
  const list = lastList(lines);
  const [first] = list;
  if (first === undefined) return [];
  const before = lines
    .slice(0, first.line - 1)
    .join("\n")
    .toLowerCase();
  const words = new Set(before.split(/[^\w-]+/u));
  const named = list.filter(({ name }) => words.has(firstLabel(name)));
  if (named.length === 0 || !named.every(({ isReady }) => isReady)) return [];
  return [{ kind: "all-ready", line: first.line, text: first.text }];
}

function lastList(lines: readonly string[]): readonly Listed[] {
  const rows = lines.flatMap((text, at): readonly Listed[] => {
    const { name, status } = row.exec(text)?.groups ?? {};
    return name === undefined ? [] : [{ line: at + 1, text: text.trim(), name, isReady: status === "Ready" }];
  });
  const breaks = rows.findLastIndex(({ line }, at) => line !== (rows[at - 1]?.line ?? -1) + 1);
  return rows.slice(Math.max(0, breaks));
}

/** By its first label, which a machine's prompt and its journal have. */
function firstLabel(name: string): string {
  return (name.split(".")[0] ?? name).toLowerCase();
}
