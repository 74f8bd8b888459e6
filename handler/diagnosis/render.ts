import type { Diagnosis, EvidenceLine, Finding, Stage } from "./diagnosis.ts";

export interface RenderOptions {
  /** Seconds from the start of the bootstrap to the failure. */
  readonly elapsedSeconds?: number;
  /** What was running when it failed, as a person says it; default: the stage of the cause. */
  readonly stage?: string;
  /** Takes secrets out of text; applied to every line before it is shortened. */
  readonly redact: (text: string) => string;
}

/** Limit of the first line of the status message (characters). */
export const firstLineLimit = 200;

const stageNames: Readonly<Record<Stage, string>> = {
  provisioning: "provisioning",
  "cloud-init": "cloud-init",
  packages: "package installation",
  runtime: "container runtime start",
  images: "image pull",
  "kubeadm-preflight": "kubeadm preflight",
  "kubeadm-init": "kubeadm init",
  "kubeadm-join": "kubeadm join",
  kubelet: "kubelet start",
  network: "network set-up",
  distribution: "distribution start",
  azure: "Azure provisioning",
  any: "bootstrap",
};

/** "Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s: … Next: …", at most 200 characters. */
export function renderFirstLine(diagnosis: Diagnosis, options: RenderOptions): string {
  switch (diagnosis.kind) {
    case "healthy":
      return "Bootstrapped: the logs end in success";
    case "unclassified":
      return unclassifiedLine(diagnosis.decisive, options);
    case "classified":
      return classifiedLine(diagnosis.primary, options);
  }
}

function classifiedLine(primary: Finding, options: RenderOptions): string {
  const stage = options.stage ?? stageNames[primary.stage];
  const head = `Bootstrap failed (${primary.reason}) in ${stage}${after(options)}: `;
  const summary = sentence(options.redact(primary.summary));
  const next = ` Next: ${sentence(firstSentence(options.redact(primary.nextStep)))}`;
  const room = firstLineLimit - head.length;
  if (summary.length + next.length <= room) return head + summary + next;
  // The cause matters more than the next step, which stands in full in the body.
  const forNext = Math.min(next.length, Math.max(60, room - summary.length));
  return head + cut(summary, room - forNext) + cut(next, forNext);
}

function unclassifiedLine(decisive: readonly EvidenceLine[], options: RenderOptions): string {
  const head = `Bootstrap failed (Unclassified)${options.stage === undefined ? "" : ` in ${options.stage}`}${after(options)}: `;
  const last = decisive.at(-1);
  const text =
    last === undefined
      ? "no known cause and no error line in the logs. Next: read the evidence listed below."
      : `no known cause. Last error: ${options.redact(last.text).trim()}`;
  return cut(head + text, firstLineLimit);
}

/** The lines below the first one: why, what shows it, what to do, what else was found. */
export function renderBody(diagnosis: Diagnosis, redact: (text: string) => string): readonly string[] {
  switch (diagnosis.kind) {
    case "healthy":
      return diagnosis.others.length === 0
        ? []
        : ["Remarks:", ...diagnosis.others.map((one) => otherLine(one, redact))];
    case "unclassified":
      return [
        "Cause: unclassified. No rule of the catalogue applies; these lines decided:",
        ...quote(diagnosis.decisive, redact),
        ...othersOf(diagnosis.others, redact),
      ];
    case "classified":
      return [...findingLines(diagnosis.primary, redact), ...othersOf(diagnosis.others, redact)];
  }
}

function findingLines(finding: Finding, redact: (text: string) => string): readonly string[] {
  const tries = finding.retryable ? "a retry may succeed" : "a retry fails the same way";
  return [
    `Cause: ${sentence(finding.title)} (${finding.cause}; confidence ${finding.confidence}; ${tries}; side: ${finding.blame})`,
    `Meaning: ${finding.explanation}`,
    `Next step: ${finding.nextStep}`,
    "Evidence:",
    ...quote(finding.evidence, redact),
    ...finding.references.map((reference) => `See: ${reference}`),
  ];
}

function othersOf(others: readonly Finding[], redact: (text: string) => string): readonly string[] {
  return others.length === 0 ? [] : ["Also seen:", ...others.map((one) => otherLine(one, redact))];
}

function otherLine(finding: Finding, redact: (text: string) => string): string {
  return `  [${finding.role}] ${finding.reason}: ${redact(finding.summary)}`;
}

function quote(lines: readonly EvidenceLine[], redact: (text: string) => string): readonly string[] {
  return lines.map(({ origin, line, text }) => `  ${origin}:${line}: ${cut(redact(text), 300)}`);
}

function after({ elapsedSeconds }: RenderOptions): string {
  return elapsedSeconds === undefined ? "" : ` after ${Math.round(elapsedSeconds)} s`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** Up to the first full stop that ends a sentence, not one inside a name or number. */
function firstSentence(text: string): string {
  const end = /[.;](?=\s|$)/u.exec(text);
  return end === null ? text : text.slice(0, end.index);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1)).trimEnd()}…`;
}
