import type { CauseText } from "./cause-text.ts";

const kubeadm = "https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/";
const install = "https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/";
const runtimes = "https://kubernetes.io/docs/setup/production-environment/container-runtimes/";
const images = "https://kubernetes.io/docs/concepts/containers/images/";
const windows = "https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/";

/** Causes on the machine itself: packages, runtime, images, kubelet, host. */
export const nodeCauses = {
  "apt-lock-held": {
    blame: "image",
    retryable: true,
    reference: install,
    title: "Another package process holds the lock",
    meaning: "A package step found the package database locked, mostly by the automatic updates of a fresh boot.",
    nextStep:
      "Give the step a lock time-out (apt-get -o DPkg::Lock::Timeout=300) in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands, or use an image without automatic updates",
  },
  "apt-repository-failed": {
    blame: "configuration",
    retryable: false,
    reference: install,
    title: "A package repository answers, but cannot be used",
    meaning: "The repository refused, has no such release, or its signature or certificate does not verify.",
    nextStep:
      "Correct the source line and key in KubeadmConfigTemplate spec.template.spec.files and preKubeadmCommands (pkgs.k8s.io has one repository per minor version)",
  },
  "cgroup-driver-mismatch": {
    blame: "configuration",
    retryable: false,
    reference: "https://kubernetes.io/docs/tasks/administer-cluster/kubeadm/configure-cgroup-driver/",
    title: "Kubelet and runtime use different cgroup drivers",
    meaning:
      "One of them manages control groups through systemd, the other itself, so containers are killed or the kubelet exits.",
    nextStep:
      "Set systemd in both: cgroupDriver of the KubeletConfiguration and SystemdCgroup in containerd's config.toml (KubeadmConfigTemplate spec.template.spec.files)",
  },
  "container-runtime-conflict": {
    blame: "image",
    retryable: false,
    reference: runtimes,
    title: "Another container runtime is in the way",
    meaning: "The distribution brings its own runtime and finds the paths or the socket of another one.",
    nextStep:
      "Take an image without docker and containerd, or set another base directory in the distribution's configuration",
  },
  "container-runtime-not-running": {
    blame: "image",
    retryable: false,
    reference: runtimes,
    title: "The container runtime does not run",
    meaning:
      "Nothing answers on the runtime's socket: it is not installed, has failed, or another socket is configured.",
    nextStep:
      "Read journalctl -u containerd; correct config.toml or criSocket in KubeadmConfigTemplate spec.template.spec (files, joinConfiguration.nodeRegistration)",
  },
  "cri-api-unimplemented": {
    blame: "image",
    retryable: false,
    reference: runtimes,
    title: "The runtime does not serve the CRI that is asked for",
    meaning: "The runtime runs with its CRI plugin disabled or broken, or it is older than this Kubernetes needs.",
    nextStep: "Remove cri from disabled_plugins in config.toml, or use an image with containerd 1.7 or newer",
  },
  "disk-full": {
    blame: "configuration",
    retryable: false,
    reference: "https://learn.microsoft.com/azure/virtual-machines/linux/expand-disks",
    title: "No space is left on a disk",
    meaning: "A step could not write because the disk or its inodes are used up.",
    nextStep:
      "Raise AzureMachineTemplate spec.template.spec.osDisk.diskSizeGB, or put /var/lib/containerd on a data disk",
  },
  "disk-mount-failed": {
    blame: "configuration",
    retryable: false,
    reference: "https://cloudinit.readthedocs.io/en/latest/reference/modules.html#disk-setup",
    title: "A disk could not be prepared or mounted",
    meaning: "A disk is not attached under the expected name, carries something else, or returns errors.",
    nextStep:
      "Check KubeadmConfigTemplate spec.template.spec.diskSetup and mounts against AzureMachineTemplate spec.template.spec.dataDisks (lun, nameSuffix)",
  },
  "feature-gate-unknown": {
    blame: "configuration",
    retryable: false,
    reference: "https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/",
    title: "A feature gate is not known to this version",
    meaning: "A gate was removed or locked in this version, so the component exits at once.",
    nextStep: "Remove it from KubeadmConfigSpec clusterConfiguration.featureGates, extraArgs and kubeletExtraArgs",
  },
  "gpu-driver-install-failed": {
    blame: "image",
    retryable: false,
    reference: "https://learn.microsoft.com/azure/virtual-machines/linux/n-series-driver-setup",
    title: "The GPU driver could not be installed",
    meaning: "The driver could not be built, loaded or started on this kernel.",
    nextStep: "Use an image with the driver for its kernel, or install it by the GPU operator after the join",
  },
  "hcs-container-start-failed": {
    blame: "image",
    retryable: false,
    reference: windows,
    title: "Windows cannot create the container",
    meaning: "The Host Compute Service refuses the container or its sandbox although the image is there.",
    nextStep:
      "Compare the Windows build of the image with that of the node (AzureMachineTemplate spec.template.spec.image) and install its updates",
  },
  "hns-network-failed": {
    blame: "image",
    retryable: true,
    reference: windows,
    title: "Windows networking (HNS) refuses",
    meaning:
      "The Host Networking Service could not create or find a network or endpoint that the network plugin asked for.",
    nextStep: "On the node: Get-HnsNetwork, the adapter's name, Restart-Service hns; then the network plugin's log",
  },
  "host-environment-restricted": {
    blame: "image",
    retryable: false,
    reference: runtimes,
    title: "The machine withholds something that the node needs",
    meaning: "Kubelet or runtime cannot use a device, a mount or a file system because of where they run.",
    nextStep:
      "Use another image or machine type; in a container give it /dev/kmsg, shared mounts and a file system that overlayfs supports",
  },
  "hostname-invalid-or-mismatch": {
    blame: "configuration",
    retryable: false,
    reference: install,
    title: "The host name does not fit",
    meaning: "The host name cannot be a node name, or it is not the one that the cluster expects.",
    nextStep:
      "Use lower-case letters, digits and hyphens; nodeRegistration.name '{{ ds.meta_data.local_hostname }}' in KubeadmConfigSpec",
  },
  "image-os-mismatch": {
    blame: "configuration",
    retryable: false,
    reference: images,
    title: "An image is not made for this system",
    meaning: "The image has no variant for this operating system, architecture or Windows build.",
    nextStep: "Use a multi-platform tag, or keep the pod off this node by a selector",
  },
  "image-pull-auth": {
    blame: "configuration",
    retryable: false,
    reference: images,
    title: "The registry refuses the credentials",
    meaning: "The registry wants credentials that the node does not have, or denies this repository.",
    nextStep:
      "Give the node's identity AcrPull on the registry (AzureMachineTemplate spec.template.spec.userAssignedIdentities), or correct the repository name",
  },
  "image-pull-failed": {
    blame: "network",
    retryable: true,
    reference: images,
    title: "An image cannot be pulled",
    meaning: "The runtime could not fetch an image, and the log does not say more exactly why.",
    nextStep: "Pull the same image by hand on the node: crictl pull IMAGE",
  },
  "image-pull-not-found": {
    blame: "configuration",
    retryable: false,
    reference: images,
    title: "The registry has no such image",
    meaning: "The registry answers that it has no such repository or tag.",
    nextStep:
      "Check the version and KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.imageRepository; a mirror may lack the tag",
  },
  "image-pull-rate-limited": {
    blame: "network",
    retryable: true,
    reference: images,
    title: "The registry limits the pulls",
    meaning: "Too many pulls came from this address or account.",
    nextStep: "Use a mirror or cache, or pull with credentials (imageRepository, containerd's certs.d in spec.files)",
  },
  "image-pull-timeout": {
    blame: "network",
    retryable: true,
    reference: images,
    title: "The registry cannot be reached",
    meaning: "The runtime asked the registry and got no answer, or the connection broke.",
    nextStep:
      "Open outbound 443 to the registry (NAT gateway, firewall, AzureCluster spec.networkSpec), or set a proxy for containerd",
  },
  "kernel-unsupported": {
    blame: "image",
    retryable: false,
    reference: install,
    title: "The kernel lacks something that Kubernetes needs",
    meaning: "A control group, module or kernel option is missing or too old.",
    nextStep: "Use an image with a newer kernel, or enable the feature on its kernel command line",
  },
  "kubeadm-not-run": {
    blame: "configuration",
    retryable: false,
    reference: kubeadm,
    title: "kubeadm has not configured this kubelet",
    meaning: "The kubelet waits for files that kubeadm writes; kubeadm has not run or failed before.",
    nextStep: "Read /var/log/cloud-init-output.log for the reason why kubeadm did not run",
  },
  "kubelet-config-invalid": {
    blame: "configuration",
    retryable: false,
    reference: "https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/",
    title: "The kubelet refuses its configuration",
    meaning: "A flag or field is misspelled, removed in this version, or has a value that is not allowed.",
    nextStep:
      "Correct nodeRegistration.kubeletExtraArgs in KubeadmConfigTemplate spec.template.spec.joinConfiguration, or the file in spec.files",
  },
  "kubelet-not-running": {
    blame: "image",
    retryable: true,
    reference: kubeadm,
    title: "The kubelet does not run",
    meaning: "The kubelet was started and ended, and the log does not say why.",
    nextStep: "Read journalctl -u kubelet from its first start",
  },
  "out-of-memory": {
    blame: "configuration",
    retryable: false,
    reference: "https://learn.microsoft.com/azure/virtual-machines/sizes",
    title: "The machine has too little memory",
    meaning: "A process that the node needs was refused memory or killed for lack of it.",
    nextStep: "Choose a larger AzureMachineTemplate spec.template.spec.vmSize",
  },
  "package-not-found": {
    blame: "configuration",
    retryable: false,
    reference: install,
    title: "The repository has no such package",
    meaning: "The repository works, but has no package of this name or version.",
    nextStep: "Correct name and version in preKubeadmCommands, and update the index before the installation",
  },
  "pod-sandbox-failed": {
    blame: "image",
    retryable: true,
    reference: runtimes,
    title: "The runtime cannot start a pod",
    meaning: "The pod's sandbox or a container could not be created.",
    nextStep: "Read journalctl -u containerd and crictl ps -a for the inner error",
  },
  "port-in-use": {
    blame: "image",
    retryable: false,
    reference: "https://kubernetes.io/docs/reference/networking/ports-and-protocols/",
    title: "A port that the node needs is taken",
    meaning: "Another process listens on a port of kubelet, API server, etcd or the distribution.",
    nextStep: "On the node: ss -ltnp; remove that service from the image",
  },
  "preflight-binary-missing": {
    blame: "image",
    retryable: false,
    reference: install,
    title: "A program that the bootstrap calls is missing",
    meaning: "A command of the bootstrap or of kubeadm is not installed or not in the path.",
    nextStep:
      "Use an image that has it (AzureMachineTemplate spec.template.spec.image), or install it in preKubeadmCommands",
  },
  "preflight-insufficient-resources": {
    blame: "configuration",
    retryable: false,
    reference: install,
    title: "The machine is too small",
    meaning: "kubeadm asks for at least two processors and 1700 MB for a control plane.",
    nextStep: "Choose a larger AzureMachineTemplate spec.template.spec.vmSize",
  },
  "preflight-kernel-params": {
    blame: "image",
    retryable: false,
    reference: runtimes,
    title: "A kernel parameter is not set",
    meaning: "IP forwarding, bridge filtering or another sysctl has not the value that is needed.",
    nextStep:
      "Load br_netfilter and set the sysctls in the image, or by KubeadmConfigTemplate spec.template.spec.files and preKubeadmCommands",
  },
  "preflight-other": {
    blame: "image",
    retryable: false,
    reference: kubeadm,
    title: "A step of kubeadm failed",
    meaning: "kubeadm ended in this step; the quoted line is what it said.",
    nextStep: "Read the quoted line; run kubeadm with --v=5 on the node for more",
  },
  "selinux-or-apparmor-denied": {
    blame: "image",
    retryable: false,
    reference: "https://kubernetes.io/docs/tutorials/security/apparmor/",
    title: "A security module forbids it",
    meaning: "SELinux, AppArmor or a policy of the machine stopped a program that the node needs.",
    nextStep: "Restore the file contexts or load the profile in the image; permissive mode only to prove it",
  },
  "snap-install-failed": {
    blame: "network",
    retryable: true,
    reference: "https://snapcraft.io/docs/troubleshooting",
    title: "A snap could not be installed",
    meaning: "The snap that carries the distribution could not be fetched or set up.",
    nextStep: "On the node: snap changes; open the way to api.snapcraft.io or set a proxy for snapd",
  },
  "swap-enabled": {
    blame: "image",
    retryable: false,
    reference: install,
    title: "Swap is on",
    meaning: "kubeadm or the kubelet refuses to run with swap.",
    nextStep: "Switch it off (swapoff -a, fstab, the guest agent's ResourceDisk.EnableSwap), or set failSwapOn: false",
  },
  "unsupported-os": {
    blame: "image",
    retryable: false,
    reference: install,
    title: "This operating system is not supported",
    meaning: "The installer or the packages are not made for this distribution or release.",
    nextStep: "Use another image: AzureMachineTemplate spec.template.spec.image",
  },
  "windows-os-update-missing": {
    blame: "image",
    retryable: false,
    reference: windows,
    title: "A Windows update is missing",
    meaning: "The error is known from builds without a certain cumulative update.",
    nextStep: "Use a newer image: AzureMachineTemplate spec.template.spec.image",
  },
  "windows-service-start-failed": {
    blame: "image",
    retryable: true,
    reference: windows,
    title: "A Windows service does not start",
    meaning: "The service control manager could not start a service that the node needs.",
    nextStep: "On the node: sc.exe qc NAME, the service's own log and the System event log",
  },
} as const satisfies Readonly<Record<string, CauseText>>;
