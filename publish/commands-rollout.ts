import type { Command } from "commander";
import { readGivenText } from "./given-file.ts";
import { formatTable, printResult } from "./print.ts";
import { PublishError, WrongUse } from "./publish-error.ts";
import {
  assumedAt,
  openFor,
  parseSeconds,
  parseVersion,
  planFor,
  printStep,
  rolloutCommand,
  systemOf,
} from "./rollout-command.ts";
import type { RolloutCommandOptions } from "./rollout-command.ts";
import type { Rollout, VersionStatus } from "./rollout/steps.ts";
import { serviceAddress } from "./service-address.ts";

/** `publish`, `promote`, `due`, `status`, `list`. Each is one short step that can be repeated. */
export function addRolloutCommands(program: Command): void {
  addPublish(program);
  addPromote(program);
  addDue(program);
  addStatus(program);
  rolloutCommand(program, "list", "list the versions of the publisher").action(
    async (options: RolloutCommandOptions) => {
      const { publisher } = await openFor(options);
      const rows = await publisher.list();
      const table = rows.map(({ version, internal, regions, sha256, held }) => [
        version,
        internal ? "internal" : "public",
        held === undefined ? "" : `held: ${held}`,
        regions.join(", "),
        sha256 ?? "",
      ]);
      printResult(options.json, rows, formatTable([["version", "state", "rollout", "regions", "sha256"], ...table]));
    },
  );
}

/** For a pipeline that waits without an agent: it asks, waits that long, and promotes. */
function addDue(program: Command): void {
  rolloutCommand(program, "due", "print the minutes until the next stage may begin; 0 when it may")
    .argument("<version>", "such as 2.0.0", parseVersion)
    .action(async (version: string, options: RolloutCommandOptions) => {
      const { minutesUntilDue } = await import("./rollout/guards.ts");
      const { requireVersion } = await import("./rollout/steps.ts");
      const { publisher, plan, clock } = await openFor(options, (known) => assumedAt(known, version, 0));
      const minutes = minutesUntilDue(plan, await requireVersion(publisher, version), clock.now());
      printResult(options.json, { version, minutes }, `${String(minutes)}\n`);
    });
}

interface WaitOption {
  readonly wait: number;
}

const waitOption = [
  "--wait <seconds>",
  "wait for the end of the replication, at most this long",
  parseSeconds,
] as const;

const linkFile = {
  what: "link file",
  next: "`upload ZIP --container URL --link-file FILE` writes it; for --dry-run any file that holds one https address will do.",
};

/** What stands in the file may be a secret of another kind, so nothing of it is told. */
async function readLinkFile(file: string): Promise<string> {
  const text = (await readGivenText(file, linkFile)).trim();
  if (!/\s/u.test(text) && serviceAddress(text) !== undefined) return text;
  throw new PublishError(`The link file ${file} does not hold one https address and nothing else.`, linkFile.next);
}

function addPublish(program: Command): void {
  rolloutCommand(program, "publish", "give a verified package to the service as an internal version")
    .argument("<package>", "path of the zip")
    .requiredOption("--link-file <file>", "file with the link that the service reads the package by (see upload)")
    .option(...waitOption, 0)
    .action(async (path: string, options: RolloutCommandOptions & WaitOption & { readonly linkFile: string }) => {
      await planFor(options);
      const mediaLink = await readLinkFile(options.linkFile);
      const { requirePackageFor } = await import("./verify/opened-package.ts");
      await requirePackageFor(path, await systemOf(options));
      const { requireVerified } = await import("./verify/verify-package.ts");
      await requireVerified(path);
      const { publishVersion } = await import("./rollout/steps.ts");
      const { readSubjects } = await import("./release-files.ts");
      const { projectVersion } = await import("./project.ts");
      const [subject] = await readSubjects([path]);
      const pack = { version: await projectVersion(), sha256: subject?.sha256 ?? "", mediaLink };
      const rollout = await openFor(options);
      printStep(options, await publishVersion(rollout, pack));
      await waitFor(rollout, pack.version, options);
    });
}

