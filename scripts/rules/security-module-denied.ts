import type { Rule } from "../../handler/diagnosis/rule.ts";

export const securityModuleDenied = {
  kind: "failure",
  id: "security-module-denied",
  cause: "selinux-or-apparmor-denied",
  reason: "SelinuxOrApparmorDenied",
  platforms: ["linux"],
  stage: "runtime",
  sources: "any",
  any: [
    /avc: {1,2}denied .{0,200}comm="\(?(?<program>kube[\w-]{0,20}|etcd|containerd[\w-]{0,10}|runc|k3s[\w-]{0,10}|rke2[\w-]{0,10}|crio|flanneld|calico[\w-]{0,10})/u,
    /apparmor="DENIED" .{0,300}(?:comm|profile)="(?<program>kube[\w-]{0,20}|etcd|containerd[\w-]{0,10}|runc|snap\.(?:microk8s|k8s)[\w.-]{1,60}|cri-containerd[\w.-]{0,20})/u,
    // setroubleshoot names the program in its advice.
    /ausearch -c '(?<program>kube[\w-]{0,20}|etcd|containerd[\w-]{0,10}|runc|k3s|rke2|k0s|crio)(?:[^'\w][^'\n]{0,20})?' --raw/u,
    /SELinux is preventing \S{0,120}?\b(?<program>kubelet|kubeadm|etcd|containerd[\w-]{0,10}|runc|k3s|rke2|k0s|crio|kube-[a-z-]{5,20}) from /u,
    // Its report names the types: of a container, or of what belongs to one.
    /^\s{0,12}(?:Source|Target) Context\s{1,24}\S{1,40}:(?<program>container|kubelet|kubernetes|k3s|rke2|spc|svirt_lxc)\w{0,24}_t\b/u,
    /SELinux relabeling of \S{3,100} is not allowed/u,
    /failed to create containerd container: get (?<program>apparmor_parser) version/u,
    /(?:apparmor failed to apply profile|unable to apply apparmor profile|error setting label|failed to set \/proc\/self\/attr|write \/proc\/(?:thread-)?self\/attr\/\w{4,12}: invalid argument)/u,
    /cannot load the AppArmor profile|AppArmor enabled on system but the \S{3,40} profile could not be loaded/u,
  ],
  except: [/operation="(?:profile_(?:load|replace)|ptrace)"|permissive=1/u],
  none: [/^\s{0,12}Enforcing Mode\s{1,24}Permissive\b/u],
  specificity: 72,
  confidence: "high",
  explains: [
    "control-plane-component-crash",
    "pki-file-missing-or-invalid",
    "pod-sandbox-failed",
    "kubelet-not-running",
    "container-runtime-not-running",
  ],
  retryable: false,
  blame: "image",
  title: "SELinux or AppArmor blocks a needed program",
  summary: "SELinux or AppArmor denies {program|a program of the node} what it needs",
  explanation:
    "The security module of the image forbids the runtime, the kubelet or a control-plane container what it must do.",
  nextStep:
    "Restore file contexts or load the profile: KubeadmConfigTemplate spec.template.spec.preKubeadmCommands, or correct the image (AzureMachineTemplate spec.template.spec.image); set permissive only to prove it",
  references: ["https://kubernetes.io/docs/tutorials/security/apparmor/"],
} as const satisfies Rule;
