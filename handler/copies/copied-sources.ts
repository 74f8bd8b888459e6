import type { EvidenceSource } from "../diagnosis/evidence-source.ts";
import type { SourceId } from "../diagnosis/diagnosis.ts";

const mebibyte = 1024 * 1024;

/** Rules of all these apply to a text that holds a bit of everything: a whole journal, a serial console, a pipeline's output. */
const everything: readonly SourceId[] = [
  "cloud-init-output",
  "cloud-init",
  "kubeadm",
  "command-output",
  "kubelet",
  "runtime",
  "bootstrap-unit",
  "kernel",
  "ignition",
  "guest-agent",
  "azure",
];

interface Row {
  /** Below the folder of one machine. */
  readonly paths: readonly string[];
  readonly source: SourceId;
  readonly also?: readonly SourceId[];
  readonly newest?: number;
}

/**
 * What collectors write beside, or in place of, copies of a node's own files. A row each; the node's own paths are in the
 * evidence tables of handler/platform.
 */
const rows: readonly Row[] = [
  // CAPZ's log collector: a folder for each machine, each file the output of one command on it (in its end-to-end tests).
  { paths: ["/kubelet.log"], source: "kubelet" },
  { paths: ["/containerd.log"], source: "runtime" },
  { paths: ["/ignition.log"], source: "ignition" },
  { paths: ["/kube-apiserver.log"], source: "system" },
  { paths: ["/cni.log"], source: "system" },
  { paths: ["/cloudbase-init.log"], source: "cloudbase-init", also: ["command-output", "kubeadm"] },
  { paths: ["/cloudbase-init-unattend.log"], source: "cloudbase-init", also: ["command-output", "kubeadm"] },
  { paths: ["/hyperv-operation.log"], source: "windows-events" },
  { paths: ["/scm.log"], source: "windows-events" },
  { paths: ["/reboots.log"], source: "windows-events" },
  // Its whole journal, and the serial console that it fetches from boot diagnostics.
  { paths: ["/journal.log"], source: "system", also: everything },
  { paths: ["/boot.log", "/serial-console.log", "/*.serialconsole.log"], source: "system", also: everything },
  // sosreport: outputs of commands below sos_commands/<plugin>, named after the command.
  {
    paths: [
      "/sos_commands/logs/journalctl_--no-pager_--boot",
      "/sos_commands/logs/journalctl_--no-pager_--catalog_--boot",
    ],
    source: "system",
    also: everything,
  },
  { paths: ["/sos_commands/*/journalctl_--no-pager_--unit_kubelet*"], source: "kubelet", newest: 2 },
  { paths: ["/sos_commands/*/journalctl_--no-pager_--unit_containerd*"], source: "runtime", newest: 2 },
  { paths: ["/sos_commands/*/journalctl_--no-pager_--unit_crio*"], source: "runtime", newest: 2 },
  { paths: ["/sos_commands/*/journalctl_--no-pager_--unit_rke2*"], source: "bootstrap-unit", newest: 2 },
  { paths: ["/sos_commands/*/journalctl_--no-pager_--unit_k3s*"], source: "bootstrap-unit", newest: 2 },
  {
    paths: ["/sos_commands/*/journalctl_--no-pager_--unit_cloud-*"],
    source: "bootstrap-unit",
    also: ["cloud-init-output", "kubeadm"],
    newest: 4,
  },
  { paths: ["/sos_commands/systemd/systemctl_list-units_--failed"], source: "units" },
  { paths: ["/sos_commands/kernel/dmesg*"], source: "kernel" },
  // Rancher's log collector: journals named after their units, copies of logs, and what RKE2 keeps of its kubelet.
  { paths: ["/journald/rke2-*", "/journald/k3s*"], source: "bootstrap-unit", newest: 4 },
  { paths: ["/journald/rancher-system-agent"], source: "bootstrap-unit", also: ["command-output"] },
  { paths: ["/journald/kubelet", "/rke2/agent-logs/kubelet.log"], source: "kubelet", newest: 2 },
  { paths: ["/journald/containerd", "/rke2/agent-logs/containerd.log"], source: "runtime", newest: 2 },
  { paths: ["/systemlogs/cloud-init-output.log"], source: "cloud-init-output", also: ["kubeadm"] },
  { paths: ["/systemlogs/cloud-init.log"], source: "cloud-init" },
  { paths: ["/systemlogs/syslog", "/systemlogs/messages"], source: "system", also: everything },
  { paths: ["/rke2/podlogs/kube-system-*", "/k3s/podlogs/kube-system-*"], source: "system", newest: 8 },
  // `microk8s inspect` and `k8s inspect`: a folder for each service of the snap.
  { paths: ["/snap.*/journal.log"], source: "bootstrap-unit", also: ["kubelet", "runtime"], newest: 12 },
  { paths: ["/apparmor/dmesg"], source: "kernel" },
  // AKS: the node's own files, beside outputs of commands in `collect`; on Windows flat copies.
  { paths: ["/collect/systemctl-status.txt"], source: "system", also: everything },
  { paths: ["/CustomDataSetupScript.log", "/AzureData/CustomDataSetupScript.log"], source: "azure" },
  { paths: ["/kubelet.err.log", "/k/kubelet.err.log"], source: "kubelet" },
  // What Packer prints while image-builder makes an image.
  { paths: ["/packer*.log", "/*-packer.log", "/image-builder*.log"], source: "command-output", also: everything },
];

/** Read before the node's own files, in every copy of a machine; what is not there is not worth a word. */
export const copiedSources: readonly EvidenceSource[] = rows.map(({ paths, source, also, newest }) => ({
  source,
  ...(also === undefined ? {} : { also }),
  origin: paths[0] ?? "",
  read: { kind: "file", paths, newest: newest ?? 1 },
  maxBytes: 32 * mebibyte,
}));

/** How a single log is read, by the name under which a node or a collector writes it. */
const singleLogs: readonly { readonly name: RegExp; readonly source: SourceId; readonly also?: readonly SourceId[] }[] =
  [
    { name: /^cloud-init-output/iu, source: "cloud-init-output", also: ["kubeadm", "command-output"] },
    { name: /^cloud-init/iu, source: "cloud-init" },
    { name: /^cloudbase-init/iu, source: "cloudbase-init", also: ["command-output", "kubeadm"] },
    { name: /^kubelet/iu, source: "kubelet" },
    { name: /^containerd|^cri-?o/iu, source: "runtime" },
    { name: /^waagent|^WaAppAgent/iu, source: "guest-agent" },
  ];

/** One log, whatever its name: one that no collector writes may hold anything. */
export function singleLogSource(name: string): EvidenceSource {
  const known = singleLogs.find((row) => row.name.test(name));
  const also = known === undefined ? everything : known.also;
  return {
    source: known?.source ?? "system",
    ...(also === undefined ? {} : { also }),
    origin: name,
    read: { kind: "file", paths: [`/${name}`] },
    maxBytes: 128 * mebibyte,
  };
}

/** A name that only a machine's own log has. */
export function isKnownLog(name: string): boolean {
  return singleLogs.some((row) => row.name.test(name));
}
