import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { findCircles } from "./import-circles.ts";

/** What everybody stands on. */
const ground = ["handler/errors", "handler/text", "handler/reasons", "handler/files"] as const;

/** Which folders a folder may import from, values and types alike. Adding to a row needs a reason in docs/decisions/. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  "handler/errors": [],
  "handler/files": ["handler/errors"],
  "handler/text": ["handler/errors"],
  // The table of reasons owns nothing else, so that programs outside the handler can read it.
  "handler/reasons": ["handler/errors"],
  "handler/logging": ["handler/text", "handler/files"],
  // The JSON of the substatuses is made of findings and evidence: their types, and the lists of their words.
  "handler/contract": [...ground, "handler/diagnosis", "handler/settings"],
  "handler/settings": ["handler/errors", "handler/text", "handler/platform"],
  "handler/state": ["handler/errors", "handler/text", "handler/files", "handler/contract", "handler/platform"],
  "handler/transfer": ["handler/errors", "handler/text", "handler/files", "handler/settings"],
  // The verdict and its words, for whoever shows one: types of what it is made of, and nothing that reaches the machine.
  "handler/verdict": [
    "handler/errors",
    "handler/text",
    "handler/reasons",
    "handler/contract",
    "handler/diagnosis",
    "handler/settings",
    "scripts/check",
  ],
  // Of the check's sources types only: what is between the two is JSON text (docs/check-protocol.md).
  "handler/check": [...ground, "handler/platform", "handler/settings", "handler/verdict", "scripts/check"],
  "handler/check/answers": [...ground, "handler/platform", "scripts/check"],
  "handler/check/obtain": [...ground, "handler/platform", "handler/settings", "handler/transfer", "handler/check"],
  "handler/check/running": [
    ...ground,
    "handler/platform",
    "handler/settings",
    "handler/verdict",
    "handler/check",
    "handler/check/obtain",
  ],
  "handler/check/program": [
    ...ground,
    "handler/platform",
    "handler/verdict",
    "handler/check",
    "handler/check/answers",
    "handler/check/running",
    "scripts/check",
  ],
  // Logs of other machines, as collectors and people hand them over: turned into rows of the evidence catalogue.
  "handler/copies": ["handler/errors", "handler/diagnosis"],
  "handler/check/looking": [
    ...ground,
    "handler/platform",
    "handler/verdict",
    "handler/check",
    "handler/check/program",
    "handler/check/running",
  ],
  "handler/diagnosis": [...ground, "handler/logging"],
  "handler/report": ["handler/errors", "handler/text", "handler/logging", "handler/diagnosis", "handler/contract"],
  "handler/explain": ["handler/errors", "handler/text", "handler/reasons", "handler/contract", "handler/diagnosis"],
  "handler/platform": ["handler/errors", "handler/text", "handler/files"],
  "handler/process": ["handler/errors", "handler/files"],
  "handler/image": ["handler/errors", "handler/text", "handler/files"],
  // What `enable`, the supervisor and the commands for people share.
  "handler/operations": [
    ...ground,
    "handler/logging",
    "handler/contract",
    "handler/settings",
    "handler/state",
    "handler/platform",
    "handler/check/running",
  ],
  // The guest agent waits for these commands: no diagnosis, no report, no transfer.
  "handler/operations/agent": [
    ...ground,
    "handler/contract",
    "handler/state",
    "handler/verdict",
    "handler/check/obtain",
    "handler/operations",
    "handler/operations/supervise",
  ],
  "handler/operations/supervise": [
    ...ground,
    "handler/logging",
    "handler/contract",
    "handler/settings",
    "handler/state",
    "handler/platform",
    "handler/transfer",
    "handler/verdict",
    "handler/check",
    "handler/copies",
    "handler/check/looking",
    "handler/check/obtain",
    "handler/check/running",
    "handler/diagnosis",
    "handler/report",
    "handler/operations",
    "scripts/check",
  ],
  "handler/operations/people": [
    ...ground,
    "handler/logging",
    "handler/contract",
    "handler/settings",
    "handler/state",
    "handler/platform",
    "handler/verdict",
    "handler/check",
    "handler/check/answers",
    "handler/check/looking",
    "handler/check/obtain",
    "handler/check/program",
    "handler/check/running",
    "handler/copies",
    "handler/diagnosis",
    "handler/report",
    "handler/explain",
    "handler/image",
    "handler/operations",
    "handler/operations/supervise",
    "scripts/check",
  ],
  // The management side: what both sides say of a node is the handler's, and read through `explain`.
  "cluster/verdict": ["handler/text", "handler/explain", "handler/contract", "handler/reasons", "cluster/kube"],
  "cluster/telling": ["handler/text", "cluster/verdict", "cluster/healing", "cluster/kube"],
  "cluster/healing": ["cluster/verdict"],
  "cluster/kube": ["handler/text", "handler/explain"],
  "cluster/arm": ["handler/text", "handler/explain", "cluster/verdict", "cluster/kube"],
  "cluster/objects": ["handler/text", "handler/explain", "cluster/verdict", "cluster/telling"],
  "cluster/controller": [
    "handler/text",
    "handler/explain",
    "cluster/arm",
    "cluster/healing",
    "cluster/kube",
    "cluster/objects",
    "cluster/telling",
    "cluster/verdict",
  ],
  "cluster/commands": [
    "handler/text",
    "handler/explain",
    "cluster/arm",
    "cluster/controller",
    "cluster/healing",
    "cluster/kube",
    "cluster/objects",
    "cluster/verdict",
  ],
  "scripts/check": [],
  "scripts/rules": ["handler/diagnosis"],
  publish: [],
};

/** Files in `handler/` itself that everybody may name: the ports, as types. */
const portFiles = ["handler/host.ts", "handler/process-port.ts", "handler/version.ts", "cluster/world.ts"];

