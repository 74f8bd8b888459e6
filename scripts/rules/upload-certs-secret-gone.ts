import type { Rule } from "../../handler/diagnosis/rule.ts";

export const uploadCertsSecretGone = {
  kind: "failure",
  id: "upload-certs-secret-gone",
  cause: "upload-certs-expired",
  reason: "UploadCertsExpired",
  platforms: ["linux", "windows"],
  stage: "kubeadm-join",
  sources: "any",
  any: [
    /(?<answer>Secret \\*"kubeadm-certs\\*" was not found)/u,
    /(?<answer>secrets \\*"kubeadm-certs\\*" (?:is forbidden|not found))/u,
    /(?<answer>error decoding certificate key|cipher: message authentication failed|error decoding secret data with provided key)/u,
    /(?<answer>error downloading (?:certs|the secret))/u,
  ],
  // The Secret was not reached, and may well be there.
  except: [
    /the secret: .{0,300}(?:etcdserver: |i\/o timeout|connection re(?:fused|set)|deadline exceeded|EOF\b|no such host|no route to host|x509: )/u,
  ],
  specificity: 94,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "The shared control-plane certificates cannot be fetched",
  summary: "The kubeadm-certs secret cannot be used ({answer})",
  explanation:
    "A further control-plane node takes the shared certificates from the Secret kubeadm-certs, which lives for two hours, and decrypts them with the certificate key. The Secret is gone, the key is another one, or a certificate is not in it: where etcd is external, that of its client and its authority.",
  nextStep:
    "Leave the certificate key empty: KubeadmControlPlane spec.kubeadmConfigSpec.joinConfiguration.controlPlane.certificateKey; by hand run kubeadm init phase upload-certs --upload-certs and join with the new key; where etcd is external, see that the Secrets CLUSTER-etcd and CLUSTER-apiserver-etcd-client exist",
  references: ["https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/high-availability/"],
} as const satisfies Rule;
