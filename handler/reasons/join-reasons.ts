import type { ReasonRow } from "./reason-row.ts";

/** Causes in kubeadm, its preflight checks and what a node needs to join. */
export const joinReasons = {
  BootstrapTimedOut: {
    meaning: "kubeadm waited and gave up, and the logs do not say why",
    nextStep:
      "Read journalctl -u kubelet and crictl ps -a on the node; then correct KubeadmConfig spec.initConfiguration or spec.joinConfiguration",
    retryable: true,
    blame: "cluster",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/troubleshooting-kubeadm/"],
  },
  BootstrapTokenInvalidOrExpired: {
    meaning: "The join token is malformed, expired or not known to the cluster",
    nextStep:
      "Delete the Machine, so that its bootstrap provider makes a new one with a fresh token; if machines start slowly raise the lifetime of tokens (--bootstrap-token-ttl of the kubeadm bootstrap controller)",
    retryable: true,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/"],
  },
  CaCertHashMismatch: {
    meaning: "The CA hash in the join configuration is not that of the cluster",
    nextStep:
      "Correct the hash or the endpoint: compare KubeadmConfig spec.joinConfiguration.discovery.bootstrapToken.caCertHashes with the CA of the cluster at Cluster spec.controlPlaneEndpoint; remove a stale hash and create the machine again",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/"],
  },
  ControlPlaneEndpointMismatch: {
    meaning: "Nodes are sent to another address of the control plane than the one that answers",
    nextStep:
      "Make the addresses agree: Cluster spec.controlPlaneEndpoint, and the advertised address in KubeadmControlPlane, RKE2ControlPlane or KThreesControlPlane",
    retryable: false,
    blame: "configuration",
    references: ["https://docs.k3s.io/datastore/ha-embedded"],
  },
  HostnameInvalidOrMismatch: {
    meaning: "The host name cannot be the name of this node, or is not resolved",
    nextStep:
      "Make the names fit: KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.name, the host name of the VM and its entry in DNS",
    retryable: false,
    blame: "configuration",
    references: ["https://microk8s.io/docs/troubleshooting"],
  },
  KubeadmConfigInvalid: {
    meaning: "kubeadm refuses its configuration file",
    nextStep:
      "Match the image to the cluster's version: AzureMachineTemplate spec.template.spec.image and KubeadmControlPlane spec.version; a wrong field or value stands in KubeadmConfigTemplate spec.template.spec or KubeadmControlPlane spec.kubeadmConfigSpec",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/"],
  },
  KubeadmNotRun: {
    meaning: "The kubelet waits for a configuration that kubeadm has not written",
    nextStep:
      "Find out why kubeadm did not run: read cloud-init-output.log, check the bootstrap data secret and KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
    retryable: true,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/kubelet-integration/"],
  },
  NodeAlreadyJoined: {
    meaning: "The machine carries the state of an earlier init or join",
    nextStep:
      "Create the Machine from a clean image (AzureMachineTemplate spec.template.spec.image must be generalised after kubeadm reset); on a machine made by hand run kubeadm reset -f first",
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-reset/"],
  },
  NodeNameConflict: {
    meaning: "The cluster already has a Ready node of this name",
    nextStep:
      "Give the machine its own name: remove a fixed KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.name (use {{ ds.meta_data.local_hostname }}) or delete the stale Node object",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/reference/setup-tools/kubeadm/kubeadm-join/"],
  },
  NodePasswordRejected: {
    meaning: "The k3s or RKE2 server remembers another password for this node name",
    nextStep:
      "Delete the old Node and its Secret: NAME.node-password.k3s (or .rke2) in kube-system; or give each Machine its own name",
    retryable: false,
    blame: "configuration",
    references: ["https://docs.k3s.io/architecture"],
  },
  PkiFileMissingOrInvalid: {
    meaning: "A certificate or key file is missing or does not parse",
    nextStep:
      "Correct the path or write the file: KubeadmConfigTemplate spec.template.spec.files, KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.certificatesDir, the cluster secrets CLUSTER-ca and CLUSTER-etcd",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
  },
  PortInUse: {
    meaning: "A port that the node needs is taken",
    nextStep:
      "Find its owner with ss -ltnp and stop it: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands, or take an image without it: AzureMachineTemplate spec.template.spec.image",
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
  },
  PreflightBinaryMissing: {
    meaning: "A program that the bootstrap needs is not on the machine",
    nextStep:
      "Install the package: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands or in the image (AzureMachineTemplate spec.template.spec.image); mind that sudo uses its own PATH",
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
  },
  PreflightInsufficientResources: {
    meaning: "The machine has too few CPUs or too little memory",
    nextStep:
      "Choose a larger size: AzureMachineTemplate spec.template.spec.vmSize; ignore the check only for tests (nodeRegistration.ignorePreflightErrors)",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
  },
  PreflightKernelParams: {
    meaning: "A kernel module or setting for pod networking is missing",
    nextStep:
      "Load br_netfilter and set the sysctls: /etc/modules-load.d and /etc/sysctl.d files in KubeadmConfigTemplate spec.template.spec.files and run modprobe br_netfilter and sysctl --system in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands",
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/setup/production-environment/container-runtimes/"],
  },
  PreflightOther: {
    meaning: "A preflight check of kubeadm failed",
    nextStep:
      "Correct what the check names: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands or KubeadmConfigTemplate spec.template.spec.files; ignore it on purpose only with nodeRegistration.ignorePreflightErrors",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/install-kubeadm/"],
  },
  SwapEnabled: {
    meaning: "Swap is on and kubeadm or the kubelet refuses it",
    nextStep:
      "Switch swap off: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands (swapoff -a and comment it out of /etc/fstab), or remove swap from the image: AzureMachineTemplate spec.template.spec.image and diskSetup",
    retryable: false,
    blame: "image",
    references: ["https://kubernetes.io/docs/concepts/architecture/nodes/#swap-memory"],
  },
  TlsBootstrapFailed: {
    meaning: "The kubelet's credentials are refused during the join",
    nextStep:
      "Create the Machine again: it starts without old state and with a fresh token; on a reused disk or image (AzureMachineTemplate spec.template.spec.image) remove /etc/kubernetes and /var/lib/kubelet first",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/"],
  },
  UnsupportedKubernetesVersion: {
    meaning: "This kubeadm cannot install the version asked for",
    nextStep:
      "Match version and image: KubeadmControlPlane spec.version and MachineDeployment spec.template.spec.version to the kubeadm of the image (AzureMachineTemplate spec.template.spec.image)",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/releases/version-skew-policy/"],
  },
  UploadCertsExpired: {
    meaning: "The shared control-plane certificates cannot be fetched",
    nextStep:
      "Leave the certificate key empty: KubeadmControlPlane spec.kubeadmConfigSpec.joinConfiguration.controlPlane.certificateKey; by hand run kubeadm init phase upload-certs --upload-certs and join with the new key",
    retryable: false,
    blame: "configuration",
    references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/high-availability/"],
  },
} as const satisfies Record<string, ReasonRow>;
