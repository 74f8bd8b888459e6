import type { LookResult, Memory } from "../../../scripts/check/look.ts";
import { answerAll } from "../../support/drive-look.ts";
import { check } from "../../../scripts/check/check.ts";
import type {
  Answer,
  Answers,
  CertificateAnswer,
  ProcessSeen,
  Question,
  QuestionName,
  ServiceState,
  UnitState,
} from "../../../scripts/check/questions.ts";

/** When these machines booted: all times below are seconds after it, by the machine's own clock. */
export const bootMs = Date.UTC(2026, 0, 10, 8, 0, 0);

export interface FileShape {
  readonly text?: string;
  readonly size?: number;
  /** Seconds after boot; 60 unless told. */
  readonly at?: number;
  readonly kind?: "file" | "folder";
  readonly certificate?: CertificateAnswer;
}

/** A machine in memory, told in the few words in which tests differ. */
export interface MachineShape {
  readonly system?: "linux" | "windows";
  readonly files?: Readonly<Record<string, FileShape | string>>;
  readonly units?: Readonly<Record<string, Partial<UnitState>>>;
  readonly services?: Readonly<Record<string, string | ServiceState>>;
  readonly processes?: Readonly<Record<string, readonly ProcessSeen[]>>;
  readonly registry?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly healthz?: Answers["healthz"];
  readonly hostName?: string;
  readonly bootId?: string;
  /** Seconds since boot, on the monotonic clock. */
  readonly uptime?: number;
  /** How much the wall clock was set forward since the boot, in seconds. */
  readonly clockStep?: number;
  readonly runIsMemory?: boolean;
  readonly provider?: string;
  readonly memory?: Memory;
  /** Questions without an answer. */
  readonly silent?: (question: Question) => boolean;
}

/** One look at this machine. */
export function lookAt(shape: MachineShape): LookResult {
  const context = {
    system: shape.system ?? "linux",
    provider: shape.provider ?? "auto",
    elapsedMs: 0,
    timeoutMs: 1_200_000,
    memory: shape.memory ?? {},
  };
  return answerAll(check(context), answersOf(shape));
}

function answersOf(shape: MachineShape): (question: Question) => Answer {
  return (question) => {
    if (shape.silent?.(question) === true) return { kind: "cannot-tell", why: "silent in this test" };
    // As the handler answers (handler/check/answers/file-answers.ts).
    if (question.ask === "mentions" && fileOf(shape, question.path)?.kind === "folder")
      return { kind: "cannot-tell", why: "it is not a regular file" };
    return { kind: "known", value: answer(shape, question) };
  };
}

type Answerers = {
  readonly [Name in QuestionName]: (shape: MachineShape, question: Extract<Question, { ask: Name }>) => Answers[Name];
};

const answerers: Answerers = {
  path: (shape, { path }) => pathOf(shape, path),
  text: (shape, { path }) => textOf(shape, path),
  log: (shape, { path }) => textOf(shape, path),
  mentions: (shape, { path, words }) => mentionsOf(shape, path, words),
  names: (shape, { folder }) => namesOf(shape, folder),
  units: (shape, { names }) => Object.fromEntries(names.map((name) => [name, unitOf(shape.units?.[name])])),
  services: (shape, { names }) => Object.fromEntries(names.map((name) => [name, serviceOf(shape.services?.[name])])),
  processes: (shape, { unit }) =>
    unit === undefined ? Object.values(shape.processes ?? {}).flat() : (shape.processes?.[unit] ?? []),
  registry: (shape, { key }) => registryOf(shape, key),
  certificate: (shape, { path }) => certificateOf(shape, path),
  healthz: (shape) => shape.healthz ?? { kind: "status", status: 200 },
  boot: (shape) => ({
    id: shape.bootId ?? "boot-1",
    uptimeMs: (shape.uptime ?? 300) * 1000,
    runIsMemory: shape.runIsMemory ?? true,
  }),
  machine: (shape) => ({ vmId: "11111111-2222-3333-4444-555555555555", hostName: shape.hostName ?? "node-1" }),
  time(shape) {
    const monotonicMs = (shape.uptime ?? 300) * 1000;
    return { wallMs: bootMs + monotonicMs + (shape.clockStep ?? 0) * 1000, monotonicMs };
  },
};

function answer<Name extends QuestionName>(
  shape: MachineShape,
  question: Extract<Question, { ask: Name }>,
): Answers[Name] {
  return answerers[question.ask](shape, question);
}

