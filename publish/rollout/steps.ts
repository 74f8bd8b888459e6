import { PublishError } from "../publish-error.ts";
import { runTool } from "../run-tool.ts";
import { decidePromotion, requireNewVersion, stageIndex } from "./guards.ts";
import type { CloudPlan } from "./plan.ts";
import type { Clock, PublishedVersion, Publisher, Replication } from "./publisher.ts";

/** What the steps of one rollout share. */
export interface Rollout {
  readonly publisher: Publisher;
  readonly plan: CloudPlan;
  readonly clock: Clock;
  /** Say what would be sent, send nothing that changes anything. */
  readonly dryRun: boolean;
}

export interface StepResult {
  readonly kind: "done" | "already" | "would";
  readonly version: string;
  readonly what: string;
}

/** Gives the package to the service as an internal version. The same digest again is no work. */
export async function publishVersion(
  rollout: Rollout,
  pack: { readonly version: string; readonly sha256: string; readonly mediaLink: string },
): Promise<StepResult> {
  const { publisher, plan, clock } = rollout;
  const { version } = pack;
  const published = await publisher.list();
  const existing = published.find((row) => row.version === version);
  if (existing !== undefined) return alreadyPublished(existing, pack.sha256);
  requireNewVersion(published, version);
  const what = `publish ${version} (sha256 ${pack.sha256}) as internal`;
  if (rollout.dryRun) return { kind: "would", version, what };
  await publisher.registerType();
  const regions = plan.stages[0]?.regions ?? [];
  await publisher.put({ ...pack, internal: true, regions, stageStarted: clock.now() });
  return { kind: "done", version, what };
}

function alreadyPublished(existing: PublishedVersion, sha256: string): StepResult {
  if (existing.sha256 === sha256)
    return { kind: "already", version: existing.version, what: "published with this digest" };
  throw new PublishError(
    `Version ${existing.version} exists already with the sha256 ${existing.sha256 ?? "unknown"}; this package has ${sha256}.`,
    "A published version never changes: raise the version.",
  );
}

/** Takes a version into one more stage, if every guard allows it. */
export async function promoteVersion(rollout: Rollout, version: string, stage: string): Promise<StepResult> {
  const { publisher, plan, clock } = rollout;
  const published = await requireVersion(publisher, version);
  const replication = await publisher.replication(version);
  const promotion = decidePromotion(plan, published, { stage, replication, now: clock.now() });
  if (promotion.kind === "already") return { kind: "already", version, what: `at stage ${stage}` };
  if (promotion.kind === "allowed") await requireHealthy(promotion.gate, version);
  const { regions } = promotion.stage;
  const again = promotion.kind === "again" ? ` once more, replication failed in ${namesOf(promotion.failed)}` : "";
  const what = `offer ${version} in ${namesOf(regions)}${again}`;
  if (rollout.dryRun) return { kind: "would", version, what };
  const sha256 = published.sha256 ?? "";
  await publisher.put({ version, internal: false, regions, sha256, stageStarted: clock.now() });
  return { kind: "done", version, what };
}

export function namesOf(regions: readonly string[]): string {
  if (regions.includes("*")) return "every region";
  return regions.length === 0 ? "no region that the service names" : regions.join(", ");
}

async function requireHealthy(gate: readonly string[], version: string): Promise<void> {
  const [file, ...args] = gate;
  if (file === undefined) return;
  const result = await runTool(file, [...args, version]);
  if (result.code === 0) return;
  const lastLine = `${result.stdout.toString("utf8")}\n${result.stderr}`.trim().split("\n").at(-1) ?? "";
  throw new PublishError(
    `The health gate ${gate.join(" ")} says no (exit code ${result.code}): ${lastLine}`,
    "Do not promote.",
  );
}

/** Takes a version away from customers; with `remove` an internal one is deleted. */
export async function unpublishVersion(rollout: Rollout, version: string, remove: boolean): Promise<StepResult> {
  const { publisher, clock } = rollout;
  const published = await requireVersion(publisher, version);
  if (remove) return deleteVersion(rollout, published);
  if (published.internal) return { kind: "already", version, what: "internal" };
  const what = `make ${version} internal`;
  if (rollout.dryRun) return { kind: "would", version, what };
  const { regions } = published;
  await publisher.put({ version, internal: true, regions, sha256: published.sha256 ?? "", stageStarted: clock.now() });
  return { kind: "done", version, what };
}

async function deleteVersion(rollout: Rollout, published: PublishedVersion): Promise<StepResult> {
  const { version } = published;
  if (!published.internal) {
    throw new PublishError(`Version ${version} is offered to customers and is not deleted.`, "Unpublish it first.");
  }
  if (rollout.dryRun) return { kind: "would", version, what: `delete ${version}` };
  await rollout.publisher.delete(version);
  return { kind: "done", version, what: `delete ${version}` };
}

export interface VersionStatus {
  readonly version: string;
  readonly stage: string;
  /** Why the rollout is held, if it is. */
  readonly held?: string;
  readonly replication: Replication;
}

/** A version taken back from some regions is at no stage of the plan, and must be readable all the same. */
function stageName(plan: CloudPlan, published: PublishedVersion): string {
  if (published.held !== undefined && !published.internal) return `held in ${namesOf(published.regions)}`;
  return plan.stages[stageIndex(plan, published)]?.name ?? "internal";
}

const statusPauseMs = 15_000;

/** State of a version; with `waitSeconds` until replication has ended or the time is over. */
export async function versionStatus(rollout: Rollout, version: string, waitSeconds: number): Promise<VersionStatus> {
  const { publisher, plan, clock } = rollout;
  const published = await requireVersion(publisher, version);
  const stage = stageName(plan, published);
  const held = published.held === undefined ? {} : { held: published.held };
  const end = clock.now().getTime() + waitSeconds * 1000;
  for (;;) {
    const replication = await publisher.replication(version);
    if (replication.kind !== "pending" || clock.now().getTime() >= end) return { version, stage, ...held, replication };
    await clock.sleep(statusPauseMs);
  }
}

export async function requireVersion(publisher: Publisher, version: string): Promise<PublishedVersion> {
  const published = await publisher.list();
  const found = published.find((row) => row.version === version);
  if (found !== undefined) return found;
  const known = published.map((row) => row.version).join(", ");
  throw new PublishError(`Version ${version} is not published.`, `Published are: ${known || "none"}.`);
}
