import type { Status, Substatus } from "../contract/status.ts";
import {
  statusSchemaVersion,
  substatusNames,
  type DiagnosisMessage,
  type EvidenceMessage,
  type FindingMessage,
  type ProofMessage,
  type TimelineMessage,
  type VerdictMessage,
} from "../contract/verdict-substatus.ts";
import type { Diagnosis, EvidenceLine, Finding } from "../diagnosis/diagnosis.ts";
import { jsonBytes } from "../text/cut-text.ts";
import { cutShown, show, showAll, shownJson, type Shown, type ShownText } from "../text/shown-text.ts";
import type { VerdictWords } from "./verdict-words.ts";
import type { Diagnosed, Verdict } from "./verdict.ts";

/** Bytes of one substatus in the file, so that the message keeps its room and none of these is cut within its JSON. */
const substatusBytes = 3400;
const timelineBytes = 1800;
/** More than a verdict of our own words takes, so that only words of somebody else's are shortened. */
const verdictBytes = 3000;
/** Of what there is, this much is tried, the most first, until it fits. */
const shares = [1, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0] as const;
const mostFindings = 5;
const mostLines = 12;
const mostEntries = 30;
const lineCharacters = 300;
/** Characters of a resource id, the longest name that Azure gives. */
const mostImage = 400;
const mostWarnings = 10;
/** Characters of one text of a verdict: a check's own message and advice have up to 1,024. */
const verdictCharacters = 1100;
/** An address that a server of somebody else's made up may be longer; the message has it. */
const longestUri = 1000;

/**
 * The machine-readable part: one JSON text per substatus (manifests/status.schema.json). Azure shows each with a word for its own state, so
 * each has the state of the whole: "Provisioning succeeded" beside a failure would read as one that is over.
 */
export function verdictSubstatuses(
  verdict: Verdict,
  words: VerdictWords,
  whole: Pick<Status, "kind" | "code">,
): readonly Substatus[] {
  const diagnosed = verdict.diagnosis;
  const proof = verdict.end.kind === "reported" ? verdict.end.proof : verdict.proof;
  const substatus = <Message extends object>(name: string, message: Shown<Message>): Substatus => ({
    name: show(name),
    status: whole.kind,
    code: whole.code,
    message: shownJson(message),
  });
  return [
    substatus(substatusNames.verdict, verdictMessage(verdict, words)),
    ...(diagnosed === undefined ? [] : [substatus(substatusNames.diagnosis, diagnosisMessage(diagnosed.diagnosis))]),
    substatus(substatusNames.timeline, timelineMessage(words)),
    ...(diagnosed === undefined ? [] : [substatus(substatusNames.evidence, evidenceMessage(diagnosed))]),
    ...(proof === undefined ? [] : [substatus(substatusNames.proof, proofMessage(showAll(proof)))]),
  ];
}

/** The largest of the variants that fits; the last one when none does. */
function fitting<Message extends object>(limit: number, make: (share: number) => Shown<Message>): Shown<Message> {
  const fits = shares.find((share) => jsonBytes(shownJson(make(share))) <= limit);
  return make(fits ?? 0);
}

function part<Item>(items: readonly Item[], most: number, share: number): readonly Item[] {
  return items.slice(0, Math.ceil(Math.min(most, items.length) * share));
}

function evidenceMessage({ diagnosis, probes, evidence }: Diagnosed): Shown<EvidenceMessage> {
  const lines = evidenceLines(diagnosis).map((line) => ({ ...line, text: cutShown.middle(line.text, lineCharacters) }));
  // What failed and what could not be had tells more than what was in order.
  const tellingProbes = probes.toSorted((a, b) => Number(b.state === "failed") - Number(a.state === "failed"));
  const tellingSources = evidence.toSorted((a, b) => Number(b.state !== "read") - Number(a.state !== "read"));
  return fitting<EvidenceMessage>(substatusBytes, (share) => ({
    schemaVersion: statusSchemaVersion,
    lines: part(lines, mostLines, share),
    probes: part(tellingProbes, mostEntries, share),
    sources: part(tellingSources, mostEntries, share),
  }));
}

