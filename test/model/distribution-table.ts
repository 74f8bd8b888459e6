/**
 * The distributions that run their node in one service. Only k3s chains its sentinel with && (to the installer); RKE2, k0s and
 * Canonical Kubernetes write it in a command of its own, after whatever came before; MicroK8s never writes one.
 */
export interface Distribution {
  /** systemctl start waits until the node is up (Type=notify), or goes on at once. */
  readonly notifies: boolean;
  readonly kubeconfig: string;
  readonly certificate: string;
  /** Its certificate is made again, in the name of the host, at each start of the service. */
  readonly renewsAtStart: boolean;
  readonly issuer: string;
  readonly sentinel: "chained" | "always" | "never";
}

const rancher = (name: "rke2" | "k3s"): Distribution => ({
  notifies: true,
  kubeconfig: `/var/lib/rancher/${name}/agent/kubelet.kubeconfig`,
  certificate: `/var/lib/rancher/${name}/agent/client-kubelet.crt`,
  renewsAtStart: true,
  issuer: `CN=${name}-client-ca@1700000000`,
  sentinel: name === "k3s" ? "chained" : "always",
});

export const distributions = {
  rke2: rancher("rke2"),
  k3s: rancher("k3s"),
  k0s: {
    notifies: false,
    kubeconfig: "/var/lib/k0s/kubelet.conf",
    certificate: "/var/lib/k0s/kubelet/pki/kubelet-client-current.pem",
    renewsAtStart: false,
    issuer: "CN=kubernetes-ca",
    sentinel: "always",
  },
  microk8s: {
    notifies: false,
    kubeconfig: "/var/snap/microk8s/current/credentials/kubelet.config",
    certificate: "/var/snap/microk8s/current/certs/kubelet.crt",
    renewsAtStart: false,
    issuer: "CN=10.152.183.1",
    sentinel: "never",
  },
  "canonical-kubernetes": {
    notifies: true,
    kubeconfig: "/etc/kubernetes/kubelet.conf",
    certificate: "/etc/kubernetes/pki/kubelet-client.crt",
    renewsAtStart: false,
    issuer: "CN=kubernetes-ca-client",
    sentinel: "always",
  },
} satisfies Readonly<Record<string, Distribution>>;

export type DistributionName = keyof typeof distributions;
