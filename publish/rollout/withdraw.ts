import { PublishError } from "../publish-error.ts";
import { compareVersions } from "./guards.ts";
import { covers, isEverywhere } from "./plan.ts";
import type { PublishedVersion } from "./publisher.ts";
import { namesOf, requireVersion, type Rollout, type StepResult } from "./steps.ts";

/** Where a version shall still be offered: nowhere, only as far as a stage, or everywhere but in some regions. */
export type WithdrawTo =
  | { readonly kind: "nowhere" }
  | { readonly kind: "stage"; readonly stage: string }
  | { readonly kind: "without"; readonly regions: readonly string[] };

export interface Withdrawal extends StepResult {
  /** What machines do now, those that have the version and those that come. */
  readonly consequences: readonly string[];
}

/** Stops a rollout where it is: no promotion passes until `resume`. The regions that have the version keep it. */
export async function holdVersion(rollout: Rollout, version: string, reason: string): Promise<StepResult> {
  const published = await requireVersion(rollout.publisher, version);
  if (published.held === reason) return { kind: "already", version, what: `held: ${reason}` };
  return put(rollout, { published, change: { held: reason }, what: `hold ${version}: ${reason}` });
}

/** Lets a held rollout go on from where it stands. */
export async function resumeVersion(rollout: Rollout, version: string): Promise<StepResult> {
  const published = await requireVersion(rollout.publisher, version);
  if (published.held === undefined) return { kind: "already", version, what: "not held" };
  return put(rollout, { published, change: {}, what: `let the rollout of ${version} go on` });
}

/** Takes a version back from regions and holds it, so that nobody promotes it again by habit. Can be repeated. */
export async function withdrawVersion(
  rollout: Rollout,
  version: string,
  wanted: { readonly to: WithdrawTo; readonly reason: string },
): Promise<Withdrawal> {
  const all = await rollout.publisher.list();
  const published = await requireVersion(rollout.publisher, version);
  const regions = remainingRegions(rollout, published, wanted.to);
  const consequences = consequencesOf(all, published, regions);
  const stays = regions.length === 0 ? { internal: true } : { internal: false, regions };
  if (isAlready(published, regions)) return { kind: "already", version, what: "withdrawn so far", consequences };
  const what = regions.length === 0 ? `withdraw ${version} everywhere` : `offer ${version} only in ${namesOf(regions)}`;
  const change = { ...stays, held: wanted.reason };
  return {
    ...(await put(rollout, { published, change, what: `${what}, and hold it: ${wanted.reason}` })),
    consequences,
  };
}

function isAlready(published: PublishedVersion, regions: readonly string[]): boolean {
  if (published.internal) return true;
  return published.held !== undefined && covers(regions, published.regions);
}

function remainingRegions(rollout: Rollout, published: PublishedVersion, to: WithdrawTo): readonly string[] {
  switch (to.kind) {
    case "nowhere":
      return [];
    case "stage":
      return regionsOfStage(rollout, published, to.stage);
    case "without":
      return regionsWithout(published, to.regions);
  }
}

function regionsOfStage({ plan }: Rollout, published: PublishedVersion, name: string): readonly string[] {
  const stage = plan.stages.find((row) => row.name === name);
  const stages = plan.stages.map((row) => row.name).join(", ");
  if (stage === undefined) throw new PublishError(`There is no stage "${name}".`, `Stages: ${stages}.`);
  if (covers(published.regions, stage.regions)) return stage.regions;
  throw new PublishError(
    `Version ${published.version} is offered in ${namesOf(published.regions)}; "${name}" would offer it in more.`,
    "A withdrawal only takes regions away: name an earlier stage.",
  );
}

function regionsWithout(published: PublishedVersion, taken: readonly string[]): readonly string[] {
  if (isEverywhere(published.regions)) {
    throw new PublishError(
      `Version ${published.version} is offered in every region: single ones cannot be taken away from "all".`,
      "Say what stays: --to-stage NAME; or withdraw it everywhere.",
    );
  }
  const unknown = taken.filter((region) => !covers(published.regions, [region]));
  if (unknown.length === 0) return published.regions.filter((region) => !covers(taken, [region]));
  throw new PublishError(
    `Version ${published.version} is not offered in ${unknown.join(", ")}.`,
    `It is offered in: ${namesOf(published.regions)}.`,
  );
}

async function put(
  rollout: Rollout,
  request: {
    readonly published: PublishedVersion;
    readonly change: { readonly internal?: boolean; readonly regions?: readonly string[]; readonly held?: string };
    readonly what: string;
  },
): Promise<StepResult> {
  const { published, change, what } = request;
  const { version, internal, regions, sha256 } = published;
  if (rollout.dryRun) return { kind: "would", version, what };
  const stageStarted = published.stageStarted ?? rollout.clock.now();
  await rollout.publisher.put({ version, internal, regions, sha256: sha256 ?? "", stageStarted, ...change });
  return { kind: "done", version, what };
}

/** Machines keep what they have; new ones get the newest patch that their region still offers. */
function consequencesOf(
  all: readonly PublishedVersion[],
  { version, regions: before }: PublishedVersion,
  after: readonly string[],
): readonly string[] {
  const line = version.split(".").slice(0, 2).join(".");
  const other = all
    .filter((row) => row.version !== version && !row.internal && row.version.startsWith(`${line}.`))
    .sort((left, right) => compareVersions(right.version, left.version))[0];
  const taken = isEverywhere(before) ? before : before.filter((region) => !covers(after, [region]));
  const where = isEverywhere(taken) && after.length > 0 ? `every region but ${namesOf(after)}` : namesOf(taken);
  return [
    `Machines that have ${version} keep it and its verdicts: nothing stops or changes on them until they get a newer version.`,
    other === undefined
      ? `New machines that ask for ${line} find no version in ${where}: their extension fails to deploy until a higher patch is offered there.`
      : `New machines that ask for ${line} get ${other.version} where it is offered (${namesOf(other.regions)}), in ${where} too if that is among them.`,
    `To repair machines that have ${version}: publish a higher patch of ${line}; the platform hands it to every new deployment, and to existing machines where automatic upgrade is on.`,
  ];
}
