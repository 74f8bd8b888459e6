import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject } from "../../handler/text/parse-json.ts";
import { readVm, type ReadVm } from "../verdict/read-vm.ts";
import type { ArmAnswer, ArmClient } from "./arm-client.ts";
import { questionOf, type ArmTarget } from "./target.ts";

export type Asked =
  /** Every machine that the answer tells of. `requests` counts pages. */
  | { readonly kind: "told"; readonly machines: readonly ReadVm[]; readonly requests: number }
  | { readonly kind: "silent"; readonly answer: Exclude<ArmAnswer, { kind: "found" }>; readonly requests: number };

/** A scale set has at most 1,000 instances; a list of more pages goes round in a circle. */
const pageLimit = 100;

/** A pause of Azure that is longer than this ends a list: what was read of it is out of date by then. */
const longestPageWaitMs = 60_000;

export interface AskParts {
  readonly now: () => string;
  readonly signal: AbortSignal;
  /** Each further page is a request of its own: 0, or the milliseconds until the budget has room for it. */
  readonly pace?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Waits until the budget has room; false where that takes too long. */
async function roomFor({ pace = () => 0, sleep, signal }: AskParts): Promise<boolean> {
  for (;;) {
    const wait = pace();
    if (wait <= 0) return true;
    if (wait > longestPageWaitMs || sleep === undefined || signal.aborted) return false;
    await sleep(wait, signal);
  }
}

/** Asks for a VM, or for all instances of a scale set with its pages. */
export async function ask(client: ArmClient, target: ArmTarget, parts: AskParts): Promise<Asked> {
  const machines: ReadVm[] = [];
  let next: string | undefined = questionOf(target);
  let requests = 0;
  while (next !== undefined) {
    if (requests === pageLimit) {
      // A machine that the rest would name must not be taken for one that Azure does not know.
      const why = `the list goes on after ${String(pageLimit)} pages`;
      return { kind: "silent", answer: { kind: "failed", why }, requests };
    }
    // The first request was admitted by who asks.
    if (requests > 0 && !(await roomFor(parts))) {
      return {
        kind: "silent",
        answer: { kind: "failed", why: "the budget has no room for the rest of the list" },
        requests,
      };
    }
    const answer = await client.get(next, parts.signal);
    requests += 1;
    if (answer.kind !== "found") return { kind: "silent", answer, requests };
    const { value } = answer;
    const items = target.kind === "vm" ? [value] : isJsonObject(value) ? listOf(value["value"]) : [];
    machines.push(...items.map((item) => readVm(item, parts.now())).filter((read) => read !== undefined));
    next = target.kind !== "vm" && isJsonObject(value) ? textOf(value["nextLink"]) : undefined;
    if (next === "") next = undefined;
  }
  return { kind: "told", machines, requests };
}
