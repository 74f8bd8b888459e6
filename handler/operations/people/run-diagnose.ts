import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { CopyError } from "../../copies/copy-error.ts";
import type { MachineCopy } from "../../copies/machine-copy.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import type { DiagnosisRun } from "../../diagnosis/diagnosis-run.ts";
import type { SourceId } from "../../diagnosis/diagnosis.ts";
import type { RuleSet } from "../../diagnosis/load-rules.ts";
import { errorText } from "../../errors/handler-error.ts";
import { readPackagedFile } from "../../files/packaged-file.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import type { Host } from "../../host.ts";
import { joinShown, ours, show, type ShownText } from "../../text/shown-text.ts";
import { renderDiagnosed, type Diagnosed, type DiagnoseFormat, type Found } from "./render-diagnosed.ts";

export interface DiagnoseOptions {
  readonly format: DiagnoseFormat;
  readonly probes: boolean;
  /** Folders, archives and logs; none: the machine at `host.root`. */
  readonly places?: readonly string[];
  /** rules.json; default: the one of the package. */
  readonly rules?: string;
}

export interface DiagnoseAnswer {
  readonly text: ShownText;
  readonly exitCode: number;
}

/** `capz-bootstrap diagnose`: the extension's answer for a person on a node, in a rescue shell or over copied logs. */
export async function runDiagnose(host: Host, options: DiagnoseOptions): Promise<DiagnoseAnswer> {
  const { rules, places: named = [] } = options;
  const text = rules === undefined ? readPackagedFile(host.programFolder, "rules.json") : readFile(rules, "utf8");
  const ruleSet = await readRules(text, { packaged: rules === undefined }).catch((error: unknown) =>
    show(errorText(error)),
  );
  if (typeof ruleSet === "string") {
    const file = rules ?? join(host.programFolder, "bundle", "rules.json");
    const words = ours`capz-bootstrap diagnose: cannot use the rule catalogue "${show(file)}": ${ruleSet}\n`;
    return { text: words, exitCode: 3 };
  }
  const places = named.length > 0 ? named : [host.root];
  try {
    const found: Diagnosed[] = [];
    for (const place of places) {
      const request = { ruleSet, probes: options.probes };
      const label = places.length > 1 ? place : "";
      if (isSystemRoot(place)) found.push({ label, ...(await diagnoseLive({ ...host, root: place }, request)) });
      else found.push(...(await diagnoseCopies(host, place, { ...request, label })));
    }
    return renderDiagnosed(found, host, options.format);
  } catch (error) {
    if (!(error instanceof CopyError)) throw error;
    return { text: ours`capz-bootstrap diagnose: ${show(error.message)}\n`, exitCode: 64 };
  }
}

async function readRules(text: Promise<string>, { packaged }: { readonly packaged: boolean }): Promise<RuleSet> {
  if (packaged) {
    const { readPackagedRules } = await import("../../diagnosis/packaged-rules.ts");
    return readPackagedRules(await text);
  }
  const { loadRules } = await import("../../diagnosis/load-rules.ts");
  return loadRules(await text);
}

interface Request {
  readonly ruleSet: RuleSet;
  readonly probes: boolean;
}

async function diagnoseLive(host: Host, { ruleSet, probes }: Request): Promise<Found> {
  const run = await diagnose({ host, ruleSet, probes });
  const failed = refusedIfNotMade(run) ?? refusedIfUnread(run, []);
  if (failed !== undefined) return failed;
  if (foundBootstrap(run)) return { kind: "diagnosed", run, notes: notesOf(deniedOf(run)) };
  const why = ours`no bootstrap found on this machine: nothing of kubeadm, RKE2, k3s, k0s or MicroK8s has run. Next: Look whether the machine was given its bootstrap data (spec.bootstrap of the Machine).`;
  return { kind: "refused", why, notes: [] };
}

/** Nothing is known of the machine then, and nothing may be said of it. */
function refusedIfNotMade({ diagnosis }: DiagnosisRun): Found | undefined {
  if (diagnosis.kind !== "unclassified" || diagnosis.notMade === undefined) return undefined;
  const why = ours`the diagnosis could not be made (${diagnosis.notMade}), so nothing is known of the machine. Next: Try again; if it stays so, copy /var/log to another machine and name the copy.`;
  return { kind: "refused", why, notes: [] };
}

const mostNamed = 4;

/** What is there and was not read for want of rights, in words; undefined where all could be read. */
function deniedOf({ evidence }: DiagnosisRun): ShownText | undefined {
  const places = [...new Set(evidence.filter(({ denied }) => denied === true).map(({ origin }) => origin))];
  if (places.length === 0) return undefined;
  const more = places.length > mostNamed ? ours` and ${places.length - mostNamed} more` : ours``;
  return ours`${joinShown(places.slice(0, mostNamed), ", ")}${more}`;
}

const askAgain = "Run it as root (sudo), on Windows as an administrator";

