import { join } from "node:path";
import type { Host } from "../../host.ts";
import { textIfThere } from "../../files/text-if-there.ts";
import { cutShown, ours, showLine, type ShownText } from "../../text/shown-text.ts";
import { readUptimeMs } from "./boot-answer.ts";
import { pidsOfUnit, readProcess } from "./process-answers.ts";

/** All of cloud-init's units that may run a user's script, of one process for all stages (24.3) or of one for each. */
const units = [
  "cloud-final.service",
  "cloud-init-main.service",
  "cloud-config.service",
  "cloud-init-network.service",
  "cloud-init.service",
] as const;
/** These wait for another, which says more. */
const waiting = /^(?:sleep|tee|cat|timeout|tail|flock|systemd-cat)$/u;
const longestCommand = 90;

interface Started {
  readonly pid: number;
  readonly name: string;
  readonly ageMs: number;
  readonly command: string;
  /** cloud-init itself. */
  readonly isOwn: boolean;
}

/**
 * What cloud-init's units are busy with, by the command line of the innermost script: "the script of cloud-init bash /opt/x.sh (500 s)".
 * Undefined where none of their processes can be seen. Never throws.
 */
export function scriptAtWork({ root }: Pick<Host, "root">): ShownText | undefined {
  const started = startedByUnits(root);
  const scripts = started.filter(({ name, command }) => !waiting.test(name) && !isPlumbing(command));
  const own = scripts.filter(({ isOwn }) => !isOwn);
  // The one begun last; of two in one clock tick the one with the higher number.
  const script = own.toSorted((a, b) => a.ageMs - b.ageMs || b.pid - a.pid)[0];
  const same = (script === undefined ? scripts : own.filter(({ command }) => command === script.command)).map(ageOf);
  if (same.length === 0) return undefined;
  const seconds = Math.floor(Math.max(...same) / 1000);
  if (script === undefined) return ours`cloud-init itself (${seconds} s)`;
  return ours`the script of cloud-init ${cutShown.middle(showLine(script.command), longestCommand)} (${seconds} s)`;
}

function ageOf({ ageMs }: Started): number {
  return ageMs;
}

function startedByUnits(root: string): readonly Started[] {
  const uptimeMs = readUptimeMs(root);
  if (uptimeMs === undefined) return [];
  return units.flatMap((unit) => {
    const pids = pidsOfUnit(root, unit);
    return typeof pids === "string" ? [] : pids.flatMap((pid) => describe(root, pid, uptimeMs));
  });
}

function describe(root: string, pid: string, uptimeMs: number): readonly Started[] {
  const seen = readProcess(root, pid, uptimeMs);
  const args = textIfThere(join(root, "proc", pid, "cmdline"))?.split("\0") ?? [];
  while (args.at(-1) === "") args.pop();
  if (seen === undefined || args.length === 0) return [];
  return [
    {
      pid: Number(pid),
      name: seen.name,
      ageMs: seen.ageMs,
      command: args.map(asTyped).join(" "),
      isOwn: args.slice(0, 3).some(isCloudInit),
    },
  ];
}

/** As one would type it: what is a secret's value to its last word shows by its quotes. */
function asTyped(arg: string): string {
  return arg === "" || /[\s"'`$;|&<>()]/u.test(arg) ? `'${arg.replaceAll("'", String.raw`'\''`)}'` : arg;
}

/** What writes cloud-init-output.log. */
function isPlumbing(command: string): boolean {
  return /\btee -a \/var\/log\/cloud-init-output\.log/u.test(command);
}

function isCloudInit(arg: string): boolean {
  return arg === "cloud-init" || arg.endsWith("/cloud-init");
}