function fileOf(shape: MachineShape, path: string): FileShape | undefined {
  const file = shape.files?.[path];
  if (file !== undefined) return typeof file === "string" ? { text: file } : file;
  const separator = shape.system === "windows" ? "\\" : "/";
  const isFolder = Object.keys(shape.files ?? {}).some((other) => other.startsWith(`${path}${separator}`));
  return isFolder ? { kind: "folder" } : undefined;
}

function pathOf(shape: MachineShape, path: string): Answers["path"] {
  const file = fileOf(shape, path);
  if (file === undefined) return { kind: "absent" };
  const at = bootMs + (file.at ?? 60) * 1000;
  return {
    kind: file.kind ?? "file",
    size: file.size ?? file.text?.length ?? 0,
    modifiedMs: at,
    changedMs: at,
    createdMs: at,
  };
}

function namesOf(shape: MachineShape, folder: string): Answers["names"] {
  const separator = shape.system === "windows" ? "\\" : "/";
  const prefix = `${folder}${separator}`;
  const inside = Object.keys(shape.files ?? {}).filter((path) => path.startsWith(prefix));
  const names = [...new Set(inside.map((path) => path.slice(prefix.length).split(separator)[0] ?? ""))].sort();
  return names.length === 0 ? { kind: "absent" } : { kind: "names", names };
}

function textOf(shape: MachineShape, path: string): Answers["text"] {
  const file = fileOf(shape, path);
  return file === undefined || file.kind === "folder"
    ? { kind: "absent" }
    : { kind: "text", text: file.text ?? "", cut: false };
}

function mentionsOf(shape: MachineShape, path: string, words: readonly string[]): Answers["mentions"] {
  const file = fileOf(shape, path);
  if (file === undefined) return { kind: "absent" };
  return { kind: "mentions", words: words.filter((word) => file.text?.includes(word) === true) };
}

function certificateOf(shape: MachineShape, path: string): CertificateAnswer {
  const file = fileOf(shape, path);
  return file === undefined ? { kind: "absent" } : (file.certificate ?? { kind: "unreadable" });
}

function unitOf(shape: Partial<UnitState> | undefined): UnitState {
  if (shape === undefined)
    return { load: "not-found", active: "inactive", sub: "dead", result: "success", exitStatus: 0 };
  return { load: "loaded", active: "inactive", sub: "dead", result: "success", exitStatus: 0, ...shape };
}

function serviceOf(shape: string | ServiceState | undefined): ServiceState {
  if (shape === undefined) return { kind: "missing" };
  return typeof shape === "string" ? { kind: "service", state: shape, start: "automatic" } : shape;
}

function registryOf(shape: MachineShape, key: string): Answers["registry"] {
  const keys = Object.keys(shape.registry ?? {});
  const subkeys = new Set(
    keys.flatMap((other) => (other.startsWith(`${key}\\`) ? [other.slice(key.length + 1).split("\\")[0] ?? ""] : [])),
  );
  const values = shape.registry?.[key];
  return values === undefined && subkeys.size === 0
    ? { kind: "absent" }
    : { kind: "values", values: values ?? {}, subkeys: [...subkeys].sort() };
}

export const active = { active: "active", sub: "running" } as const;
export const failedUnit = { active: "failed", sub: "failed", result: "exit-code", exitStatus: 1 } as const;
export const restarting = { active: "activating", sub: "auto-restart", result: "exit-code", exitStatus: 1 } as const;
export const starting = { active: "activating", sub: "start" } as const;

/** A kubelet's client certificate, ten minutes old at boot and good for a year, unless told. */
export function certificateFor(
  name: string,
  days: { readonly from?: number; readonly to?: number } = {},
): { readonly certificate: CertificateAnswer } {
  return certificateOfName(`system:node:${name}`, days);
}

export function certificateOfName(
  commonName: string,
  days: { readonly from?: number; readonly to?: number } = {},
): { readonly certificate: CertificateAnswer } {
  const day = 86_400_000;
  return {
    certificate: {
      kind: "certificate",
      commonName,
      organizations: ["system:nodes"],
      issuer: "kubernetes",
      notBeforeMs: bootMs - 600_000 + (days.from ?? 0) * day,
      notAfterMs: bootMs + (days.to ?? 365) * day,
    },
  };
}
