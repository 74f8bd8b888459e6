import { kubectlGet, type Kubectl, type KubectlAnswer } from "./kubectl-get.ts";
import { rowsOfVerdicts, machinesWithout, type ReadObjects, type VerdictRow } from "./status-rows.ts";

export interface ReadingOptions extends Kubectl {
  readonly allNamespaces: boolean;
  readonly namespace?: string | undefined;
}

export interface ReadMachines {
  /** What the controller has written. */
  readonly written: readonly VerdictRow[];
  /** The machines without a verdict object; all where these were not asked for. */
  readonly others: ReadObjects;
  /** What could not be read, a sentence each. */
  readonly unread: readonly string[];
}

const nothing: ReadObjects = { machines: [], infras: [], pools: undefined, unreadKinds: [] };

/**
 * The verdict objects, and of each Machine without one (a Cluster that is not watched, a controller that does not run) what CAPZ says. `failed`
 * where neither could be read; what the cluster has no resource type for is not there.
 */
export async function readMachines(
  options: ReadingOptions,
  { withVerdicts }: { readonly withVerdicts: boolean },
): Promise<({ readonly kind: "read" } & ReadMachines) | { readonly kind: "failed"; readonly why: string }> {
  const verdicts = withVerdicts ? await get(options, "bootstrapverdicts.bootstrap.capz.io") : undefined;
  const written = verdicts?.kind === "value" ? rowsOfVerdicts(verdicts.value) : [];
  const machines = await get(options, "machines.cluster.x-k8s.io");
  if (machines.kind !== "value" && written.length === 0) return { kind: "failed", why: machines.why };
  const unread = verdicts === undefined ? [] : whyUnread(verdicts);
  if (machines.kind !== "value") return { kind: "read", written, others: nothing, unread: [...unread, machines.why] };
  const uids = new Set(written.map(({ uid }) => uid));
  const others = { ...nothing, machines: machinesWithout(machines.value, uids) };
  if (others.machines.length === 0) return { kind: "read", written, others, unread };
  const infra = await readInfrastructure(options);
  return { kind: "read", written, others: { ...others, ...infra.objects }, unread: [...unread, ...infra.unread] };
}

/** One after the other: a management cluster without machine pools does not know the other kinds. */
async function readInfrastructure(options: ReadingOptions) {
  const [azureMachines, poolMachines, pools] = [
    await get(options, "azuremachines.infrastructure.cluster.x-k8s.io"),
    await get(options, "azuremachinepoolmachines.infrastructure.cluster.x-k8s.io"),
    await get(options, "azuremachinepools.infrastructure.cluster.x-k8s.io"),
  ];
  const kinds = [
    ...(azureMachines.kind === "failed" ? ["AzureMachine"] : []),
    ...(poolMachines.kind === "failed" ? ["AzureMachinePoolMachine"] : []),
  ];
  return {
    objects: { infras: [azureMachines, poolMachines].map(valueOf), pools: valueOf(pools), unreadKinds: kinds },
    unread: [azureMachines, poolMachines, pools].flatMap(whyUnread),
  };
}

function valueOf(answer: KubectlAnswer): unknown {
  return answer.kind === "value" ? answer.value : undefined;
}

function whyUnread(answer: KubectlAnswer): readonly string[] {
  return answer.kind === "failed" ? [answer.why] : [];
}

function get({ kubectl, run, signal, allNamespaces, namespace }: ReadingOptions, what: string): Promise<KubectlAnswer> {
  const where = allNamespaces ? ["--all-namespaces"] : namespace === undefined ? [] : ["--namespace", namespace];
  return kubectlGet({ kubectl, run, signal }, [what, ...where]);
}
