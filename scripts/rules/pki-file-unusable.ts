import type { Rule } from "../../handler/diagnosis/rule.ts";

export const pkiFileUnusable = {
  kind: "failure",
  id: "pki-file-unusable",
  cause: "pki-file-missing-or-invalid",
  reason: "PkiFileMissingOrInvalid",
  platforms: ["linux", "windows"],
  stage: "kubelet",
  sources: "any",
  any: [
    /unable to load client CA (?:file|provider) ?(?<file>[^\s:]{0,200}): .{0,80}(?<answer>no such file or directory|data does not contain any valid|permission denied)/u,
    [
      /(?:unable to load|error reading|[Ff]ailed to (?:load|initialize|read)|failure loading|couldn't load|error loading|open) /u,
      /(?<file>\/[\w/.-]{3,180}\.(?:crt|key|pem))/u,
      /(?<answer>no such file or directory|data does not contain any valid (?:RSA|certificates?|ECDSA)[\w ]{0,40}|PEM|asn1: |does not match|malformed certificate|permission denied|must be supplied as a pair)/u,
    ],
    /failure loading (?<file>[\w/-]{2,40}) (?:certificate|key): (?<answer>[^"\n]{5,100})/u,
    /failed to write or validate certificate \\*"(?<file>[\w/-]{2,40})\\*": (?<answer>[^"\n]{5,100})/u,
    /certificate (?<file>[\w/-]{2,40}) (?<answer>is not signed by corresponding CA|not signed by CA certificate [\w/-]{2,40})/u,
    /(?<answer>tls: private key does not match public key|data does not contain any valid RSA or ECDSA certificates|tls: failed to find any PEM data)/u,
  ],
  except: [
    /CA cert for probe/u,
    // Which names it lacks tells more of the API server's own.
    /certificate apiserver is invalid: x509: certificate is valid for/u,
    // What the kubelet gets from the cluster, and may ask for again.
    /bootstrap-kubelet\.conf|(?<!apiserver-)kubelet-client\b|Loading cert|Generating self-signed/u,
    // It is whole, and the clock is wrong.
    /not valid yet|not yet valid/u,
    /apt|\.asc|gpg|cloudinit/u,
  ],
  recoveredBy: [/Successfully registered node/u],
  specificity: 76,
  confidence: "high",
  explains: ["kubelet-not-running", "join-timeout-unknown", "control-plane-component-crash"],
  retryable: false,
  blame: "configuration",
  title: "A certificate or key file is missing or does not parse",
  summary: "The file {file|of a certificate} cannot be used ({answer})",
  explanation:
    "A component was told to read a certificate or key that is not there or holds something else, so it exits.",
  nextStep:
    "Correct the path or write the file: KubeadmConfigTemplate spec.template.spec.files, KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration.certificatesDir, the cluster secrets CLUSTER-ca and CLUSTER-etcd",
  references: ["https://kubernetes.io/docs/setup/best-practices/certificates/"],
} as const satisfies Rule;
