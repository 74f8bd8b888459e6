import type { Answer, Question } from "./questions.ts";

/** What a look is told when it begins. */
export interface LookContext {
  readonly system: "linux" | "windows";
  /** The setting bootstrapProvider; "auto" when it is not set. */
  readonly provider: string;
  readonly elapsedMs: number;
  readonly timeoutMs: number;
  /** What the look before returned as `memory`; empty at the first look of a sequence. Kept over restarts and reboots. */
  readonly memory: Memory;
}

/** A few short texts that the check wants to find again at its next look; the handler keeps at most 4 KiB of JSON. */
export type Memory = Readonly<Record<string, string>>;

/** What one look came to. Only `bootstrapped` and `failed` are final. */
export interface LookResult {
  readonly verdict: "bootstrapped" | "not-yet" | "failed";
  /** Where the bootstrap is, in a few words with dashes. */
  readonly stage: string;
  /** With `failed`: a reason of the table of reasons. */
  readonly reason?: string;
  /** One sentence for a person: what was seen, not what to do. */
  readonly message?: string;
  /** With `failed`, where a program on the machine reported it itself: its own next step, and whether a new machine may pass. */
  readonly next?: string;
  readonly retryable?: boolean;
  readonly providers: readonly string[];
  /** What the node is busy with, such as "kubeadm (74 s)". */
  readonly running: readonly string[];
  /** Sentences that belong beside the verdict and change nothing in it. */
  readonly remarks: readonly string[];
  readonly facts: Readonly<Record<string, string>>;
  /** When to look again if nothing changes. */
  readonly nextLookMs: number;
  /** The observations that decided, in words for a person: "/run/cluster-api/bootstrap-success.complete was written in this boot". */
  readonly decidedBy: readonly string[];
  readonly memory: Memory;
}

/**
 * A look is a generator: it yields questions and gets their answers, in the same order, so that whoever drives it may
 * answer them from a machine, a model or a record, may end a step that does not return, and sees every observation.
 */
export type Look = Generator<readonly Question[], LookResult, readonly Answer[]>;

/** One question and its answer, as a record keeps them. */
export interface Observation {
  readonly question: Question;
  readonly answer: Answer;
}

/** The record of one look: replayed, it gives the same result. */
export interface LookRecord {
  readonly protocol: number;
  readonly context: LookContext;
  readonly observations: readonly Observation[];
  readonly result: LookResult;
}
