import { isJsonObject } from "../../handler/text/parse-json.ts";
import { describeError } from "../kube/kube-error.ts";
import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { show } from "../../handler/text/shown-text.ts";
import type { ArmAnswer, ArmClient } from "../arm/arm-client.ts";
import { placeMachine, type PlacedMachine } from "../arm/target.ts";
import { readInfra, readMachine } from "../objects/read-objects.ts";
import type { Account } from "../verdict/account.ts";
import { readVerdictObject } from "../verdict/verdict-object.ts";
import type { World } from "../world.ts";
import { findReport, type ReportPlace } from "./find-report.ts";
import { kubectlGet, type KubectlAnswer } from "./kubectl-get.ts";
import type { RunProgram } from "./run-program.ts";

export interface LogsOptions {
  readonly machine: string;
  readonly namespace?: string | undefined;
  /** Last lines of the console that are shown. */
  readonly lines: number;
  readonly kubectl: readonly [string, ...string[]];
  readonly run: RunProgram;
  readonly client: ArmClient;
  /** Reads what a link with its own signature leads to: boot diagnostics stand in a storage account. */
  readonly fetchText: (url: string, signal: AbortSignal) => Promise<string>;
  /** Reads a report; undefined where there is none. */
  readonly readReport: (place: ReportPlace, signal: AbortSignal) => Promise<string | undefined>;
  readonly world: World;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly signal: AbortSignal;
}

/** From a red Machine to its evidence: the verdict, the uploaded report, the console. 0, or 3 where something of it cannot be read in the cluster. */
export async function runLogs(options: LogsOptions): Promise<number> {
  const found = await findMachine(options);
  if (typeof found === "string") {
    options.printError(`${found}\n`);
    return 3;
  }
  const { verdict, unread: unreadVerdict } = await verdictOf(options, found.uid);
  const unread = [...found.unread, ...unreadVerdict];
  for (const why of unread) options.printError(`${why}\n`);
  if (verdict !== undefined)
    options.print(
      `${verdict.firstLine}\n${verdict.evidence.map(({ origin, text }) => `  ${origin}: ${text}`).join("\n")}\n`,
    );
  const report = await reportOf(options, { ...found, unread }, verdict);
  options.print(`\n== Report\n${report}\n`);
  const console = await consoleOf(options, found.place);
  options.print(`\n== Console (boot diagnostics)\n${console}\n`);
  return unread.length === 0 ? 0 : 3;
}

interface FoundMachine {
  readonly uid: string;
  readonly place: PlacedMachine;
  /** Container of the setting reportUploadUri, where it stands in the open settings. */
  readonly container: string | undefined;
  /** What could not be read, a sentence each. */
  readonly unread: readonly string[];
}

async function findMachine(options: LogsOptions): Promise<FoundMachine | string> {
  const asked = await read(options, "machines.cluster.x-k8s.io", options.machine);
  if (asked.kind === "failed" || asked.kind === "no-type")
    return `Machine ${options.machine} cannot be read: ${asked.why}`;
  const machine = asked.kind === "value" ? readMachine(asked.value) : undefined;
  if (machine === undefined)
    return `There is no Machine ${options.machine} in this namespace; name it with --namespace`;
  const plural = machine.infra.kind === "AzureMachinePoolMachine" ? "azuremachinepoolmachines" : "azuremachines";
  const answer = await read(options, `${plural}.infrastructure.cluster.x-k8s.io`, machine.infra.name);
  const infraObject = answer.kind === "value" ? answer.value : undefined;
  const unread =
    answer.kind === "failed" ? [`Its ${machine.infra.kind} ${machine.infra.name} cannot be read: ${answer.why}`] : [];
  const infra = readInfra(infraObject, options.world.now());
  const place = placeMachine(infra?.providerId ?? machine.providerId);
  if (place !== undefined) return { uid: machine.uid, place, container: containerOf(infraObject), unread };
  return (
    unread[0] ??
    `Machine ${options.machine} has no VM in Azure yet: neither it nor its ${machine.infra.kind} has a providerID`
  );
}

function containerOf(infra: unknown): string | undefined {
  const spec = isJsonObject(infra) && isJsonObject(infra["spec"]) ? infra["spec"] : {};
  return listOf(spec["vmExtensions"])
    .filter(isJsonObject)
    .flatMap(({ settings }) => (isJsonObject(settings) ? (textOf(settings["reportUploadUri"]) ?? []) : []))[0];
}

async function verdictOf(options: LogsOptions, uid: string) {
  const answer = await read(options, "bootstrapverdicts.bootstrap.capz.io");
  const unread = answer.kind === "failed" ? [`The verdict cannot be read: ${answer.why}`] : [];
  const list = answer.kind === "value" ? answer.value : undefined;
  const items = isJsonObject(list) ? listOf(list["items"]) : [];
  const stored = items.map(readVerdictObject).find((one) => one?.record.machine.uid === uid);
  return { verdict: stored?.record.verdict, unread };
}

async function reportOf(
  { readReport, signal }: LogsOptions,
  { container, unread }: FoundMachine,
  verdict: Account | undefined,
): Promise<string> {
  const place = findReport(verdict, container);
  if (typeof place === "string")
    return unread.length === 0 ? place : "Where it is would stand in what could not be read in the cluster.";
  const from = place.kind === "blob" ? `${place.address}\n` : "";
  try {
    return shownText(`${from}${(await readReport(place, signal)) ?? "No report of this VM has been uploaded."}`);
  } catch (error) {
    return shownText(`${from}The report cannot be read: ${describeError(error)}`);
  }
}

async function consoleOf(options: LogsOptions, { id }: PlacedMachine): Promise<string> {
  const answer = await options.client.post(`${id}/retrieveBootDiagnosticsData?api-version=2024-07-01`, options.signal);
  if (answer.kind !== "found") return `Azure does not give it: ${whyNot(answer)}`;
  const link = isJsonObject(answer.value) ? textOf(answer.value["serialConsoleLogBlobUri"]) : undefined;
  if (link === undefined) return "Boot diagnostics are off, or have nothing yet.";
  try {
    const text = shownText(await options.fetchText(link, options.signal));
    return text.split("\n").slice(-options.lines).join("\n");
  } catch (error) {
    // The link holds a signature; the message of the failed request must not show it.
    return `It cannot be downloaded: ${error instanceof Error ? error.name : "no answer"}`;
  }
}

function whyNot(answer: Exclude<ArmAnswer, { kind: "found" }>): string {
  switch (answer.kind) {
    case "not-found":
      return "it knows no such machine";
    case "refused":
      return `HTTP ${String(answer.status)}; your login needs Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action`;
    case "throttled":
      return "too many requests; try again later";
    case "failed":
      return answer.why;
  }
}

function shownText(text: string): string {
  return show(text).trimEnd();
}

function read(
  { kubectl, run, signal, namespace }: LogsOptions,
  ...what: readonly [string, ...string[]]
): Promise<KubectlAnswer> {
  const where = namespace === undefined ? [] : ["--namespace", namespace];
  return kubectlGet({ kubectl, run, signal }, [...what, ...where]);
}
