import type { CauseText } from "./cause-text.ts";

const cloudInit = "https://cloudinit.readthedocs.io/en/latest/howto/debugging.html";
const azure = "https://learn.microsoft.com/troubleshoot/azure/virtual-machines/linux/welcome-virtual-machines-linux";
const imds = "https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service";
const allocation = "https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/allocation-failure";
const cloudbase = "https://cloudbase-init.readthedocs.io/en/latest/";
const ignition = "https://coreos.github.io/ignition/operator-notes/";

/** Causes of the platform and of the first boot: Azure, cloud-init, Ignition, guest agent. */
export const platformCauses = {
  "azure-capacity-unavailable": {
    blame: "platform",
    retryable: true,
    reference: allocation,
    title: "Azure has no machine of this size here now",
    meaning: "The size is not offered or used up in this region or zone.",
    nextStep: "Choose another AzureMachineTemplate spec.template.spec.vmSize, or other zones (failureDomain)",
  },
  "azure-quota-exceeded": {
    blame: "platform",
    retryable: true,
    reference: "https://learn.microsoft.com/azure/quotas/per-vm-quota-requests",
    title: "The subscription's quota is used up",
    meaning: "Azure refuses further cores, addresses or disks in this region.",
    nextStep: "Ask for more quota, or choose another vmSize or region",
  },
  "cloud-init-datasource-failed": {
    blame: "platform",
    retryable: true,
    reference: cloudInit,
    title: "cloud-init got no data from Azure",
    meaning: "The data source failed, so the bootstrap data was not read.",
    nextStep:
      "Read /var/log/cloud-init.log; check the way to 169.254.169.254 and 168.63.129.16 and the image's data source list",
  },
  "cloud-init-dhcp-failed": {
    blame: "platform",
    retryable: true,
    reference: cloudInit,
    title: "cloud-init got no DHCP lease",
    meaning: "Without an address no data source can be asked.",
    nextStep: "Check the network interface, its driver and the DHCP client in the image",
  },
  "cloud-init-scripts-failed": {
    blame: "configuration",
    retryable: false,
    reference: cloudInit,
    title: "A script of the bootstrap data failed",
    meaning: "A command of the bootstrap data returned an error; what it printed before is the best clue.",
    nextStep:
      "Read /var/log/cloud-init-output.log above the failure; correct preKubeadmCommands or postKubeadmCommands",
  },
  "cloud-init-userdata-invalid": {
    blame: "configuration",
    retryable: false,
    reference: cloudInit,
    title: "cloud-init does not understand the user data",
    meaning: "The user data does not parse or breaks the schema, so parts of it were left out.",
    nextStep: "cloud-init schema --system on the node; correct KubeadmConfigTemplate spec.template.spec",
  },
  "cloud-provider-auth-failed": {
    blame: "platform",
    retryable: false,
    reference: "https://capz.sigs.k8s.io/topics/identities",
    title: "Azure refuses the node's or the cluster's identity",
    meaning: "The credential is missing, wrong or expired, or lacks a role.",
    nextStep:
      "Check AzureMachineTemplate spec.template.spec.identity, userAssignedIdentities and roles, the AzureClusterIdentity and /etc/kubernetes/azure.json",
  },
  "cloud-provider-init-pending": {
    blame: "cluster",
    retryable: true,
    reference: "https://capz.sigs.k8s.io/self-managed/cloud-provider-config",
    title: "The node waits for the cloud controller",
    meaning: "Nothing removes the taint node.cloudprovider.kubernetes.io/uninitialized.",
    nextStep: "Install cloud-provider-azure in the workload cluster, and read its log",
  },
  "cloudbase-init-metadata-failed": {
    blame: "platform",
    retryable: true,
    reference: cloudbase,
    title: "cloudbase-init got no metadata",
    meaning: "No metadata service could be used, so there is no user data.",
    nextStep: "Check metadata_services in cloudbase-init.conf of the image, the provisioning disk and the wire server",
  },
  "cloudbase-init-plugin-failed": {
    blame: "image",
    retryable: false,
    reference: cloudbase,
    title: "A step of cloudbase-init failed",
    meaning: "cloudbase-init found its metadata, but a plugin ended with an error.",
    nextStep: "Read cloudbase-init.log: the last line of the traceback; correct the user data or the image",
  },
  "guest-agent-failed": {
    blame: "platform",
    retryable: true,
    reference: azure,
    title: "The Azure guest agent does not work",
    meaning: "The agent cannot provision the machine or cannot talk to the platform.",
    nextStep: "systemctl status walinuxagent; allow 168.63.129.16 on ports 80 and 32526 in firewalls and routes",
  },
  "http-download-failed": {
    blame: "network",
    retryable: true,
    reference: "https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access",
    title: "A download failed",
    meaning: "A file or package could not be fetched: no way out, a wrong address, or the server refused.",
    nextStep:
      "Request the address by hand on the node; check NAT gateway, firewall and proxy (AzureCluster spec.networkSpec.subnets)",
  },
  "ignition-config-invalid": {
    blame: "configuration",
    retryable: false,
    reference: ignition,
    title: "Ignition cannot use or carry out its configuration",
    meaning: "The configuration does not parse, is of another version, or asks for a step that failed.",
    nextStep:
      "Correct KubeadmConfigTemplate spec.template.spec.ignition.containerLinuxConfig, or files, users and diskSetup",
  },
  "ignition-fetch-failed": {
    blame: "network",
    retryable: true,
    reference: ignition,
    title: "Ignition cannot fetch its configuration",
    meaning: "The configuration or a file that it names could not be fetched.",
    nextStep: "Check the network of the first boot, the address and its certificate",
  },
  "imds-unreachable": {
    blame: "platform",
    retryable: true,
    reference: imds,
    title: "The instance metadata service does not answer",
    meaning: "169.254.169.254 gave no usable answer.",
    nextStep:
      "curl -H Metadata:true --noproxy '*' 'http://169.254.169.254/metadata/instance?api-version=2021-02-01' on the node",
  },
  "machine-config-invalid": {
    blame: "configuration",
    retryable: false,
    reference: "https://www.talos.dev/latest/reference/configuration/",
    title: "The machine configuration is refused",
    meaning: "The system does not accept its machine configuration.",
    nextStep: "talosctl validate; correct TalosConfigTemplate spec.template.spec.configPatches",
  },
  "os-provisioning-timeout": {
    blame: "platform",
    retryable: true,
    reference: azure,
    title: "The guest did not report that it is ready",
    meaning: "Azure gave up waiting for the operating system's provisioning.",
    nextStep:
      "Read the serial console (boot diagnostics) for what the first boot did; check that the image is generalised",
  },
  "vm-extension-failed": {
    blame: "platform",
    retryable: true,
    reference: azure,
    title: "A VM extension failed",
    meaning: "Another extension failed, and with it the provisioning.",
    nextStep: "Read that extension's log under /var/log/azure or C:\\WindowsAzure\\Logs",
  },
  "vm-extension-timeout": {
    blame: "platform",
    retryable: true,
    reference: azure,
    title: "A VM extension did not report in time",
    meaning: "Azure gave up waiting for an extension.",
    nextStep: "Read waagent.log and the extension's log on the node",
  },
} as const satisfies Readonly<Record<string, CauseText>>;
