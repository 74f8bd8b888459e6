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

/** Asks for a VM, or for all instances of a scale set with its pages. */
export async function ask(
  client: ArmClient,
  target: ArmTarget,
  { now, signal }: { readonly now: () => string; readonly signal: AbortSignal },
): Promise<Asked> {
  const machines: ReadVm[] = [];
  let next: string | undefined = questionOf(target);
  let requests = 0;
  while (next !== undefined) {
    if (requests === pageLimit) {
      // A machine that the rest would name must not be taken for one that Azure does not know.
      const why = `the list goes on after ${String(pageLimit)} pages`;
      return { kind: "silent", answer: { kind: "failed", why }, requests };
    }
    const answer = await client.get(next, signal);
    requests += 1;
    if (answer.kind !== "found") return { kind: "silent", answer, requests };
    const { value } = answer;
    const items = target.kind === "vm" ? [value] : isJsonObject(value) ? listOf(value["value"]) : [];
    machines.push(...items.map((item) => readVm(item, now())).filter((read) => read !== undefined));
    next = target.kind !== "vm" && isJsonObject(value) ? textOf(value["nextLink"]) : undefined;
    if (next === "") next = undefined;
  }
  return { kind: "told", machines, requests };
}
