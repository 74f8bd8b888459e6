import type { ReasonRow } from "./reason-row.ts";

/** Causes in the network, the registries and the network add-on. */
export const networkReasons = {
  ApiServerCertInvalid: {
    meaning: "The certificate of the API server, or of the node, is not accepted",
    nextStep:
      "Compare the names, the issuer and the dates of the certificate with Cluster spec.controlPlaneEndpoint; the evidence says which of them is wrong",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
  },
  ApiServerUnreachable: {
    meaning: "The node gets no connection to the API server",
    nextStep:
      "Check the way to the API server: AzureCluster spec.networkSpec (subnets, security groups, route tables, apiServerLB), and that a healthy control-plane member stands behind Cluster spec.controlPlaneEndpoint",
    retryable: true,
    blame: "network",
    references: ["https://kubernetes.io/docs/reference/networking/ports-and-protocols/"],
  },
  CniInstallFailed: {
    meaning: "The network add-on fails on the node",
    nextStep:
      "Read the agent's log from its first line; correct the add-on of the cluster (HelmChartProxy, ClusterResourceSet) and its ranges (Cluster spec.clusterNetwork.pods)",
    retryable: true,
    blame: "cluster",
    references: ["https://kubernetes.io/docs/concepts/cluster-administration/addons/"],
  },
  CniNotReady: {
    meaning: "The node has no usable network add-on",
    nextStep:
      "Install or repair the network add-on: ClusterResourceSet or HelmChartProxy; look at its pods on this node; the VM itself is joined",
    retryable: true,
    blame: "cluster",
    references: ["https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/network-plugins/"],
  },
  DnsResolutionFailed: {
    meaning: "A name that the bootstrap needs cannot be resolved",
    nextStep:
      "Correct the DNS of the virtual network: AzureCluster spec.networkSpec.vnet, its DNS servers, the link of the private DNS zone and spec.controlPlaneEndpoint.host",
    retryable: true,
    blame: "network",
    references: [
      "https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances",
    ],
  },
  HnsNetworkFailed: {
    meaning: "The Windows Host Networking Service refuses a request",
    nextStep:
      "Remove left-over networks (Get-HnsNetwork) and restart hns before the network add-on; compare adapter names and the Windows build of the image (AzureMachineTemplate spec.template.spec.image)",
    retryable: false,
    blame: "configuration",
    references: ["https://learn.microsoft.com/virtualization/windowscontainers/kubernetes/common-problems"],
  },
  HttpDownloadFailed: {
    meaning: "A package or file could not be downloaded",
    nextStep:
      "Open the way to the address that the evidence names (NAT gateway, firewall or proxy in AzureCluster spec.networkSpec), or use an image that holds the files: AzureMachineTemplate spec.template.spec.image",
    retryable: true,
    blame: "network",
    references: ["https://dnf.readthedocs.io/en/latest/conf_ref.html"],
  },
  ImageOsMismatch: {
    meaning: "The image has no variant for this system or Windows build",
    nextStep:
      "Use a tag for this platform or build; keep Linux pods off Windows nodes (taints in KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration), or change AzureMachineTemplate spec.template.spec.image",
    retryable: false,
    blame: "configuration",
    references: ["https://learn.microsoft.com/virtualization/windowscontainers/kubernetes/common-problems"],
  },
  ImagePullAuth: {
    meaning: "The registry refuses the credentials, or wants some",
    nextStep:
      "Give the identity the role AcrPull: the one in AzureMachineTemplate spec.template.spec.identity and userAssignedIdentities; or configure the credential provider of the kubelet, or correct the registry secret",
    retryable: false,
    blame: "configuration",
    references: ["https://learn.microsoft.com/azure/container-registry/container-registry-faq"],
  },
  ImagePullFailed: {
    meaning: "A container image cannot be pulled",
    nextStep:
      "Pull the image with crictl pull on the node to see the full error; then correct the repository (imageRepository, sandbox_image) or open the registry in AzureCluster spec.networkSpec",
    retryable: true,
    blame: "network",
    references: ["https://github.com/containerd/containerd/blob/main/docs/hosts.md"],
  },
  ImagePullNotFound: {
    meaning: "The registry has no such image or tag",
    nextStep:
      "Check the repository and the tag: KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.imageRepository and in the pause image of containerd; list the tags of the registry and correct version, dns.imageRepository or dns.imageTag",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/concepts/containers/images/"],
  },
  ImagePullRateLimited: {
    meaning: "The registry limits the number of pulls",
    nextStep:
      "Pull from a registry of your own or a cache: KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.imageRepository, containerd mirrors in spec.files, or give credentials",
    retryable: true,
    blame: "network",
    references: ["https://docs.docker.com/docker-hub/usage/pulls/"],
  },
  ImagePullTimeout: {
    meaning: "The registry cannot be reached",
    nextStep:
      "Open outbound 443 to the registry (NAT gateway, firewall, route in AzureCluster spec.networkSpec), set a proxy for containerd in KubeadmConfigTemplate spec.template.spec.files, or use a mirror (imageRepository)",
    retryable: true,
    blame: "network",
    references: ["https://kubernetes.io/docs/concepts/containers/images/"],
  },
  NodeIpConflict: {
    meaning: "Another machine uses the address of this node",
    nextStep:
      "Give the machine an address of its own: AzureMachineTemplate spec.template.spec.networkInterfaces and the subnets in AzureCluster spec.networkSpec",
    retryable: true,
    blame: "network",
    references: ["https://learn.microsoft.com/azure/virtual-network/ip-services/private-ip-addresses"],
  },
  OutboundConnectivityBlocked: {
    meaning: "The node cannot reach the public addresses that it needs",
    nextStep:
      "Give the subnet a way out: natGateway or nodeOutboundLB, security rules and routeTable in AzureCluster spec.networkSpec; allow the required addresses in the firewall",
    retryable: false,
    blame: "network",
    references: ["https://learn.microsoft.com/azure/aks/outbound-rules-control-egress"],
  },
  PodSandboxFailed: {
    meaning: "The runtime cannot make pod sandboxes",
    nextStep:
      "Read the inner error; pause image: containerd sandbox_image in KubeadmConfigTemplate spec.template.spec.files; network: the add-on that the cluster installs (ClusterResourceSet or HelmChartProxy)",
    retryable: true,
    blame: "cluster",
    references: ["https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/"],
  },
  ProxyMisconfigured: {
    meaning: "Requests go to a proxy that refuses, fails or should not be asked",
    nextStep:
      "Correct the proxy settings: KubeadmConfigTemplate spec.template.spec.files and preKubeadmCommands; put the API server, node, service and pod ranges into NO_PROXY, also for containerd and kubelet",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
  },
  ServiceNetworkUnreachable: {
    meaning: "The Service address of the API server is not reachable on the node",
    nextStep:
      "Check kube-proxy and the address ranges: Cluster spec.clusterNetwork services and pods do not overlap with AzureCluster spec.networkSpec.vnet.cidrBlocks",
    retryable: true,
    blame: "cluster",
    references: ["https://kubernetes.io/docs/tasks/debug/debug-application/debug-service/"],
  },
} as const satisfies Record<string, ReasonRow>;
