import type { Command } from "commander";
import { printResult } from "./print.ts";
import { WrongUse } from "./publish-error.ts";
import {
  assumedAt,
  openFor,
  parseKeep,
  parseVersion,
  planFor,
  printStep,
  rolloutCommand,
  stepText,
} from "./rollout-command.ts";
import type { RolloutCommandOptions } from "./rollout-command.ts";
import type { StepResult } from "./rollout/steps.ts";
import type { WithdrawTo } from "./rollout/withdraw.ts";

interface Consent {
  readonly yes?: boolean;
}

interface WithdrawOptions extends RolloutCommandOptions, Consent {
  readonly reason: string;
  readonly toStage?: string;
  readonly regions?: string;
}

/** `hold`, `resume`, `withdraw`, `unpublish`, `prune`: what takes a bad version back, and old ones away. */
export function addWithdrawCommands(program: Command): void {
  rolloutCommand(program, "hold", "stop a rollout where it is: no promotion passes until resume")
    .argument("<version>", "such as 2.0.0", parseVersion)
    .requiredOption("--reason <text>", "why; everyone who tries to promote reads it")
    .action(async (version: string, options: RolloutCommandOptions & { readonly reason: string }) => {
      const { holdVersion } = await import("./rollout/withdraw.ts");
      printStep(options, await holdVersion(await openAt(options, version), version, options.reason));
    });
  rolloutCommand(program, "resume", "let a held rollout go on")
    .argument("<version>", "such as 2.0.0", parseVersion)
    .action(async (version: string, options: RolloutCommandOptions) => {
      const { resumeVersion } = await import("./rollout/withdraw.ts");
      const rollout = await openFor(options, (plan) =>
        assumedAt(plan, version, 0).map((row) => ({ ...row, held: "assumed" })),
      );
      printStep(options, await resumeVersion(rollout, version));
    });
  addWithdraw(program);
  addUnpublish(program);
  addPrune(program);
}

function addWithdraw(program: Command): void {
  rolloutCommand(program, "withdraw", "take a version back from regions, hold it, and say what machines do now")
    .argument("<version>", "such as 2.0.0", parseVersion)
    .requiredOption("--reason <text>", "why; everyone who tries to promote reads it")
    .option("--to-stage <name>", "offer it only as far as this earlier stage")
    .option("--regions <names>", "take it back from these regions only, separated by commas")
    .option("--yes", "do it: without this nothing is changed")
    .action(async (version: string, options: WithdrawOptions) => {
      const { withdrawVersion } = await import("./rollout/withdraw.ts");
      const to = withdrawTo(options);
      const rollout = await openAt(withConsent(options), version);
      const result = await withdrawVersion(rollout, version, { to, reason: options.reason });
      const consequences = result.consequences.map((line) => `  ${line}\n`).join("");
      printStep(options, result, consequences + consentText(options, [result]));
    });
}

function withdrawTo({ toStage, regions }: WithdrawOptions): WithdrawTo {
  if (toStage !== undefined && regions !== undefined) {
    throw new WrongUse("--to-stage and --regions are both given.", "Give one of them, or none to withdraw everywhere.");
  }
  if (toStage !== undefined) return { kind: "stage", stage: toStage };
  if (regions === undefined) return { kind: "nowhere" };
  const names = regions.split(",").map((name) => name.trim());
  return { kind: "without", regions: names.filter((name) => name !== "") };
}

/** What takes something away needs --yes; a dry run sends nothing anyway. */
function withConsent<Options extends RolloutCommandOptions & Consent>(options: Options): Options {
  return { ...options, check: options.check === true || (options.yes !== true && options.dryRun !== true) };
}

/** What a person must know who has left out --yes; who asked for a check knows it. */
function consentText({ check, yes }: RolloutCommandOptions & Consent, steps: readonly StepResult[]): string {
  if (check === true || yes === true || !steps.some(({ kind }) => kind === "would")) return "";
  return "Nothing was changed: --yes does it.\n";
}

/** In a dry run the version is assumed at the stage before the last: offered in named regions, which can be taken away. */
async function openAt(options: RolloutCommandOptions, version: string) {
  const stages = (await planFor(options)).stages.length;
  return openFor(options, (plan) => assumedAt(plan, version, stages - 2));
}

function addUnpublish(program: Command): void {
  rolloutCommand(program, "unpublish", "take a version away from customers")
    .argument("<version>", "such as 2.0.0", parseVersion)
    .option("--delete", "delete a version that is internal")
    .option("--yes", "do it: without this nothing is changed")
    .action(async (version: string, options: RolloutCommandOptions & Consent & { readonly delete?: boolean }) => {
      const { unpublishVersion } = await import("./rollout/steps.ts");
      const isDeletion = options.delete === true;
      const rollout = await openFor(withConsent(options), (plan) => assumedAt(plan, version, isDeletion ? -1 : 0));
      const result = await unpublishVersion(rollout, version, isDeletion);
      printStep(options, result, consentText(options, [result]));
    });
}

function addPrune(program: Command): void {
  rolloutCommand(program, "prune", "retire old patches: first internal, deleted by the next run")
    .option("--keep <count>", "patches of each major.minor that stay", parseKeep, 3)
    .option("--yes", "do it: without this nothing is changed")
    .action(async (options: RolloutCommandOptions & Consent & { readonly keep: number }) => {
      const { pruneVersions } = await import("./rollout/prune.ts");
      const steps = await pruneVersions(await openFor(withConsent(options)), options.keep);
      if (options.dryRun === true) return;
      const text = steps.map(stepText).join("") || "nothing to do: no patch is beyond --keep\n";
      printResult(options.json, steps, text + consentText(options, steps));
    });
}
