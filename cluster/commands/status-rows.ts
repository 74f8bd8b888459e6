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

export interface VerdictRow {
  /** Of the Machine, which another of the same name does not have. */
  readonly uid: string;
  readonly row: StatusRow;
}

/** Rows of verdict objects: what the controller has written. */
export function rowsOfVerdicts(list: unknown): readonly VerdictRow[] {
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
    return [{ uid: machine.uid, row: rowOf(names, verdict, machineGone !== undefined) }];
  });
}

/** What the management cluster has of the machines, without the controller. */
export interface ReadObjects {
  readonly machines: readonly unknown[];
  /** Lists of AzureMachines and of AzureMachinePoolMachines. */
  readonly infras: readonly unknown[];
  /** List of AzureMachinePools. */
  readonly pools: unknown;
  /** Kinds of infrastructure of which it is not known what there is. */
  readonly unreadKinds: readonly string[];
}

/** Accounts of Azure by resource id, lower case; undefined: it was not asked. */
export type AzureAccounts = ReadonlyMap<string, Account> | undefined;

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
  return machines.flatMap((item) => {
    const machine = readMachine(item);
    if (machine === undefined) return [];
    const infra = known.get(`${machine.infra.kind} ${machine.namespace}/${machine.infra.name}`);
    const scaleSet = infra?.pool === undefined ? undefined : scaleSets.get(`${machine.namespace}/${infra.pool}`);
    return [{ machine, words: infra?.words, place: placeMachine(infra?.providerId ?? machine.providerId, scaleSet) }];
  });
}

/** The Machines of a list without those that have a verdict object. */
export function machinesWithout(list: unknown, uids: ReadonlySet<string>): readonly unknown[] {
  return itemsOf(list).filter((item) => !uids.has(readMachine(item)?.uid ?? ""));
}

/** What there is to ask Azure about them. */
export function targetsOfObjects(read: ReadObjects, now: string): readonly ArmTarget[] {
  return seenMachines(read, now).flatMap(({ place }) => place?.target ?? []);
}

/** Rows without the controller: Machines, what CAPZ says of them at this moment and, where it was asked, Azure; judged at once. */
export function rowsOfObjects(read: ReadObjects, accounts: AzureAccounts, now: string): readonly StatusRow[] {
  return seenMachines(read, now).map((seen) => {
    const { machine, words, place } = seen;
    const view = place === undefined ? undefined : accounts?.get(place.id);
    const state = [words, view].reduce<VerdictState | undefined>(
      (before, account) => (account === undefined ? before : nextVerdict(before, { account, observedAt: now })),
      undefined,
    );
    const unheard = () =>
      noAnswer({ reason: "NoAnswer", line: lineOfUnheard(seen, read, accounts !== undefined), time: now });
    const names = {
      namespace: machine.namespace,
      cluster: machine.cluster,
      owner: `${machine.owner.kind}/${machine.owner.name}`,
      machine: machine.name,
    };
    return rowOf(names, state?.verdict ?? unheard(), false);
  });
}

function lineOfUnheard(
  { machine: { infra, hasNode }, place }: SeenMachine,
  { unreadKinds }: ReadObjects,
  wasAsked: boolean,
): string {
  if (unreadKinds.includes(infra.kind))
    return `Its ${infra.kind} could not be read, so it is not known what CAPZ says of the bootstrap`;
  if (hasNode) return "The machine has a Node; CAPZ keeps no word of its bootstrap";
  if (!wasAsked) return "CAPZ says nothing of the bootstrap; the instance view of the machine does (--arm)";
  return place === undefined
    ? "CAPZ says nothing of the bootstrap, and the machine has no VM in Azure yet"
    : "CAPZ says nothing of the bootstrap, and Azure gave no answer of the machine";
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
  readonly namespace: string;
  readonly owner: string;
  readonly reason: string;
  readonly machines: number;
}

/** "7 machines of MachineDeployment/md-0: DnsResolutionFailed", most first. */
export function groupedCauses(rows: readonly StatusRow[]): readonly CauseGroup[] {
  const failed = rows.filter((row) => isFailure(row));
  const groups = Map.groupBy(failed, ({ namespace, owner, reason }) => `${namespace} ${owner} ${reason}`);
  const place = ({ namespace, owner }: CauseGroup) => `${namespace} ${owner}`;
  return [...groups.values()]
    .flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const { namespace, owner, reason } = first;
      return [{ namespace, owner, reason, machines: others.length + 1 }];
    })
    .toSorted((a, b) => b.machines - a.machines || (place(a) < place(b) ? -1 : 1));
}
