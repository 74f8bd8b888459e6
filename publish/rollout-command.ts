import { InvalidArgumentError, Option, type Command } from "commander";
import type { OperatingSystem } from "./extension-definition.ts";
import { printResult } from "./print.ts";
import { WrongUse } from "./publish-error.ts";
import type { CloudPlan } from "./rollout/plan.ts";
import type { PublishedVersion } from "./rollout/publisher.ts";
import type { Rollout, StepResult } from "./rollout/steps.ts";

/** What every step of a rollout is told. */
export interface RolloutCommandOptions {
  readonly system: string;
  readonly plan: string;
  readonly cloud: string;
  readonly endpoint?: string;
  readonly check?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function rolloutCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .requiredOption("--system <system>", "linux or windows")
    .option("--plan <file>", "rollout plan", "manifests/rollout.yaml")
    .option("--cloud <cloud>", "public, usgovernment or china", "public")
    .option(
      "--endpoint <url>",
      "another registry: one that is played on this machine (npm run rehearse) needs no login",
    )
    .option("--check", "read the service, apply every guard, change nothing")
    .addOption(
      new Option(
        "--dry-run",
        "print the requests, send nothing, no login; the service is assumed to be ready for the step",
        // The one asks the service and the other must not.
      ).conflicts("check"),
    )
    .option("--json", "print JSON");
}

/** `assumed`: the state of the service that a dry run takes for granted. */
export async function openFor(
  options: RolloutCommandOptions,
  assumed?: (plan: CloudPlan) => readonly PublishedVersion[],
): Promise<Rollout> {
  const { openRollout } = await import("./rollout/open-rollout.ts");
  const dryRun = options.dryRun === true;
  return openRollout(await systemOf(options), { ...options, dryRun, check: options.check === true }, assumed);
}

/** The plan alone: what can be checked before anybody signs in. */
export async function planFor(options: RolloutCommandOptions): Promise<CloudPlan> {
  const { openPlan } = await import("./rollout/open-rollout.ts");
  await systemOf(options);
  return openPlan({ ...options, dryRun: options.dryRun === true, check: options.check === true });
}

/** The system whose package the rollout is of. */
export async function systemOf(options: RolloutCommandOptions): Promise<OperatingSystem> {
  const { parseOperatingSystems } = await import("./extension-definition.ts");
  const [os, ...more] = parseOperatingSystems(options.system);
  if (os !== undefined && more.length === 0) return os;
  throw new WrongUse("A rollout is of one package.", "Give --system linux or --system windows.");
}

const words = { done: "done", already: "nothing to do", would: "checked, would" } as const;

export function stepText(result: StepResult): string {
  return `${words[result.kind]}: ${result.what}\n`;
}

/** After a dry run the requests stand on standard output already. `more`: what follows the step for people. */
export function printStep(options: RolloutCommandOptions, result: StepResult, more = ""): void {
  if (options.dryRun !== true) printResult(options.json, result, stepText(result) + more);
}

/** A number of seconds, for commander. */
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== "" && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new InvalidArgumentError("Give a number of seconds.");
}

/** How many patches stay, for commander. */
export function parseKeep(text: string): number {
  const count = Number(text);
  if (/^\d{1,9}$/u.test(text) && count >= 1) return count;
  throw new InvalidArgumentError("Give a whole number from 1: how many patches of a major.minor stay.");
}

/** As packages have it; "2.0" is what customers write, and would be another version to the service. */
export function parseVersion(text: string): string {
  if (/^\d{1,9}(?:\.\d{1,9}){2}$/u.test(text)) return text;
  throw new InvalidArgumentError("Give a whole version, such as 2.0.0.");
}

/** A version that stands at a stage, for a dry run of what follows. */
export function assumedAt(plan: CloudPlan, version: string, stage: number): readonly PublishedVersion[] {
  const regions = plan.stages[stage]?.regions ?? [];
  return [{ version, internal: stage < 0, regions, sha256: "0".repeat(64), stageStarted: new Date(0) }];
}