function addPromote(program: Command): void {
  rolloutCommand(
    program,
    "promote",
    "take a version into the next stage of the plan, or repeat failed regions of this one",
  )
    .argument("<version>", "such as 2.0.0", parseVersion)
    .requiredOption("--stage <name>", "stage of the plan")
    .option(...waitOption, 0)
    .action(async (version: string, options: RolloutCommandOptions & WaitOption & { readonly stage: string }) => {
      const { promoteVersion } = await import("./rollout/steps.ts");
      const stages = (await planFor(options)).stages.map(({ name }) => name);
      const index = stages.indexOf(options.stage);
      if (index < 0) throw new WrongUse(`There is no stage "${options.stage}".`, `Stages: ${stages.join(", ")}.`);
      const rollout = await openFor(options, (plan) => assumedAt(plan, version, index - 1));
      printStep(options, await promoteVersion(rollout, version, options.stage));
      await waitFor(rollout, version, options);
    });
}

/** With --wait a step ends with the exit code of `status`. */
async function waitFor(rollout: Rollout, version: string, options: RolloutCommandOptions & WaitOption): Promise<void> {
  if (options.wait === 0 || rollout.dryRun || options.dryRun === true) return;
  const { versionStatus } = await import("./rollout/steps.ts");
  printStatus(options, await versionStatus(rollout, version, options.wait));
}

const statusExitCodes = { completed: 0, failed: 1, pending: 2, partly: 3 } as const;

function printStatus(options: RolloutCommandOptions, status: VersionStatus): void {
  const { version, stage, held, replication } = status;
  const rows = replication.regions.map(({ region, state, progress }) => [
    region,
    state,
    progress === undefined ? "" : `${String(progress)} %`,
  ]);
  const rollout = held === undefined ? "" : `, held: ${held}`;
  const head = `${version}: stage ${stage}${rollout}, replication ${replication.kind}\n`;
  const next =
    replication.kind === "partly" || replication.kind === "failed"
      ? `Next: promote ${version} --stage ${stage} asks for the failed regions once more; withdraw ${version} takes it back.\n`
      : "";
  printResult(options.json, status, head + formatTable(rows) + next);
  process.exitCode = statusExitCodes[replication.kind];
}

function addStatus(program: Command): void {
  rolloutCommand(
    program,
    "status",
    "show how far a version is replicated, by region; exit code 0 done, 1 failed, 2 pending, 3 failed in some regions",
  )
    .argument("<version>", "such as 2.0.0", parseVersion)
    .option(...waitOption, 0)
    .option("--if-published", "a version, or a whole cloud, that is not published yet is no error")
    .action(
      async (version: string, options: RolloutCommandOptions & WaitOption & { readonly ifPublished?: boolean }) => {
        const absent = options.ifPublished === true ? await absenceOf(version, options) : undefined;
        if (absent !== undefined) {
          printResult(options.json, { version, published: false, why: absent }, `${version}: ${absent}\n`);
          return;
        }
        const { versionStatus } = await import("./rollout/steps.ts");
        const stages = (await planFor(options)).stages.length;
        const rollout = await openFor(options, (plan) => assumedAt(plan, version, stages - 1));
        printStatus(options, await versionStatus(rollout, version, options.wait));
      },
    );
}

/** Why there is nothing to show, or undefined when the version is there. */
async function absenceOf(version: string, options: RolloutCommandOptions): Promise<string | undefined> {
  const { isExample } = await import("./rollout/plan.ts");
  const plan = await planFor({ ...options, dryRun: true });
  if (isExample(plan) && options.endpoint === undefined)
    return "not published: the plan names no subscription for this cloud";
  const { publisher } = await openFor(options);
  return (await publisher.list()).some((row) => row.version === version) ? undefined : "not published yet";
}
