import { join } from "node:path";
import type { Answer, Answers, Question } from "../../../scripts/check/questions.ts";
import type { Host } from "../../host.ts";
import type { MachineIdentity } from "../../platform/platform.ts";
import { windowsPrograms } from "../../platform/powershell-windows.ts";
import { systemdRunsBelow } from "../../files/service-manager.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import { cannotTell, known } from "./answer.ts";
import { asksProgram, createAhead } from "./ask-ahead.ts";
import { answerBoot, uptimeOf } from "./boot-answer.ts";
import { answerCertificate } from "./certificate-answer.ts";
import { answerLog, answerMentions, answerNames, answerPath, answerText, type FileView } from "./file-answers.ts";
import { createFileGate, type FileGate } from "./file-gate.ts";
import { answerHealthz } from "./healthz-answer.ts";
import { allMountsAreLocal } from "./local-mounts.ts";
import { answerMachine } from "./machine-answer.ts";
import { rememberPlaces } from "./place-path.ts";
import { answerProcesses } from "./process-answers.ts";
import { answerRegistry, isLasting, shareQueries } from "./registry-answers.ts";
import type { ProgramView } from "./program-view.ts";
import { answerServices } from "./service-answers.ts";
import { createSettled } from "./settled-answers.ts";
import { answerTasks } from "./task-answers.ts";
import { answerUnits, answerWithoutSystemd } from "./unit-answers.ts";

/** What a program said stands for this long: looks that follow each other closely ask systemd once. */
const keptMs = 1000;
/**
 * That all the services run is believed for longer: to ask costs a process, and a service that ends by itself says so in a file first. What
 * says otherwise in a file wakes the check, and decides whatever stands here.
 */
const runningMs = 60_000;

/** The real machine (or a folder that stands for one) as the check sees it. */
export interface Machine {
  /** At once where nothing can keep it waiting. */
  answer(question: Question): Promise<Answer> | Answer;
  beginLook(): void;
  /** True when an answer since the beginning of the look came from a program asked before it: it may be a second old. */
  usedKeptAnswers(): boolean;
  /** True when one of them has settled, and was asked for longer ago: no verdict is to be made of this look. */
  usedSettledAnswers(): boolean;
  forgetKeptAnswers(): void;
  /** Something has changed, though not the sentinel. */
  forgetSettledAnswers(): void;
  /** Begins what `expected` names, before the look asks for it. */
  begin(): void;
}

export interface MachineOptions {
  readonly gate?: FileGate;
  /** Called when nothing but a failure is left to ask for, or a later look is the first to ask for the services of a node. */
  readonly onNearFailure?: (() => void) | undefined;
  /** What the first look will ask of programs: with it, looks at Windows begin several together. */
  readonly expected?: readonly Question[];
}

type MachineHost = Pick<Host, "root" | "platform" | "env" | "now" | "monotonicMs" | "sleep" | "run">;

export function createMachine(
  host: MachineHost,
  identity: MachineIdentity | Promise<MachineIdentity>,
  { gate, onNearFailure, expected }: MachineOptions = {},
): Machine {
  const isCopy = !isSystemRoot(host.root);
  const fileGate = gate ?? createFileGate();
  const readFiles = (): FileView => {
    const isLocal = gate === undefined && host.platform.name === "linux" && allMountsAreLocal();
    return { root: host.root, gate: fileGate, isCopy, isLocal, places: rememberPlaces() };
  };
  let files = readFiles();
  const keeper = createKeeper(host);
  const queries = shareQueries(host.run);
  const ahead = expected === undefined ? undefined : createAhead(expected, onNearFailure);
  const ask = (question: Question): Promise<Answer> | Answer =>
    answerQuestion({ ...keeper, host: { ...host, run: queries.run }, identity, files }, question);
  const askProgram = async (question: Question): Promise<Answer> => ask(question);
  const isAhead = (question: Question): boolean => host.platform.name === "windows" && asksProgram(question);

  return {
    answer: (question) =>
      ahead !== undefined && isAhead(question) ? ahead.answer(question, askProgram) : ask(question),
    begin: () => ahead?.begin(askProgram),
    beginLook() {
      ahead?.beginLook();
      queries.clear();
      files = readFiles();
      keeper.beginLook();
    },
    usedKeptAnswers: keeper.usedKept,
    usedSettledAnswers: keeper.usedSettled,
    forgetKeptAnswers: keeper.forget,
    forgetSettledAnswers: keeper.forgetSettled,
  };
}

