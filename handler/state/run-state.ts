import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";
import type { Status } from "../contract/status.ts";
import { HandlerError, errorText, isDenial, systemErrorCode } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import type { MachineIdentity } from "../platform/platform.ts";
import { makePrivateFolder } from "../files/private-folder.ts";
import { show, showAgain } from "../text/shown-text.ts";
import { handlerVersion } from "../version.ts";
import { isRunState, type StoredRunState } from "./run-state-schema.ts";
import type { ClockState, RunState } from "./stored-run.ts";

export type { ClockState, CommandState, RunState, VerdictState } from "./stored-run.ts";

export interface InstanceName {
  /** Folder of all instances: Platform.paths(root).state. */
  readonly stateFolder: string;
  /** Handler name without version, so that an update finds the state of the old version. */
  readonly handlerName: string;
  readonly extensionName: string | undefined;
}

/** Private folder (0700) of one extension instance. */
export function instanceFolder(name: InstanceName): string {
  const full = name.extensionName === undefined ? name.handlerName : `${name.handlerName}+${name.extensionName}`;
  return join(name.stateFolder, full.replaceAll(/[^\w.+-]/gu, "_"));
}

/** Makes the folder, or refuses one that somebody else put there (a symbolic link, a file). */
export function prepareInstanceFolder(folder: string): void {
  const present = lstatSync(folder, { throwIfNoEntry: false });
  if (present !== undefined && !present.isDirectory()) rmSync(folder, { force: true });
  makePrivateFolder(folder);
}

/** The state of a sequence; undefined when there is none or it cannot be understood (then the run begins anew). */
export function readRunState(folder: string, sequence: number): RunState | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(statePath(folder, sequence), "utf8"));
    return isRunState(value) ? showStored(value) : undefined;
  } catch {
    return undefined;
  }
}

/** An earlier version may have hidden less than this one. */
function showStored({ verdict, ...state }: StoredRunState): RunState {
  if (verdict === undefined) return state;
  const { message, substatuses } = verdict.status;
  const status: Status = {
    ...verdict.status,
    message: show(message),
    substatuses: substatuses.map((one) => ({ ...one, name: show(one.name), message: showAgain(one.message) })),
  };
  return { ...state, verdict: { ...verdict, status } };
}

/** The state of a sequence whose wait begins now. */
export function newRunState(
  host: Pick<Host, "now" | "monotonicMs">,
  { sequence, identity }: { readonly sequence: number; readonly identity: MachineIdentity },
): RunState {
  return {
    version: 1,
    sequence,
    vmId: identity.vmId,
    handlerVersion,
    startedAt: host.now().toISOString(),
    clock: { bootId: identity.bootId, usedMs: 0, atMonotonicMs: host.monotonicMs() },
    timeline: [],
  };
}

/** Whole or not at all. Flushed once there is a verdict or a command; a mere wait that a power cut takes is begun anew. */
export async function writeRunState(folder: string, state: RunState): Promise<void> {
  const path = statePath(folder, state.sequence);
  try {
    await replaceFile({ path, bytes: Buffer.from(JSON.stringify(state)), durable: isPrecious(state) });
  } catch (error) {
    throw new HandlerError("stateUnwritable", `Cannot write "${path}": ${errorText(error)}`, { cause: error });
  }
}

/** What a power cut must not take: a verdict, and that a command has been started. */
function isPrecious({ verdict, command }: RunState): boolean {
  return verdict !== undefined || command !== undefined;
}

/** Sequences whose check may have left something running: with a verdict, or behind a command's own end, what runs is the user's. */
export function unfinishedSequences(folder: string): readonly number[] {
  return readdirSync(folder)
    .map((file) => /^(\d+)\.state\.json$/u.exec(file)?.[1])
    .filter((digits) => digits !== undefined)
    .map((digits) => readRunState(folder, Number(digits)))
    .filter((state) => state !== undefined && state.verdict === undefined && state.command?.exit === undefined)
    .map((state) => state?.sequence)
    .filter((sequence) => sequence !== undefined);
}

/** The state that was written last in the folder of one instance; undefined where none can be read, or there is no such folder. */
export function newestRun(folder: string): RunState | undefined {
  try {
    const sequence = newestSequence(folder);
    return sequence === undefined ? undefined : readRunState(folder, sequence);
  } catch (error) {
    if (isDenial(error)) throw error;
    return undefined;
  }
}

/** The sequence whose state was written last: repairs an `mrseq` that a power loss emptied. */
export function newestSequence(folder: string): number | undefined {
  const states = readdirSync(folder)
    .map((file) => /^(\d+)\.state\.json$/u.exec(file)?.[1])
    .filter((digits) => digits !== undefined)
    .map((digits) => ({ sequence: Number(digits), path: join(folder, `${digits}.state.json`) }))
    .map(({ sequence, path }) => ({ sequence, writtenMs: lstatSync(path).mtimeMs }))
    .toSorted((a, b) => b.writtenMs - a.writtenMs || b.sequence - a.sequence);
  return states[0]?.sequence;
}

/** Removes what belongs to other sequences: states and work folders (scripts, outputs, downloads). */
export function removeOtherSequences(folder: string, sequence: number): void {
  for (const file of readdirSync(folder)) {
    const owner = /^(\d+)\.(?:state\.json|work)$/u.exec(file)?.[1];
    if (owner !== undefined && Number(owner) !== sequence) removeUnlessInUse(join(folder, file));
  }
}

/** Windows removes no folder that a left-over program works in; it goes with a later call, and new settings must not fail by it. */
function removeUnlessInUse(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (!["EPERM", "EACCES", "EBUSY", "ENOTEMPTY"].includes(systemErrorCode(error) ?? "")) throw error;
  }
}

/** Downloads, scripts and outputs of one sequence. */
export function workFolder(folder: string, sequence: number): string {
  return join(folder, `${String(sequence)}.work`);
}

export function belongsTo(state: RunState, identity: MachineIdentity): boolean {
  return state.vmId === identity.vmId;
}

/** Milliseconds of the deadline that are used now. */
export function usedMs(clock: ClockState, now: { readonly bootId: string; readonly monotonicMs: number }): number {
  const sinceStored = clock.bootId === now.bootId ? Math.max(0, now.monotonicMs - clock.atMonotonicMs) : 0;
  return clock.usedMs + sinceStored;
}

function statePath(folder: string, sequence: number): string {
  return join(folder, `${String(sequence)}.state.json`);
}
