import type { FoundSituation } from "./situation.ts";

const azure =
  /The Resource '(?<type>Microsoft\.[\w.]+\/[^'\n]{1,300})' under resource group '[^'\n]{1,120}' was not found/iu;
const group = /Resource group '(?<group>[^'\n]{1,120})' could not be found/iu;
const kubernetes = /\(NotFound\): [\w.-]{1,120} \\?"(?<name>[^"\\\n]{1,253})\\?" not found/u;
const noRight = /does not have authorization to perform action '(?<action>[^'\n]{1,200}\/read)'/u;

/** What keeps Azure and Kubernetes from answering at all: no right to ask, no such machine, extension or object. */
export function readNoAnswer(text: string): FoundSituation | undefined {
  return notPermitted(text) ?? goneFromAzure(text) ?? goneFromKubernetes(text);
}

function notPermitted(text: string): FoundSituation | undefined {
  const detail = noRight.exec(text)?.groups?.["action"];
  return detail === undefined ? undefined : { kind: "not-permitted", subject: {}, detail };
}

function goneFromAzure(text: string): FoundSituation | undefined {
  const missing = group.exec(text)?.groups?.["group"];
  if (missing !== undefined) return { kind: "machine-gone", subject: {}, detail: `no resource group ${missing}` };
  const [, what, machine, part] = azure.exec(text)?.groups?.["type"]?.split("/") ?? [];
  if (what === undefined || machine === undefined) return undefined;
  return { kind: part === "extensions" ? "extension-absent" : "machine-gone", subject: { machine } };
}

function goneFromKubernetes(text: string): FoundSituation | undefined {
  const machine = kubernetes.exec(text)?.groups?.["name"];
  return machine === undefined ? undefined : { kind: "object-gone", subject: { machine } };
}