function refusedIfUnread(run: DiagnosisRun, notes: readonly string[]): Found | undefined {
  const unread = deniedOf(run);
  if (unread === undefined || foundBootstrap(run)) return undefined;
  const why = ours`cannot tell: this user may not read ${unread}. Next: ${show(askAgain)}.`;
  return { kind: "refused", why, notes };
}

function notesOf(unread: ShownText | undefined): readonly string[] {
  return unread === undefined ? [] : [`This user may not read ${unread}: the cause may stand there. ${askAgain}`];
}

async function diagnoseCopies(
  host: Host,
  place: string,
  { label, ...request }: Request & { readonly label: string },
): Promise<readonly Diagnosed[]> {
  const answer = await answerIn(place);
  if (answer !== undefined) return [{ label, kind: "refused", why: isAnswer(place, answer), notes: [] }];
  const { openCopies } = await import("../../copies/open-copies.ts");
  const copies = await openCopies(place);
  try {
    if (copies.machines.length === 0) return [{ label, kind: "refused", why: notLogs(place), notes: copies.notes }];
    const found: Diagnosed[] = [];
    for (const machine of copies.machines) {
      const name = [label, machine.place].filter((part) => part !== "").join(": ");
      const notes = [...copies.notes, ...(machine.notes ?? [])];
      found.push({ label: name, ...(await diagnoseCopy(host, machine, { ...request, place, notes })) });
    }
    return found;
  } finally {
    await copies.close();
  }
}

async function diagnoseCopy(
  host: Host,
  { root, sources, only, isNamed }: MachineCopy,
  { ruleSet, place, notes }: Request & { readonly place: string; readonly notes: readonly string[] },
): Promise<Found> {
  const run = await diagnose({ host: { ...host, root }, ruleSet, copy: { sources, only }, probes: false });
  const failed = refusedIfNotMade(run) ?? refusedIfUnread(run, notes);
  if (failed !== undefined) return failed;
  if (!isNamed && !run.traces.ofMachine) return { kind: "refused", why: notLogs(place), notes };
  if (foundBootstrap(run)) return { kind: "diagnosed", run, notes: [...notes, ...notesOf(deniedOf(run))] };
  // Pages and lists of packages speak of the same programs as logs do.
  if (!isNamed) return { kind: "refused", why: nothingOfBootstrap(place), notes };
  const why = ours`no bootstrap found in "${show(place)}": it holds logs of a machine, and nothing in them comes from a bootstrap, so there is no failure to explain. Next: Name the folder that holds the machine's /var/log, or that is a copy of it.`;
  return { kind: "refused", why, notes };
}

/** Answers are smaller than this; a larger file is a log. */
const largestAnswer = 8 * 1024 * 1024;

/** What `explain` calls the file, where it is an answer of Azure or Kubernetes and no log. */
async function answerIn(place: string): Promise<string | undefined> {
  const found = await stat(place).catch(() => undefined);
  if (found?.isFile() !== true || found.size > largestAnswer) return undefined;
  const text = await readFile(place, "utf8").catch(() => "");
  if (!/^\s*[[{]|^(?:apiVersion|kind|items|Name):/mu.test(text.slice(0, 500))) return undefined;
  const { recogniseAnswer } = await import("../../explain/explain.ts");
  return recogniseAnswer(text);
}

function isAnswer(place: string, what: string): ShownText {
  return ours`"${show(place)}" is an answer of Azure or Kubernetes (${show(what)}), and no log of a machine. Next: Run capz-bootstrap explain "${show(place)}".`;
}

const nameLogs =
  'Name a folder or an archive with the machine\'s /var/log, the folder of a log collector, or one log such as cloud-init-output.log. Text of Azure or Kubernetes is for "capz-bootstrap explain".';

function notLogs(place: string): ShownText {
  return ours`"${show(place)}" holds no logs of a machine that this program knows. Next: ${show(nameLogs)}`;
}

function nothingOfBootstrap(place: string): ShownText {
  return ours`"${show(place)}" holds nothing of a bootstrap: it is no log of a machine, or of one that did not set out to be a node. Next: ${show(nameLogs)}`;
}

/** Only these are written by a bootstrap; a machine that never was to be a node has the others, with errors of their own. */
const bootstrapSources: ReadonlySet<SourceId> = new Set<SourceId>([
  "cloud-init-output",
  "cloud-init",
  "cloud-init-status",
  "kubeadm",
  "kubelet",
  "bootstrap-unit",
  "ignition",
  "cloudbase-init",
  "azure",
]);

/** A machine that is none of a cluster runs cloud-init too: then nothing failed, or there would be a line that says so. */
function foundBootstrap({ diagnosis, traces, evidence }: DiagnosisRun): boolean {
  if (diagnosis.kind !== "unclassified" || diagnosis.others.length > 0) return true;
  const wasRead = evidence.some(
    ({ source, state, bytes }) => bootstrapSources.has(source) && state !== "not-available" && bytes > 0,
  );
  const failedFirstSetup = diagnosis.decisive.some(({ source }) => bootstrapSources.has(source));
  return (traces.ofBootstrap && wasRead) || failedFirstSetup;
}
