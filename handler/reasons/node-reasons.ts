import type { ReasonRow } from "./reason-row.ts";

/** Causes in the kubelet, the container runtime and the control plane. */
export const nodeReasons = {
  CgroupDriverMismatch: {
    meaning: "kubelet and container runtime use different cgroup drivers",
    nextStep:
      "Set both to systemd: cgroupDriver in the kubelet configuration and SystemdCgroup = true (containerd) or native.cgroupdriver=systemd (docker) in KubeadmConfigTemplate spec.template.spec.files, then restart both",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/configure-cgroup-driver/"],
  },
  CloudProviderAuthFailed: {
    meaning: "The cloud API refuses the identity of the node or script",
    nextStep:
      "Check the identity and its roles: AzureMachineTemplate spec.template.spec.identity, userAssignedIdentities and their roles, AzureClusterIdentity, and the content of azure.json",
    retryable: false,
    blame: "configuration",
    references: ["https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/overview"],
  },
  CloudProviderInitPending: {
    meaning: "The node waits for a cloud controller that does not come",
    nextStep:
      "Install or repair cloud-provider-azure (HelmChartProxy or ClusterResourceSet); the node name must be the VM name (nodeRegistration.name)",
    retryable: true,
    blame: "cluster",
    references: ["https://cloud-provider-azure.sigs.k8s.io/"],
  },
  ContainerRuntimeConflict: {
    meaning: "Another container runtime holds the paths of the distribution",
    nextStep:
      "Remove the other runtime from the image (AzureMachineTemplate spec.template.spec.image) or choose another base directory",
    retryable: false,
    blame: "image",
    references: ["https://documentation.ubuntu.com/canonical-kubernetes/"],
  },
  ContainerRuntimeNotRunning: {
    meaning: "The container runtime does not run, or is not the one that is asked for",
    nextStep:
      "Name the runtime's socket: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.criSocket (and initConfiguration of the KubeadmControlPlane) to the runtime that is meant, or remove the other one from the image",
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
  },
  ControlPlaneComponentCrash: {
    meaning: "A control-plane container starts and dies",
    nextStep:
      "Read crictl logs of the dead container; then correct KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration (apiServer, controllerManager, scheduler extraArgs)",
    retryable: false,
    blame: "control-plane",
    references: ["https://kubernetes.io/docs/tasks/debug/debug-cluster/"],
  },
  CriApiUnimplemented: {
    meaning: "The runtime answers but does not serve the CRI version asked for",
    nextStep:
      'Enable the CRI plugin of containerd: a config.toml without disabled_plugins = ["cri"] in KubeadmConfigTemplate spec.template.spec.files and restart containerd in preKubeadmCommands; use containerd 1.6 or newer',
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
  },
  DatastoreFailed: {
    meaning: "The datastore of the distribution cannot be opened",
    nextStep:
      "Restore from a snapshot, or delete the Machine so that the control plane (RKE2ControlPlane, KThreesControlPlane) makes a new member; for an external database correct its endpoint and settings",
    retryable: false,
    blame: "control-plane",
    references: ["https://docs.k3s.io/datastore"],
  },
  DistributionConfigInvalid: {
    meaning: "The distribution refuses its configuration",
    nextStep:
      "Correct the configuration in the template of the bootstrap provider (RKE2ConfigTemplate, KThreesConfigTemplate, K0sWorkerConfigTemplate, MicroK8sConfigTemplate, CK8sConfigTemplate); the evidence names the option",
    retryable: false,
    blame: "configuration",
    references: ["https://docs.k3s.io/installation/configuration"],
  },
  EtcdMemberAddFailed: {
    meaning: "The etcd member of this node cannot be added or promoted",
    nextStep:
      "Let the Machine be replaced once; if it comes again check the log of the etcd container, ports 2379 and 2380 (AzureCluster spec.networkSpec) and the etcd certificates",
    retryable: true,
    blame: "control-plane",
    references: ["https://etcd.io/docs/v3.5/learning/design-learner/"],
  },
  EtcdUnhealthy: {
    meaning: "etcd does not answer or has no quorum",
    nextStep:
      "Remove the stale member on a healthy node (KubeadmControlPlane does so for Machines that it deletes); check ports 2379 and 2380 in AzureCluster spec.networkSpec and the disk of etcd",
    retryable: true,
    blame: "control-plane",
    references: ["https://kubernetes.io/docs/tasks/administer-cluster/configure-upgrade-etcd/"],
  },
  FeatureGateUnknown: {
    meaning: "A feature gate is not known to this version",
    nextStep:
      "Remove the gate: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs, the KubeletConfiguration or KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration (featureGates, extraArgs)",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/"],
  },
  HcsContainerStartFailed: {
    meaning: "The Windows Host Compute Service refuses to start the container",
    nextStep:
      "Check the Windows build of the image (AzureMachineTemplate spec.template.spec.image), the Containers feature and the mounts of the container",
    retryable: false,
    blame: "image",
    references: ["https://learn.microsoft.com/virtualization/windowscontainers/kubernetes/common-problems"],
  },
  HostEnvironmentRestricted: {
    meaning: "The machine withholds a device, a mount or a file system that the node needs",
    nextStep:
      "Use another image or machine type: AzureMachineTemplate spec.template.spec.image; a container needs /dev/kmsg, shared mounts and a file system that overlayfs can use",
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
  },
  KubeletConfigInvalid: {
    meaning: "The kubelet refuses a flag or its configuration file",
    nextStep:
      "Remove the flag: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs (and from drop-ins in spec.files)",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/"],
  },
  KubeletIdentityForbidden: {
    meaning: "The API server does not let the kubelet or its token act as a node",
    nextStep:
      "Restore the roles of joining nodes: kubeadm init phase bootstrap-token and upload-config all on a control-plane node; the token's groups stand in KubeadmControlPlane spec.kubeadmConfigSpec.initConfiguration.bootstrapTokens",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/"],
  },
  KubeletNotRunning: {
    meaning: "The kubelet does not run",
    nextStep:
      "Read journalctl -u kubelet on the node; then correct kubeletExtraArgs in KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration",
    retryable: true,
    blame: "configuration",
    references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
  },
  KubeletVersionSkew: {
    meaning: "kubelet, kubeadm and control plane versions do not fit",
    nextStep:
      "Use an image of the cluster's version (AzureMachineTemplate spec.template.spec.image) to MachineDeployment spec.template.spec.version and pin the package versions in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/releases/version-skew-policy/"],
  },
} as const satisfies Record<string, ReasonRow>;
