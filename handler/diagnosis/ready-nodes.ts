import { tagOf } from "./bystanders.ts";
import { errorWeight } from "./error-lines.ts";
import { partsOf } from "./pasted-text.ts";

/** A row of kubectl's list of nodes: name, status, roles, age, version. */
const row = /^(?<name>\S{1,253}) +(?<status>(?:Not)?Ready|Unknown)\S* +\S{1,90} +\d\S{0,12} +v1\.\d/u;

/** Whose line it is: the journal's host, or Ansible's. */
const ownHost =
  /^(?:[A-Z][a-z]{2} {1,2}\d{1,2} [\d:.]{8,15} (?<journal>[\w.-]{1,253}) |\d{4}-\d\d-\d\dT\S{8,30} (?<iso>[a-z][\w.-]{1,252}) \S{1,90}: |(?:fatal|failed|changed|ok|skipping): \[(?<ansible>[\w.-]{1,253})\])/u;
const prompt = /^(?:\[?[\w.-]{1,40}@(?<at>[\w-]{1,63})|(?<bare>[\w-]{2,63}):[~/][^$#\s]{0,80} ?[$#] )/u;

/** Units without which a machine is no node. */
export const nodeDaemon = /^(?:kubelet|containerd|cri-?o|cri-dockerd?|docker|k3s|rke2|k0s|etcd|snap)/u;
const unitOf = /(?:^|\s)(?<unit>[\w@-]{2,60})\.service: /u;
const startsAgain = /\bStarted \S|\bup and running\b|\bSuccessfully registered\b/u;

/** Above a list's rows: its head, the command, and in whose name it is asked for. */
function isOfQuestion(line: string): boolean {
  const said = line.trim();
  return said === "" || said.startsWith("NAME") || said.includes("get no") || said.endsWith(":");
}

function aboveQuestion(lines: readonly string[], row: number): readonly string[] {
  const above = lines.slice(0, row - 1);
  return above.slice(0, above.findLastIndex((line) => !isOfQuestion(line)) + 1);
}

/** Lines whose machine stands as ready in kubectl's list at the end: whoever asked for the list shows that it is well. */
export function linesOfReadyNodes(lines: readonly string[]): ReadonlySet<number> {
  const list = lastList(lines);
  const [first] = list;
  // One that is not ready may be the one that the lines speak of.
  if (first === undefined || !list.every(({ isReady }) => isReady)) return new Set();
  const ready = new Set(list.map(({ name }) => firstLabel(name)));
  const parts = partsOf(aboveQuestion(lines, first.line), prompt);
  const nobodyNamed = parts.every(({ head, body }) => hostOf(head, prompt) === undefined && body.every(isOfNobody));
  const settled = parts.flatMap(({ head, from, body }) => {
    const named = nobodyNamed ? parts.flatMap((part) => part.body) : body;
    const isReady =
      ready.has(hostOf(head, prompt) ?? "") || (hostOf(head, prompt) === undefined && isAnyNamed(named, ready));
    return body.flatMap((line, at) => (isSettled(line, { ready, isReady }) ? [from + at] : []));
  });
  return new Set(settled.filter((line) => !isUnmended(lines, line, first.line)));
}

interface Listed {
  readonly line: number;
  readonly name: string;
  readonly isReady: boolean;
}

function lastList(lines: readonly string[]): readonly Listed[] {
  const rows = lines.flatMap((text, at): readonly Listed[] => {
    const { name, status } = row.exec(text)?.groups ?? {};
    return name === undefined ? [] : [{ line: at + 1, name, isReady: status === "Ready" }];
  });
  const breaks = rows.findLastIndex(({ line }, at) => line !== (rows[at - 1]?.line ?? -1) + 1);
  return rows.slice(Math.max(0, breaks));
}

function isSettled(line: string, of: { readonly ready: ReadonlySet<string>; readonly isReady: boolean }): boolean {
  const own = hostOf(line, ownHost);
  return own === undefined ? of.isReady : of.ready.has(own);
}

function isOfNobody(line: string): boolean {
  return hostOf(line, ownHost) === undefined;
}

function hostOf(line: string, pattern: RegExp): string | undefined {
  const groups: Readonly<Record<string, string | undefined>> = pattern.exec(line)?.groups ?? {};
  const found = Object.values(groups).find((host) => host !== undefined);
  return found === undefined ? undefined : firstLabel(found);
}

/** An endpoint, which is named after the machine that it leads to. */
function isEndpoint(word: string): boolean {
  return word.includes("//") || /:\d{2,5}(?:\/|$)/u.test(word);
}

function isAnyNamed(body: readonly string[], ready: ReadonlySet<string>): boolean {
  const words = body.flatMap((line) => line.toLowerCase().split(/[\s"'(),=]+/u)).filter((word) => !isEndpoint(word));
  return words.some((word) => word.split(/[^\w-]+/u).some((name) => ready.has(name)));
}

/** A node stays ready for a while in the list after its daemon ended. */
function isUnmended(lines: readonly string[], line: number, list: number): boolean {
  const text = lines[line - 1] ?? "";
  const said = unitOf.exec(text)?.groups?.["unit"] ?? tagOf(text);
  if (!nodeDaemon.test(said) || errorWeight(text) !== 3) return false;
  return !lines.slice(line, list - 1).some((later) => startsAgain.test(later));
}

/** A machine's prompt and its journal have no more of its name. */
function firstLabel(name: string): string {
  return (name.split(".")[0] ?? name).toLowerCase();
}
