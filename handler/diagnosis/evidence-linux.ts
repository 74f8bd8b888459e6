import { file, presence, type EvidenceSource } from "./evidence-source.ts";

const mebibyte = 1024 * 1024;

const units = [
  ..."cloud-init-local cloud-init cloud-init-network cloud-config cloud-final kubelet containerd crio docker".split(
    " ",
  ),
  ..."cri-docker kubeadm rke2-server rke2-agent k3s k3s-agent k0scontroller k0sworker".split(" "),
  ..."snap.microk8s.daemon-kubelite snap.microk8s.daemon-containerd snap.k8s.kubelet systemd-resolved".split(" "),
].map((name) => `${name}.service`);
const unitProperties = "Id,LoadState,ActiveState,SubState,Result,ExecMainStatus,NRestarts";

/**
 * What a root process can read on a Linux node that failed. Bootstrap data (user-data, kubeadm.yaml, kubeconfig files) is
 * only looked at for being there: it holds tokens and keys.
 */
export const linuxEvidence: readonly EvidenceSource[] = [
  {
    source: "cloud-init-status",
    origin: "/run/cloud-init/result.json",
    read: { kind: "file", paths: ["/run/cloud-init/result.json", "/var/lib/cloud/data/result.json"] },
  },
  {
    source: "cloud-init-status",
    origin: "/run/cloud-init/status.json",
    read: { kind: "file", paths: ["/run/cloud-init/status.json", "/var/lib/cloud/data/status.json"] },
  },
  {
    source: "cloud-init-output",
    also: ["kubeadm", "command-output"],
    origin: "/var/log/cloud-init-output.log",
    read: { kind: "file", paths: ["/var/log/cloud-init-output.log"] },
    maxBytes: 64 * mebibyte,
  },
  {
    source: "cloud-init",
    origin: "/var/log/cloud-init.log",
    read: { kind: "file", paths: ["/var/log/cloud-init.log"] },
    maxBytes: 32 * mebibyte,
  },
  {
    source: "kubeadm",
    also: ["bootstrap-unit"],
    origin: "journalctl -u kubeadm",
    read: { kind: "journal", matches: ["-u", "kubeadm"] },
  },
  {
    source: "kubeadm",
    origin: "/run/cluster-api/bootstrap-error.log",
    read: { kind: "file", paths: ["/run/cluster-api/bootstrap-error.log"] },
    maxBytes: mebibyte,
  },
  {
    source: "units",
    origin: "systemctl show",
    read: { kind: "command", command: ["systemctl", "show", "-p", unitProperties, ...units], show: showUnits },
  },
  {
    source: "units",
    origin: "systemctl --failed",
    read: { kind: "command", command: ["systemctl", "--failed", "--no-legend", "--plain", "--no-pager"] },
  },
  {
    source: "units",
    origin: "ps",
    read: { kind: "command", command: ["ps", "-eo", "pid,ppid,etimes,stat,args"], show: showProcesses },
  },
  journal("bootstrap-unit", "cloud-final", ["cloud-config", "cloud-final"], ["cloud-init-output", "kubeadm"]),
  journal(
    "bootstrap-unit",
    "rke2-* k3s* k0s*",
    ["rke2-*", "k3s*", "k0s*", "snap.microk8s.*", "snap.k8s.*"],
    ["kubelet"],
  ),
  journal("kubelet", "kubelet", ["kubelet"]),
  journal("runtime", "containerd", ["containerd", "crio", "docker", "cri-docker"]),
  { source: "ignition", origin: "journalctl -t ignition", read: { kind: "journal", matches: ["-t", "ignition"] } },
  { source: "kernel", origin: "journalctl -k", read: { kind: "journal", matches: ["-k"] }, maxBytes: 2 * mebibyte },
  {
    source: "system",
    origin: "journalctl -p warning",
    read: { kind: "journal", matches: ["-p", "warning"] },
    maxBytes: 2 * mebibyte,
  },
  journal("guest-agent", "walinuxagent", ["walinuxagent", "waagent"]),
  file("kubelet", "/var/lib/rancher/rke2/agent/logs/kubelet.log"),
  file("runtime", "/var/lib/rancher/rke2/agent/containerd/containerd.log"),
  file("runtime", "/var/lib/rancher/k3s/agent/containerd/containerd.log"),
  file("bootstrap-unit", "/var/log/k3s.log"),
  newest("system", "/var/log/pods/kube-system_*/*/*.log", 8),
  {
    source: "runtime",
    origin: "crictl ps -a",
    read: { kind: "command", command: ["crictl", "--timeout", "2s", "ps", "-a"] },
    timeoutMs: 3000,
  },
  file("guest-agent", "/var/log/waagent.log"),
  newest("guest-agent", "/var/log/azure/*/*.log", 6),
  newest("azure", "/var/log/azure/*.log", 4),
  file("azure", "/var/log/azure/aks/provision.json"),
  file("system", "/var/log/audit/audit.log"),
  withoutJournal("system", ["/var/log/syslog", "/var/log/messages"]),
  withoutJournal("bootstrap-unit", ["/var/log/rc.log"]),
  withoutJournal("kubelet", ["/var/log/kubelet/kubelet.log", "/var/log/kubelet.log"]),
  withoutJournal("runtime", ["/var/log/containerd/containerd.log", "/var/log/containerd.log"]),
  withoutJournal("kernel", ["/var/log/kern.log", "/var/log/dmesg"]),
  presence([
    "/run/cluster-api/placeholder",
    "/run/cluster-api/bootstrap-success.complete",
    "/etc/cluster-api/bootstrap-success.complete",
    "/run/kubeadm/kubeadm.yaml",
    "/run/kubeadm/kubeadm-join-config.yaml",
    "/etc/kubeadm.yml",
    "/etc/kubernetes/bootstrap-kubelet.conf",
    "/etc/kubernetes/kubelet.conf",
    "/var/lib/kubelet/config.yaml",
    "/var/lib/kubelet/kubeadm-flags.env",
    "/var/lib/kubelet/pki/kubelet-client-current.pem",
    "/etc/kubernetes/manifests/kube-apiserver.yaml",
    "/var/lib/cloud/instance/user-data.txt",
    "/var/lib/cloud/instance/scripts/runcmd",
    "/var/lib/cloud/instance/boot-finished",
    "/etc/cloud/cloud-init.disabled",
    "/run/cloud-init/enabled",
    "/run/cloud-init/disabled",
  ]),
];

