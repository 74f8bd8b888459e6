import type { CheckOutcome } from "./outcome.ts";
import type { ProofMessage, TimelineEntry } from "../contract/verdict-substatus.ts";
import type { Diagnosis, EvidenceSummary, ProbeResult } from "../diagnosis/diagnosis.ts";
import type { MachineFacts } from "../diagnosis/machine-facts.ts";
import type { HandlerError } from "../errors/handler-error.ts";
import type { Shown, ShownText } from "../text/shown-text.ts";
import type { Mode } from "../settings/settings.ts";

/** Everything that the status and the report say, as one value. */
export interface Verdict {
  readonly end: VerdictEnd;
  readonly mode: Mode;
  readonly elapsedSeconds: number;
  readonly timeoutSeconds: number;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly vmId: string;
  /** Number of the settings; absent where no guest agent has given one. */
  readonly sequence?: number;
  readonly handlerVersion: string;
  readonly checkVersion?: string;
  /** The user's own command gave the verdict: its words say why, and what else is wrong on the machine is an appendix. */
  readonly ownCommand?: true;
  readonly timeline: readonly TimelineEntry[];
  readonly warnings: readonly string[];
  readonly diagnosis?: Diagnosed;
  /** Of a success, once it is collected: it comes after the verdict itself. */
  readonly proof?: ProofMessage;
  /** Folder of the full report on the machine. */
  readonly reportFile?: string;
  /** Where the report was uploaded before this verdict, without what gives access to it. */
  readonly reportUri?: string;
  /** The first verdict, when aftercare revised it. */
  readonly revised?: { readonly firstLine: ShownText; readonly lateBySeconds: number };
}

export type VerdictEnd =
  | Exclude<CheckOutcome, { kind: "interrupted" }>
  /** Nothing is known of the node: settings, download or the handler itself failed. */
  | { readonly kind: "not-checked"; readonly error: HandlerError }
  /** Mode `report`: what was seen, and no judgement. */
  | { readonly kind: "reported"; readonly proof: ProofMessage };

export interface Diagnosed {
  readonly diagnosis: Shown<Diagnosis>;
  readonly evidence: readonly Shown<EvidenceSummary>[];
  readonly probes: readonly Shown<ProbeResult>[];
  readonly machine?: Shown<MachineFacts>;
}
