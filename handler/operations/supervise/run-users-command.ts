import { rm } from "node:fs/promises";
import { waitsForSentinel } from "../../check/obtain/capz-wait.ts";
import type { Deadline } from "../../check/deadline.ts";
import type { LookBeside } from "../../check/running/look-beside.ts";
import type { CheckOutcome, ProcessExit } from "../../verdict/outcome.ts";
import { runCommand, type CommandRequest } from "../../check/running/run-command.ts";
import { errorText, HandlerError } from "../../errors/handler-error.ts";
import type { Settings } from "../../settings/settings.ts";
import type { CommandState } from "../../state/run-state.ts";
import { readCaller } from "../caller-record.ts";
import type { Run } from "./run.ts";
import { unitName } from "../supervisor.ts";

/** How a command of this sequence ended, when a supervisor before us saw its end but did not get to the verdict. */
export function endedCommand({ record }: Run): ProcessExit | undefined {
  return record.current().command?.exit;
}

/** They may hold secrets; a supervisor that was killed could not remove them. One that stays, because it is in use, costs no verdict. */
export async function removeFilesOfCommand({ context, record }: Pick<Run, "context" | "record">): Promise<void> {
  for (const file of record.current().command?.files ?? [])
    await rm(file, { force: true }).catch((error: unknown) => {
      context.log.warn(`A file of the command could not be removed: ${errorText(error)}`);
    });
}

/**
 * Throws HandlerError `interrupted` for a command that was started before and shall not be started again. A command is not a thing
 * to repeat unasked: `apt-get dist-upgrade && reboot` would go round for ever, and a script that appends would do so twice.
 */
export async function refuseRestart(
  { context, record }: Pick<Run, "context" | "record">,
  { check }: Settings,
  deadline: Pick<Deadline, "remainingMs">,
): Promise<void> {
  const before = record.current().command;
  if (before === undefined || check.kind !== "command") return;
  if (
    deadline.remainingMs() > 0 &&
    (waitsForSentinel(check.command, context.host) || mayStartAgain(check.restart, before))
  )
    return;
  await removeFilesOfCommand({ context, record });
  const why = deadline.remainingMs() > 0 ? `restart is "${check.restart}"` : "the deadline is over";
  throw new HandlerError(
    "interrupted",
    `${whatHappened(before, context.identity.bootId)}, and ${why} (${startedWhen(before)})`,
    {
      hint: 'Look at what it left on the machine; to run it again change the settings (a new timestamp will do), or set restart to "once" or "always" for a command that can run twice',
    },
  );
}

function mayStartAgain(restart: "never" | "once" | "always", { starts }: CommandState): boolean {
  switch (restart) {
    case "never":
      return false;
    case "once":
      return starts < 2;
    case "always":
      return true;
  }
}

/** What ended it first: the first line of the status may have no room for more. */
function whatHappened({ bootId }: CommandState, bootNow: string): string {
  return bootId === bootNow
    ? "The handler was stopped (disabled, updated or killed) while the command was running"
    : "The machine restarted while the command was running";
}

function startedWhen({ startedAt, starts }: CommandState): string {
  const times = starts === 1 ? "" : ` for the ${starts === 2 ? "second" : `${String(starts)}th`} time`;
  return `the command had been started${times} at ${startedAt}`;
}

type UsersCommand = Omit<CommandRequest, "caller" | "onExit" | "lookBeside" | "told">;

/** Runs it with the guest agent's environment and shares, and remembers start and end before anything else is done. */
export async function runUsersCommand(run: Run, request: UsersCommand, look?: LookBeside): Promise<CheckOutcome> {
  const { context, record } = run;
  const { host, identity } = context;
  const { files, lineFile, removeFiles } = request.check;
  const started: CommandState = {
    startedAt: host.now().toISOString(),
    bootId: identity.bootId,
    starts: (record.current().command?.starts ?? 0) + 1,
    files: [...(lineFile === undefined ? [] : [lineFile]), ...(removeFiles ? files : [])],
  };
  await record.saveCommand(started).catch((error: unknown) => {
    context.log.warn(`The start of the command cannot be kept: ${errorText(error)}`);
  });
  await host.platform.shareFully?.({ unit: unitName(context), root: host.root }, host.run);
  const outcome = await runCommand({
    ...request,
    told: run.told,
    caller: readCaller(context),
    ...(look === undefined ? {} : { lookBeside: look }),
    onExit: (exit) => record.saveCommand({ ...started, exit }).catch(() => undefined),
  });
  // Also where we are stopped: a command that is started again gets all of them anew.
  await removeFilesOfCommand(run);
  return outcome;
}
