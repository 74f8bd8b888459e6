import type {
  Answer,
  Answers,
  Question,
  QuestionName,
  ServiceState,
  UnitState,
} from "../../scripts/check/questions.ts";
import { kubeletService, kubeletState, kubeletUnit } from "./kubelet.ts";
import type { Machine } from "./machine.ts";

type Answerers = {
  readonly [Name in QuestionName]: (
    machine: Machine,
    question: Extract<Question, { readonly ask: Name }>,
  ) => Answers[Name];
};

/** One answer to each question, as a real machine would give it. */
const answerers: Answerers = {
  path: (machine, { path }) => pathAnswer(machine, path),
  text: (machine, { path, maxBytes = 65_536 }) => textAnswer(machine, path, { max: maxBytes, fromEnd: false }),
  log: (machine, { path, maxBytes = 262_144 }) => textAnswer(machine, path, { max: maxBytes, fromEnd: true }),
  mentions: (machine, { path, words }) => {
    const entry = machine.files.get(path);
    if (entry?.kind !== "file") return { kind: "absent" };
    return { kind: "mentions", words: words.filter((word) => entry.text.includes(word)) };
  },
  names: (machine, { folder }) => {
    const names = machine.files.names(folder);
    return names === undefined ? { kind: "absent" } : { kind: "names", names: [...names].sort() };
  },
  units: (machine, { names }) => Object.fromEntries(names.map((name) => [name, unitAnswer(machine, name)])),
  services: (machine, { names }) => Object.fromEntries(names.map((name) => [name, serviceAnswer(machine, name)])),
  processes: (machine, { unit }) => processAnswer(machine, unit),
  registry: (machine, { key }) => registryAnswer(machine, key),
  certificate: (machine, { path }) => certificateAnswer(machine, path),
  healthz: (machine, { port }) => healthAnswer(machine, port),
  boot: (machine) => ({
    id: machine.bootId,
    uptimeMs: machine.uptimeMs,
    ...(machine.system === "linux" ? { runIsMemory: machine.image.runIsMemory } : {}),
  }),
  machine: ({ vmId, hostName }) => ({ vmId, hostName }),
  time: (machine) => ({ wallMs: machine.wallMs, monotonicMs: machine.uptimeMs }),
};

/** What the machine shows. */
export function answerOf(machine: Machine, question: Question): Answer {
  const answer = answerers[question.ask] as (machine: Machine, question: Question) => Answers[QuestionName];
  return { kind: "known", value: answer(machine, question) };
}

function serviceAnswer(machine: Machine, name: string): ServiceState {
  return name === "kubelet" ? kubeletService(machine) : (machine.services.get(name) ?? { kind: "missing" });
}

function pathAnswer(machine: Machine, path: string): Answers["path"] {
  const entry = machine.files.get(path);
  if (entry === undefined) return { kind: "absent" };
  const { kind, modifiedMs, changedMs, createdMs } = entry;
  return { kind, size: Buffer.byteLength(entry.text), modifiedMs, changedMs, createdMs };
}

function textAnswer(
  machine: Machine,
  path: string,
  { max, fromEnd }: { readonly max: number; readonly fromEnd: boolean },
): Answers["text"] {
  const entry = machine.files.get(path);
  if (entry?.kind !== "file") return { kind: "absent" };
  const cut = entry.text.length > max;
  if (!cut) return { kind: "text", text: entry.text, cut };
  if (!fromEnd) return { kind: "text", text: entry.text.slice(0, max), cut };
  const tail = entry.text.slice(-max);
  const line = tail.indexOf("\n");
  return { kind: "text", text: line < 0 ? tail : tail.slice(line + 1), cut };
}

function unitAnswer(machine: Machine, name: string): UnitState {
  const kubelet = name === "kubelet.service" ? kubeletUnit(machine) : undefined;
  const unknown: UnitState = { load: "not-found", active: "inactive", sub: "dead", result: "success", exitStatus: 0 };
  return machine.units.get(name) ?? kubelet ?? unknown;
}

function processAnswer(machine: Machine, unit: string | undefined): Answers["processes"] {
  const seen = machine.processes
    .filter((process) => unit === undefined || process.unit === unit)
    .map(({ name, sinceMs, command, elsewhere }) => ({
      name,
      ageMs: machine.trueMs - sinceMs,
      ...(command !== undefined && { command }),
      ...(elsewhere !== undefined && { elsewhere }),
    }));
  const kubeletRuns = ["starting", "bootstrapping", "running"].includes(kubeletState(machine));
  const wanted = unit === undefined || unit === "kubelet.service";
  return kubeletRuns && wanted ? [...seen, { name: "kubelet", ageMs: machine.trueMs - machine.kubelet.sinceMs }] : seen;
}

function registryAnswer(machine: Machine, key: string): Answers["registry"] {
  const wanted = key.toLowerCase().replace(/^hkey_local_machine\\/u, "hklm\\");
  let values: Readonly<Record<string, string>> | undefined;
  const subkeys = new Set<string>();
  for (const [name, held] of machine.registry) {
    const folded = name.toLowerCase();
    if (folded === wanted) values = Object.fromEntries(held);
    else if (folded.startsWith(`${wanted}\\`)) subkeys.add(name.slice(wanted.length + 1).split("\\")[0] ?? "");
  }
  if (values === undefined && subkeys.size === 0) return { kind: "absent" };
  return { kind: "values", values: values ?? {}, subkeys: [...subkeys] };
}

function certificateAnswer(machine: Machine, path: string): Answers["certificate"] {
  const entry = machine.files.get(path);
  if (entry === undefined) return { kind: "absent" };
  return entry.certificate === undefined ? { kind: "unreadable" } : { kind: "certificate", ...entry.certificate };
}

function healthAnswer(machine: Machine, port: number): Answers["healthz"] {
  if (port !== 10_248) return { kind: "refused" };
  if (kubeletState(machine) === "running") return { kind: "status", status: 200 };
  const { membership } = machine;
  const inService = membership !== undefined && membership.runsIn !== "kubelet.service";
  return inService && machine.units.get(membership.runsIn)?.active === "active"
    ? { kind: "status", status: 200 }
    : { kind: "refused" };
}
