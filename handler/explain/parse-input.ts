import { parseJson } from "../text/parse-json.ts";

export type ParsedInput =
  | { readonly kind: "documents"; readonly documents: readonly unknown[] }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unusable"; readonly reason: string };

/** Azure's largest answers are a few hundred KiB; a log file pasted by mistake is refused instead of searched for minutes. */
const sizeLimit = 8 * 1024 * 1024;

const empty =
  "It is empty: the command before the pipe printed nothing. Its own error went to the terminal; to have that explained too write 2>&1 before the pipe";

/** JSON, YAML (one or several documents) or plain words. */
export async function parseInput(input: string): Promise<ParsedInput> {
  const text = input.replace(/^\ufeff/, "");
  if (text.trim() === "") return { kind: "unusable", reason: empty };
  if (text.length > sizeLimit)
    return { kind: "unusable", reason: `It has ${String(text.length)} characters; the limit is ${String(sizeLimit)}` };
  if (text.includes("\u0000")) {
    return { kind: "unusable", reason: "It is binary or UTF-16; only UTF-8 text is read" };
  }
  if (/^\s*[[{]/.test(text)) {
    const json = parseJson(text);
    if (json.kind === "value") return boundDepth([json.value]);
    return { kind: "text", text };
  }
  return looksLikeYaml(text) ? parseYaml(text) : { kind: "text", text };
}

/** A message of ours has colons too, so only keys that a document of Azure or Kubernetes begins with count. */
function looksLikeYaml(text: string): boolean {
  return text.split("\n", 200).some((line) => line === "---" || line.startsWith("- ") || startsWithKey(line));
}

const keys = [
  "apiVersion",
  "kind",
  "metadata",
  "instanceView",
  "extensions",
  "statuses",
  "name",
  "id",
  "items",
  "properties",
  "value",
];

function startsWithKey(line: string): boolean {
  return keys.some((key) => line.startsWith(`${key}:`));
}

async function parseYaml(text: string): Promise<ParsedInput> {
  // Loaded only here: the agent commands never need it, and `enable` must start fast.
  const { parseYamlDocuments } = await import("./parse-yaml.ts");
  const yaml = parseYamlDocuments(text);
  switch (yaml.kind) {
    case "documents":
      return boundDepth(yaml.documents);
    case "not-yaml":
      return { kind: "text", text };
    case "too-large":
      return { kind: "unusable", reason: "It is YAML that unfolds into more than any answer holds" };
  }
}

/** Deeper than anything real; the readers below walk the tree and trust this. */
const depthLimit = 100;

function boundDepth(documents: readonly unknown[]): ParsedInput {
  let level: readonly unknown[] = documents;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthLimit)
      return { kind: "unusable", reason: `It is nested deeper than ${String(depthLimit)} levels` };
    level = level.flatMap(childrenOf);
  }
  return { kind: "documents", documents };
}

function childrenOf(value: unknown): readonly unknown[] {
  return typeof value === "object" && value !== null ? Object.values(value) : [];
}
