import { noManager, type Answer, type UnitState } from "../../../scripts/check/questions.ts";
import { otherManagerBelow } from "../../files/service-manager.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import type { RunProcess, RunResult } from "../../host.ts";
import { cannotTell, known, type CannotTell } from "./answer.ts";

/** systemd answers in milliseconds; one that is busy with a boot in some seconds. */
const timeLimitMs = 5000;
const mostUnits = 40;
const properties = "Id,LoadState,ActiveState,SubState,Result,ExecMainStatus,NRestarts,Job";

export interface UnitView {
  readonly run: RunProcess;
  /** Told to the program: where a test's stand-in finds its machine. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Without systemd there are no units, and systemctl could only fail. A machine that runs has another program for its services, of which we ask
 * nothing: that is an answer of its own. In a copied machine there are none.
 */
export function answerWithoutSystemd(root: string, names: readonly string[]): Answer<"units"> {
  const isOther = isSystemRoot(root) || otherManagerBelow(root) !== undefined;
  const unit = isOther ? { ...noUnit, load: noManager } : noUnit;
  return known<"units">(Object.fromEntries(names.map((name) => [name, unit])));
}

const noUnit: UnitState = { load: "not-found", active: "inactive", sub: "dead", result: "success", exitStatus: 0 };

/** One `systemctl show` for all; a second call names the queued jobs, if there are any. */
export async function answerUnits(view: UnitView, asked: readonly string[]): Promise<Answer<"units">> {
  const names = [...new Set(asked)];
  if (names.length === 0) return known<"units">({});
  if (names.length > mostUnits || !names.every(isUnitName)) return cannotTell("these are not names of units");
  const shown = await systemctl(view, ["show", `--property=${properties}`, "--", ...names]);
  if (typeof shown !== "string") return shown;
  // systemctl parts the units by an empty line and keeps the order of the arguments; Id differs where a name is an alias.
  const blocks = shown.trim().split(/\n{2,}/u);
  if (blocks.length !== names.length)
    return cannotTell("systemctl shows another number of units than it was asked for");
  const parsed = blocks.map(readBlock);
  const jobs = parsed.some(({ job }) => job !== "") ? await readJobs(view) : new Map<string, string>();
  if ("kind" in jobs) return jobs;
  return known<"units">(
    Object.fromEntries(parsed.map((block, index) => [names[index] ?? block.id, toState(block, jobs)])),
  );
}

function isUnitName(name: string): boolean {
  return /^[\w@][\w@.:\\-]{0,200}\.(?:service|target|socket|mount|path|timer)$/u.test(name);
}

interface UnitBlock {
  readonly id: string;
  readonly job: string;
  readonly values: ReadonlyMap<string, string>;
}

function readBlock(block: string): UnitBlock {
  const values = new Map<string, string>();
  for (const line of block.split("\n")) {
    const at = line.indexOf("=");
    if (at > 0) values.set(line.slice(0, at), line.slice(at + 1));
  }
  const job = values.get("Job") ?? "";
  return { id: values.get("Id") ?? "", job: job === "0" ? "" : job, values };
}

function toState({ id, job, values }: UnitBlock, jobs: ReadonlyMap<string, string>): UnitState {
  const restarts = values.get("NRestarts");
  // A job that is in no list has just been done: the state is of before it, so it still stands as queued.
  const type = job === "" ? undefined : (jobs.get(id) ?? "unknown");
  return {
    load: values.get("LoadState") ?? "unknown",
    active: values.get("ActiveState") ?? "unknown",
    sub: values.get("SubState") ?? "unknown",
    result: values.get("Result") ?? "unknown",
    exitStatus: numberOr(values.get("ExecMainStatus"), 0),
    ...(restarts === undefined || restarts === "" ? {} : { restarts: numberOr(restarts, 0) }),
    ...(type === undefined ? {} : { job: type }),
  };
}

function numberOr(text: string | undefined, fallback: number): number {
  return text !== undefined && /^-?\d{1,10}$/u.test(text) ? Number(text) : fallback;
}

/** By unit: "start", "stop" … Lines of `systemctl list-jobs`: number, unit, type, state. */
async function readJobs(view: UnitView): Promise<ReadonlyMap<string, string> | CannotTell> {
  const listed = await systemctl(view, ["list-jobs", "--no-legend", "--no-pager", "--full"]);
  if (typeof listed !== "string") return listed;
  const rows = listed.split("\n").map((line) => line.trim().split(/\s+/u));
  return new Map(rows.filter((row) => row.length >= 4).map(([, unit = "", type = ""]) => [unit, type]));
}

async function systemctl({ run, env }: UnitView, args: readonly string[]): Promise<string | CannotTell> {
  const result = await run("systemctl", args, { timeoutMs: timeLimitMs, env: { ...env, LC_ALL: "C" } });
  const text = result.kind === "exited" ? result.stdout.toString("utf8") : "";
  // An exit code other than 0 comes with a name that cannot be loaded; what was printed is true all the same.
  if (result.kind === "exited" && (result.code === 0 || text.trim() !== "")) return text;
  return cannotTell(`systemctl ${whyNot(result, timeLimitMs)}`);
}

/** Behind the program's name. */
export function whyNot(result: RunResult, limitMs: number): string {
  switch (result.kind) {
    case "exited":
      return `ended with ${String(result.code)}`;
    case "signalled":
      return `was ended by ${result.signal}`;
    case "timed-out":
      return `did not answer within ${String(limitMs)} ms`;
    case "not-started":
      return `could not be started: ${result.reason}`;
  }
}
