import type { StatusKind } from "../../../handler/contract/status.ts";

/** A status as a node may have written it: its texts are anybody's, not only what the handler would show. */
export interface NodeStatus {
  readonly kind: StatusKind;
  readonly code: number;
  readonly message: string;
  readonly substatuses: readonly { readonly name: string; readonly status: StatusKind; readonly message: string }[];
}

export interface PlayedVm {
  readonly id: string;
  readonly vmId?: string;
  readonly status?: NodeStatus;
  /** When the agent reported the status. */
  readonly time?: string;
  /** Anything that stands in the place of our extension's status. */
  readonly extension?: Readonly<Record<string, unknown>>;
  readonly agentReady?: boolean;
  readonly timeCreated?: string;
  /** A scale set of the kind Flexible makes VMs; Uniform makes instances. */
  readonly type?: string;
}

/** ARM's answer for a VM with `$expand=instanceView`, in the published shape (VirtualMachine_Get_InstanceView). */
export function azureVm(vm: PlayedVm): Readonly<Record<string, unknown>> {
  const name = vm.id.split("/").at(-1);
  const extensions =
    vm.extension === undefined ? (vm.status === undefined ? [] : [extensionOf(vm.status, vm.time)]) : [vm.extension];
  const ready = vm.agentReady ?? true;
  return {
    id: vm.id,
    name,
    type: vm.type ?? "Microsoft.Compute/virtualMachines",
    location: "westeurope",
    properties: {
      ...(vm.vmId === undefined ? {} : { vmId: vm.vmId }),
      timeCreated: vm.timeCreated ?? "2026-01-31T11:58:00.1234567+00:00",
      provisioningState: "Updating",
      instanceView: {
        vmAgent: {
          vmAgentVersion: "2.7.3.0",
          statuses: [
            ready
              ? {
                  code: "ProvisioningState/succeeded",
                  level: "Info",
                  displayStatus: "Ready",
                  message: "Guest Agent is running",
                }
              : {
                  code: "ProvisioningState/Unavailable",
                  level: "Warning",
                  displayStatus: "Not Ready",
                  message: "VM status blob is found but not yet populated.",
                },
          ],
        },
        extensions,
        statuses: [{ code: "PowerState/running", level: "Info", displayStatus: "VM running" }],
      },
    },
  };
}

const states = { success: "succeeded", error: "failed", transitioning: "transitioning", warning: "warning" } as const;

/** An entry of `instanceView.extensions` as Azure makes it of a status file. */
export function extensionOf(status: NodeStatus, time = "2026-01-31T12:01:15+00:00"): Readonly<Record<string, unknown>> {
  const code = status.kind === "error" ? `/${String(status.code)}` : "";
  return {
    name: "CAPZ.Linux.Bootstrapping",
    type: "Contoso.CAPZ.Linux.Bootstrapping",
    typeHandlerVersion: "1.0.0",
    statuses: [
      {
        code: `ProvisioningState/${states[status.kind]}${code}`,
        level: status.kind === "error" ? "Error" : "Info",
        displayStatus: `Provisioning ${states[status.kind]}`,
        message: status.message,
        time,
      },
    ],
    substatuses: status.substatuses.map(({ name, status: kind, message }) => ({
      code: `ComponentStatus/${name}/${states[kind]}`,
      level: "Info",
      displayStatus: "Provisioning succeeded",
      message,
    })),
  };
}
