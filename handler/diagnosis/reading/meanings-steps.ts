import { distributions, runtimes, silent, type Meaning } from "./meaning.ts";

/** Which step failed, where nothing says why. */
export const steps: readonly Meaning[] = [
  // Whatever a plug-in says as it could not add a pod.
  { cause: "cni-install-failed", subjects: ["plugin-call"], boost: -6 },
  { general: true, cause: "join-timeout-unknown", programs: ["kubeadm"], subjects: ["control-plane-wait"] },
  { general: true, cause: "join-timeout-unknown", programs: ["kubeadm"], kinds: ["timed-out", "gave-up"] },
  { general: true, cause: "cloud-init-datasource-failed", programs: ["cloud-init"], subjects: ["init-stage"] },
  {
    general: true,
    cause: "cloud-init-scripts-failed",
    programs: ["cloud-init", "cloudbase-init"],
    subjects: ["script"],
  },
  { general: true, cause: "cloud-init-scripts-failed", programs: ["cloud-init"], subjects: ["command-module"] },
  { general: true, cause: "disk-mount-failed", programs: ["cloud-init"], subjects: ["disk-module"] },
  { general: true, cause: "apt-repository-failed", programs: ["cloud-init"], subjects: ["repository-module"] },
  {
    general: true,
    cause: "image-pull-failed",
    subjects: ["image"],
    programs: ["kubeadm", "kubelet", ...runtimes, ...distributions],
  },
  { general: true, cause: "pod-sandbox-failed", subjects: ["sandbox"] },
  { general: true, cause: "cloudbase-init-plugin-failed", programs: ["cloudbase-init"] },
  { general: true, cause: "ignition-config-invalid", programs: ["ignition"] },
  { general: true, cause: "container-runtime-not-running", programs: runtimes },
  { general: true, cause: "etcd-unhealthy", programs: ["etcd"] },
  { general: true, cause: "etcd-unhealthy", programs: ["talos"], subjects: ["etcd"], kinds: ["exit-status", "killed"] },
  { general: true, cause: "etcd-unhealthy", programs: ["talos"], subjects: ["etcd-service"] },
  { general: true, cause: "guest-agent-failed", programs: ["waagent"] },
  { general: true, cause: "apt-repository-failed", programs: ["apt", "yum"], subjects: ["package-mirror"] },
  { general: true, cause: "join-timeout-unknown", programs: ["k8s-snap"], kinds: ["gave-up"] },
  { general: true, cause: "control-plane-component-crash", programs: ["kube-apiserver"] },
  { general: true, cause: "kubeadm-not-run", subjects: ["kubelet-file"] },
  // Why it could not be loaded may be told in any language.
  { general: true, cause: "pki-file-missing-or-invalid", programs: ["kubelet"], subjects: ["secret-file"] },
  { general: true, cause: "kubelet-not-running", programs: ["kubelet"] },
  { general: true, cause: "kubelet-not-running", subjects: ["kubelet"] },
  { general: true, cause: "join-timeout-unknown", kinds: ["gave-up"] },
  { general: true, cause: "preflight-other", programs: ["kubeadm", ...distributions], subjects: ["preflight-check"] },
  { general: true, cause: "join-timeout-unknown", programs: ["kubeadm"], kinds: ["exit-status"] },
  {
    general: true,
    cause: "preflight-binary-missing",
    kinds: ["missing-file"],
    subjects: ["binary"],
    programs: ["shell", "powershell"],
  },
  {
    general: true,
    cause: "cloud-init-scripts-failed",
    programs: ["shell"],
    kinds: ["missing-file"],
    subjects: ["script"],
  },
  { general: true, cause: "http-download-failed", subjects: ["remote-https"], kinds: silent },
  // Its scripts speak to the cluster that they join alone.
  { general: true, cause: "api-server-unreachable", programs: ["microk8s"], kinds: silent },
  { general: true, cause: "cloud-init-scripts-failed", programs: ["shell"], kinds: ["exit-status"] },
  { general: true, cause: "windows-service-start-failed", programs: ["powershell"], subjects: ["unit"] },
];
