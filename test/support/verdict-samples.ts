import type { ProofMessage } from "../../handler/contract/verdict-substatus.ts";
import type { CheckReport, OutputTails, ProcessExit } from "../../handler/verdict/outcome.ts";
import type { Diagnosis, EvidenceSummary, Finding, ProbeResult } from "../../handler/diagnosis/diagnosis.ts";
import type { Verdict } from "../../handler/verdict/verdict.ts";
import { ours, showAll, type Shown } from "../../handler/text/shown-text.ts";

interface RawDiagnosed {
  readonly diagnosis: Diagnosis;
  readonly evidence: readonly EvidenceSummary[];
  readonly probes: readonly ProbeResult[];
}

const silent: OutputTails = { stdout: ours``, stderr: ours`` };
const exit: ProcessExit = { kind: "code", code: 1 };

export function report(parts: Partial<CheckReport> = {}): CheckReport {
  return { facts: {}, ...parts };
}

const rawFinding: Finding = {
  ruleId: "dns-resolution-failed",
  reason: "DnsResolutionFailed",
  cause: "dns",
  stage: "kubeadm-join",
  title: "The name of the control plane does not resolve",
  summary: "the name workload-apiserver.internal does not resolve: 10.0.0.10 answered NXDOMAIN",
  explanation: "kubeadm could not look up the control plane endpoint, so it never reached the API server.",
  nextStep: "link the private DNS zone to the virtual network of the node",
  references: ["https://learn.microsoft.com/azure/dns/private-dns-overview"],
  retryable: true,
  blame: "network",
  confidence: "high",
  evidence: [
    {
      source: "cloud-init-output",
      origin: "/var/log/cloud-init-output.log",
      line: 812,
      text: 'error execution phase preflight: Get "https://workload-apiserver.internal:6443/api/v1": lookup workload-apiserver.internal: no such host',
    },
  ],
  role: "cause",
};

export const dnsFinding: Shown<Finding> = showAll(rawFinding);

const kubeletFinding: Shown<Finding> = showAll<Finding>({
  ...rawFinding,
  ruleId: "kubelet-not-running",
  reason: "KubeletNotRunning",
  stage: "kubelet",
  title: "The kubelet does not run",
  summary: "the kubelet waits for its configuration",
  evidence: [],
  role: "symptom",
});

/** A failed join with a named cause: the whole of what the program can say. */
export function failedVerdict(parts: Partial<Verdict> = {}): Verdict {
  return {
    end: { kind: "failed", exit, report: report({ stage: "kubeadm-join", providers: ["kubeadm"] }), output: silent },
    mode: "enforce",
    elapsedSeconds: 74,
    timeoutSeconds: 900,
    time: "2026-01-31T12:01:14Z",
    vmId: "5c0ffee0-0000-4000-8000-0123456789ab",
    handlerVersion: "1.0.0",
    checkVersion: "1.0.0",
    timeline: [
      { time: "2026-01-31T11:59:52Z", seconds: -8, event: "the machine booted" },
      { time: "2026-01-31T12:00:00Z", seconds: 0, stage: "cloud-init", event: "the wait began" },
      { time: "2026-01-31T12:01:14Z", seconds: 74, stage: "kubeadm join", event: "cloud-init finished with errors" },
    ],
    warnings: [],
    diagnosis: showAll<RawDiagnosed>({
      diagnosis: {
        kind: "classified",
        primary: dnsFinding,
        others: [kubeletFinding],
        decisive: dnsFinding.evidence,
      },
      evidence: [
        { origin: "/var/log/cloud-init-output.log", source: "cloud-init-output", state: "read", bytes: 48211 },
        { origin: "journalctl -u kubelet", source: "kubelet", state: "cut", bytes: 262144, note: "the last 256 KiB" },
      ],
      probes: [
        {
          name: "dns",
          target: "workload-apiserver.internal",
          state: "failed",
          message: "10.0.0.10 answered NXDOMAIN",
          durationMs: 12,
        },
      ],
    }),
    reportFile: "/var/log/azure/capz-bootstrap/0/report.txt",
    ...parts,
  };
}

export function passedVerdict(parts: Partial<Verdict> = {}): Verdict {
  const { diagnosis, ...common } = failedVerdict();
  if (diagnosis === undefined) throw new Error("the failed sample must have a diagnosis to leave out");
  return {
    ...common,
    end: { kind: "passed", report: report({ providers: ["kubeadm"] }), output: silent },
    elapsedSeconds: 61,
    ...parts,
  };
}

/** Of a clone that joined: what a scale set's prototype keeps as a record of where its machines come from. */
export const cloneProof: ProofMessage = {
  schemaVersion: 1,
  verifiedAt: "2026-01-31T12:01:15.000Z",
  vmId: "5c0ffee0-0000-4000-8000-0123456789ab",
  hostName: "capz-node-2",
  check: {
    says: "bootstrapped",
    stage: "bootstrapped",
    decidedBy: ["/run/cluster-api/bootstrap-success.complete was written in this boot"],
  },
  sentinel: {
    path: "/run/cluster-api/bootstrap-success.complete",
    state: "present",
    writtenAt: "2026-01-31T12:01:13.000Z",
    ageSeconds: 2,
  },
  certificates: [
    {
      path: "/var/lib/kubelet/pki/kubelet-client-current.pem",
      name: "system:node:capz-node-2",
      issuer: "kubernetes",
      notBefore: "2026-01-31T11:56:10.000Z",
      notAfter: "2027-01-31T12:01:10.000Z",
    },
  ],
  kubelet: { health: "ok", version: "v1.34.1" },
  versions: {
    handler: "2.0.0",
    check: "2.0.0",
    containerd: "v2.1.4",
    system: "Ubuntu 24.04.3 LTS",
    kernel: "6.11.0-1018-azure",
  },
  image:
    "/subscriptions/0c0c0c0c-0000-4000-8000-0123456789ab/resourceGroups/images/providers/Microsoft.Compute/galleries/nodes/images/capi-ubuntu-2404/versions/1.34.1",
  origin: {
    kind: "another-machine",
    why: "prepare-image made the donor ready at 2026-01-30T08:00:00.000Z, as VM 1d0c0a0e-0000-4000-8000-0123456789ab",
  },
};