/** Only these may use what reaches the outside world. */
const worldly: readonly { readonly pattern: RegExp; readonly what: string; readonly allowed: readonly string[] }[] = [
  {
    pattern: /\bDate\.now\(\)|\bnew Date\(\)/u,
    what: "reads the clock (use host.now() or host.monotonicMs())",
    // Windows keeps no /proc: the time between which a pid was ours is what tells it from a later process of that number.
    allowed: [
      "handler/create-host.ts",
      "handler/platform/process-record-windows.ts",
      "handler/platform/windows.ts",
      "cluster/create-world.ts",
    ],
  },
  {
    pattern: /(?:from |getBuiltinModule\()"node:child_process"/u,
    what: "starts processes (use host.run or host.startProcess)",
    allowed: [
      "handler/process/",
      "handler/platform/guardian-linux.ts",
      "handler/platform/guardian-windows.ts",
      "cluster/commands/run-program.ts",
    ],
  },
  {
    pattern: /\bprocess\.env\b/u,
    what: "reads the environment (use host.env)",
    allowed: ["handler/create-host.ts", "handler/process/", "cluster/main.ts"],
  },
  {
    pattern: /\bprocess\.platform\b/u,
    what: "asks which system it is (make it a member of Platform)",
    allowed: ["handler/create-host.ts"],
  },
  { pattern: /\bprocess\.exit\(/u, what: "ends the process (return an exit code)", allowed: [] },
];

/**
 * Text leaves the program as ShownText alone (docs/security.md), so nothing but its own file may make one out of a string, and
 * only where the words of the catalogue enter may text go unredacted.
 */
const shownTextRules: readonly {
  readonly pattern: RegExp;
  readonly what: string;
  readonly allowed: readonly string[];
}[] = [
  {
    pattern:
      /\b(?:as|is|satisfies)\s+(?:readonly\s+)?(?:ShownText|Shown<|ShownReport|Status\b|Substatus\b)|<(?:ShownText|Shown<)[^<>]{0,80}>\s*\(?JSON\.parse/u,
    what: "casts to shown text (send it through show of handler/text/shown-text.ts)",
    allowed: ["handler/text/shown-text.ts"],
  },
  {
    pattern: /\bas\s+(?:[\w.]+\s+as\s+)?ShownBytes\b/u,
    what: "casts to shown bytes (use packShown)",
    allowed: ["handler/report/shown-bytes.ts"],
  },
  {
    pattern: /\bshowCatalogueText\b/u,
    what: "shows text without redacting it, which is for the words of our own tables alone (use show)",
    allowed: [
      "handler/text/shown-text.ts",
      "handler/diagnosis/rank.ts",
      "handler/diagnosis/summary.ts",
      // The table of reasons.
      "handler/verdict/describe-verdict.ts",
      "handler/operations/people/explain-reason.ts",
    ],
  },
  {
    pattern: /from "(?:(?:\.\.\/)+text|\.)\/redact(?:-views)?\.ts"/u,
    what: "redacts by itself, without the cleaning before it (use show)",
    allowed: ["handler/text/shown-text.ts", "handler/text/redact-views.ts"],
  },
  {
    pattern: /\bprocess\.std(?:out|err)\.write\(/u,
    what: "writes to the terminal by itself (use handler/operations/terminal.ts)",
    allowed: ["handler/operations/terminal.ts", "cluster/terminal.ts"],
  },
];

/** What breaks the direction of imports or the one-writer rules, and what imports itself in a circle, a sentence each. */
export function findViolations(project: string): readonly string[] {
  const ruled = sourcesOf(project, ["cluster", "handler", "publish", "scripts/check", "scripts/rules"]);
  return [
    ...ruled.flatMap((file) => [...importViolations(project, file), ...worldViolations(project, file)]),
    ...circleViolations(project),
  ];
}

/** Types count too: who must read b to understand a, and a to understand b, can read neither first. */
function circleViolations(project: string): readonly string[] {
  const files = sourcesOf(project, ["cluster", "handler", "publish", "scripts"]);
  const known = new Set(files);
  const graph = new Map(files.map((file) => [file, targetsOf(project, file).filter((target) => known.has(target))]));
  return findCircles(graph).map(
    (circle) => `${circle.join(" → ")} is a circle of imports: put what they share into a file of its own`,
  );
}

function importViolations(project: string, file: string): readonly string[] {
  const from = folderOf(file);
  const allowed = mayImport[from];
  if (allowed === undefined) return [];
  return targetsOf(project, file)
    .filter((target) => !portFiles.includes(target) && folderOf(target) !== from && !allowed.includes(folderOf(target)))
    .map((target) => `${file} imports ${target}: "${from}" may import only ${allowed.join(", ") || "nothing of ours"}`);
}

function worldViolations(project: string, file: string): readonly string[] {
  if (!file.startsWith("handler/") && !file.startsWith("cluster/")) return [];
  const text = readFileSync(join(project, file), "utf8");
  return [...worldly, ...shownTextRules]
    .filter(({ pattern, allowed }) => pattern.test(text) && !allowed.some((prefix) => file.startsWith(prefix)))
    .map(({ what }) => `${file} ${what}`);
}

/** What a file imports of ours, in whatever form, as paths from the project's folder. */
function targetsOf(project: string, file: string): readonly string[] {
  const text = readFileSync(join(project, file), "utf8");
  return [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*"(?<target>\.{1,2}\/[^"]+)"/gu)].map((match) =>
    normalize(join(dirname(file), match.groups?.["target"] ?? ""))
      .split(sep)
      .join("/"),
  );
}

/** The innermost folder that has a row of its own. */
function folderOf(file: string): string {
  const parts = file.split("/");
  if (parts[0] === "publish") return "publish";
  const inner = parts.slice(0, 3).join("/");
  return inner in mayImport ? inner : parts.slice(0, 2).join("/");
}

function sourcesOf(project: string, folders: readonly string[]): readonly string[] {
  return folders
    .filter((folder) => existsSync(join(project, folder)))
    .flatMap((folder) => readdirSync(join(project, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(project, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const violations = findViolations(join(import.meta.dirname, "../.."));
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
