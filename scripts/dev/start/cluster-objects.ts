type Json = Record<string, unknown>;

const clusterVersion = "v1beta2";
export const subscription = "11111111-2222-4333-8444-555555555555";

/** Paths in the API server, by kind. */
export const paths = {
  cluster: (name: string) => `/apis/cluster.x-k8s.io/${clusterVersion}/namespaces/default/clusters/${name}`,
  machine: (name: string) => `/apis/cluster.x-k8s.io/${clusterVersion}/namespaces/default/machines/${name}`,
  deployment: (name: string) =>
    `/apis/cluster.x-k8s.io/${clusterVersion}/namespaces/default/machinedeployments/${name}`,
  azureMachine: (name: string) =>
    `/apis/infrastructure.cluster.x-k8s.io/v1beta1/namespaces/default/azuremachines/${name}`,
} as const;

export function vmId(name: string): string {
  return `/subscriptions/${subscription}/resourceGroups/workload/providers/Microsoft.Compute/virtualMachines/${name}`;
}

/** A Cluster that is watched; `heal` as the value of its label. */
export function clusterObject(name: string, parts: { readonly heal?: string; readonly watched?: boolean } = {}): Json {
  return {
    apiVersion: `cluster.x-k8s.io/${clusterVersion}`,
    kind: "Cluster",
    metadata: {
      name,
      namespace: "default",
      labels: {
        ...(parts.watched === false ? {} : { "bootstrap.capz.io/watch": "true" }),
        ...(parts.heal === undefined ? {} : { "bootstrap.capz.io/heal": parts.heal }),
      },
    },
    spec: { infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "AzureCluster", name } },
  };
}

export interface MachineParts {
  readonly cluster: string;
  readonly name: string;
  readonly controlPlane?: boolean;
  /** Name of the MachineDeployment or KubeadmControlPlane. */
  readonly owner?: string;
}

export function machineObject({
  cluster,
  name,
  controlPlane = false,
  owner = controlPlane ? "cp" : "md-0",
}: MachineParts): Json {
  const labels = controlPlane
    ? { "cluster.x-k8s.io/control-plane": "" }
    : { "cluster.x-k8s.io/deployment-name": owner };
  const ownerReference = controlPlane
    ? {
        apiVersion: `controlplane.cluster.x-k8s.io/${clusterVersion}`,
        kind: "KubeadmControlPlane",
        name: owner,
        uid: `uid-${owner}`,
        controller: true,
      }
    : {
        apiVersion: `cluster.x-k8s.io/${clusterVersion}`,
        kind: "MachineSet",
        name: `${owner}-abcde`,
        uid: `uid-${owner}`,
        controller: true,
      };
  return {
    apiVersion: `cluster.x-k8s.io/${clusterVersion}`,
    kind: "Machine",
    metadata: {
      name,
      namespace: "default",
      labels: { "cluster.x-k8s.io/cluster-name": cluster, ...labels },
      ownerReferences: [ownerReference],
    },
    spec: {
      clusterName: cluster,
      version: "v1.33.1",
      bootstrap: { dataSecretName: `${name}-data` },
      infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "AzureMachine", name },
    },
  };
}

export function azureMachineObject({ cluster, name }: MachineParts): Json {
  return {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachine",
    metadata: { name, namespace: "default", labels: { "cluster.x-k8s.io/cluster-name": cluster } },
    spec: {
      providerID: `azure://${vmId(name)}`,
      vmSize: "Standard_D2s_v5",
      osDisk: { osType: "Linux", diskSizeGB: 30 },
      sshPublicKey: "",
    },
  };
}

/** CAPZ's condition while a failure is new, and as it stands after the next reconcile (cluster-api-provider-azure: async.go, vmextensions). */
export function capzCondition(message: string | undefined, now: string): Json {
  const lastTransitionTime = `${now.slice(0, 19)}Z`;
  const told =
    message === undefined
      ? { status: "True" }
      : { status: "False", severity: "Error", reason: "Failed", message: wrapped(message) };
  return { type: "BootstrapSucceeded", lastTransitionTime, ...told };
}

function wrapped(message: string): string {
  return `failed to create or update resource workload/CAPZ.Linux.Bootstrapping (service: vmextensions): extension state failed. This likely means the Kubernetes node bootstrapping process failed or timed out. Check VM boot diagnostics logs to learn more: {"error":{"code":"VMExtensionProvisioningError","message":${JSON.stringify(`VM has reported a failure when processing extension. Error message: '${message}'. More information on troubleshooting is available at https://aka.ms/x`)}}}`;
}
