import { cutMiddle } from "../text/cut-text.ts";
import { firstLine, oneLine } from "../text/first-line.ts";
import type { Diagnosis, EvidenceLine, Finding, Stage } from "./diagnosis.ts";

export interface RenderOptions {
  /** Seconds from the start of the bootstrap to the failure. */
  readonly elapsedSeconds?: number;
  /** What was running when it failed, as a person says it; default: the stage of the cause. */
  readonly stage?: string;
  /** Takes secrets out of text; applied to every line before it is shortened. */
  readonly redact: (text: string) => string;
}

/** Where it failed, as a person says it behind "in". */
export const stageNames: Readonly<Record<Stage, string>> = {
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
  any: "",
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
  return firstLine({
    head: `Bootstrap failed (${primary.reason})${stage === "" ? "" : ` in ${stage}`}${after(options)}`,
    summary: options.redact(primary.summary),
    nextStep: options.redact(primary.nextStep),
  });
}

function unclassifiedLine(decisive: readonly EvidenceLine[], options: RenderOptions): string {
  const head = `Bootstrap failed (Unclassified)${options.stage === undefined ? "" : ` in ${options.stage}`}${after(options)}`;
  const last = decisive.at(-1);
  if (last === undefined) {
    return firstLine({
      head: "No failure found in the logs",
      summary: "no known cause, no error line and no sign of success",
      nextStep: "Read the evidence listed below",
    });
  }
  const summary = `no known cause; last error: "${cutMiddle(oneLine(options.redact(last.text)), 110)}"`;
  return firstLine({ head, summary, nextStep: "Read the quoted lines below" });
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
  return lines.map(({ origin, line, text }) => `  ${origin}:${line}: ${cutMiddle(redact(text), 300)}`);
}

function after({ elapsedSeconds }: RenderOptions): string {
  return elapsedSeconds === undefined ? "" : ` after ${Math.round(elapsedSeconds)} s`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/u.test(trimmed) ? trimmed : `${trimmed}.`;
}
