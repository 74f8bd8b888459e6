import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { LookContext } from "../../../scripts/check/look.ts";
import { createMachine } from "../../check/answers/answer-questions.ts";
import { questionsOfOneLook } from "../../check/answers/ask-ahead.ts";
import { loadProgram, type CheckProgram } from "../../check/program/load-program.ts";
import { answerOf } from "../../check/program/look-report.ts";
import { parseRecord, replayLook } from "../../check/program/replay-look.ts";
import { runHooks, withRemark, type HookedAnswer } from "../../check/program/run-hooks.ts";
import { runLook, type LookEnd } from "../../check/program/run-look.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import { makeClosedFolder } from "../../files/temporary-folder.ts";
import { errorText } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import type { MachineIdentity } from "../../platform/platform.ts";
import type { BootstrapProvider } from "../../settings/settings.ts";
import { ours, show, showLine, type ShownText } from "../../text/shown-text.ts";
import { parseJson } from "../../text/parse-json.ts";
import { renderCheck, renderCheckAsJson, renderTried, renderTriedAsJson } from "./render-check.ts";
import type { Trial } from "./try-check.ts";

export interface CheckOptions {
  readonly json: boolean;
  /** As the setting bootstrapProvider. */
  readonly provider: BootstrapProvider;
  /** A record to judge again, instead of looking at a machine. */
  readonly replay?: string;
  /** A bundle or a hook to try, instead of the check of the package. */
  readonly trial?: Trial;
}

export interface CheckAnswer {
  readonly text: ShownText;
  /** As of a check of protocol 1 (docs/check-protocol.md); 3 when nothing could be judged. */
  readonly exitCode: 0 | 1 | 3 | 75;
}

const lookLimitMs = 60_000;
const hooksLimitMs = 60_000;
/** The extension's default; a single look waits for nothing. */
const timeoutMs = 1_200_000;
const exitCodes = { bootstrapped: 0, failed: 1, "not-yet": 75 } as const;

/** `capz-bootstrap check`: one look at this machine, at one that lies in a folder, or at what a look of the past saw. */
export async function runCheck(host: Host, options: CheckOptions): Promise<CheckAnswer> {
  try {
    if (options.trial !== undefined) return await tryOne(host, options.trial, options);
    const source = await readFile(join(host.programFolder, "bundle", "check.cjs"), "utf8");
    const program = loadProgram(source, { limitMs: "none" });
    const { end, answer } =
      options.replay === undefined
        ? await lookAtMachine(
            { ...host, root: isSystemRoot(host.root) ? host.root : resolve(host.root) },
            program,
            options,
          )
        : await replay(host, program, options.replay);
    const record = end.kind === "result" ? end.record : undefined;
    const text = options.json ? renderCheckAsJson(answer, record) : renderCheck(answer);
    return { text, exitCode: exitCodes[answer.verdict] };
  } catch (error) {
    return { text: ours`capz-bootstrap check: ${showLine(errorText(error))}\n`, exitCode: 3 };
  }
}

async function tryOne(given: Host, trial: Trial, { json, provider }: CheckOptions): Promise<CheckAnswer> {
  requireFolder(given.root);
  // It makes a diagnosis, whose parts are half of what a look by the package's own check would read.
  const { tryCheck } = await import("./try-check.ts");
  const host = { ...given, root: isSystemRoot(given.root) ? given.root : resolve(given.root) };
  const { answer, message } = await tryCheck(host, trial, provider);
  const text = json ? renderTriedAsJson(answer, message) : renderTried(answer, message);
  return { text, exitCode: exitCodes[answer.verdict] };
}

interface Judged {
  readonly end: LookEnd;
  readonly answer: HookedAnswer;
}

