import type { System } from "./evidence.ts";

/** Where a distribution keeps what proves a joined node. */
export interface NodeLayout {
  readonly name: string;
  readonly kubeconfig: string;
  readonly certificate: string;
  /** Any one of them holds the kubelet. */
  readonly services: readonly string[];
  /** Files that may tell of another folder for all its data, or of another address of its kubelet's health. */
  readonly configuration?: readonly string[];
  /** Written whenever its service is installed, which goes on for ever with what it joined with. */
  readonly units?: readonly string[];
  /** One certificate may serve all nodes: it names none. */
  readonly sharesCertificate?: true;
}

const kubeadm: NodeLayout = {
  name: "kubeadm",
  kubeconfig: "/etc/kubernetes/kubelet.conf",
  certificate: "/var/lib/kubelet/pki/kubelet-client-current.pem",
  services: ["kubelet.service"],
  configuration: [
    ...["/var/lib/kubelet/config.yaml", "/var/lib/kubelet/kubeadm-flags.env"],
    ...["/etc/default/kubelet", "/etc/sysconfig/kubelet", "/etc/systemd/system/kubelet.service"],
  ],
};

const k0sUnits = ["/etc/systemd/system/k0sworker.service", "/etc/systemd/system/k0scontroller.service"];

const layouts: Readonly<Record<string, NodeLayout>> = {
  kubeadm,
  /** Nodes of AKS Engine and of images like it. */
  aks: {
    name: "aks",
    kubeconfig: "/var/lib/kubelet/kubeconfig",
    certificate: "/etc/kubernetes/certs/client.crt",
    services: ["kubelet.service"],
    sharesCertificate: true,
  },
  /** Nodes of today's AKS image, each with a certificate of its own. */
  "aks-tls": {
    name: "aks-tls",
    kubeconfig: "/var/lib/kubelet/kubeconfig",
    certificate: kubeadm.certificate,
    services: ["kubelet.service"],
  },
  rke2: {
    name: "rke2",
    kubeconfig: "/var/lib/rancher/rke2/agent/kubelet.kubeconfig",
    certificate: "/var/lib/rancher/rke2/agent/client-kubelet.crt",
    services: ["rke2-server.service", "rke2-agent.service"],
    configuration: ["/etc/rancher/rke2/config.yaml"],
  },
  k3s: {
    name: "k3s",
    kubeconfig: "/var/lib/rancher/k3s/agent/kubelet.kubeconfig",
    certificate: "/var/lib/rancher/k3s/agent/client-kubelet.crt",
    services: ["k3s.service", "k3s-agent.service"],
    configuration: [
      "/etc/rancher/k3s/config.yaml",
      "/etc/systemd/system/k3s.service",
      "/etc/systemd/system/k3s-agent.service",
    ],
  },
  k0s: {
    name: "k0s",
    kubeconfig: "/var/lib/k0s/kubelet.conf",
    certificate: "/var/lib/k0s/kubelet/pki/kubelet-client-current.pem",
    services: ["k0scontroller.service", "k0sworker.service"],
    configuration: k0sUnits,
    units: k0sUnits,
  },
  microk8s: {
    name: "microk8s",
    kubeconfig: "/var/snap/microk8s/current/credentials/kubelet.config",
    certificate: "/var/snap/microk8s/current/certs/kubelet.crt",
    services: ["snap.microk8s.daemon-kubelite.service"],
  },
  "canonical-kubernetes": {
    name: "canonical-kubernetes",
    kubeconfig: "/etc/kubernetes/kubelet.conf",
    certificate: "/etc/kubernetes/pki/kubelet-client.crt",
    services: ["snap.k8s.kubelet.service"],
  },
};

/** Runs the commands of the user data, once in a boot, where Ignition wrote it. */
export const installUnits: Readonly<Record<string, string>> = {
  rke2: "rke2-install.service",
  k0s: "k0s-bootstrap.service",
};

const windowsServices: Readonly<Record<string, readonly string[]>> = {
  kubeadm: ["kubelet"],
  k0s: ["k0sworker"],
};

/** A path of the page "Linux" as this system writes it. */
export function systemPath(system: System, path: string): string {
  return system === "linux" ? path : `C:${path.replaceAll("/", "\\")}`;
}

/** The layouts by which a provider's node can be proved, in the order in which they are looked at. */
export function layoutsOf(system: System, provider: string): readonly NodeLayout[] {
  return namesOf(system, provider).flatMap((name) => {
    const layout = layouts[name];
    return layout === undefined ? [] : [onSystem(system, layout)];
  });
}

/** The layouts of several providers, each once. */
export function layoutsOfAll(system: System, providers: readonly string[]): readonly NodeLayout[] {
  const all = providers.flatMap((provider) => layoutsOf(system, provider));
  return [...new Map(all.map((layout) => [layout.name, layout])).values()];
}

function namesOf(system: System, provider: string): readonly string[] {
  if (provider === "kubeadm" || provider === "kubeadm-ignition") return ["kubeadm"];
  if (system === "windows") return provider === "k0s" ? ["k0s"] : ["kubeadm"];
  return provider in layouts ? [provider] : ["kubeadm", "aks-tls", "aks"];
}

/** Of systemd and of what its units read. */
const ofLinuxAlone = /^\/etc\/(?:default|sysconfig|systemd)\//u;

function onSystem(system: System, layout: NodeLayout): NodeLayout {
  if (system === "linux") return layout;
  return {
    ...layout,
    kubeconfig: systemPath(system, layout.kubeconfig),
    certificate: systemPath(system, layout.certificate),
    services: windowsServices[layout.name] ?? ["kubelet"],
    configuration: (layout.configuration ?? [])
      .filter((path) => !ofLinuxAlone.test(path))
      .map((path) => systemPath(system, path)),
    units: [],
  };
}
