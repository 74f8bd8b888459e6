import type { FindingMessage, TimelineEntry, VerdictOutcome } from "../contract/verdict-substatus.ts";
import type { ProbeResult } from "../diagnosis/diagnosis.ts";
import type { FoundSituation } from "./situation.ts";

/** What `explain` says of one text; the answers are in the order of the input. */
export type Explanation =
  | {
      readonly kind: "explained";
      readonly schemaVersion: 1;
      /** What the text was taken for: "VM instance view", "AzureMachine". */
      readonly recognised: string;
      readonly answers: readonly Answer[];
    }
  /** The text is nothing that holds a verdict; `problem` says why and what is accepted. */
  | { readonly kind: "not-understood"; readonly problem: string };

/** The verdict on one machine. `unknown`: the text is about the bootstrap, but says nothing of how it went. */
export interface Answer {
  readonly machine?: string;
  /** Where the verdict stood: "instance view, extension CAPZ.Linux.Bootstrapping". */
  readonly from: string;
  readonly outcome: VerdictOutcome | "unknown";
  readonly reason?: string;
  /** Where no verdict was found: what the text says of the machine instead. */
  readonly situation?: FoundSituation["kind"];
  readonly code?: number;
  readonly mode?: string;
  readonly stage?: string;
  readonly elapsedSeconds?: number;
  readonly summary: string;
  /** More about the cause than the summary. */
  readonly explanation?: string;
  readonly nextStep?: string;
  /** False: the same machine made again fails in the same way. */
  readonly retryable?: boolean;
  readonly blame?: string;
  readonly confidence?: string;
  readonly providers: readonly string[];
  readonly evidence: readonly QuotedLine[];
  readonly probes: readonly ProbeResult[];
  readonly timeline: readonly TimelineEntry[];
  readonly otherFindings: readonly FindingMessage[];
  readonly warnings: readonly string[];
  readonly reportFile?: string;
  /** Where the full report was uploaded, without what gives access to it. */
  readonly reportUri?: string;
  readonly time?: string;
  readonly handlerVersion?: string;
  /** The machine that the extension ran on; an image of a failed machine carries the status of another one. */
  readonly vmId?: string;
  /** Number of the settings that this verdict belongs to. */
  readonly sequence?: number;
  /** What the reader should know of the text itself: cut, old, contradicted by another field. */
  readonly notes: readonly string[];
}

export interface QuotedLine {
  readonly origin: string;
  readonly line?: number;
  readonly text: string;
}

/** A message that may hold our verdict, as one of the readers found it. */
export interface FoundStatus {
  readonly machine?: string;
  readonly from: string;
  readonly message: string;
  readonly code?: number;
  readonly substatuses: readonly FoundSubstatus[];
  /** When it was written, as the text has it. */
  readonly time?: string;
  readonly notes: readonly string[];
  /** Words of others: another extension that failed, Azure's own error. They tell what our message does not. */
  readonly foreign?: ForeignText;
  /** What a verdict object of the management side keeps apart from our first line; it counts before what is read of the line. */
  readonly known?: Partial<Answer>;
  /** What the place says where neither our message nor the words of others tell. */
  readonly situation?: FoundSituation;
}

export interface ForeignText {
  /** As a reader knows the speaker: "extension vmssCSE", "Azure". */
  readonly speaker: string;
  readonly text: string;
}

export interface FoundSubstatus {
  readonly name: string;
  readonly message: string;
}
