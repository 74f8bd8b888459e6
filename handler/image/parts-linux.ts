import { clear, remove, sharedParts, type ImagePart } from "./image-part.ts";

const nodeServices = [
  "kubelet.service",
  "rke2-server.service",
  "rke2-agent.service",
  "k3s.service",
  "k3s-agent.service",
  "k0scontroller.service",
  "k0sworker.service",
  "snap.microk8s.daemon-kubelite.service",
  "snap.k8s.kubelet.service",
];

/** Where the Linux agent unpacks a handler of ours, whoever publishes it (WALinuxAgent: /var/lib/waagent/NAME-VERSION). */
const handlerFolder = "/var/lib/waagent/*.CAPZ.Linux.Bootstrapping-*";

/** What a Linux machine carries that its clones must not. Paths as the machine has them. */
export const linuxParts: readonly ImagePart[] = [
  {
    ...sharedParts.ownState,
    targets: clear("/var/lib/capz-bootstrap"),
    services: [],
  },
  {
    ...sharedParts.handlerFolders,
    // The same that the agent's own deprovision takes from a handler's folder (WALinuxAgent: del_ext_handler_files).
    targets: remove(
      `${handlerFolder}/mrseq`,
      `${handlerFolder}/.capz-*`,
      `${handlerFolder}/status/*.status`,
      `${handlerFolder}/config/*.settings`,
      `${handlerFolder}/config/HandlerStatus`,
    ),
    services: [],
  },
  {
    ...sharedParts.sentinels,
    targets: remove(
      "/run/cluster-api/bootstrap-success.complete",
      "/run/cluster-api/bootstrap-failed.json",
      "/etc/cluster-api/bootstrap-success.complete",
    ),
    services: [],
  },
  {
    ...sharedParts.nodeIdentity,
    targets: [
      { kind: "named-by", kubeconfig: "/etc/kubernetes/kubelet.conf" },
      ...remove("/etc/kubernetes/kubelet.conf", "/etc/kubernetes/bootstrap-kubelet.conf", "/etc/rancher/node/password"),
      ...clear("/var/lib/kubelet/pki", "/var/lib/k0s/kubelet/pki"),
      ...remove("/var/lib/rancher/rke2/agent/*.kubeconfig", "/var/lib/rancher/rke2/agent/*.crt"),
      ...remove("/var/lib/rancher/rke2/agent/*.key", "/var/lib/rancher/k3s/agent/*.kubeconfig"),
      ...remove("/var/lib/rancher/k3s/agent/*.crt", "/var/lib/rancher/k3s/agent/*.key", "/var/lib/k0s/kubelet.conf"),
      ...remove("/var/snap/microk8s/current/credentials/kubelet.config", "/var/snap/microk8s/current/certs/kubelet.*"),
      ...remove("/etc/kubernetes/pki/kubelet*"),
    ],
    services: nodeServices,
  },
  {
    name: "kubeadm-leftovers",
    what: "what kubeadm wrote, or k3s, RKE2, k0s and snaps in its place: configuration, static pods, the cluster's keys, administrators' kubeconfigs, etcd's data",
    when: "asked",
    targets: [
      ...remove("/run/kubeadm", "/etc/kubeadm.yml", "/etc/kubeadm.sh", "/etc/kubernetes/*.conf"),
      ...clear("/etc/kubernetes/manifests", "/etc/kubernetes/pki", "/var/lib/etcd"),
      // CAPZ's own disk for it.
      ...clear("/var/lib/etcddisk/etcd"),
      ...remove(
        "/var/lib/kubelet/config.yaml",
        "/var/lib/kubelet/kubeadm-flags.env",
        "/var/lib/kubelet/instance-config.yaml",
      ),
      ...remove("/var/lib/kubelet/cpu_manager_state", "/var/lib/kubelet/memory_manager_state"),
      // A server of these keeps its cluster's keys and data; each keeps the token and the address it joined by.
      ...clear("/var/lib/rancher/k3s/server", "/var/lib/rancher/rke2/server", "/var/lib/k0s/pki", "/var/lib/k0s/etcd"),
      ...clear("/var/lib/rancher/k3s/agent/pod-manifests", "/var/lib/rancher/rke2/agent/pod-manifests"),
      ...remove(
        // The token again, where the installer of k3s put it; and the servers of the old cluster, which would be asked first.
        ...["/etc/systemd/system/k3s*.service.env", "/var/lib/rancher/k3s/agent/etc/*load-balancer.json"],
        "/var/lib/rancher/rke2/agent/etc/*load-balancer.json",
        // Not registries.yaml and the like, which builders of images put there.
        ...["/etc/rancher/k3s/config.yaml*", "/etc/rancher/k3s/k3s.yaml"],
        ...["/etc/rancher/rke2/config.yaml*", "/etc/rancher/rke2/rke2.yaml"],
        "/var/lib/k0s/db",
        "/etc/k0s.token",
        "/etc/k0s/k0stoken",
      ),
      ...clear("/var/snap/microk8s/current/var/kubernetes/backend", "/var/snap/k8s/common/var/lib/k8sd/state"),
    ],
    services: nodeServices,
  },
  {
    name: "instance-data",
    what: "what cloud-init keeps of this instance: its user data, its marks of what ran, its logs",
    when: "asked",
    targets: [
      ...remove("/var/lib/cloud/instance", "/var/log/cloud-init*.log*"),
      ...clear("/var/lib/cloud/instances", "/var/lib/cloud/data", "/var/lib/cloud/sem", "/run/cloud-init"),
    ],
    services: [],
  },
  {
    name: "machine-id",
    what: "the machine id of systemd; the first boot of a clone makes a new one",
    when: "asked",
    targets: [{ kind: "empty", path: "/etc/machine-id" }, ...remove("/var/lib/dbus/machine-id")],
    services: [],
  },
  {
    name: "journals",
    what: "journals, and the logs and reports of this extension",
    when: "asked",
    targets: [
      ...clear("/var/log/journal", "/run/log/journal"),
      ...clear("/var/log/azure/*.CAPZ.Linux.Bootstrapping", "/var/log/capz-bootstrap"),
    ],
    services: [],
  },
  {
    ...sharedParts.shellHistory,
    targets: remove("/root/.*_history", "/home/*/.*_history"),
    services: [],
  },
];
