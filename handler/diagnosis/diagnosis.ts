import type { Blame } from "../reasons/reason-row.ts";

/** Where a line of evidence comes from. A rule names the sources it reads; `evaluate` maps a case's log_kind to them. */
export const sourceIds = [
  "cloud-init-output", // /var/log/cloud-init-output.log: what runcmd (kubeadm, apt …) printed
  "cloud-init", // /var/log/cloud-init.log
  "cloud-init-status", // status.json, result.json
  "kubeadm", // kubeadm's own output where it is apart (kubeadm.service, captured output)
  "kubelet", // journal -u kubelet, kubelet logs on Windows
  "runtime", // containerd, CRI-O, docker
  "bootstrap-unit", // journal of rke2-*, k3s*, k0s*, microk8s, cloud-final, kubeadm.service
  "kernel", // kernel ring buffer: OOM, disk
  "system", // syslog, whole journal, systemd itself
  "units", // unit states as text lines
  "guest-agent", // waagent.log and handler logs
  "ignition", // journal -t ignition, serial console of an Ignition boot
  "cloudbase-init", // Windows
  "windows-events", // System and Application event logs, Hyper-V compute, HNS
  "azure", // Azure control-plane and AKS texts (CSE exit codes, ARM errors)
  "command-output", // stdout and stderr of commandToExecute
  "probe", // our own probes on failure
] as const;
export type SourceId = (typeof sourceIds)[number];

export const confidences = ["high", "medium", "low"] as const;
export type Confidence = (typeof confidences)[number];

/** "cause": named first; "symptom": explained by another finding; "remark": true but not why it failed. */
export const findingRoles = ["cause", "symptom", "remark"] as const;

/** The step of the bootstrap that a finding belongs to. */
export const stages = [
  "provisioning",
  "cloud-init",
  "packages",
  "runtime",
  "images",
  "kubeadm-preflight",
  "kubeadm-init",
  "kubeadm-join",
  "kubelet",
  "network",
  "distribution",
  "azure",
  "any",
] as const;
export type Stage = (typeof stages)[number];

/** A quoted line: already redacted and bounded in length. */
export interface EvidenceLine {
  readonly source: SourceId;
  /** File or journal unit as a person would look it up: "/var/log/cloud-init-output.log", "journalctl -u kubelet". */
  readonly origin: string;
  readonly line: number;
  readonly text: string;
}

/** A rule of the catalogue that applies to this node, with what shows it. */
export interface Finding {
  readonly ruleId: string;
  readonly reason: string;
  /** The label of the cause taxonomy (several rules may share one). */
  readonly cause: string;
  readonly stage: Stage;
  readonly title: string;
  /** One sentence with the details from the evidence filled in (host name, address, port …). */
  readonly summary: string;
  readonly explanation: string;
  readonly nextStep: string;
  readonly references: readonly string[];
  /** Whether a new machine may pass; absent where nobody knows. */
  readonly retryable?: boolean;
  readonly blame: Blame;
  readonly confidence: Confidence;
  readonly evidence: readonly EvidenceLine[];
  readonly role: (typeof findingRoles)[number];
}

export interface FailedStep {
  /** Undefined where the line does not tell. */
  readonly program?: string;
  readonly stage: Stage;
  readonly line: EvidenceLine;
}

export type Diagnosis =
  | {
      readonly kind: "classified";
      readonly primary: Finding;
      readonly others: readonly Finding[];
      readonly decisive: readonly EvidenceLine[];
    }
  /** Nothing in the catalogue applies: says so and quotes the decisive last error lines. */
  | {
      readonly kind: "unclassified";
      readonly others: readonly Finding[];
      readonly decisive: readonly EvidenceLine[];
      /** Who said the most telling of them, and in which step of the bootstrap. */
      readonly step?: FailedStep;
      /** Why there is no diagnosis at all: it was cut short, or failed itself. Nothing is known of the machine then. */
      readonly notMade?: string;
    }
  /** The evidence shows a bootstrap that went through. */
  | { readonly kind: "healthy"; readonly others: readonly Finding[] };

/** What the diagnosis run looked at, for the report: also what was not available. */
export interface EvidenceSummary {
  readonly origin: string;
  readonly source: SourceId;
  readonly state: "read" | "cut" | "not-available" | "timed-out";
  readonly bytes: number;
  /** It is there, and whoever asked may not read it. */
  readonly denied?: true;
  readonly note?: string;
}

export interface ProbeResult {
  readonly name: string;
  readonly target: string;
  readonly state: "passed" | "failed" | "not-run";
  /** One sentence: what was asked of whom and what came back. */
  readonly message: string;
  readonly durationMs: number;
}
