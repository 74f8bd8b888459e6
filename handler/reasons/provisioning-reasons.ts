import type { ReasonRow } from "./reason-row.ts";

/** Causes before Kubernetes: Azure, the image, cloud-init, Ignition, cloudbase-init, packages and disks. */
export const provisioningReasons = {
  AptLockHeld: {
    meaning: "Another package process holds the apt or dpkg lock",
    nextStep:
      "Let apt-get wait for the lock: -o DPkg::Lock::Timeout=300 in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands, or switch unattended-upgrades off in the image (AzureMachineTemplate spec.template.spec.image)",
    retryable: true,
    blame: "image",
    references: ["https://manpages.ubuntu.com/manpages/jammy/man8/apt-get.8.html"],
  },
  AptRepositoryFailed: {
    meaning: "A package repository answers wrongly",
    nextStep:
      "Correct the source line and its key: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands or KubeadmConfigTemplate spec.template.spec.files (pkgs.k8s.io replaced apt.kubernetes.io), or use an image that holds the packages (AzureMachineTemplate spec.template.spec.image)",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/blog/2023/08/15/pkgs-k8s-io-introduction/"],
  },
  AzureCapacityUnavailable: {
    meaning: "Azure has no machine of this size here now",
    nextStep:
      "Choose another size or zone, or retry later: AzureMachineTemplate spec.template.spec.vmSize or failureDomain",
    retryable: true,
    blame: "platform",
    references: ["https://learn.microsoft.com/troubleshoot/azure/virtual-machines/allocation-failure"],
  },
  AzureQuotaExceeded: {
    meaning: "The quota of the subscription is used up",
    nextStep:
      "Ask for more quota, or choose another size: AzureMachineTemplate spec.template.spec.vmSize; or another region",
    retryable: false,
    blame: "configuration",
    references: ["https://learn.microsoft.com/azure/quotas/per-vm-quota-requests"],
  },
  ClockSkew: {
    meaning: "The clock of the node is wrong",
    nextStep:
      "Synchronise the clock before the join: chrony with the Hyper-V clock in AzureMachineTemplate spec.template.spec.image, or KubeadmConfigTemplate spec.template.spec.ntp",
    retryable: true,
    blame: "image",
    references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
  },
  CloudInitDatasourceFailed: {
    meaning: "cloud-init could not read the metadata of Azure",
    nextStep:
      "Delete the Machine for a new one; if it repeats, check 169.254.169.254 and 168.63.129.16 in routes and rules (AzureCluster spec.networkSpec) and cloud-init in AzureMachineTemplate spec.template.spec.image",
    retryable: true,
    blame: "platform",
    references: ["https://cloudinit.readthedocs.io/en/latest/reference/datasources/azure.html"],
  },
  CloudInitDhcpFailed: {
    meaning: "cloud-init got no DHCP lease",
    nextStep:
      "Check the image's DHCP client and driver (AzureMachineTemplate spec.template.spec.image; /var/tmp must not be mounted noexec), then the subnet in AzureCluster spec.networkSpec",
    retryable: true,
    blame: "image",
    references: ["https://cloudinit.readthedocs.io/en/latest/howto/debugging.html"],
  },
  CloudInitScriptsFailed: {
    meaning: "A script of the user-data ended with an error",
    nextStep:
      "Read what it printed before (cloud-init-output.log; on Windows cloudbase-init.log); correct KubeadmConfigTemplate spec.template.spec.preKubeadmCommands or postKubeadmCommands",
    retryable: false,
    blame: "configuration",
    references: ["https://cloudinit.readthedocs.io/en/latest/howto/debugging.html"],
  },
  CloudInitUserdataInvalid: {
    meaning: "cloud-init did not understand the user data",
    nextStep:
      "Check its quoting and indentation: files and commands in KubeadmConfigTemplate spec.template.spec (preKubeadmCommands, files); test with cloud-init schema --system",
    retryable: false,
    blame: "configuration",
    references: ["https://cloudinit.readthedocs.io/en/latest/howto/debugging.html"],
  },
  CloudbaseInitMetadataFailed: {
    meaning: "cloudbase-init got no metadata",
    nextStep:
      "Check metadata services and route: metadata_services in cloudbase-init.conf of the image (AzureMachineTemplate spec.template.spec.image), the config ISO, and the route to 169.254.169.254",
    retryable: true,
    blame: "platform",
    references: ["https://cloudbase-init.readthedocs.io/en/latest/"],
  },
  CloudbaseInitPluginFailed: {
    meaning: "A cloudbase-init plugin that the node needs failed",
    nextStep:
      "Correct what the plugin works with: adapter names and addresses (NetworkConfigPlugin), the script in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands (UserDataPlugin), or the plugin list of the image (AzureMachineTemplate spec.template.spec.image)",
    retryable: false,
    blame: "image",
    references: ["https://cloudbase-init.readthedocs.io/en/latest/"],
  },
  DiskFull: {
    meaning: "A disk of the node is full or out of inodes",
    nextStep:
      "Enlarge the disk: AzureMachineTemplate spec.template.spec.osDisk.diskSizeGB, or put /var/lib/containerd or etcd on a data disk (dataDisks, diskSetup, mounts)",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"],
  },
  DiskMountFailed: {
    meaning: "A data, temporary or etcd disk could not be prepared",
    nextStep:
      "Check the disk definitions: KubeadmConfigTemplate spec.template.spec.diskSetup and mounts against AzureMachineTemplate spec.template.spec.dataDisks (lun, nameSuffix) and the VM size",
    retryable: false,
    blame: "configuration",
    references: ["https://cloudinit.readthedocs.io/en/latest/reference/modules.html#disk-setup"],
  },
  GpuDriverInstallFailed: {
    meaning: "The GPU driver could not be installed or loaded",
    nextStep:
      "Match driver and kernel; check secure boot (AzureMachineTemplate spec.template.spec.securityProfile), or use an image with the driver (AzureMachineTemplate spec.template.spec.image)",
    retryable: false,
    blame: "image",
    references: ["https://learn.microsoft.com/azure/virtual-machines/linux/n-series-driver-setup"],
  },
  GuestAgentFailed: {
    meaning: "The guest agent of Azure does not work or could not provision the machine",
    nextStep:
      "Check the image's provisioning agent: walinuxagent or cloud-init (AzureMachineTemplate spec.template.spec.image): one of them must provision, and the provisioning disc must be readable",
    retryable: true,
    blame: "image",
    references: ["https://learn.microsoft.com/azure/virtual-machines/extensions/agent-linux"],
  },
  IgnitionConfigInvalid: {
    meaning: "Ignition cannot use or carry out its configuration",
    nextStep:
      "Correct KubeadmConfigTemplate spec.template.spec.ignition, files, users or diskSetup for the Ignition version of the image (AzureMachineTemplate spec.template.spec.image)",
    retryable: false,
    blame: "configuration",
    references: ["https://coreos.github.io/ignition/"],
  },
  IgnitionFetchFailed: {
    meaning: "Ignition could not fetch its configuration or a file",
    nextStep:
      "Correct the address, or open the way to it: KubeadmConfigTemplate spec.template.spec.ignition or files (AzureCluster spec.networkSpec)",
    retryable: true,
    blame: "network",
    references: ["https://coreos.github.io/ignition/operator-notes/"],
  },
  ImdsUnreachable: {
    meaning: "The instance metadata service does not answer",
    nextStep:
      "Keep 169.254.169.254 off the proxy (NO_PROXY in KubeadmConfigTemplate spec.template.spec.files) and check routes and iptables on the node",
    retryable: true,
    blame: "network",
    references: ["https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service"],
  },
  KernelUnsupported: {
    meaning: "The kernel lacks something that Kubernetes needs",
    nextStep:
      "Enable it on the kernel command line or take another image: AzureMachineTemplate spec.template.spec.image",
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/concepts/architecture/cgroups/"],
  },
  MachineConfigInvalid: {
    meaning: "The machine configuration is refused",
    nextStep: "Run talosctl validate; correct the TalosConfigTemplate or its patches for the version of the image",
    retryable: false,
    blame: "configuration",
    references: ["https://www.talos.dev/latest/reference/configuration/"],
  },
  OsProvisioningTimeout: {
    meaning: "Azure gave up waiting for the machine to report ready",
    nextStep:
      "Read the boot diagnostics; check that the image (AzureMachineTemplate spec.template.spec.image) is generalised and has an agent or cloud-init with the Azure data source",
    retryable: true,
    blame: "image",
    references: [
      "https://learn.microsoft.com/troubleshoot/azure/virtual-machines/linux/azure-virtual-machine-deployment-troubleshooting",
    ],
  },
  OutOfMemory: {
    meaning: "The kernel killed a needed process for lack of memory",
    nextStep: "Choose a larger size: AzureMachineTemplate spec.template.spec.vmSize, or limit what runs on the node",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"],
  },
  PackageNotFound: {
    meaning: "A package or version does not exist in the repositories",
    nextStep:
      "Run apt-get update first, and correct name, version and architecture in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands; or use an image that holds the packages (AzureMachineTemplate spec.template.spec.image)",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
  },
  SelinuxOrApparmorDenied: {
    meaning: "SELinux or AppArmor blocks a needed program",
    nextStep:
      "Restore file contexts or load the profile: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands, or correct the image (AzureMachineTemplate spec.template.spec.image); set permissive only to prove it",
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/tutorials/security/apparmor/"],
  },
  SnapInstallFailed: {
    meaning: "The snap of the distribution cannot be installed",
    nextStep:
      "Correct channel and name of the snap: bootstrap commands (MicroK8sConfigTemplate or CK8sConfigTemplate) and the proxy or store access of snapd",
    retryable: true,
    blame: "network",
    references: ["https://snapcraft.io/docs/troubleshooting"],
  },
  UnsupportedOs: {
    meaning: "The installer does not support this distribution or release",
    nextStep:
      "Use a supported image: AzureMachineTemplate spec.template.spec.image, or the commands for this release in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
  },
  VmExtensionFailed: {
    meaning: "Another VM extension failed",
    nextStep:
      "Read its log under /var/log/azure; remove it from AzureMachineTemplate spec.template.spec.vmExtensions or correct its settings",
    retryable: false,
    blame: "configuration",
    references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
  },
  VmExtensionTimeout: {
    meaning: "Another VM extension or provisioning script did not end in its time",
    nextStep:
      "Read waagent.log and the extension's log; check the guest agent of the image (AzureMachineTemplate spec.template.spec.image) and the reachability of 168.63.129.16",
    retryable: true,
    blame: "network",
    references: ["https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/welcome-azure-kubernetes"],
  },
  WindowsOsUpdateMissing: {
    meaning: "The Windows build lacks an update that the runtime or the network needs",
    nextStep: "Use a newer image: AzureMachineTemplate spec.template.spec.image",
    retryable: false,
    blame: "image",
    references: [
      "https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility",
    ],
  },
  WindowsServiceStartFailed: {
    meaning: "A Windows service that the node needs cannot be started",
    nextStep:
      "Read its log and the System event log; correct its arguments in KubeadmConfigTemplate spec.template.spec.files or preKubeadmCommands",
    retryable: true,
    blame: "image",
    references: ["https://learn.microsoft.com/virtualization/windowscontainers/kubernetes/common-problems"],
  },
} as const satisfies Record<string, ReasonRow>;
