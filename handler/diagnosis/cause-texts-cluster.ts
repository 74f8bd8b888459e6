import type { CauseText } from "./cause-text.ts";

const kubeadm = "https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/";
const join = "https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/";
const certificates = "https://kubernetes.io/docs/setup/best-practices/certificates/";
const etcd = "https://etcd.io/docs/latest/op-guide/";
const network = "https://kubernetes.io/docs/concepts/cluster-administration/networking/";
const capz = "https://capz.sigs.k8s.io/self-managed/troubleshooting";

/** Causes between the node and its cluster: reachability, trust, join, control plane, network. */
export const clusterCauses = {
  "api-server-cert-invalid": {
    blame: "control-plane",
    retryable: false,
    reference: certificates,
    title: "The API server's certificate does not verify",
    meaning: "Its issuer is not the one that the node trusts, it does not name the address, or it has expired.",
    nextStep:
      "Name the address in KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.apiServer.certSANs; renew what has expired; check that Cluster spec.controlPlaneEndpoint is this cluster's",
  },
  "api-server-unreachable": {
    blame: "network",
    retryable: true,
    reference: kubeadm,
    title: "The API server does not answer",
    meaning:
      "The node calls the control-plane endpoint and gets no answer: nothing listens, or the network drops the packets.",
    nextStep:
      "Check that Cluster spec.controlPlaneEndpoint answers from the node's subnet: AzureCluster spec.networkSpec (subnets, security groups, apiServerLB)",
  },
  "bootstrap-token-invalid-or-expired": {
    blame: "cluster",
    retryable: false,
    reference: join,
    title: "The join token is not valid (any more)",
    meaning: "The token was never valid, was deleted, has expired, or was made for another node.",
    nextStep: "Let Cluster API create the machine again; check that its bootstrap provider runs and renews tokens",
  },
  "ca-cert-hash-mismatch": {
    blame: "cluster",
    retryable: false,
    reference: join,
    title: "The hash is not that of the cluster's CA",
    meaning: "The node reached a cluster whose certificate authority is another one than the join data names.",
    nextStep:
      "Check that Cluster spec.controlPlaneEndpoint belongs to this cluster and that the secret CLUSTER-ca was not replaced",
  },
  "clock-skew": {
    blame: "platform",
    retryable: true,
    reference: "https://learn.microsoft.com/azure/virtual-machines/linux/time-sync",
    title: "The machine's clock is wrong",
    meaning: "Certificates or signatures that are valid look as if they were not valid yet, or no longer.",
    nextStep:
      "Enable time synchronisation in the image (chrony with the Hyper-V clock), and compare date on both machines",
  },
  "cni-install-failed": {
    blame: "cluster",
    retryable: true,
    reference: network,
    title: "The network add-on does not start on the node",
    meaning: "The add-on's installer or agent failed on this node.",
    nextStep:
      "Read the log of the add-on's pod on this node (kubectl -n kube-system logs), its configuration and its service account",
  },
  "cni-not-ready": {
    blame: "cluster",
    retryable: true,
    reference: network,
    title: "There is no usable CNI configuration",
    meaning: "The node waits for a network add-on.",
    nextStep: "Install the network add-on in the workload cluster, and look at its pods on this node",
  },
  "control-plane-component-crash": {
    blame: "configuration",
    retryable: false,
    reference: kubeadm,
    title: "A control-plane container starts and dies",
    meaning: "The API server, scheduler or controller manager ends soon after its start.",
    nextStep:
      "crictl ps -a and crictl logs on the node; KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration extraArgs",
  },
  "control-plane-endpoint-mismatch": {
    blame: "configuration",
    retryable: false,
    reference: capz,
    title: "The address is not the control plane's",
    meaning: "The node uses or advertises an address that is not, or no longer, the right one.",
    nextStep:
      "Compare Cluster spec.controlPlaneEndpoint with the load balancer and with localAPIEndpoint.advertiseAddress",
  },
  "datastore-failed": {
    blame: "control-plane",
    retryable: false,
    reference: etcd,
    title: "The distribution's datastore cannot be used",
    meaning: "The local files are damaged or locked, or the external database refuses.",
    nextStep:
      "Remove this control-plane machine and let another take its place, or correct the external database's settings",
  },
  "distribution-config-invalid": {
    blame: "configuration",
    retryable: false,
    reference: capz,
    title: "The distribution refuses its configuration",
    meaning: "A file, an option or a value is not what this version of the distribution accepts.",
    nextStep:
      "Correct the bootstrap provider's configuration in the control-plane or worker template (RKE2ConfigTemplate, KThreesConfigTemplate, K0sWorkerConfigTemplate, MicroK8sConfigTemplate, CK8sConfigTemplate)",
  },
  "dns-resolution-failed": {
    blame: "network",
    retryable: true,
    reference:
      "https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances",
    title: "A name cannot be resolved",
    meaning: "The node asked for a name that the bootstrap needs and got no address.",
    nextStep:
      "Check the virtual network's DNS servers and the link of the private DNS zone: AzureCluster spec.networkSpec.vnet, privateDNSZoneName",
  },
  "etcd-member-add-failed": {
    blame: "control-plane",
    retryable: true,
    reference: etcd,
    title: "The new etcd member could not be added",
    meaning: "The existing members did not accept the new control-plane node's etcd.",
    nextStep:
      "Check the members (etcdctl member list) and their health; let KubeadmControlPlane replace the failed machine",
  },
  "etcd-unhealthy": {
    blame: "control-plane",
    retryable: true,
    reference: etcd,
    title: "etcd does not work",
    meaning: "etcd ended, does not answer, or has no majority.",
    nextStep:
      "Look at etcd's container on the control-plane machines: crictl logs, ports 2379 and 2380, certificates, disk",
  },
  "join-timeout-unknown": {
    blame: "control-plane",
    retryable: true,
    reference: kubeadm,
    title: "The bootstrap waited and gave up",
    meaning: "A step ran into its time limit, and the log does not say what it waited for.",
    nextStep: "Collect journalctl -u kubelet and crictl ps -a of the node; diagnose those",
  },
  "kubeadm-config-invalid": {
    blame: "configuration",
    retryable: false,
    reference: "https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/",
    title: "kubeadm refuses its configuration",
    meaning: "A field, flag or value is not one that this version of kubeadm accepts.",
    nextStep:
      "Correct KubeadmControlPlane spec.kubeadmConfigSpec or KubeadmConfigTemplate spec.template.spec, or use the version it was written for",
  },
  "kubelet-identity-forbidden": {
    blame: "cluster",
    retryable: false,
    reference: "https://kubernetes.io/docs/reference/access-authn-authz/node/",
    title: "The node's identity may not do what a node does",
    meaning: "The API server knows who calls, but denies the request.",
    nextStep:
      "Check the client certificate's subject (system:node:NAME, group system:nodes) and the role bindings of system:bootstrappers",
  },
  "kubelet-version-skew": {
    blame: "configuration",
    retryable: false,
    reference: "https://kubernetes.io/releases/version-skew-policy/",
    title: "Versions do not fit together",
    meaning: "Kubelet, kubeadm and control plane are of versions that may not be combined.",
    nextStep:
      "Make Machine spec.version and the image's Kubernetes version the same (AzureMachineTemplate spec.template.spec.image)",
  },
  "node-already-joined": {
    blame: "image",
    retryable: false,
    reference: join,
    title: "The machine carries the state of an earlier cluster",
    meaning: "Files or a datastore of an earlier init or join are still there.",
    nextStep: "Use an image without that state: seal it before kubeadm has run, or replace the machine",
  },
  "node-ip-conflict": {
    blame: "configuration",
    retryable: false,
    reference: network,
    title: "Two machines use one address",
    meaning: "The node advertises an address that another machine has as well.",
    nextStep: "Set node-ip in nodeRegistration.kubeletExtraArgs to the address of the right interface",
  },
  "node-name-conflict": {
    blame: "cluster",
    retryable: false,
    reference: join,
    title: "The cluster has another node of this name",
    meaning: "A node of this name exists and is not this machine.",
    nextStep: "Delete the old Node object if its machine is gone, or give the machine another name",
  },
  "node-password-rejected": {
    blame: "cluster",
    retryable: false,
    reference: "https://docs.k3s.io/architecture",
    title: "The server remembers another password for this node",
    meaning: "A machine of the same name joined before and left its password with the server.",
    nextStep: "Delete the Node and its secret NAME.node-password.k3s (or .rke2) in kube-system",
  },
  "outbound-connectivity-blocked": {
    blame: "network",
    retryable: true,
    reference: "https://learn.microsoft.com/azure/aks/outbound-rules-control-egress",
    title: "The machine cannot reach the internet",
    meaning: "The addresses that the bootstrap needs do not answer: a firewall, a route or a missing outbound rule.",
    nextStep:
      "Give the subnet a NAT gateway or outbound rule, or open the firewall: AzureCluster spec.networkSpec.subnets",
  },
  "pki-file-missing-or-invalid": {
    blame: "configuration",
    retryable: false,
    reference: certificates,
    title: "A certificate or key file cannot be used",
    meaning: "A file that a component is told to use is not there, does not parse or does not fit.",
    nextStep:
      "Correct KubeadmConfigSpec files and clusterConfiguration.certificatesDir, and the secrets CLUSTER-ca, CLUSTER-etcd, CLUSTER-sa, CLUSTER-proxy",
  },
  "proxy-misconfigured": {
    blame: "configuration",
    retryable: false,
    reference: kubeadm,
    title: "A proxy is in the way",
    meaning: "The configured proxy does not answer, refuses, or catches what must go direct.",
    nextStep:
      "Correct the proxy and no_proxy (node, pod and service ranges, 169.254.169.254, 168.63.129.16) in KubeadmConfigTemplate spec.template.spec.files",
  },
  "service-network-unreachable": {
    blame: "cluster",
    retryable: true,
    reference: network,
    title: "The Service address of the API server does not answer",
    meaning: "Pods on the node cannot reach the Service network; kube-proxy or its replacement does not work there.",
    nextStep: "Look at kube-proxy (or the CNI's replacement) on this node",
  },
  "tls-bootstrap-failed": {
    blame: "cluster",
    retryable: false,
    reference: "https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/",
    title: "The kubelet gets no client certificate",
    meaning: "The API server refuses the bootstrap credentials, or nobody signs the request.",
    nextStep: "kubectl get csr in the workload cluster; a machine that belonged to another cluster must be replaced",
  },
  "unsupported-kubernetes-version": {
    blame: "configuration",
    retryable: false,
    reference: "https://kubernetes.io/releases/version-skew-policy/",
    title: "This Kubernetes version cannot be installed here",
    meaning: "kubeadm on the image is too old or too new for the version, or there is no such release.",
    nextStep: "Make KubeadmControlPlane spec.version fit the image: AzureMachineTemplate spec.template.spec.image",
  },
  "upload-certs-expired": {
    blame: "cluster",
    retryable: true,
    reference: join,
    title: "The shared certificates cannot be downloaded",
    meaning: "The Secret kubeadm-certs is gone (two hours) or the key is not its key.",
    nextStep: "Let KubeadmControlPlane create the machine again; check that its CA secrets exist",
  },
} as const satisfies Readonly<Record<string, CauseText>>;
