import { describe, expect, test } from "@jest/globals";
import { createBook, type Book } from "../../../cluster/controller/book.ts";
import type { Caches } from "../../../cluster/controller/caches.ts";
import { decisionOn } from "../../../cluster/controller/healing-group.ts";
import { defaultPolicy } from "../../../cluster/healing/decide.ts";
import type { HealingDecision } from "../../../cluster/healing/decision.ts";
import type { KnownMachine, WatchedCluster } from "../../../cluster/objects/objects.ts";
import type { Account } from "../../../cluster/verdict/account.ts";
import { account, at } from "../support/accounts.ts";

const cluster: WatchedCluster = {
  namespace: "default",
  name: "c1",
  uid: "c1",
  apiVersion: "cluster.x-k8s.io/v1beta2",
  watched: true,
  unknownWatch: undefined,
  heal: "condition",
  unknownHeal: undefined,
  paused: false,
  initialized: true,
};

function machine(uid: string, fields: Partial<KnownMachine> = {}): KnownMachine {
  return {
    namespace: "default",
    name: uid,
    uid,
    resourceVersion: "1",
    cluster: "c1",
    controlPlane: false,
    owner: { kind: "MachineDeployment", name: "md-0" },
    deleting: false,
    paused: false,
    hasNode: false,
    providerId: undefined,
    infra: { kind: "AzureMachine", name: uid },
    conditions: [],
    remediate: undefined,
    ...fields,
  };
}

const controlPlane = { controlPlane: true, owner: { kind: "KubeadmControlPlane", name: "cp" } };

interface Group {
  readonly machines: readonly KnownMachine[];
  /** What is known of each, by uid. */
  readonly verdicts: Readonly<Record<string, Partial<Account>>>;
  readonly cluster?: Partial<WatchedCluster>;
  readonly gone?: (book: Book) => void;
}

function decide({ machines, verdicts, cluster: change, gone }: Group): HealingDecision {
  const book = createBook();
  for (const [uid, fields] of Object.entries(verdicts))
    book.hear(uid, account({ retryable: true, ...fields }), { now: fields.heard ?? at(0), monotonicMs: 0 });
  gone?.(book);
  const empty = { get: () => undefined, values: () => new Map<string, never>().values() };
  const living = new Map(machines.map((one) => [`default/${one.name}`, one]));
  const caches: Caches = {
    clusters: empty,
    machines: { get: (key) => living.get(key), values: () => living.values() },
    azureMachines: empty,
    poolMachines: empty,
    pools: empty,
    verdicts: empty,
  };
  const [first] = machines;
  if (first === undefined) throw new Error("a group has a machine");
  const watched = { machine: first, cluster: { ...cluster, ...change } };
  return decisionOn(watched, { caches, book, policy: defaultPolicy, now: at(3600) });
}

/** Machines that are gone and were marked, with the owner that their verdict objects name. */
const goneMarks =
  (count: number, owner = "md-0") =>
  (book: Book) => {
    for (let n = 0; n < count; n += 1)
      book.remember({
        place: { namespace: "default", name: `gone-${String(n)}` },
        uid: `object-${String(n)}`,
        record: {
          cluster: "c1",
          machine: { name: `gone-${String(n)}`, uid: `gone-${String(n)}` },
          owner: { kind: "MachineDeployment", name: owner },
          verdict: account({ retryable: true }),
          firstSeen: at(-9000),
          lastSeen: at(-9000),
          mark: { at: at(-9000 + n), reason: "DnsResolutionFailed" },
          machineGone: at(-8000),
        },
      });
  };

describe("decisionOn", () => {
  test("counts the marks of Machines that are gone, by what their verdict objects keep", () => {
    const group = { machines: [machine("a")], verdicts: { a: {} } };
    expect(decide(group).kind).toBe("mark");
    expect(decide({ ...group, gone: goneMarks(3) })).toMatchObject({ kind: "hold", reason: "SameReasonAgain" });
  });

  test("counts neither the living nor the gone of another owner", () => {
    const other = machine("b", { owner: { kind: "MachineDeployment", name: "md-1" } });
    // The clock of the node that was heard of later is years behind.
    const verdicts = { a: { heard: at(10), time: at(-9e6) }, b: { heard: at(5) } };
    expect(decide({ machines: [machine("a"), other], verdicts, gone: goneMarks(3, "md-1") }).kind).toBe("mark");
    // Of the same owner the one that failed first is marked first, and the other one waits.
    expect(decide({ machines: [machine("a"), machine("b")], verdicts })).toMatchObject({ reason: "CoolingDown" });
  });

  test("knows a control plane machine by its label, and asks its cluster whether it was ever initialized", () => {
    const group = { machines: [machine("a", controlPlane)], verdicts: { a: { outcome: "deadline" } as const } };
    expect(decide({ ...group, cluster: { initialized: false } })).toMatchObject({
      reason: "FirstControlPlaneNotCertain",
    });
    expect(decide(group)).toMatchObject({ reason: "SingleControlPlane" });
  });

  test("holds a control plane machine back beside a new one of which nothing was ever heard", () => {
    const machines = [machine("a", controlPlane), machine("b", controlPlane)];
    expect(decide({ machines, verdicts: { a: {} } })).toMatchObject({ reason: "ControlPlaneBusy" });
  });

  test("does nothing where the Cluster does not ask for healing, and nothing about machines of a pool", () => {
    const group = { machines: [machine("a")], verdicts: { a: {} } };
    expect(decide({ ...group, cluster: { heal: "none" } })).toEqual({ kind: "none", recovered: false });
    const pool = machine("a", { owner: { kind: "MachinePool", name: "mp" } });
    expect(decide({ ...group, machines: [pool] })).toMatchObject({ reason: "OwnerDoesNotHeal" });
  });
});