/** A check of somebody else's says what it likes at any length, and there may be any number of warnings: the message has them whole. */
function verdictMessage(verdict: Verdict, words: VerdictWords): Shown<VerdictMessage> {
  return fitting<VerdictMessage>(verdictBytes, (share) => {
    const cut = (text: ShownText) => cutShown.text(text, Math.max(40, Math.round(verdictCharacters * share)), "…");
    return {
      schemaVersion: statusSchemaVersion,
      outcome: words.outcome,
      code: words.code,
      mode: verdict.mode,
      elapsedSeconds: verdict.elapsedSeconds,
      timeoutSeconds: verdict.timeoutSeconds,
      time: show(verdict.time),
      vmId: show(verdict.vmId),
      ...(verdict.sequence === undefined ? {} : { sequence: verdict.sequence }),
      handlerVersion: show(verdict.handlerVersion),
      ...(verdict.checkVersion === undefined ? {} : { checkVersion: cut(show(verdict.checkVersion)) }),
      warnings: part(words.warnings, mostWarnings, share).map(cut),
      ...(verdict.reportFile === undefined ? {} : { reportFile: show(verdict.reportFile) }),
      ...reportUriWithin(verdict),
      ...(words.where.length === 0 ? {} : { stage: cut(words.where) }),
      ...words.judgement,
      reason: words.reason,
      summary: cut(words.summary),
      ...(words.nextStep === undefined ? {} : { nextStep: cut(words.nextStep) }),
      providers: part(words.providers, mostFindings, share).map(cut),
    };
  });
}

/** Of an address a part leads nowhere. */
function reportUriWithin({ reportUri }: Verdict): { readonly reportUri?: ShownText } {
  return reportUri === undefined || reportUri.length > longestUri ? {} : { reportUri: show(reportUri) };
}

/** Paths and names come from the machine: each is cut, so that no single one costs the whole. */
function proofMessage(proof: Shown<ProofMessage>): Shown<ProofMessage> {
  return fitting<ProofMessage>(substatusBytes, (share) => {
    const cut = (text: ShownText) => cutShown.middle(text, Math.max(40, Math.round(lineCharacters * share)));
    const { hostName, check, sentinel, kubelet, image, origin } = proof;
    return {
      ...proof,
      ...(hostName === undefined ? {} : { hostName: cut(hostName) }),
      check: {
        ...check,
        ...(check.stage === undefined ? {} : { stage: cut(check.stage) }),
        decidedBy: part(check.decidedBy, mostFindings, share).map(cut),
      },
      sentinel: { ...sentinel, path: cut(sentinel.path) },
      certificates: part(proof.certificates, mostFindings, share).map((one) => ({
        ...one,
        path: cut(one.path),
        name: cut(one.name),
        issuer: cut(one.issuer),
      })),
      kubelet: { ...kubelet, ...(kubelet.version === undefined ? {} : { version: cut(kubelet.version) }) },
      versions: cutVersions(proof.versions, cut),
      ...(image === undefined ? {} : { image: cutShown.middle(image, mostImage) }),
      origin: { ...origin, ...(origin.why === undefined ? {} : { why: cut(origin.why) }) },
    };
  });
}

type Versions = Shown<ProofMessage["versions"]>;

function cutVersions(versions: Versions, cut: (text: ShownText) => ShownText): Versions {
  const { handler, check, containerd, system, kernel } = versions;
  return {
    handler: cut(handler),
    ...(check === undefined ? {} : { check: cut(check) }),
    ...(containerd === undefined ? {} : { containerd: cut(containerd) }),
    ...(system === undefined ? {} : { system: cut(system) }),
    ...(kernel === undefined ? {} : { kernel: cut(kernel) }),
  };
}

function diagnosisMessage(diagnosis: Shown<Diagnosis>): Shown<DiagnosisMessage> {
  return fitting<DiagnosisMessage>(substatusBytes, (share) => ({
    schemaVersion: statusSchemaVersion,
    kind: diagnosis.kind,
    ...(diagnosis.kind === "classified" ? { primary: findingMessage(diagnosis.primary) } : {}),
    others: part(diagnosis.others, mostFindings, share).map(findingMessage),
  }));
}

function findingMessage({ evidence: _, ...finding }: Shown<Finding>): Shown<FindingMessage> {
  return finding;
}

function evidenceLines(diagnosis: Shown<Diagnosis>): readonly Shown<EvidenceLine>[] {
  switch (diagnosis.kind) {
    case "classified":
      return [...diagnosis.primary.evidence, ...diagnosis.decisive];
    case "unclassified":
      return diagnosis.decisive;
    case "healthy":
      return [];
  }
}

/** The first entries and the last: how it began and how it ended. */
function timelineMessage({ timeline }: VerdictWords): Shown<TimelineMessage> {
  return fitting<TimelineMessage>(timelineBytes, (share) => {
    const most = Math.max(2, Math.ceil(mostEntries * share));
    const first = Math.min(5, Math.floor(most / 2));
    const entries = timeline.length <= most ? timeline : [...timeline.slice(0, first), ...timeline.slice(first - most)];
    return { schemaVersion: statusSchemaVersion, entries };
  });
}