async function lookAtMachine(host: Host, program: CheckProgram, options: CheckOptions): Promise<Judged> {
  const { provider } = options;
  requireFolder(host.root);
  const asked = needsIdentity(host, options)
    ? host.platform.machineIdentity(host.root, host.run)
    : Promise.resolve(thisMachine);
  const { answer, begin } = createMachine(host, asked, {
    expected: questionsOfOneLook,
    // While the last program works: what redacts is loaded, and its expressions are compiled, by the first text.
    onNearFailure: () => void show("a failure"),
  });
  if (host.platform.name === "windows" && isSystemRoot(host.root)) {
    begin();
    // The check asks for the same, and is given what is remembered.
    host.platform.setUpAt?.(host.run).catch(() => undefined);
  }
  const { signal } = new AbortController();
  const context: LookContext = { system: host.platform.name, provider, elapsedMs: 0, timeoutMs, memory: {} };
  const looking = runLook({ host, program, answer, limitMs: lookLimitMs, signal, context });
  const [end, identity] = await Promise.all([looking, asked]);
  const own = withUnread(answerOf(end), end);
  // Hooks below a folder that only stands for a machine are programs of that machine, not of this one.
  return { end, answer: isSystemRoot(host.root) ? await askHooks(host, identity, { answer: own, provider }) : own };
}

/** For a look that remembers nothing and is shown in a few words. */
const thisMachine: MachineIdentity = { vmId: "not-asked", bootId: "this-boot" };

/**
 * On Windows who this machine is takes three programs to say. The packaged check compares it with what earlier looks saw, and there were none;
 * a record and a hook are told.
 */
function needsIdentity({ platform, root }: Host, { json }: CheckOptions): boolean {
  return platform.name !== "windows" || !isSystemRoot(root) || json || existsSync(platform.hooks.folder(root));
}

const userDataTraces = /\/sem\/config_scripts_user$|cloudbase-init/iu;

/** What this user may not read has not shown that there was no user data. */
function withUnread(answer: HookedAnswer, end: LookEnd): HookedAnswer {
  if (answer.report.facts["user-data"] !== "never" || end.kind !== "result") return answer;
  const isUnread = end.record.observations.some(
    ({ question, answer: { kind } }) =>
      kind === "cannot-tell" && "path" in question && userDataTraces.test(question.path),
  );
  if (!isUnread) return answer;
  const facts = { ...answer.report.facts, "user-data": "could not be read; run it as root (sudo)" };
  return { ...answer, report: { ...answer.report, facts } };
}

async function askHooks(
  host: Host,
  identity: MachineIdentity,
  { answer, provider }: { readonly answer: HookedAnswer; readonly provider: BootstrapProvider },
): Promise<HookedAnswer> {
  if (!existsSync(host.platform.hooks.folder(host.root))) return answer;
  const folder = await makeClosedFolder("capz-bootstrap-check", host).catch(errorText);
  if (typeof folder === "string") return withRemark(answer, `The hooks were not asked: ${folder}`);
  const { signal } = new AbortController();
  const settings = { bootstrapProvider: provider, timeoutSeconds: timeoutMs / 1000 };
  const common = { host, identity, signal, folder: folder.path, settings, elapsedMs: 0, limitMs: hooksLimitMs };
  try {
    return (await runHooks({ ...common, marker: `check-${String(host.pid)}` }, answer)) ?? answer;
  } finally {
    await folder.remove();
  }
}

async function replay(host: Host, program: CheckProgram, file: string): Promise<Judged> {
  const parsed = parseJson(await readRecord(file));
  const record = parsed.kind === "value" ? parseRecord(parsed.value) : undefined;
  if (record === undefined) {
    throw new Error(
      `"${file}" is no record of a look: take observations.json of a report, or the output of check --json`,
    );
  }
  const end = await replayLook(host, program, record);
  return { end, answer: answerOf(end) };
}

async function readRecord(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new Error(`Cannot read "${file}": ${errorText(error)}. Next: Name observations.json of a report.`, {
      cause: error,
    });
  }
}

/** A folder that is not there would look like a machine on which nothing has begun. */
function requireFolder(root: string): void {
  const found = statSync(root, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const what = found === undefined ? `There is no folder "${root}"` : `"${root}" is a file`;
  throw new Error(`${what}. Next: Name the folder below which the machine lies, the one that holds etc, var and proc.`);
}
