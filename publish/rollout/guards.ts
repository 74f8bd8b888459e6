import { PublishError } from "../publish-error.ts";
import { covers, isEverywhere, type CloudPlan, type Stage } from "./plan.ts";
import type { PublishedVersion, Replication } from "./publisher.ts";

/** How far a version is: index into the stages, -1 while it is internal. */
export function stageIndex(plan: CloudPlan, published: PublishedVersion): number {
  if (published.internal) return -1;
  const index = plan.stages.findIndex(({ regions }) => sameRegions(regions, published.regions));
  if (index >= 0) return index;
  throw new PublishError(
    `Version ${published.version} is offered in ${published.regions.join(", ")}, which is no stage of the plan.`,
    "The plan was changed during the rollout, or someone published by hand: make a stage of exactly these regions.",
  );
}

function sameRegions(left: readonly string[], right: readonly string[]): boolean {
  return isEverywhere(left) === isEverywhere(right) && covers(left, right) && covers(right, left);
}

export type Promotion =
  | { readonly kind: "already" }
  /** The stage is reached, but its replication has failed in some regions: the same regions are asked for once more. */
  | { readonly kind: "again"; readonly stage: Stage; readonly failed: readonly string[] }
  /** All guards but the health gate hold; `gate` is what is left to run. */
  | { readonly kind: "allowed"; readonly stage: Stage; readonly gate: readonly string[] };

/** Whether a version may enter a stage now; throws the reason when not. */
export function decidePromotion(
  plan: CloudPlan,
  published: PublishedVersion,
  wanted: { readonly stage: string; readonly replication: Replication; readonly now: Date },
): Promotion {
  const target = plan.stages.findIndex(({ name }) => name === wanted.stage);
  const stage = plan.stages[target];
  if (stage === undefined) {
    throw new PublishError(
      `There is no stage "${wanted.stage}".`,
      `Stages: ${plan.stages.map(({ name }) => name).join(", ")}.`,
    );
  }
  requireNotHeld(published);
  const present = stageIndex(plan, published);
  if (present === target) return repeatStage(stage, wanted.replication);
  requireNextStage(plan, present, target);
  requireReplicated(published, wanted.replication);
  const current = plan.stages[present];
  if (current === undefined) return { kind: "allowed", stage, gate: [] };
  requireBaked(current, published, wanted.now);
  return { kind: "allowed", stage, gate: current.healthGate };
}

function repeatStage(stage: Stage, replication: Replication): Promotion {
  if (replication.kind === "completed" || replication.kind === "pending") return { kind: "already" };
  return { kind: "again", stage, failed: failedRegions(replication) };
}

/** Regions whose replication has failed, as the service spells them. */
function failedRegions({ regions }: Replication): readonly string[] {
  return regions.filter(({ state }) => state === "Failed").map(({ region }) => region);
}

function requireNotHeld({ version, held }: PublishedVersion): void {
  if (held === undefined) return;
  throw new PublishError(
    `The rollout of ${version} is held: ${held}`,
    "Publish a higher patch instead; if the reason was wrong: resume VERSION.",
  );
}

function requireNextStage(plan: CloudPlan, present: number, target: number): void {
  const name = (index: number): string => plan.stages[index]?.name ?? "internal";
  if (target < present) {
    throw new PublishError(
      `The version is at the stage "${name(present)}"; "${name(target)}" would take it away from regions.`,
      "To withdraw a version use unpublish.",
    );
  }
  if (target > present + 1) {
    throw new PublishError(
      `The version is at "${name(present)}"; "${name(target)}" would skip "${name(present + 1)}".`,
      `Promote to "${name(present + 1)}" first.`,
    );
  }
}

function requireReplicated(published: PublishedVersion, replication: Replication): void {
  if (replication.kind === "completed") return;
  const open = replication.regions
    .filter(({ state }) => state !== "Completed")
    .map(({ region, state }) => `${region}: ${state}`);
  throw new PublishError(
    `Version ${published.version} is not replicated (${replication.kind}): ${open.join(", ") || "no region reported yet"}.`,
    replication.kind !== "pending"
      ? "Promote to the present stage again: that asks for the failed regions once more. Or withdraw the version."
      : "Look again later: status --wait.",
  );
}

function requireBaked(current: Stage, published: PublishedVersion, now: Date): void {
  if (published.stageStarted === undefined) {
    throw new PublishError(
      `Nobody knows when version ${published.version} entered "${current.name}": it was not promoted by this tool.`,
      "Set the tag capz-stage-started (ARM) to the time, in ISO form.",
    );
  }
  const due = bakedAt(current, published.stageStarted);
  if (now >= due) return;
  throw new PublishError(
    `The stage "${current.name}" must stand for ${current.bakeHours} h; it began at ${published.stageStarted.toISOString()}.`,
    `The next stage may begin at ${due.toISOString()}.`,
  );
}

function bakedAt(current: Stage, stageStarted: Date): Date {
  return new Date(stageStarted.getTime() + current.bakeHours * 3_600_000);
}

/** Whole minutes until the present stage of a version has stood for its time; 0 when the next one may begin. */
export function minutesUntilDue(plan: CloudPlan, published: PublishedVersion, now: Date): number {
  const current = plan.stages[stageIndex(plan, published)];
  if (current === undefined || published.stageStarted === undefined) return 0;
  return Math.max(0, Math.ceil((bakedAt(current, published.stageStarted).getTime() - now.getTime()) / 60_000));
}

/** Refuses a version that exists with other content, and one that customers would never get. */
export function requireNewVersion(published: readonly PublishedVersion[], version: string): void {
  const line = version.split(".").slice(0, 2).join(".");
  const newer = published.find(
    (row) => row.version.startsWith(`${line}.`) && compareVersions(row.version, version) > 0,
  );
  if (newer === undefined) return;
  throw new PublishError(
    `Version ${version} is older than the published ${newer.version}.`,
    `The platform gives the newest patch of ${line} to everyone who asks for ${line}: publish a higher one.`,
  );
}

export function compareVersions(left: string, right: string): number {
  return left.localeCompare(right, "en", { numeric: true });
}
