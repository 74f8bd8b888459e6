import type { JoinedLine, LineRange } from "./unwrap.ts";

/** "● kubelet.service - kubelet: The Kubernetes Node Agent", the dot in any coding. */
function isUnitHead(line: string): boolean {
  const end = line.indexOf(".service - ");
  return end > 0 && end < longestUnit && /^[\w@.-]{2,}$/u.test(line.slice(0, end).replace(/^\W{1,4}/u, ""));
}

const longestUnit = 84;
const mostOfBlock = 14;
const mostOfTail = 40;
const isState = /^\s{0,20}Active: (?:failed|activating \(auto-restart\)|active \(running\))/u;
const isEnd = /^\s{0,20}(?:Main PID|Process): .{0,400}\(code=(?:exited, status=[1-9]|killed|dumped)/u;
const isUp = /^\s{0,20}Active: active \(/u;
const isProcess = /^\s{0,20}Process: /u;

/** "● kubelet.service - …" with its state and, where it ended, how. */
export function unitState(lines: readonly string[], line: string, at: number): JoinedLine | undefined {
  if (!isUnitHead(line)) return undefined;
  const own = blockOf(lines, at, mostOfBlock);
  const up = own.some((one) => isUp.test(one));
  const said = own.flatMap((one, index) =>
    isState.test(one) || (isEnd.test(one) && !(up && isProcess.test(one))) ? [index] : [],
  );
  const last = said.at(-1);
  if (last === undefined) return undefined;
  const words = said.map((index) => (own[index] ?? "").trim()).join(" ");
  return { from: at + 1, to: at + 2 + last, text: `${line} ${words}`, certain: false };
}

/**
 * In the status of a unit that is up: how its helpers ended, which it then did without, and what was said before it was
 * started, where systemd does not start it over and over.
 */
export function rangesOfUnitsUp(text: string): readonly LineRange[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/u, ""));
  return lines.flatMap((line, at) => {
    if (!isUnitHead(line)) return [];
    const own = blockOf(lines, at, mostOfTail);
    if (!own.some((one) => isUp.test(one)) || own.some((one) => startedOverAndOver.test(one))) return [];
    const helpers = own.flatMap((one, index) =>
      isProcess.test(one) ? [{ from: at + 2 + index, to: at + 2 + index }] : [],
    );
    const tail = own.indexOf("") + 1;
    const started = own.findLastIndex((one) => isStartOf(one, line));
    return tail > 0 && started > tail ? [...helpers, { from: at + 2 + tail, to: at + 1 + started }] : helpers;
  });
}

/** "systemd[1]: Started kubelet.service - kubelet: …", or the description alone. */
function isStartOf(line: string, head: string): boolean {
  const said = line.split(/systemd\[\d{1,8}\]: Started /u)[1];
  const [unit = "", ...words] = head.replace(/^[^\w@]{1,4}/u, "").split(" - ");
  return said !== undefined && (said.startsWith(unit) || said.startsWith(words.join(" - ")));
}

const startedOverAndOver = /restart counter is at|Scheduled restart job|holdoff time over/u;

/** The lines below the head of a unit's status, up to the next one. */
function blockOf(lines: readonly string[], at: number, most: number): readonly string[] {
  const block = lines.slice(at + 1, at + 1 + most);
  const next = block.findIndex((one) => isUnitHead(one));
  return next === -1 ? block : block.slice(0, next);
}
