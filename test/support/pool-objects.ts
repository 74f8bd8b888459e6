import { subscription } from "../../scripts/dev/start/cluster-objects.ts";

type Json = Readonly<Record<string, unknown>>;
export type PoolMode = "Uniform" | "Flexible";

const compute = `/subscriptions/${subscription}/resourceGroups/workload/providers/Microsoft.Compute`;

/** Resource id of the scale set behind a pool. */
export function scaleSetId(pool: string): string {
  return `${compute}/virtualMachineScaleSets/${pool}`;
}

/** Resource id of instance number `n`: a part of the set (Uniform), or a VM of its own (Flexible). */
export function instanceId(pool: string, mode: PoolMode, n: number): string {
  return mode === "Uniform"
    ? `${scaleSetId(pool)}/virtualMachines/${String(n)}`
    : `${compute}/virtualMachines/${pool}_${String(n)}`;
}

const labels = (cluster: string) => ({ "cluster.x-k8s.io/cluster-name": cluster });

export function machinePoolObject(cluster: string, name: string): Json {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachinePool",
    metadata: { name, namespace: "default", labels: labels(cluster) },
    spec: {
      clusterName: cluster,
      replicas: 3,
      template: {
        spec: {
          clusterName: cluster,
          bootstrap: { dataSecretName: `${name}-data` },
          infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "AzureMachinePool", name },
        },
      },
    },
  };
}

/** As CAPZ keeps it: the providerID of the pool is the scale set. */
export function azureMachinePoolObject(cluster: string, name: string, mode: PoolMode): Json {
  return {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachinePool",
    metadata: { name, namespace: "default", labels: labels(cluster) },
    spec: {
      location: "westeurope",
      orchestrationMode: mode,
      providerID: `azure://${scaleSetId(name)}`,
      template: { vmSize: "Standard_D2s_v5", osDisk: { osType: "Linux", diskSizeGB: 30 } },
    },
  };
}

/** An instance as CAPZ makes it, owned by its AzureMachinePool. */
export function azureMachinePoolMachineObject(cluster: string, pool: string, mode: PoolMode, n: number): Json {
  return {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachinePoolMachine",
    metadata: {
      name: `${pool}-${String(n)}`,
      namespace: "default",
      labels: labels(cluster),
      ownerReferences: [
        {
          apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
          kind: "AzureMachinePool",
          name: pool,
          uid: `uid-${pool}`,
        },
      ],
    },
    spec: { providerID: `azure://${instanceId(pool, mode, n)}` },
  };
}

/** The Machine that the MachinePool makes for an instance (Cluster API: machinepool_controller_phases.go). */
export function poolMachineObject(cluster: string, pool: string, n: number): Json {
  const name = `${pool}-${String(n)}`;
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Machine",
    metadata: {
      name,
      namespace: "default",
      labels: { ...labels(cluster), "cluster.x-k8s.io/pool-name": pool },
      ownerReferences: [
        {
          apiVersion: "cluster.x-k8s.io/v1beta2",
          kind: "MachinePool",
          name: pool,
          uid: `uid-${pool}`,
          controller: true,
        },
      ],
    },
    spec: {
      clusterName: cluster,
      bootstrap: { dataSecretName: `${pool}-data` },
      infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "AzureMachinePoolMachine", name },
    },
  };
}

/** CAPZ's condition on an instance of a Uniform set: its words are always the same (scalesetvms, bootstrapping_complete). */
export function poolFailure(now: string): Json {
  return {
    type: "BootstrapSucceeded",
    status: "False",
    severity: "Info",
    reason: "BootstrapFailed",
    message: "extension state failed. This likely means the Kubernetes node bootstrapping process failed or timed out.",
    lastTransitionTime: `${now.slice(0, 19)}Z`,
  };
}
