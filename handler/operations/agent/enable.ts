import { existsSync } from "node:fs";
import { clearUserFolder } from "../../check/obtain/command-place.ts";
import { readLastSequence, writeLastSequence } from "../../contract/last-sequence.ts";
import { readStatusFile } from "../../contract/status-file.ts";
import type { Status } from "../../contract/status.ts";
import { removeStaleTemporaries } from "../../files/temporary-file.ts";
import { errorText } from "../../errors/handler-error.ts";
import { acquireLock, liveHolder } from "../../state/exclusive-lock.ts";
import {
  newRunState,
  newestSequence,
  readRunState,
  removeOtherSequences,
  unfinishedSequences,
  writeRunState,
} from "../../state/run-state.ts";
import { ours, show, type ShownText } from "../../text/shown-text.ts";
import type { SequenceContext } from "../context.ts";
import { putStatus } from "../put-status.ts";
import { decideEnable, type EnableDecision, type EnableFacts } from "./decide-enable.ts";
import {
  checkMarker,
  commandLock,
  selfAsHolder,
  servesUs,
  startSupervisor,
  stopSupervisor,
  supervisorLock,
} from "../supervisor.ts";
import { preparePrivateFolder } from "../prepare-private-folder.ts";
import { takeStopped, type TakenMark } from "../stop-mark.ts";
import { replacedStatus } from "../../verdict/replaced-status.ts";
import { waitingStatus } from "../../verdict/waiting-status.ts";
import { forgetUpdate } from "./update-mark.ts";

const lockTries = 500;
const lockPauseMs = 20;

/**
 * Decides and detaches: the agent calls this on every goal state and every start, kills it after 300 s, and uploads no
 * status of the whole VM while it runs. What is wrong with settings or the check is told in `N.status` by the supervisor.
 */
export async function enable(context: SequenceContext): Promise<void> {
  await preparePrivateFolder(context, { anew: false });
  await holdCommandLock(context);
  sweepUp(context);
  forgetUpdate(context);
  const mark = takeStopped(context);
  const facts = await gatherFacts(context, mark);
  const decision = decideEnable(facts);
  context.log.infoShown(ours`enable: ${describe(decision)}`);
  await act(context, decision, { ...facts, nothingIsLeft: mark.nothingIsLeft });
}

interface FactsToActOn extends EnableFacts {
  /** The `disable` before this call has seen that nothing of ours was at work any more. */
  readonly nothingIsLeft: boolean;
}

/** What a killed command or supervisor left half written, wherever we write. The status folder is swept by its writer. */
function sweepUp({ host, environment, instance }: SequenceContext): void {
  for (const folder of [environment.handlerFolder, environment.logFolder, instance])
    removeStaleTemporaries(folder, host.now());
}

async function act(context: SequenceContext, decision: EnableDecision, facts: FactsToActOn): Promise<void> {
  switch (decision.kind) {
    case "running":
      return;
    case "concluded":
      if (decision.statusLost) await putStatus(context, decision.verdict.status);
      return;
    case "adopt":
      await adopt(context, facts);
      return;
    case "resume":
      await resume(context, decision, facts);
      return;
    case "begin":
      if (decision.stopOther) await stopSupervisor(context, context.identity.bootId);
      await closeReplaced(context, facts);
      await begin(context, facts);
      return;
  }
}

async function resume(
  context: SequenceContext,
  decision: Extract<EnableDecision, { kind: "resume" }>,
  facts: EnableFacts,
): Promise<void> {
  if (decision.stopOther) await stopSupervisor(context, context.identity.bootId);
  if (decision.statusLost) await putStatus(context, facts.state?.verdict?.status ?? placeholder(context));
  await startSupervisor(context);
}

/**
 * Settings that were replaced before a verdict get none any more: their status must not wait for ever. Not flushed, for a flush costs as much
 * as the rest of `enable`: the agent reads the newest status alone, and what a power cut takes of this one misleads nobody.
 */
async function closeReplaced(context: SequenceContext, { lastSequence, sequence }: EnableFacts): Promise<void> {
  if (lastSequence === undefined || lastSequence === sequence) return;
  const replaced = { ...context, sequence: lastSequence };
  const file = await readStatusFile(context.environment.statusFolder, replaced).catch(() => undefined);
  if (file?.kind !== "valid" || file.status !== "transitioning") return;
  await putStatus(replaced, replacedStatus(sequence), false).catch((thrown: unknown) => {
    context.log.warn(`enable: the status of the replaced settings could not be closed: ${errorText(thrown)}`);
  });
}

