import { joinMarks, type Mark } from "../healing/healing-machine.ts";
import type { HealingDecision } from "../healing/decision.ts";
import { joinStates, nextVerdict, type VerdictState } from "../verdict/next-verdict.ts";
import type { Account } from "../verdict/account.ts";
import { stateOf, type StoredVerdict, type VerdictRecord } from "../verdict/verdict-object.ts";
import { leastMs } from "../arm/cadence.ts";
import type { ObjectPlace } from "../kube/resource.ts";
import { saidBy } from "./worth-writing.ts";

/** What is known of one Machine, by its uid. The verdict objects are what survives the process. */
export interface Entry {
  readonly uid: string;
  state?: VerdictState;
  mark?: Mark | undefined;
  machineGone?: string | undefined;
  /** The object as it stands in the cluster, as far as known. */
  stored?: { readonly place: ObjectPlace; readonly record: VerdictRecord } | undefined;
  /** Uid of the object; needed to delete that one and no other. */
  objectUid?: string;
  /** The API server has refused this machine's evidence; it is not offered again. */
  tooLarge?: boolean;
  /** Version of the Machine that the last write was made from; a cache that still shows it has not seen the write. */
  wroteFrom?: string;
  decision?: HealingDecision;
  /** Monotonic time at which CAPZ last turned its condition. */
  turnedAtMs?: number;
  /** Monotonic times: when Azure was last asked, and when a settled machine is to be looked at again. */
  askedAtMs?: number;
  lookAtMs?: number | undefined;
  /** Monotonic time at which the present outcome was first heard; for the metric of how long telling takes. */
  heardAtMs?: number;
}

export interface Book {
  get(uid: string): Entry | undefined;
  entries(): IterableIterator<Entry>;
  /** Takes up an observation; true when it changed what is believed. */
  hear(uid: string, account: Account, at: { readonly now: string; readonly monotonicMs: number }): boolean;
  /** CAPZ has turned its condition: it is worth asking Azure now. */
  turned(uid: string, monotonicMs: number): void;
  /** Azure has been asked for it. */
  asked(uid: string, monotonicMs: number): void;
  /** A verdict object, as read from the cluster: after a start it is the memory. */
  remember(stored: StoredVerdict): void;
  forgetObject(uid: string): void;
  forget(uid: string): void;
}

export function createBook(): Book {
  const entries = new Map<string, Entry>();
  const entryOf = (uid: string): Entry => {
    const known = entries.get(uid);
    if (known !== undefined) return known;
    const made: Entry = { uid };
    entries.set(uid, made);
    return made;
  };
  return {
    get: (uid) => entries.get(uid),
    entries: () => entries.values(),
    hear: (uid, account, { now, monotonicMs }) => {
      const entry = entryOf(uid);
      const before = entry.state;
      const after = nextVerdict(before, { account, observedAt: now });
      if (after === undefined) return false;
      entry.state = after;
      const changed =
        before?.verdict.outcome !== after.verdict.outcome || before.verdict.reason !== after.verdict.reason;
      if (changed) entry.heardAtMs = monotonicMs;
      // What was settled may not be any more.
      if (changed) entry.lookAtMs = undefined;
      return changed || saidBy(before.verdict) !== saidBy(after.verdict);
    },
    turned: (uid, monotonicMs) => {
      const entry = entryOf(uid);
      entry.turnedAtMs = monotonicMs;
      // A condition that is turned all the time costs a settled machine no more than a question now and then.
      if (entry.lookAtMs === undefined) return;
      entry.lookAtMs = Math.max(monotonicMs, (entry.askedAtMs ?? Number.NEGATIVE_INFINITY) + leastMs);
    },
    asked: (uid, monotonicMs) => {
      const entry = entryOf(uid);
      entry.askedAtMs = monotonicMs;
      entry.lookAtMs = undefined;
    },
    remember: ({ place, uid, record }) => {
      const entry = entryOf(record.machine.uid);
      entry.state = joinStates(entry.state, stateOf(record));
      // An older event of the object brings nothing back, and the mark of another controller counts like one of ours.
      entry.mark = joinMarks(entry.mark, record.mark);
      entry.machineGone = [entry.machineGone, record.machineGone].filter((known) => known !== undefined).toSorted()[0];
      entry.stored = { place, record };
      entry.objectUid = uid;
    },
    forgetObject: (uid) => {
      const entry = entries.get(uid);
      if (entry !== undefined) entry.stored = undefined;
    },
    forget: (uid) => {
      entries.delete(uid);
    },
  };
}
