import type { Command } from "commander";
import { readFile } from "node:fs/promises";
import type { OperatingSystem } from "./extension-definition.ts";
import { formatTable, printResult } from "./print.ts";
import { PublishError } from "./publish-error.ts";
import type { Rollout, StepResult } from "./rollout/steps.ts";

interface RolloutCommandOptions {
  readonly system: string;
  readonly plan: string;
  readonly cloud: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `publish`, `promote`, `status`, `unpublish`, `list`. Each is one short step that can be repeated. */
export function addRolloutCommands(program: Command): void {
  addPublish(program);
  addPromote(program);
  addStatus(program);
  addUnpublish(program);
  rolloutCommand(program, "list", "list the versions of the publisher").action(
    async (options: RolloutCommandOptions) => {
      const { publisher } = await open(options);
      const rows = await publisher.list();
      const table = rows.map(({ version, internal, regions, sha256 }) => [
        version,
        internal ? "internal" : "public",
        regions.join(", "),
        sha256 ?? "",
      ]);
      printResult(options.json, rows, formatTable([["version", "state", "regions", "sha256"], ...table]));
    },
  );
}

function rolloutCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .requiredOption("--system <system>", "linux or windows")
    .option("--plan <file>", "rollout plan", "manifests/rollout.yaml")
    .option("--cloud <cloud>", "public, usgovernment or china", "public")
    .option("--dry-run", "say what would be done, change nothing")
    .option("--json", "print JSON");
}

async function open(options: RolloutCommandOptions): Promise<Rollout> {
  const { openRollout } = await import("./rollout/open-rollout.ts");
  return openRollout(await systemOf(options), { ...options, dryRun: options.dryRun === true });
}

async function systemOf(options: RolloutCommandOptions): Promise<OperatingSystem> {
  const { parseOperatingSystems } = await import("./extension-definition.ts");
  const [os, ...more] = parseOperatingSystems(options.system);
  if (os !== undefined && more.length === 0) return os;
  throw new PublishError("A rollout is of one package.", "Give --system linux or --system windows.");
}

function printStep(options: RolloutCommandOptions, result: StepResult): void {
  const words = { done: "done", already: "nothing to do", would: "dry run, would" } as const;
  printResult(options.json, result, `${words[result.kind]}: ${result.what}\n`);
}

function addPublish(program: Command): void {
  rolloutCommand(program, "publish", "give a verified package to the service as an internal version")
    .argument("<package>", "path of the zip")
    .requiredOption("--link-file <file>", "file with the link that the service reads the package by (see upload)")
    .action(async (path: string, options: RolloutCommandOptions & { readonly linkFile: string }) => {
      const { verifyPackage } = await import("./verify/verify-package.ts");
      const failed = (await verifyPackage(path)).filter(({ result }) => result === "failed");
      if (failed.length > 0) throw new PublishError(`${path} does not pass verify.`, `Run: verify ${path}`);
      const { publishVersion } = await import("./rollout/steps.ts");
      const { readSubjects } = await import("./release-files.ts");
      const { projectVersion } = await import("./project.ts");
      const [subject] = await readSubjects([path]);
      const mediaLink = (await readFile(options.linkFile, "utf8")).trim();
      const pack = { version: await projectVersion(), sha256: subject?.sha256 ?? "", mediaLink };
      printStep(options, await publishVersion(await open(options), pack));
    });
}

function addPromote(program: Command): void {
  rolloutCommand(program, "promote", "take a version into the next stage of the plan")
    .argument("<version>")
    .requiredOption("--stage <name>", "stage of the plan")
    .action(async (version: string, options: RolloutCommandOptions & { readonly stage: string }) => {
      const { promoteVersion } = await import("./rollout/steps.ts");
      printStep(options, await promoteVersion(await open(options), version, options.stage));
    });
}

const statusExitCodes = { completed: 0, failed: 1, pending: 2 } as const;

function addStatus(program: Command): void {
  rolloutCommand(program, "status", "show how far a version is replicated; exit code 0 done, 1 failed, 2 pending")
    .argument("<version>")
    .option("--wait <seconds>", "wait for the end, at most this long", "0")
    .action(async (version: string, options: RolloutCommandOptions & { readonly wait: string }) => {
      const { versionStatus } = await import("./rollout/steps.ts");
      const status = await versionStatus(await open(options), version, Number(options.wait));
      const rows = status.replication.regions.map(({ region, state, progress }) => [
        region,
        state,
        `${progress ?? ""}`,
      ]);
      const head = `${version}: stage ${status.stage}, replication ${status.replication.kind}\n`;
      printResult(options.json, status, head + formatTable(rows));
      process.exitCode = statusExitCodes[status.replication.kind];
    });
}

function addUnpublish(program: Command): void {
  rolloutCommand(program, "unpublish", "take a version away from customers")
    .argument("<version>")
    .option("--delete", "delete a version that is internal")
    .option("--yes", "do it: without this nothing is changed")
    .action(
      async (
        version: string,
        options: RolloutCommandOptions & { readonly delete?: boolean; readonly yes?: boolean },
      ) => {
        const { unpublishVersion } = await import("./rollout/steps.ts");
        const rollout = await open({ ...options, dryRun: options.dryRun === true || options.yes !== true });
        printStep(options, await unpublishVersion(rollout, version, options.delete === true));
      },
    );
}