interface Keeper extends Pick<Asked, "keep" | "keepRunning" | "keepKey"> {
  beginLook(): void;
  usedKept(): boolean;
  usedSettled(): boolean;
  forget(): void;
  forgetSettled(): void;
}

function createKeeper(host: Pick<Host, "monotonicMs">): Keeper {
  const kept = new Map<string, { readonly answer: Promise<Answer>; readonly atMs: number }>();
  const running = new Map<string, { readonly answer: Answer; readonly atMs: number }>();
  const lasting = new Map<string, Answer>();
  const settled = createSettled(host);
  let usedKept = false;

  function keep(question: Question, ask: () => Promise<Answer>): Promise<Answer> {
    const key = JSON.stringify(question);
    const now = host.monotonicMs();
    const earlier = kept.get(key);
    if (earlier !== undefined && now - earlier.atMs < keptMs) {
      usedKept = true;
      return earlier.answer;
    }
    for (const [old, { atMs }] of kept) if (now - atMs >= keptMs) kept.delete(old);
    const answer = ask();
    kept.set(key, { answer, atMs: now });
    return answer;
  }

  async function keepRunning(question: Question, ask: () => Promise<Answer>): Promise<Answer> {
    const key = JSON.stringify(question);
    const now = host.monotonicMs();
    const earlier = running.get(key);
    if (earlier !== undefined && now - earlier.atMs < runningMs) return earlier.answer;
    running.delete(key);
    const answer = await settled.answer(question, () => keep(question, ask));
    if (allRun(answer)) running.set(key, { answer, atMs: now });
    return answer;
  }

  async function keepKey(
    question: Extract<Question, { ask: "registry" }>,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    const known = lasting.get(question.key);
    if (known !== undefined) return known;
    const answer = await settled.answer(question, () => keep(question, ask));
    if (isLasting(question.key) && answer.kind === "known") lasting.set(question.key, answer);
    return answer;
  }

  return {
    keep,
    keepRunning,
    keepKey,
    beginLook() {
      usedKept = false;
      settled.beginLook();
    },
    usedKept: () => usedKept,
    usedSettled: settled.wasUsed,
    forget() {
      kept.clear();
      running.clear();
      settled.forget();
    },
    forgetSettled: settled.forget,
  };
}

function allRun(answer: Answer): boolean {
  const states = answer.kind === "known" ? Object.values(answer.value as Answers["services"]) : [];
  return states.length > 0 && states.every((one) => one.kind === "service" && one.state === "running");
}

interface Asked {
  readonly host: MachineHost;
  readonly identity: MachineIdentity | Promise<MachineIdentity>;
  readonly files: FileView;
  keep(question: Question, ask: () => Promise<Answer>): Promise<Answer>;
  /** The same, and for a minute where all services run. */
  keepRunning(question: Question, ask: () => Promise<Answer>): Promise<Answer>;
  /** The same, and for good where the key never changes. */
  keepKey(question: Extract<Question, { ask: "registry" }>, ask: () => Promise<Answer>): Promise<Answer>;
}

type FileQuestion = Extract<Question, { ask: "path" | "text" | "mentions" | "log" | "names" | "certificate" }>;
type ManagerQuestion = Extract<Question, { ask: "units" | "services" | "registry" }>;
type MachineQuestion = Exclude<Question, FileQuestion | ManagerQuestion>;

