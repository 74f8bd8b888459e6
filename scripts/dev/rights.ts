/** Every right that the controller has, and what for. The roles, the table of docs/management.md and the test of what is really asked come from it. */
export interface Right {
  readonly role: "tell" | "annotate";
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly why: string;
}

export const rights: readonly Right[] = [
  {
    role: "tell",
    group: "cluster.x-k8s.io",
    resources: ["clusters", "machines"],
    verbs: ["list", "watch"],
    why: "Which clusters are to be watched, and their Machines",
  },
  {
    role: "tell",
    group: "cluster.x-k8s.io",
    resources: ["machines/status"],
    verbs: ["patch"],
    why: "The conditions BootstrapSucceeded and RemediationNeeded, by server-side apply; no right on spec",
  },
  {
    role: "tell",
    group: "cluster.x-k8s.io",
    resources: ["machinedeployments", "machinesets", "machinepools"],
    verbs: ["get"],
    why: "The uid of the owner, so that kubectl describe shows its Events",
  },
  {
    role: "tell",
    group: "controlplane.cluster.x-k8s.io",
    resources: ["kubeadmcontrolplanes"],
    verbs: ["get"],
    why: "The same for control planes",
  },
  {
    role: "tell",
    group: "infrastructure.cluster.x-k8s.io",
    resources: ["azuremachines", "azuremachinepoolmachines", "azuremachinepools"],
    verbs: ["list", "watch"],
    why: "What CAPZ tells at this moment, and the provider id by which Azure is asked",
  },
  {
    role: "tell",
    group: "bootstrap.capz.io",
    resources: ["bootstrapverdicts"],
    verbs: ["list", "watch", "create", "patch", "delete"],
    why: "The verdict objects, its own; delete after they have been kept",
  },
  { role: "tell", group: "events.k8s.io", resources: ["events"], verbs: ["create"], why: "Events on owners" },
  {
    role: "annotate",
    group: "cluster.x-k8s.io",
    resources: ["machines"],
    verbs: ["patch"],
    why: "The annotation remediate-machine, for health checks before 1.12; a role of its own, because it cannot be narrowed to metadata",
  },
];

/** Actions of the role in Azure; it only reads. */
export const azureActions: readonly { readonly action: string; readonly why: string }[] = [
  {
    action: "Microsoft.Compute/virtualMachines/read",
    why: "A VM with its instance view; the VMs of a Flexible scale set",
  },
  { action: "Microsoft.Compute/virtualMachines/instanceView/read", why: "The instance view in that answer" },
  { action: "Microsoft.Compute/virtualMachineScaleSets/read", why: "The scale set that a list is filtered by" },
  {
    action: "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read",
    why: "All instances of a Uniform scale set in one list",
  },
  {
    action: "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/instanceView/read",
    why: "Their instance views in that answer",
  },
];

/** What a question to Azure needs (Azure RBAC: Microsoft.Compute resource provider operations); `path` in lower case. */
export function armActionsOf({
  path,
  query,
}: {
  readonly path: string;
  readonly query: URLSearchParams;
}): readonly string[] {
  const compute = "Microsoft.Compute";
  const view = query.get("$expand") === "instanceView";
  if (/\/virtualmachinescalesets\/[^/]+\/virtualmachines(?:\/|$)/u.test(path)) {
    const instances = `${compute}/virtualMachineScaleSets/virtualMachines`;
    return [`${instances}/read`, ...(view ? [`${instances}/instanceView/read`] : [])];
  }
  if (!/\/virtualmachines(?:\/[^/]+)?$/u.test(path)) return [path];
  const filtered = query.has("$filter") ? [`${compute}/virtualMachineScaleSets/read`] : [];
  return [
    `${compute}/virtualMachines/read`,
    ...(view ? [`${compute}/virtualMachines/instanceView/read`] : []),
    ...filtered,
  ];
}

/** "cluster.x-k8s.io/machines/status patch" for each right. */
export function rightWords(list: readonly Right[] = rights): ReadonlySet<string> {
  return new Set(
    list.flatMap(({ group, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${group}/${resource} ${verb}`)),
    ),
  );
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly watch: boolean;
  readonly status?: number;
}

function verbOfGet(watch: boolean, name: string | undefined): string {
  if (watch) return "watch";
  return name === undefined ? "list" : "get";
}

/** What a request needs (Kubernetes: "Authorization Overview", verbs); discovery is open to every account. */
export function rightOf({ method, path, watch, status }: SeenRequest): readonly string[] {
  const [, apis, group = "", , ...rest] = path.split("/");
  if (apis !== "apis" || rest.length === 0) return [];
  const [resource = "", name, subresource] = rest[0] === "namespaces" ? rest.slice(2) : rest;
  const what = [group, resource, ...(subresource === undefined ? [] : [subresource])].join("/");
  switch (method) {
    case "GET":
      return [`${what} ${verbOfGet(watch, name)}`];
    case "PATCH":
      // An apply that made the object needed both.
      return status === 201 ? [`${what} patch`, `${what} create`] : [`${what} patch`];
    case "POST":
      return [`${what} create`];
    default:
      return [`${what} ${method.toLowerCase()}`];
  }
}
