import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { toHandlerError } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import type { PeopleLog } from "../../logging/create-logger.ts";
import { parseSettings } from "../../settings/parse-settings.ts";
import { newRunState, readRunState, workFolder, writeRunState } from "../../state/run-state.ts";
import type { SequenceContext } from "../context.ts";
import { preparePrivateFolder } from "../prepare-private-folder.ts";
import { acceptSettings, type ReadSettings } from "../read-settings.ts";
import { runAtWork, runInstance } from "./end-run.ts";
import { readSettingsArgument } from "./read-settings-argument.ts";
import { showProgress } from "./show-progress.ts";
import { terminalLog } from "./terminal-log.ts";
import { isJsonObject } from "../../text/parse-json.ts";
import { cutShown, ours, show, showAll, shownJson, type Shown, type ShownText } from "../../text/shown-text.ts";
import { print, printAside } from "../terminal.ts";
import { withVerdictLast } from "../../report/report-brief.ts";
import { takeStopped } from "../stop-mark.ts";
import { supervise } from "../supervise/supervise.ts";
import type { Status } from "../../contract/status.ts";

export interface ForegroundOptions {
  readonly settingsFile: string;
  readonly json: boolean;
  readonly brief: boolean;
  readonly quiet: boolean;
  /** The log on standard error, too. */
  readonly verbose: boolean;
}

/** One wait without a guest agent has no sequence of settings: it is always the first. */
const onlySequence = 0;

/**
 * `capz-bootstrap run`: the same wait and verdict as the extension's, in the foreground, for VM Applications, Run Command and
 * people. Always begins anew; no aftercare, because the caller waits for the end.
 */
export async function runInForeground(host: Host, options: ForegroundOptions): Promise<number> {
  const other = await runAtWork(host);
  if (other !== undefined) {
    const which = `process ${String(other.pid)}`;
    printAside(
      show(
        `capz-bootstrap run: another run is at work on this machine (${which}). Next: Wait for its verdict, or end it with "capz-bootstrap end-run".`,
      ),
    );
    return 3;
  }
  const context = await prepare(host, options);
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      stop.abort();
    });
  }
  // Once: standard input is gone when it has been read.
  let given: ReturnType<typeof readSettingsArgument> | undefined;
  const read = async (): Promise<ReadSettings> => {
    given ??= readSettingsArgument(host, options.settingsFile);
    const { settings, warnings } = acceptSettings(parseSettings(await given, host.platform.name));
    return { settings: { ...settings, aftercareSeconds: 0 }, warnings };
  };
  const progress = options.quiet || options.brief || options.json ? undefined : showProgress(context, context.log);
  try {
    await supervise(context, { signal: stop.signal, readSettings: read });
  } catch (thrown) {
    const error = toHandlerError(thrown);
    printAside(show(`capz-bootstrap run: ${error.message}. Next: ${error.hint}.`));
    return 3;
  } finally {
    progress?.stop();
    await context.log.flush();
  }
  return printVerdict(context, options);
}

interface ForegroundContext extends SequenceContext {
  readonly log: PeopleLog;
}

async function prepare(host: Host, { verbose }: ForegroundOptions): Promise<ForegroundContext> {
  const instance = runInstance(host);
  await preparePrivateFolder({ host, instance }, { anew: true });
  // Of an `end-run` before this run; one that comes from here on is seen when the lock is held.
  takeStopped({ instance });
  // What an earlier run, or somebody before the folder was closed, left there must not run or be read.
  rmSync(workFolder(instance, onlySequence), { recursive: true, force: true });
  const logFolder = host.platform.logFolders(host.root).at(-1) ?? instance;
  const statusFolder = join(instance, "status");
  const configFolder = join(instance, "config");
  for (const folder of [logFolder, statusFolder, configFolder]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  rmSync(join(statusFolder, `${String(onlySequence)}.status`), { force: true });
  const identity = await host.platform.machineIdentity(host.root, host.run);
  await writeRunState(instance, newRunState(host, { sequence: onlySequence, identity }));
  const environment = { name: "run", version: "1.0", logFolder, configFolder, statusFolder, handlerFolder: instance };
  const log = terminalLog(host, "run", { folder: logFolder, sequence: onlySequence, verbose });
  return { host, environment, extensionName: undefined, instance, log, sequence: onlySequence, identity };
}

function printVerdict(context: SequenceContext, { json, brief }: ForegroundOptions): number {
  const verdict = readRunState(context.instance, context.sequence)?.verdict;
  if (verdict === undefined) {
    printAside(ours`capz-bootstrap run: stopped before there was a verdict`);
    return 3;
  }
  const { message } = verdict.status;
  const [head = message, ...lines] = cutShown.lines(message);
  print(json ? shownJson(asJson(verdict.status), 2) : brief ? withVerdictLast([head, ...lines], head) : message);
  return exitCodeOf(verdict.status);
}

/** The documented exit codes of the commands for people (docs/codes.md). */
function exitCodeOf(status: Status): number {
  if (status.kind === "success") return 0;
  switch (outcomeOf(status)) {
    case "failed":
      return 1;
    case "deadline":
      return 2;
    default:
      return 3;
  }
}

function outcomeOf(status: Status): unknown {
  const verdict = partsOf(status)["BootstrapVerdict"];
  return isJsonObject(verdict) ? verdict["outcome"] : undefined;
}

function asJson(status: Status): Shown<object> {
  return { status: status.kind, code: status.code, message: status.message, ...partsOf(status) };
}

function partsOf({ substatuses }: Status): Readonly<Record<string, Shown<unknown>>> {
  return Object.fromEntries(substatuses.map(({ name, message }) => [name, parseOrText(message)]));
}

/** The value of a substatus; its texts were shown before they became JSON. */
function parseOrText(text: ShownText): Shown<unknown> {
  try {
    return showAll<unknown>(JSON.parse(text));
  } catch {
    return text;
  }
}
