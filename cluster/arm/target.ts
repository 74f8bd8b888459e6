/** What one question to ARM is about: a VM, or all instances of a scale set at once. */
export interface ArmTarget {
  readonly kind: "vm" | "uniform" | "flexible";
  /** Resource id of the VM or the scale set, lower case. */
  readonly id: string;
  readonly subscription: string;
  readonly resourceGroup: string;
}

export interface PlacedMachine {
  readonly target: ArmTarget;
  /** Resource id of the machine itself, lower case. */
  readonly id: string;
}

const prefix = "azure://";
const vmPattern =
  /^\/subscriptions\/([\w-]{1,64})\/resourcegroups\/([\w.()-]{1,90})\/providers\/microsoft\.compute\/virtualmachines\/[\w.-]{1,90}$/u;
const instancePattern =
  /^(\/subscriptions\/([\w-]{1,64})\/resourcegroups\/([\w.()-]{1,90})\/providers\/microsoft\.compute\/virtualmachinescalesets\/[\w.-]{1,90})\/virtualmachines\/[\w.-]{1,90}$/u;
const scaleSetPattern =
  /^\/subscriptions\/[\w-]{1,64}\/resourcegroups\/[\w.()-]{1,90}\/providers\/microsoft\.compute\/virtualmachinescalesets\/[\w.-]{1,90}$/u;

/**
 * Where the verdict of a machine is to be asked for. `providerId` is that of the machine; `scaleSetId` that of its AzureMachinePool, by which a
 * VM of a Flexible scale set is known. Undefined for what is no machine of Azure: it never gets into a URL.
 */
export function placeMachine(providerId: string | undefined, scaleSetId?: string): PlacedMachine | undefined {
  const id = bare(providerId);
  if (id === undefined) return undefined;
  const instance = instancePattern.exec(id);
  if (instance !== null) {
    const [, scaleSet = "", subscription = "", resourceGroup = ""] = instance;
    return { id, target: { kind: "uniform", id: scaleSet, subscription, resourceGroup } };
  }
  const vm = vmPattern.exec(id);
  if (vm === null) return undefined;
  const [, subscription = "", resourceGroup = ""] = vm;
  const set = bare(scaleSetId);
  if (set !== undefined && scaleSetPattern.test(set)) {
    return { id, target: { kind: "flexible", id: set, subscription, resourceGroup } };
  }
  return { id, target: { kind: "vm", id, subscription, resourceGroup } };
}

function bare(providerId: string | undefined): string | undefined {
  const id = providerId?.startsWith(prefix) === true ? providerId.slice(prefix.length) : providerId;
  return id === undefined || id === "" ? undefined : id.toLowerCase();
}

/** API version of 2024-07-01 has `timeCreated` on VMs and on instances, and the expansion of the filtered list. */
const apiVersion = "2024-07-01";

/** Path and query of the question; one list answers for all instances of a scale set. */
export function questionOf(target: ArmTarget): string {
  switch (target.kind) {
    case "vm":
      return `${target.id}?api-version=${apiVersion}&$expand=instanceView`;
    case "uniform":
      return `${target.id}/virtualMachines?api-version=${apiVersion}&$expand=instanceView`;
    case "flexible": {
      const filter = encodeURIComponent(`'virtualMachineScaleSet/id' eq '${target.id}'`);
      const group = `/subscriptions/${target.subscription}/resourceGroups/${target.resourceGroup}`;
      return `${group}/providers/Microsoft.Compute/virtualMachines?api-version=${apiVersion}&$filter=${filter}&$expand=instanceView`;
    }
  }
}
