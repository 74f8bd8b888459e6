import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StartedEvidence } from "../../diagnosis/collect-evidence.ts";
import type { RuleSet } from "../../diagnosis/load-rules.ts";
import type { Host } from "../../host.ts";

/** What was begun for a diagnosis before the failure was certain. */
interface Foreseen {
  readonly evidence: StartedEvidence;
  readonly ruleSet: RuleSet;
}

/**
 * A look that waits for its last answer before a failure leaves a processor idle. Meanwhile the diagnosis is begun, so that the cause is told
 * sooner; its judgement is made when the failure is certain, of logs that are read then.
 */
export interface Foresight {
  /** Called when a failure is near. One that does not come is not foreseen again for a while. */
  readonly begin: () => void;
  /** What was begun a moment ago, once; undefined where nothing was. */
  readonly take: () => Promise<Foreseen | undefined>;
}

/** What programs said is of this moment for so long. */
const keptMs = 5000;
const againMs = 120_000;

export function createForesight(host: Host): Foresight {
  let begun: { readonly atMs: number; readonly foreseen: Promise<Foreseen | undefined> } | undefined;
  return {
    begin() {
      const atMs = host.monotonicMs();
      if (begun !== undefined && atMs - begun.atMs < againMs) return;
      // What goes wrong here goes wrong again in the diagnosis, which tells of it.
      begun = { atMs, foreseen: foresee(host).catch(() => undefined) };
    },
    take() {
      const last = begun;
      if (last === undefined || host.monotonicMs() - last.atMs > keptMs) return Promise.resolve(undefined);
      begun = undefined;
      return last.foreseen;
    },
  };
}

/** The wait went without these compilers (run-agent-command.ts); megabytes of logs take five times as long without. */
export function compileAgain(): void {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString("--sparkplug");
  setFlagsFromString("--maglev");
}

async function foresee(host: Host): Promise<Foreseen> {
  compileAgain();
  const rules = readEmbeddedRules(host);
  // Awaited below; what it fails with before is told there.
  rules.catch(() => undefined);
  const { foreseeDiagnosis } = await import("../../diagnosis/diagnose.ts");
  const ruleSet = await rules;
  return { evidence: foreseeDiagnosis(host, ruleSet), ruleSet };
}

export async function readEmbeddedRules({ programFolder }: Host): Promise<RuleSet> {
  const { readPackagedRules } = await import("../../diagnosis/packaged-rules.ts");
  return readPackagedRules(await readFile(embeddedRules(programFolder), "utf8"));
}

export function embeddedRules(programFolder: string): string {
  return join(programFolder, "bundle", "rules.json");
}
