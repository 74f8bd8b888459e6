import type { Answer, Answers, Question, QuestionName } from "../../scripts/check/questions.ts";
import { kubeletService, kubeletState, kubeletUnit } from "./kubelet.ts";
import type { Machine } from "./machine.ts";
import type { UnitState } from "../../scripts/check/questions.ts";

/** What the machine shows: the answer to each question, as a real one would give it. */
export function answerOf(machine: Machine, question: Question): Answer {
  const known = <Name extends QuestionName>(value: Answers[Name]): Answer<Name> => ({ kind: "known", value });
  switch (question.ask) {
    case "path":
      return known<"path">(pathAnswer(machine, question.path));
    case "text":
      return known<"text">(textAnswer(machine, question.path, { max: question.maxBytes ?? 65_536, fromEnd: false }));
    case "log":
      return known<"log">(textAnswer(machine, question.path, { max: question.maxBytes ?? 262_144, fromEnd: true }));
    case "mentions": {
      const entry = machine.files.get(question.path);
      const words = question.words.filter((word) => entry?.text.includes(word) === true);
      return known<"mentions">(entry?.kind === "file" ? { kind: "mentions", words } : { kind: "absent" });
    }
    case "names": {
      const names = machine.files.names(question.folder);
      return known<"names">(names === undefined ? { kind: "absent" } : { kind: "names", names: [...names].sort() });
    }
    case "units":
      return known<"units">(Object.fromEntries(question.names.map((name) => [name, unitAnswer(machine, name)])));
    case "services":
      return known<"services">(
        Object.fromEntries(
          question.names.map((name) => [
            name,
            name === "kubelet" ? kubeletService(machine) : (machine.services.get(name) ?? { kind: "missing" }),
          ]),
        ),
      );
    case "processes":
      return known<"processes">(processAnswer(machine, question.unit));
    case "registry":
      return known<"registry">(registryAnswer(machine, question.key));
    case "certificate":
      return known<"certificate">(certificateAnswer(machine, question.path));
    case "healthz":
      return known<"healthz">(healthAnswer(machine, question.port));
    case "boot":
      return known<"boot">({
        id: machine.bootId,
        uptimeMs: machine.uptimeMs,
        ...(machine.system === "linux" ? { runIsMemory: machine.image.runIsMemory } : {}),
      });
    case "machine":
      return known<"machine">({ vmId: machine.vmId, hostName: machine.hostName });
    case "time":
      return known<"time">({ wallMs: machine.wallMs, monotonicMs: machine.uptimeMs });
  }
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
    .map((process) => ({ name: process.name, ageMs: machine.trueMs - process.sinceMs }));
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
