import type { ArmAnswer, ArmClient } from "../arm/arm-client.ts";
import { ask } from "../arm/ask.ts";
import type { ArmTarget } from "../arm/target.ts";
import type { Account } from "../verdict/account.ts";
import type { World } from "../world.ts";

export interface AskedAzure {
  /** By resource id, lower case. */
  readonly accounts: ReadonlyMap<string, Account>;
  /** Why some of the questions had no answer, each reason once. */
  readonly silences: readonly string[];
}

export interface AskingParts {
  readonly client: ArmClient;
  readonly world: World;
  readonly signal: AbortSignal;
}

/** A person waits for it, and Azure counts requests for each login. */
const atOnce = 8;

/** Asks each target once, a few at a time; for a person's list, without the controller's budget. */
export async function askAzure(
  targets: readonly ArmTarget[],
  { client, world, signal }: AskingParts,
): Promise<AskedAzure> {
  const accounts = new Map<string, Account>();
  const silences = new Set<string>();
  const waiting = [...new Map(targets.map((target) => [target.id, target])).values()];
  const work = async () => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
      const asked = await ask(client, target, { now: world.now, sleep: world.sleep, signal });
      if (asked.kind === "told") for (const { id, account } of asked.machines) accounts.set(id, account);
      else silences.add(whyNot(asked.answer));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { accounts, silences: [...silences] };
}

function whyNot(answer: Exclude<ArmAnswer, { kind: "found" }>): string {
  switch (answer.kind) {
    case "not-found":
      return "it knows no such machine";
    case "refused":
      return `HTTP ${String(answer.status)}; your login needs Microsoft.Compute/virtualMachines/read and instanceView/read there`;
    case "throttled":
      return "too many requests; try again later";
    case "failed":
      return answer.why;
  }
}
