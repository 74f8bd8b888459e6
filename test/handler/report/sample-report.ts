import type { Finding } from "../../../handler/diagnosis/diagnosis.ts";
import type { Report, ShownReport } from "../../../handler/report/report.ts";
import { showAll } from "../../../handler/text/shown-text.ts";

const cause: Finding = {
  ruleId: "dns-lookup-failed",
  reason: "DnsResolutionFailed",
  cause: "dns-resolution",
  stage: "kubeadm-join",
  title: "The node cannot resolve the name of the control plane",
  summary: "10.0.0.10 says that cp.example.internal does not exist",
  explanation:
    "kubeadm asks for the API server by name. The resolver of the subnet does not know it, so the join cannot begin.",
  nextStep:
    "Link the private DNS zone to the node's virtual network (AzureCluster spec.networkSpec.privateDNSZoneName).",
  references: ["https://capz.sigs.k8s.io/self-managed/troubleshooting"],
  retryable: false,
  blame: "network",
  confidence: "high",
  evidence: [
    {
      source: "cloud-init-output",
      origin: "/var/log/cloud-init-output.log",
      line: 412,
      text: "couldn't validate the identity of the API Server: lookup cp.example.internal on 10.0.0.10:53: no such host <script>alert(1)</script>",
    },
  ],
  role: "cause",
};

/** A report as a failed join of a second control-plane node makes it. */
const rawReport: Report = {
  schemaVersion: 1,
  time: "2026-11-21T03:16:21.000Z",
  handlerVersion: "1.0.0",
  outcome: "failed",
  firstLine:
    "Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s: 10.0.0.10 says that cp.example.internal does not exist. Next: Link the private DNS zone to the node's virtual network.",
  body: ["The node cannot resolve the name of the control plane."],
  vmId: "6f1c1d2e-8a4b-4c55-9d3f-0123456789ab",
  machine: {
    hostName: "workload-control-plane-x7k2p",
    os: "Ubuntu 24.04.2 LTS",
    image: "cncf-upstream capi ubuntu-2404-gen1 133.1.1",
    vmSize: "Standard_D2s_v5",
    kubernetes: "v1.33.1",
    runtime: "containerd 1.7.27",
    provider: "kubeadm",
  },
  checkVersion: "1.0.0",
  elapsedSeconds: 74,
  timeoutSeconds: 1200,
  diagnosis: {
    kind: "classified",
    primary: cause,
    others: [
      {
        ...cause,
        ruleId: "kubelet-not-started",
        reason: "KubeletNotRunning",
        title: "The kubelet never became healthy",
        summary: "The kubelet has no configuration yet",
        role: "symptom",
        evidence: [],
      },
    ],
    decisive: cause.evidence,
  },
  timeline: [
    { time: "2026-11-21T03:15:07.000Z", seconds: 0, event: "the wait began" },
    { time: "2026-11-21T03:15:12.000Z", seconds: 5, stage: "cloud-init", event: "cloud-init init finished" },
    { time: "2026-11-21T03:15:31.000Z", seconds: 24, stage: "packages", event: "packages installed" },
    { time: "2026-11-21T03:15:40.000Z", seconds: 33, stage: "kubeadm-join", event: "kubeadm join started" },
    {
      time: "2026-11-21T03:16:19.000Z",
      seconds: 72,
      stage: "cloud-init",
      event: "cloud-init modules-final finished with 1 error",
    },
    { time: "2026-11-21T03:16:21.000Z", seconds: 74, event: "the check failed (DnsResolutionFailed)" },
  ],
  probes: [
    {
      name: "dns",
      target: "cp.example.internal via 10.0.0.10",
      state: "failed",
      message: "NXDOMAIN, 10.0.0.10 says that the name does not exist",
      durationMs: 12,
    },
    { name: "tcp", target: "cp.example.internal:6443", state: "failed", message: "name not found", durationMs: 3 },
    {
      name: "disk",
      target: "/var/lib/kubelet",
      state: "passed",
      message: "84% of 30218 MiB free, 97% of inodes free",
      durationMs: 1,
    },
    {
      name: "sysctl",
      target: "net.bridge.bridge-nf-call-iptables",
      state: "not-run",
      message: "no such setting",
      durationMs: 1,
    },
  ],
  sources: [
    { origin: "/var/log/cloud-init-output.log", source: "cloud-init-output", state: "read", bytes: 48_211 },
    {
      origin: "journalctl -u kubelet",
      source: "kubelet",
      state: "cut",
      bytes: 3_145_728,
      note: "only the last 12000 lines",
    },
    { origin: "crictl ps -a", source: "runtime", state: "not-available", bytes: 0, note: "spawn crictl ENOENT" },
  ],
  warnings: [],
};

export const sampleReport: ShownReport = showAll(rawReport);
