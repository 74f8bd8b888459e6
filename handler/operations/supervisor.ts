import { basename, join } from "node:path";
import { errorText } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import { liveHolder, type LockFiles, type LockHolder } from "../state/exclusive-lock.ts";
import { newestSequence, readRunState } from "../state/run-state.ts";
import { nameDigest } from "../text/name-digest.ts";
import { handlerVersion } from "../version.ts";
import { keepCaller } from "./caller-record.ts";
import type { AgentContext, SequenceContext } from "./context.ts";

/** The lock that the supervisor of an extension instance holds as long as it lives. */
export function supervisorLock(context: Pick<AgentContext, "host" | "instance">, bootId: string): LockFiles {
  return { folder: context.instance, name: "supervisor", isAlive: (holder) => isAlive(context.host, holder, bootId) };
}

/** The lock of the short commands that decide: two at once would both find "nobody is at work". */
export function commandLock(context: Pick<AgentContext, "host" | "instance">, bootId: string): LockFiles {
  return { ...supervisorLock(context, bootId), name: "command" };
}

async function isAlive(host: Host, holder: LockHolder, bootId: string): Promise<boolean> {
  if (holder.bootId !== bootId) return false;
  return host.platform.isSameProcess(holder.pid, holder.startTime);
}

/** This process as the holder of a lock. */
export async function selfAsHolder(context: SequenceContext, marker: string): Promise<LockHolder> {
  const { host, identity, sequence, environment } = context;
  const startTime = await host.platform.selfMark();
  const { statusFolder } = environment;
  return { pid: host.pid, startTime, bootId: identity.bootId, sequence, handlerVersion, statusFolder, marker };
}

/** Does this supervisor do our work? One that an update left behind writes to the folder of the version before. */
export function servesUs({ environment, sequence }: SequenceContext, holder: LockHolder): boolean {
  return holder.sequence === sequence && holder.statusFolder === environment.statusFolder;
}

/**
 * Marks every process that the check of this sequence starts; the same for a resumed supervisor, so it finds left-overs. Two
 * scratch roots (or two handlers) on one machine never share a mark or a unit name.
 */
export function checkMarker(instance: string, sequence: number): string {
  return `${nameDigest(instance)}-${String(sequence)}`;
}

/** Starts the supervisor so that it outlives this command and the guest agent. */
export async function startSupervisor(context: SequenceContext): Promise<void> {
  const { host, environment, sequence, extensionName } = context;
  await keepCaller(context).catch((error: unknown) => {
    context.log.warn(`The guest agent's environment could not be kept for a command: ${errorText(error)}`);
  });
  await host.platform.startSupervisor(
    {
      command: [
        host.platform.launcher(host.programFolder),
        "supervise",
        "--sequence",
        String(sequence),
        ...(extensionName === undefined ? [] : ["--extension-name", extensionName]),
      ],
      unit: unitName(context),
      root: host.root,
      outputFile: join(environment.logFolder, "supervisor-output.log"),
    },
    host.run,
  );
}

/** Stops the supervisor of this instance, whatever its sequence, with everything below it. Quick when there is none. */
export async function stopSupervisor(context: Pick<AgentContext, "host" | "instance">, bootId: string): Promise<void> {
  const { host } = context;
  const holder = await liveHolder(supervisorLock(context, bootId)).catch(() => undefined);
  if (holder === undefined) return;
  await host.platform.stopSupervisor(
    {
      unit: unitName({ ...context, sequence: holder.sequence }),
      root: host.root,
      pid: holder.pid,
      startTime: holder.startTime,
      marker: holder.marker,
      keepTree: commandHasEnded(context.instance, holder.sequence),
    },
    host.run,
  );
}

/**
 * Asks the service of the newest sequence to end where the lock does not say who holds it. Its check is left to it: one that was
 * killed beside a supervisor in a session of its own, which is not found so, would become a verdict about the machine.
 */
export async function stopUnknownSupervisor({
  host,
  instance,
}: Pick<AgentContext, "host" | "instance">): Promise<void> {
  const sequence = newestSequence(instance);
  if (sequence === undefined) return;
  const unit = unitName({ instance, sequence });
  const marker = checkMarker(instance, sequence);
  await host.platform.stopSupervisor({ unit, root: host.root, marker, keepTree: true }, host.run);
}

/** Of a command that has ended by itself nothing is ended any more: its background work is the user's. */
export function commandHasEnded(instance: string, sequence: number): boolean {
  return readRunState(instance, sequence)?.command?.exit !== undefined;
}

/** Unit names are limited to 255 characters of a small set (systemd.unit(5)); the digest keeps long names apart. */
export function unitName(context: Pick<SequenceContext, "instance" | "sequence">): string {
  const name = basename(context.instance);
  const readable = name.replaceAll(/[^\w.-]/gu, "_").slice(0, 120);
  return `capz-bootstrap-${readable}-${nameDigest(context.instance)}-${String(context.sequence)}`;
}
