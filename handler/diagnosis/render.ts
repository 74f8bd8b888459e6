import { firstLine } from "../text/first-line.ts";
import { cutShown, joinShown, ours, show, type Shown, type ShownText } from "../text/shown-text.ts";
import type { Diagnosis, EvidenceLine, Finding, Stage } from "./diagnosis.ts";
import { judgementWords } from "./judgement.ts";

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

/** "Bootstrap failed (DnsResolutionFailed) in kubeadm join: … Next: …", at most 200 characters. */
export function renderFirstLine(diagnosis: Shown<Diagnosis>): ShownText {
  switch (diagnosis.kind) {
    case "healthy":
      return ours`Bootstrapped: the logs end in success`;
    case "unclassified":
      return unclassifiedLine(diagnosis);
    case "classified":
      return classifiedLine(diagnosis.primary);
  }
}

function classifiedLine(primary: Shown<Finding>): ShownText {
  return firstLine({
    head: ours`Bootstrap failed (${primary.reason})${inStage(stageNames[primary.stage])}`,
    summary: primary.summary,
    nextStep: primary.nextStep,
  });
}

function unclassifiedLine({ decisive, step, notMade }: Extract<Shown<Diagnosis>, { kind: "unclassified" }>): ShownText {
  if (notMade !== undefined) {
    return firstLine({
      head: ours`No diagnosis`,
      summary: ours`it could not be made (${notMade})`,
      nextStep: ours`Try again, or copy /var/log and name the copy`,
    });
  }
  const stage = step === undefined ? "" : stageNames[step.stage];
  const head = ours`Bootstrap failed (Unclassified)${inStage(stage)}`;
  const last = step?.line ?? decisive.at(-1);
  if (last === undefined) {
    return firstLine({
      head: ours`No failure found in the logs`,
      summary: ours`no known cause, no error line and no sign of success`,
      nextStep: ours`Read the evidence listed below`,
    });
  }
  const said = cutShown.oneLine(last.text);
  const summary =
    step?.program === undefined
      ? ours`no known cause; last error: "${said}"`
      : ours`no known cause; ${show(step.program)} says "${said}"`;
  return firstLine({ head, summary, nextStep: ours`Read the quoted lines below` });
}

/** The lines below the first one: why, what shows it, what to do, what else was found. */
export function renderBody(diagnosis: Shown<Diagnosis>): readonly ShownText[] {
  switch (diagnosis.kind) {
    case "healthy":
      return diagnosis.others.length === 0 ? [] : [ours`Remarks:`, ...diagnosis.others.map(otherLine)];
    case "unclassified":
      if (diagnosis.notMade !== undefined)
        return [ours`Cause: not known, because the diagnosis could not be made (${diagnosis.notMade}).`];
      return [
        ours`Cause: unclassified. No rule of the catalogue applies; these lines decided:`,
        ...quote(diagnosis.decisive),
        ...othersOf(diagnosis.others),
      ];
    case "classified":
      return [...findingLines(diagnosis.primary), ...lastErrors(diagnosis), ...othersOf(diagnosis.others)];
  }
}

/** The lines that an operator is shown in report and status: a named cause does not hide what else went wrong. */
export function linesShown(diagnosis: Shown<Diagnosis>): readonly Shown<EvidenceLine>[] {
  switch (diagnosis.kind) {
    case "healthy":
      return [];
    case "unclassified":
      return diagnosis.decisive;
    case "classified":
      return [...diagnosis.primary.evidence, ...decisiveBeside(diagnosis)];
  }
}

type Classified = Extract<Shown<Diagnosis>, { kind: "classified" }>;

function decisiveBeside({ primary, decisive }: Classified): readonly Shown<EvidenceLine>[] {
  const quoted = new Set(primary.evidence.map(({ origin, line }) => `${origin}:${line}`));
  return decisive.filter(({ origin, line }) => !quoted.has(`${origin}:${line}`));
}

function lastErrors(diagnosis: Classified): readonly ShownText[] {
  const lines = diagnosis.primary.confidence === "high" ? [] : decisiveBeside(diagnosis);
  return lines.length === 0 ? [] : [ours`Last errors in the logs:`, ...quote(lines)];
}

function findingLines(finding: Shown<Finding>): readonly ShownText[] {
  return [
    ours`Cause: ${sentence(finding.title)} (${joinShown([finding.cause, ...judgementWords(finding)], "; ")})`,
    ours`Meaning: ${finding.explanation}`,
    ours`Next step: ${finding.nextStep}`,
    ours`Evidence:`,
    ...quote(finding.evidence),
    ...finding.references.map((reference) => ours`See: ${reference}`),
  ];
}

function othersOf(others: readonly Shown<Finding>[]): readonly ShownText[] {
  return others.length === 0 ? [] : [ours`Also seen:`, ...others.map(otherLine)];
}

function otherLine(finding: Shown<Finding>): ShownText {
  return ours`  [${show(finding.role)}] ${finding.reason}: ${finding.summary}`;
}

function quote(lines: readonly Shown<EvidenceLine>[]): readonly ShownText[] {
  return lines.map(({ origin, line, text }) => ours`  ${origin}:${line}: ${cutShown.middle(text, 300)}`);
}

function inStage(stage: string): ShownText {
  return stage === "" ? ours`` : ours` in ${show(stage)}`;
}

function sentence(text: ShownText): ShownText {
  const trimmed = cutShown.trim(text);
  return /[.!?…]$/u.test(trimmed) ? trimmed : ours`${trimmed}.`;
}