function newest(source: EvidenceSource["source"], path: string, count: number): EvidenceSource {
  return { source, origin: path, read: { kind: "file", paths: [path], newest: count }, maxBytes: 4 * mebibyte };
}

function withoutJournal(source: EvidenceSource["source"], paths: readonly [string, ...string[]]): EvidenceSource {
  return {
    source,
    also: ["kubelet", "runtime", "bootstrap-unit", "kernel", "cloud-init-output", "ignition"],
    origin: paths[0],
    read: { kind: "file", paths, insteadOfJournal: true },
    maxBytes: 32 * mebibyte,
  };
}

function journal(
  source: EvidenceSource["source"],
  name: string,
  ...[unitNames, also]: readonly [units: readonly string[], also?: readonly EvidenceSource["source"][]]
): EvidenceSource {
  const matches = unitNames.flatMap((unit) => ["-u", unit]);
  const row = { source, origin: `journalctl -u ${name}`, read: { kind: "journal", matches } } as const;
  return also === undefined ? row : { ...row, also };
}

/** Blocks of `systemctl show` as one line per unit: `kubelet.service ActiveState=failed …`; units that do not exist are left out. */
export function showUnits(output: string): string {
  return output
    .split("\n\n")
    .map((block) => new Map(block.split("\n").flatMap(splitProperty)))
    .filter((unit) => unit.has("Id") && unit.get("LoadState") !== "not-found")
    .map(
      (unit) =>
        `${unit.get("Id") ?? ""} ${[...unit]
          .filter(([name]) => name !== "Id")
          .map((pair) => pair.join("="))
          .join(" ")}`,
    )
    .join("\n");
}

const partsOfBootstrap = new Set(
  "kubeadm kubelet cloud runcmd apt dpkg dnf yum snap curl wget containerd crictl ctr rke2 k3s k0s microk8s etcd kube".split(
    " ",
  ),
);

/** What still runs: cloud-init shows a command's output only after its end, so a hung one leaves no other trace. */
export function showProcesses(output: string): string {
  const [head = "", ...rows] = output.split("\n");
  const shown = rows.filter(
    (row) => row.split(/[^a-z0-9]+/).some((word) => partsOfBootstrap.has(word)) && !row.includes("capz-bootstrap"),
  );
  return [head, ...shown.map((row) => row.slice(0, 400))].join("\n");
}

function splitProperty(line: string): readonly [string, string][] {
  const at = line.indexOf("=");
  return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
}
