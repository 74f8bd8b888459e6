import { isJsonObject } from "../../handler/text/parse-json.ts";
import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { keyOfNamed, type KnownMachine } from "../objects/objects.ts";
import { readInfra, readMachine } from "../objects/read-objects.ts";
import type { Account } from "../verdict/account.ts";
import { isFailure } from "../verdict/next-verdict.ts";
import { saidAt } from "../verdict/stamps.ts";
import { noAnswer } from "../verdict/read-vm.ts";
import { readVerdictObject } from "../verdict/verdict-object.ts";

/** One machine in the list for people. The keys are those of `--json`. */
export interface StatusRow {
  readonly namespace: string;
  readonly cluster: string;
  readonly owner: string;
  readonly machine: string;
  readonly outcome: Account["outcome"];
  readonly reason: string;
  readonly stage?: string;
  readonly since: string;
  readonly firstLine: string;
  readonly retryable?: boolean;
  /** The Machine does not exist any more; its verdict is kept. */
  readonly gone: boolean;
}

/** Rows of verdict objects: what the controller has written. */
export function rowsOfVerdicts(list: unknown): readonly StatusRow[] {
  return itemsOf(list).flatMap((item) => {
    const stored = readVerdictObject(item);
    if (stored === undefined) return [];
    const { cluster, owner, machine, verdict, machineGone } = stored.record;
    const names = {
      namespace: stored.place.namespace,
      cluster,
      owner: `${owner.kind}/${owner.name}`,
      machine: machine.name,
    };
    return [rowOf(names, verdict, machineGone !== undefined)];
  });
}

/** Rows without the controller: Machines, and what CAPZ says of them at this moment, judged at once. */
export function rowsOfObjects(machines: unknown, infras: readonly unknown[], now: string): readonly StatusRow[] {
  const words = new Map(
    infras.flatMap(itemsOf).flatMap((item) => {
      const infra = readInfra(item, now);
      const kind = isJsonObject(item) ? textOf(item["kind"]) : undefined;
      return infra?.words === undefined ? [] : [[`${kind ?? ""} ${keyOfNamed(infra)}`, infra.words] as const];
    }),
  );
  return itemsOf(machines).flatMap((item) => {
    const machine = readMachine(item);
    if (machine === undefined) return [];
    const account =
      words.get(`${machine.infra.kind} ${machine.namespace}/${machine.infra.name}`) ?? unheard(machine, now);
    const names = {
      namespace: machine.namespace,
      cluster: machine.cluster,
      owner: `${machine.owner.kind}/${machine.owner.name}`,
      machine: machine.name,
    };
    return [rowOf(names, account, false)];
  });
}

function unheard(machine: KnownMachine, now: string): Account {
  const line = machine.hasNode
    ? "The machine has a Node; CAPZ keeps no word of its bootstrap"
    : "CAPZ says nothing of the bootstrap; the instance view of the machine does";
  return noAnswer({ reason: "NoAnswer", line, time: now });
}

type Names = Pick<StatusRow, "namespace" | "cluster" | "owner" | "machine">;

function rowOf(names: Names, account: Account, gone: boolean): StatusRow {
  const { outcome, reason, stage, firstLine, retryable } = account;
  return {
    ...names,
    outcome,
    reason,
    ...(stage === undefined ? {} : { stage }),
    since: saidAt(account),
    firstLine,
    ...(retryable === undefined ? {} : { retryable }),
    gone,
  };
}

function itemsOf(list: unknown): readonly unknown[] {
  return isJsonObject(list) ? listOf(list["items"]) : [];
}

export interface CauseGroup {
  readonly owner: string;
  readonly reason: string;
  readonly machines: number;
}

/** "7 machines of MachineDeployment/md-0: DnsResolutionFailed", most first. */
export function groupedCauses(rows: readonly StatusRow[]): readonly CauseGroup[] {
  const failed = rows.filter((row) => isFailure(row));
  const groups = Map.groupBy(failed, ({ namespace, owner, reason }) => `${namespace} ${owner} ${reason}`);
  return [...groups.values()]
    .flatMap((group) =>
      group[0] === undefined ? [] : [{ owner: group[0].owner, reason: group[0].reason, machines: group.length }],
    )
    .toSorted((a, b) => b.machines - a.machines || (a.owner < b.owner ? -1 : 1));
}