/** Order matters after a crash: the status before the state, the state before `mrseq` (see decideEnable). */
async function begin(context: SequenceContext, { nothingIsLeft }: FactsToActOn): Promise<void> {
  const { host, environment, sequence, extensionName, instance } = context;
  await putStatus(context, placeholder(context));
  if (!nothingIsLeft) await endLeftOvers(context);
  if (existsSync(host.platform.paths(host.root).userFiles)) await clearUserFolder(host, instance, instance);
  removeOtherSequences(instance, sequence);
  await writeRunState(instance, newRunState(host, context));
  await writeLastSequence({ handlerFolder: environment.handlerFolder, sequence, extensionName, sleep: host.sleep });
  await startSupervisor(context);
}

/** What a supervisor of other settings that was killed left running. */
async function endLeftOvers({ host, instance, sequence }: SequenceContext): Promise<void> {
  for (const other of unfinishedSequences(instance).filter((one) => one !== sequence))
    await host.platform.killTree({ marker: checkMarker(instance, other), graceMs: 0 }, host.run);
}

/** A crash between status and state: what the agent already shows is the verdict. */
async function adopt(context: SequenceContext, facts: EnableFacts): Promise<void> {
  const { host, instance } = context;
  const file = await readStatusFile(context.environment.statusFolder, context);
  if (facts.state === undefined || file.kind !== "valid") return;
  const status: Status = {
    kind: file.status,
    operation: "Enable",
    code: file.code,
    message: show(file.message),
    substatuses: [],
  };
  const verdict = { status, decidedAt: host.now().toISOString(), afterSeconds: 0, final: true };
  await writeRunState(instance, { ...facts.state, verdict });
}

async function gatherFacts(context: SequenceContext, mark: TakenMark): Promise<EnableFacts> {
  const { environment, extensionName, sequence, identity, instance } = context;
  const last = readLastSequence(environment.handlerFolder, extensionName);
  if (last.warning !== undefined) context.log.warn(last.warning);
  const repaired = last.warning === undefined ? undefined : newestSequence(instance);
  const statusFile = await statusFileKind(context);
  return {
    sequence,
    lastSequence: last.sequence ?? repaired,
    vmId: identity.vmId,
    state: readRunState(instance, sequence),
    supervisor: await livingSupervisor(context, mark),
    statusFile,
  };
}

/** What cannot be read is written again. */
async function statusFileKind(context: SequenceContext): Promise<EnableFacts["statusFile"]> {
  try {
    const file = await readStatusFile(context.environment.statusFolder, context);
    return file.kind === "valid" ? file.status : "none";
  } catch (thrown) {
    context.log.warn(`enable: the status file cannot be read: ${errorText(thrown)}`);
    return "none";
  }
}

/** One that lives beside a mark has seen it and is about to end, or did not end when it was told to: nobody may count on it. */
async function livingSupervisor(
  context: SequenceContext,
  { wasThere: wasStopped }: TakenMark,
): Promise<EnableFacts["supervisor"]> {
  const holder = await liveHolder(supervisorLock(context, context.identity.bootId));
  if (holder === undefined) return undefined;
  return servesUs(context, holder) && !wasStopped ? "ours" : "other";
}

/** Two calls at once: the second waits until the first has decided and started. */
async function holdCommandLock(context: SequenceContext): Promise<void> {
  const self = await selfAsHolder(context, "");
  const lock = commandLock(context, context.identity.bootId);
  for (let attempt = 0; attempt < lockTries; attempt++) {
    if ((await acquireLock(lock, self)).kind === "acquired") return;
    await context.host.sleep(lockPauseMs);
  }
  context.log.warn(
    `enable: another command has held the lock for ${String((lockTries * lockPauseMs) / 1000)} s; going on`,
  );
}

function placeholder({ host, identity, sequence }: SequenceContext): Status {
  return waitingStatus({
    stage: undefined,
    elapsedSeconds: 0,
    timeoutSeconds: undefined,
    lastEvent: undefined,
    warnings: [],
    of: { vmId: identity.vmId, sequence, time: host.now() },
  });
}

function describe(decision: EnableDecision): ShownText {
  switch (decision.kind) {
    case "running":
      return ours`the supervisor is at work; nothing to do`;
    case "concluded":
      return decision.statusLost
        ? ours`the verdict stands; its status file was lost and is written again`
        : ours`the verdict stands`;
    case "adopt":
      return ours`the verdict in the status file stands`;
    case "resume":
      return decision.stopOther
        ? ours`the supervisor of another version, or one that was told to end, is at work; this call ends it and goes on with what is left of the deadline`
        : ours`the supervisor is gone; it goes on with what is left of the deadline`;
    case "begin":
      return decision.stopOther
        ? ours`begin (${whyBegin[decision.why]}); stopping the supervisor of other settings first`
        : ours`begin (${whyBegin[decision.why]})`;
  }
}

const whyBegin: Readonly<Record<Extract<EnableDecision, { kind: "begin" }>["why"], ShownText>> = {
  new: ours`new`,
  "other-sequence": ours`other-sequence`,
  foreign: ours`foreign`,
};