const fileQuestions: ReadonlySet<string> = new Set(["path", "text", "mentions", "log", "names", "certificate"]);
const managerQuestions: ReadonlySet<string> = new Set(["units", "services", "registry"]);

function answerQuestion(asked: Asked, question: Question): Promise<Answer> | Answer {
  if (isFileQuestion(question)) return answerFileQuestion(asked.files, question);
  if (isManagerQuestion(question)) return answerManagerQuestion(asked, question);
  return answerMachineQuestion(asked, question);
}

function isFileQuestion(question: Question): question is FileQuestion {
  return fileQuestions.has(question.ask);
}

function isManagerQuestion(question: Question): question is ManagerQuestion {
  return managerQuestions.has(question.ask);
}

async function answerMachineQuestion(asked: Asked, question: MachineQuestion): Promise<Answer> {
  const { host, identity, files } = asked;
  switch (question.ask) {
    case "processes":
      return answerProcessQuestion(asked, question);
    case "healthz":
      return files.isCopy ? cannotTell("only a running machine has ports") : answerHealthz(host, question.port);
    case "boot":
      return answerBoot(host, await identity);
    case "machine":
      return answerMachine(host, await identity, windowsProgram(host, "reg"));
    case "time":
      return known<"time">({ wallMs: host.now().getTime(), monotonicMs: host.monotonicMs() });
  }
}

function answerFileQuestion(files: FileView, question: FileQuestion): Promise<Answer> | Answer {
  switch (question.ask) {
    case "path":
      return answerPath(files, question.path);
    case "text":
      return answerText(files, question.path, question.maxBytes);
    case "mentions":
      return answerMentions(files, question.path, question.words);
    case "log":
      return answerLog(files, question.path, question.maxBytes);
    case "names":
      return answerNames(files, question.folder);
    case "certificate":
      return answerCertificate(files, question.path);
  }
}

async function answerManagerQuestion(
  { host, keep, keepRunning, keepKey }: Asked,
  question: ManagerQuestion,
): Promise<Answer> {
  const isLinux = host.platform.name === "linux";
  if (isLinux !== (question.ask === "units")) return cannotTell(`this system knows no ${question.ask}`);
  switch (question.ask) {
    case "units":
      if (!systemdRunsBelow(host.root)) return answerWithoutSystemd(host.root, question.names);
      return keep(question, () => answerUnits({ run: host.run, env: standInVariables(host) }, question.names));
    case "services":
      return keepRunning(question, () =>
        answerServices({ sc: windowsProgram(host, "sc"), reg: windowsProgram(host, "reg") }, question.names),
      );
    case "registry":
      return keepKey(question, () => answerRegistry(windowsProgram(host, "reg"), question.key));
  }
}

async function answerProcessQuestion(
  { host, keep }: Asked,
  question: Extract<Question, { ask: "processes" }>,
): Promise<Answer> {
  if (host.platform.name === "linux") return answerProcesses(host.root, question.unit);
  if (question.unit !== undefined) return cannotTell("this system knows no units");
  const [tasklist, wmic] = [windowsProgram(host, "tasklist"), windowsProgram(host, "wmic")];
  const uptimeMs = uptimeOf(host) ?? 0;
  return keep(question, () => answerTasks({ tasklist, wmic, uptimeMs, nowMs: host.now().getTime() }));
}

/** By absolute path below SystemRoot; where a folder stands for the machine, a test's stand-in on the PATH. */
function windowsProgram(host: MachineHost, name: "sc" | "reg" | "tasklist" | "wmic"): ProgramView {
  const env = standInVariables(host);
  if (!isSystemRoot(host.root)) return { run: host.run, program: name, env };
  return { run: host.run, program: windowsPrograms(host.env, () => true)[name], env };
}

function standInVariables({ root }: MachineHost): Readonly<Record<string, string>> {
  return isSystemRoot(root) ? {} : { CAPZ_ROOT: join(root) };
}
