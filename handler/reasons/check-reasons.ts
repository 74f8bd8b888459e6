import type { ReasonRow } from "./reason-row.ts";

const cloudInitPage = "https://cloudinit.readthedocs.io/en/latest/howto/debugging.html";
const bootstrapPage = "https://cluster-api.sigs.k8s.io/tasks/bootstrap/kubeadm-bootstrap/index.html";
const certificatePage = "https://kubernetes.io/docs/setup/best-practices/certificates/";

/**
 * What a check says by itself, from the evidence that ended the bootstrap. A cause that the diagnosis finds behind it is named
 * in its place. Ends of a new kind are added here before a check can send them.
 */
export const checkReasons = {
  BootstrapInterrupted: {
    meaning: "The machine restarted in the middle of its bootstrap, which runs only once",
    nextStep:
      "Delete the Machine so that a new one is made; if it happens again read the boot diagnostics and look for a command of the user data that restarts the machine",
    retryable: true,
    blame: "configuration",
    references: [bootstrapPage],
  },
  BootstrapReportedFailed: {
    meaning: "The bootstrap itself reported that it failed",
    nextStep: "Read the reported words and the lines of the log before them; then correct the bootstrap configuration",
    retryable: false,
    blame: "configuration",
    references: [bootstrapPage],
  },
  BootstrapServiceFailed: {
    meaning: "The service that makes this machine a node failed and is not started again",
    nextStep:
      "Read the journal of the service from its first start; then correct the bootstrap configuration (RKE2ConfigTemplate, KThreesConfigTemplate, K0sWorkerConfigTemplate and the like)",
    retryable: false,
    blame: "configuration",
    references: [bootstrapPage],
  },
  BootstrapServiceNotStarted: {
    meaning: "The user data has run, but the service that makes this machine a node was never started",
    nextStep:
      "Read cloud-init-output.log for what the installer did; then correct the commands of the bootstrap configuration",
    retryable: false,
    blame: "configuration",
    references: [bootstrapPage, cloudInitPage],
  },
  CloudInitFailed: {
    meaning: "cloud-init ended with an error",
    nextStep:
      "Read cloud-init-output.log above the failure; correct KubeadmConfigTemplate spec.template.spec.preKubeadmCommands, postKubeadmCommands or files",
    retryable: false,
    blame: "configuration",
    references: [cloudInitPage],
  },
  CloudbaseInitFailed: {
    meaning: "cloudbase-init ended with an error",
    nextStep:
      "Read cloudbase-init.log above the failure; correct KubeadmConfigTemplate spec.template.spec.preKubeadmCommands, postKubeadmCommands or files",
    retryable: false,
    blame: "configuration",
    references: ["https://cloudbase-init.readthedocs.io/en/latest/"],
  },
  ForeignNodeIdentity: {
    meaning: "The machine holds the certificate of another node: it was made from the disk of a bootstrapped machine",
    nextStep:
      "Make the image anew from a machine that never joined a cluster (AzureMachineTemplate spec.template.spec.image), and create the Machine again",
    retryable: false,
    blame: "image",
    references: ["https://image-builder.sigs.k8s.io/capi/providers/azure"],
  },
  HookFailed: {
    meaning: "A check of the operator's own says that the node failed, and gives no reason",
    nextStep: "Read what the named hook prints; let it write a reason and a message",
    retryable: false,
    blame: "configuration",
    references: [],
  },
  KubeadmFailed: {
    meaning: "kubeadm ended without making this machine a node",
    nextStep:
      "Read kubeadm's last lines in the log of the user data; correct KubeadmConfigTemplate spec.template.spec or KubeadmControlPlane spec.kubeadmConfigSpec",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/"],
  },
  KubeletFailed: {
    meaning: "The kubelet failed and is not started again",
    nextStep:
      "Read journalctl -u kubelet from its start; correct nodeRegistration.kubeletExtraArgs or the drop-ins in KubeadmConfigTemplate spec.template.spec.files",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/kubelet-integration/"],
  },
  NoBootstrapData: {
    meaning: "The machine was given nothing that would bootstrap it",
    nextStep:
      "Check that the Machine has a bootstrap provider (spec.bootstrap.configRef or dataSecretName) and that its data secret holds commands; a machine that is no node needs the setting bootstrapProvider none",
    retryable: false,
    blame: "configuration",
    references: [bootstrapPage],
  },
  NodeCertificateExpired: {
    meaning: "The kubelet's client certificate has expired, so the node cannot speak to its cluster",
    nextStep:
      "Delete the Machine so that a new one joins with a fresh certificate; check the clock of the machine, and rotateCertificates of the kubelet if it happens again",
    retryable: true,
    blame: "configuration",
    references: [certificatePage],
  },
} as const satisfies Record<string, ReasonRow>;
