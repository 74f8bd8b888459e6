import type { KubeadmOutcome } from "./evidence.ts";
import { readKubeadmOutput } from "./kubeadm-output.ts";
import { sameTimeMs } from "./observed.ts";

/** One of the user's commands, and one of each part of the user data that is a script. */
export const scriptFolder = "/var/lib/cloud/instance/scripts";

/** Of what lies in that folder, the user's scripts; those of vendor data have a folder of their own in it. */
export function userScripts(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== "vendor");
}

/** `v1.errors` of /run/cloud-init/result.json; recoverable errors ("degraded") are another key, and are no failure. */
export function readResultErrors(text: string): readonly string[] | undefined {
  const errors = property(version1(text), "errors");
  return Array.isArray(errors) ? errors.map(String) : undefined;
}

/** cloud-init's fallback where no datasource had metadata: no error stands beside it. */
export function tookFallback(text: string): boolean {
  const datasource = property(version1(text), "datasource");
  return typeof datasource === "string" && datasource.startsWith("DataSourceNone");
}

/** `v1.stage` of /run/cloud-init/status.json: init-local, init, modules-config, modules-final; empty between two of them. */
export function readStage(text: string): string {
  const stage = property(version1(text), "stage");
  return typeof stage === "string" ? stage : "";
}

function version1(text: string): unknown {
  try {
    return property(JSON.parse(text), "v1");
  } catch {
    return undefined;
  }
}

function property(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/**
 * Of cloud-init's errors, is this one of the user's own commands? `('scripts_user', RuntimeError('Runparts: 1 failures (runcmd) …'))`
 * Scripts of the vendor and of the image fail in the same words, under a module of their own.
 */
export function isOfScripts(error: string): boolean {
  return !/^\('scripts[_-](?:vendor|per)/u.test(error) && /scripts[_-]user|runcmd|part-\d|Runparts/u.test(error);
}

/** No metadata, so no user data: what cloud-init shows is of an instance before this one. */
export function isOfDatasource(error: string): boolean {
  return /no (?:instance )?datasource/iu.test(error);
}

const finalStage = /^Cloud-init v\..{0,80} running 'modules:final'(?: at (?<at>.{10,40}? [+-]\d{4})\.)?/u;

/** When this instance's run of the user's commands may have begun, by the clock of that time. */
export interface InstanceRun {
  readonly since: number;
  readonly until: number;
}

/** What kubeadm came to, and whether it is known to have said so in this instance: images keep the log. */
export interface LoggedOutcome {
  readonly outcome: KubeadmOutcome;
  readonly isOwn: boolean;
}

/**
 * How kubeadm ended, by /var/log/cloud-init-output.log. The file is kept over restarts and in images, so where the user's commands ran in
 * this boot only its newest run of them counts.
 */
export function readOutputLog(text: string): LoggedOutcome {
  const reader = readKubeadmOutput();
  for (const line of text.split("\n")) {
    if (finalStage.test(line)) reader.restart();
    else reader.read(line);
  }
  return { outcome: reader.outcome(path), isOwn: true };
}

/** The newest run in which kubeadm said anything: of those since `own`, where the log dates one by it, and else of all. */
export function readEarlierOutput(text: string, own: InstanceRun | undefined): LoggedOutcome {
  const reader = readKubeadmOutput();
  let newest: KubeadmOutcome = { kind: "unknown" };
  let isOwn = false;
  for (const line of text.split("\n")) {
    const header = finalStage.exec(line);
    if (header === null) {
      reader.read(line);
      continue;
    }
    newest = known(reader.outcome(path), newest);
    reader.restart();
    if (isOwn || !isWithin(own, Date.parse(header.groups?.["at"] ?? ""))) continue;
    isOwn = true;
    newest = { kind: "unknown" };
  }
  return { outcome: known(reader.outcome(path), newest), isOwn };
}

function isWithin(own: InstanceRun | undefined, at: number): boolean {
  return own !== undefined && at >= own.since - sameTimeMs && at <= own.until + sameTimeMs;
}

const path = "/var/log/cloud-init-output.log";

function known(outcome: KubeadmOutcome, otherwise: KubeadmOutcome): KubeadmOutcome {
  return outcome.kind === "unknown" ? otherwise : outcome;
}

/** The first command that could not be run before kubeadm began, of the newest run of the user's commands. */
export function findCommandError(text: string): string {
  let found = "";
  let kubeadmBegan = false;
  for (const line of text.split("\n")) {
    if (finalStage.test(line)) {
      found = "";
      kubeadmBegan = false;
    } else if (/^\[(?:init|preflight)\]/u.test(line)) kubeadmBegan = true;
    else if (found === "" && !kubeadmBegan && /: not found$|^E: /u.test(line.trimEnd()))
      found = line.trim().slice(0, 600);
  }
  return found;
}
