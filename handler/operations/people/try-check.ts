import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Looker, LookerAnswer, LookerRequest } from "../../check/looker.ts";
import { createLooker } from "../../check/looking/look-until-verdict.ts";
import { openBundleFolder } from "../../check/obtain/open-bundle-folder.ts";
import { judgeHook } from "../../check/program/find-hooks.ts";
import { runHooks, type HookedAnswer } from "../../check/program/run-hooks.ts";
import { diagnose } from "../../diagnosis/diagnose.ts";
import { loadRules } from "../../diagnosis/load-rules.ts";
import { HandlerError } from "../../errors/handler-error.ts";
import { makeClosedFolder } from "../../files/temporary-folder.ts";
import type { Host } from "../../host.ts";
import type { BootstrapProvider } from "../../settings/settings.ts";
import { ours, type ShownText } from "../../text/shown-text.ts";
import type { CheckOutcome } from "../../verdict/outcome.ts";
import { verdictStatus } from "../../verdict/verdict-status.ts";
import type { Diagnosed, Verdict } from "../../verdict/verdict.ts";
import { waitingStatus } from "../../verdict/waiting-status.ts";
import { handlerVersion } from "../../version.ts";

export type Trial =
  /** A folder as `npm run bundle` writes it. */
  | { readonly kind: "bundle"; readonly folder: string }
  /** A file that is to lie in the folder of the hooks. */
  | { readonly kind: "hook"; readonly file: string };

export interface Tried {
  readonly answer: HookedAnswer;
  /** The status message as the operator would read it. */
  readonly message: ShownText;
}

/** As on a node. */
const lookLimitMs = 60_000;
const settings = { timeoutSeconds: 1200, pollSeconds: 15, graceSeconds: 10 } as const;

/**
 * One look by a bundle or a hook that somebody is writing, with the limits, the environment, the private folder and the ownership
 * that it has on a node, and the message that would come of it.
 * @throws HandlerError where a node would refuse the bundle or the hook
 */
export async function tryCheck(host: Host, trial: Trial, provider: BootstrapProvider): Promise<Tried> {
  const folder = await makeClosedFolder("capz-bootstrap-try", host);
  try {
    return await tryIn(host, { trial, provider, workFolder: folder.path });
  } finally {
    await folder.remove();
  }
}

interface TryIn {
  readonly trial: Trial;
  readonly provider: BootstrapProvider;
  readonly workFolder: string;
}

async function tryIn(host: Host, { trial, provider, workFolder }: TryIn): Promise<Tried> {
  const identity = await host.platform.machineIdentity(host.root, host.run);
  const { signal } = new AbortController();
  const common = {
    host,
    identity,
    signal,
    workFolder,
    marker: `try-${String(host.pid)}`,
    settings: { ...settings, bootstrapProvider: provider },
    deadline: { signal, elapsedMs: () => 0, remainingMs: () => settings.timeoutSeconds * 1000 },
  };
  switch (trial.kind) {
    case "bundle":
      return tryBundle(common, resolve(trial.folder));
    case "hook":
      return tryHook(common, resolve(trial.file));
  }
}

type Common = Omit<LookerRequest, "check">;

async function tryBundle(common: Common, folder: string): Promise<Tried> {
  const { host, workFolder } = common;
  const check = await openBundleFolder({ host, folder, workFolder, handlerVersion });
  const looker = await createLooker({ ...common, check });
  const said = await looker.look(lookLimitMs);
  if (looker.mayHaveLeftOvers()) await host.platform.killTree({ marker: common.marker, graceMs: 0 }, host.run);
  const rules = await readFile(check.rules, "utf8");
  return { answer: answerOf(said), message: await messageOf(common, { said, looker, rules }) };
}

async function tryHook(common: Common, file: string): Promise<Tried> {
  const { host, deadline, workFolder } = common;
  const before: HookedAnswer = { verdict: "not-yet", report: { stage: "waiting-for-bootstrap", facts: {} } };
  const request = { ...common, elapsedMs: deadline.elapsedMs(), folder: workFolder, limitMs: lookLimitMs };
  const found = await judgeHook(host, file, workFolder);
  if (found.hooks.length === 0) throw new HandlerError("checkUntrusted", found.remarks.join("; "));
  const answer = (await runHooks({ ...request, found }, before)) ?? before;
  await host.platform.killTree({ marker: common.marker, graceMs: 0 }, host.run);
  const rules = await readFile(join(host.programFolder, "bundle", "rules.json"), "utf8");
  return { answer, message: await messageOf(common, { said: toLook(answer), rules }) };
}

function toLook({ verdict, report }: HookedAnswer): LookerAnswer {
  switch (verdict) {
    case "bootstrapped":
      return { kind: "passed", report };
    case "not-yet":
      return { kind: "not-yet", report, stillRunning: [] };
    case "failed":
      return { kind: "failed", report, exit: { kind: "code", code: 1 } };
  }
}

function answerOf(said: LookerAnswer): HookedAnswer {
  switch (said.kind) {
    case "passed":
      return { verdict: "bootstrapped", report: said.report };
    case "failed":
      return { verdict: "failed", report: said.report };
    case "not-yet":
      return { verdict: "not-yet", report: said.report };
    case "interrupted":
      return { verdict: "not-yet", report: { facts: {} } };
  }
}

interface Message {
  readonly said: LookerAnswer;
  readonly looker?: Looker;
  /** Text of rules.json. */
  readonly rules: string;
}

const noOutput = { stdout: ours``, stderr: ours`` };

async function messageOf(common: Common, { said, looker, rules }: Message): Promise<ShownText> {
  if (said.kind !== "passed" && said.kind !== "failed") {
    const report = said.kind === "not-yet" ? said.report : { facts: {} };
    const facts = { elapsedSeconds: 0, timeoutSeconds: settings.timeoutSeconds, warnings: [] };
    return waitingStatus({ ...facts, stage: report.stage, lastEvent: report.message }).message;
  }
  const end: CheckOutcome = { ...said, output: (await looker?.tails()) ?? noOutput };
  const { host, identity } = common;
  const verdict: Verdict = {
    end,
    mode: "enforce",
    elapsedSeconds: 0,
    timeoutSeconds: settings.timeoutSeconds,
    time: host.now().toISOString(),
    vmId: identity.vmId,
    handlerVersion,
    timeline: [],
    warnings: [],
    ...(end.kind === "failed" ? { diagnosis: await diagnosed(host, rules) } : {}),
  };
  return verdictStatus(verdict).message;
}

/** As after a failure, with the rules of the bundle; without probes, which say nothing of a check. */
async function diagnosed(host: Host, rules: string): Promise<Diagnosed> {
  const ruleSet = loadRules(rules);
  const { diagnosis, evidence, probes, machine } = await diagnose({ host, ruleSet, probes: false });
  return { diagnosis, evidence, probes, machine };
}
