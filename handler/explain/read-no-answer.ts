import type { FoundSituation } from "./situation.ts";

const azure =
  /The Resource '(?<type>Microsoft\.[\w.]+\/[^'\n]{1,300})' under resource group '(?<group>[^'\n]{1,120})' was not found/iu;
const group = /Resource group '(?<group>[^'\n]{1,120})' could not be found/iu;
const kubernetes = /\(NotFound\): (?<kind>[\w.-]{1,120}) \\?"(?<name>[^"\\\n]{1,253})\\?" not found/u;

const refused =
  /does not have authorization to perform action '(?<action>[^'\n]{1,200}\/read)'|\(Forbidden\): .{1,200}? cannot (?<verb>get|list|watch) resource|Please run '(?<login>az login)'/u;

/** What keeps Azure and Kubernetes from answering at all: no right to ask, no such machine, extension or object. */
export function readNoAnswer(text: string): FoundSituation | undefined {
  const right = refused.exec(text)?.groups;
  if (right !== undefined) {
    const missing = right["action"] ?? right["verb"];
    return { kind: "not-permitted", subject: {}, ...(missing === undefined ? {} : { detail: missing }) };
  }
  const [, what, machine, part] = azure.exec(text)?.groups?.["type"]?.split("/") ?? [];
  if (what !== undefined && machine !== undefined) {
    const subject = { machine };
    if (part === "extensions") return { kind: "extension-absent", subject };
    return { kind: "machine-gone", subject };
  }
  const missing = group.exec(text)?.groups?.["group"];
  if (missing !== undefined) return { kind: "machine-gone", subject: {}, detail: `no resource group ${missing}` };
  const object = kubernetes.exec(text)?.groups;
  return object === undefined ? undefined : { kind: "object-gone", subject: { machine: object["name"] ?? "" } };
}
