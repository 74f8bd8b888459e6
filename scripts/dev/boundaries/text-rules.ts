export interface TextRule {
  readonly pattern: RegExp;
  /** What a file does that matches, and what it should do: the end of a sentence. */
  readonly what: string;
  /** Files, or folders with a slash at their end. */
  readonly allowed: readonly string[];
}

/** Only these may use what reaches the outside world. */
export const worldRules: readonly TextRule[] = [
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
    pattern: /\b(?:setTimeout|setInterval|setImmediate)\(|"node:timers|\bperformance\.now\(|\.hrtime\b/u,
    what: "waits or measures time by itself (use host.sleep or host.monotonicMs)",
    // Where a host is made or reached, and below it. The last three must tick on whatever clock a test plays: a file system
    // that hangs, a folder whose events cannot be relied on, a queue's next turn.
    allowed: [
      "handler/create-host.ts",
      "handler/platform/",
      "handler/process/",
      "handler/files/blocked-file.ts",
      "cluster/create-world.ts",
      "handler/check/answers/file-gate.ts",
      "handler/check/looking/look-at-sentinel.ts",
      "cluster/controller/work-queue.ts",
    ],
  },
  {
    pattern: /\bwriteStatus\(/u,
    what: "writes a status by itself (use putStatus)",
    allowed: ["handler/contract/status-file.ts", "handler/operations/put-status.ts"],
  },
  {
    pattern: /\.state\.json/u,
    what: "names the state's file (use handler/state/run-state.ts)",
    allowed: ["handler/state/run-state.ts"],
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
    // The guardian of Windows is given variables on top of all that this process has, as handler/process/ gives them.
    allowed: ["handler/create-host.ts", "handler/process/", "handler/platform/guardian-windows.ts", "cluster/main.ts"],
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
export const shownTextRules: readonly TextRule[] = [
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
      "handler/diagnosis/provider-words.ts",
      "handler/diagnosis/rank.ts",
      "handler/diagnosis/summary.ts",
      // The table of reasons.
      "handler/verdict/describe-verdict.ts",
      "handler/operations/people/explain-reason.ts",
    ],
  },
  {
    pattern: /from "(?:(?:\.\.\/)+text|\.)\/(?:redact(?:-views)?|outside-text)\.ts"/u,
    what: "redacts by itself, without the cleaning before it (use show)",
    allowed: ["handler/text/shown-text.ts", "handler/text/outside-text.ts", "handler/text/redact-views.ts"],
  },
  {
    pattern: /\bprocess\.std(?:out|err)\.write\(/u,
    what: "writes to the terminal by itself (use handler/operations/terminal.ts)",
    allowed: ["handler/operations/terminal.ts", "cluster/terminal.ts"],
  },
];
