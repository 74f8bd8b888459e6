import { isJsonObject } from "../../handler/text/parse-json.ts";
import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { placeMachine, type ArmTarget, type PlacedMachine } from "../arm/target.ts";
import { keyOf } from "../kube/reflector.ts";
import { keyOfNamed, type KnownMachine } from "../objects/objects.ts";
import { readInfra, readMachine, readPool } from "../objects/read-objects.ts";
import type { Account } from "../verdict/account.ts";
import { isFailure, nextVerdict, type VerdictState } from "../verdict/next-verdict.ts";
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
  /** Where the node has uploaded its report, without what gives access to it. */
  readonly reportUri?: string;
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

/** What the management cluster has of the machines, without the controller. */
export interface ReadObjects {
  readonly machines: unknown;
  /** Lists of AzureMachines and of AzureMachinePoolMachines. */
  readonly infras: readonly unknown[];
  /** List of AzureMachinePools. */
  readonly pools: unknown;
}

interface SeenMachine {
  readonly machine: KnownMachine;
  readonly words: Account | undefined;
  readonly place: PlacedMachine | undefined;
}

function seenMachines({ machines, infras, pools }: ReadObjects, now: string): readonly SeenMachine[] {
  const known = new Map(
    infras.flatMap(itemsOf).flatMap((item) => {
      const infra = readInfra(item, now);
      const kind = isJsonObject(item) ? textOf(item["kind"]) : undefined;
      return infra === undefined ? [] : [[`${kind ?? ""} ${keyOfNamed(infra)}`, infra] as const];
    }),
  );
  const scaleSets = new Map(itemsOf(pools).map((item) => [keyOf(item), readPool(item)?.scaleSetId]));
  return itemsOf(machines).flatMap((item) => {
    const machine = readMachine(item);
    if (machine === undefined) return [];
    const infra = known.get(`${machine.infra.kind} ${machine.namespace}/${machine.infra.name}`);
    const scaleSet = infra?.pool === undefined ? undefined : scaleSets.get(`${machine.namespace}/${infra.pool}`);
    return [{ machine, words: infra?.words, place: placeMachine(infra?.providerId ?? machine.providerId, scaleSet) }];
  });
}

/** What there is to ask Azure about them. */
export function targetsOfObjects(read: ReadObjects, now: string): readonly ArmTarget[] {
  return seenMachines(read, now).flatMap(({ place }) => place?.target ?? []);
}

/** Rows without the controller: Machines, what CAPZ says of them at this moment and, where it was asked, Azure; judged at once. */
export function rowsOfObjects(
  read: ReadObjects,
  accounts: ReadonlyMap<string, Account>,
  now: string,
): readonly StatusRow[] {
  return seenMachines(read, now).map(({ machine, words, place }) => {
    const view = place === undefined ? undefined : accounts.get(place.id);
    const state = [words, view].reduce<VerdictState | undefined>(
      (before, account) => (account === undefined ? before : nextVerdict(before, { account, observedAt: now })),
      undefined,
    );
    const account = state?.verdict ?? unheard(machine, now);
    const names = {
      namespace: machine.namespace,
      cluster: machine.cluster,
      owner: `${machine.owner.kind}/${machine.owner.name}`,
      machine: machine.name,
    };
    return rowOf(names, account, false);
  });
}

function unheard(machine: KnownMachine, now: string): Account {
  const line = machine.hasNode
    ? "The machine has a Node; CAPZ keeps no word of its bootstrap"
    : "CAPZ says nothing of the bootstrap; the instance view of the machine does (--arm)";
  return noAnswer({ reason: "NoAnswer", line, time: now });
}

type Names = Pick<StatusRow, "namespace" | "cluster" | "owner" | "machine">;

function rowOf(names: Names, account: Account, gone: boolean): StatusRow {
  const { outcome, reason, stage, firstLine, retryable, reportUri } = account;
  return {
    ...names,
    outcome,
    reason,
    ...(stage === undefined ? {} : { stage }),
    since: saidAt(account),
    firstLine,
    ...(retryable === undefined ? {} : { retryable }),
    ...(reportUri === undefined ? {} : { reportUri }),
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
