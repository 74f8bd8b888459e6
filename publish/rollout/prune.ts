import { compareVersions } from "./guards.ts";
import type { PublishedVersion } from "./publisher.ts";
import type { Rollout, StepResult } from "./steps.ts";

/**
 * Retires old patches: of every major.minor the newest `keep` stay, an older one is first made internal, and deleted by
 * the next run. So a mistake can be taken back for as long as nobody runs it twice.
 */
export async function pruneVersions(rollout: Rollout, keep: number): Promise<readonly StepResult[]> {
  const steps: StepResult[] = [];
  for (const published of surplus(await rollout.publisher.list(), keep)) steps.push(await retire(rollout, published));
  return steps;
}

/** The patches beyond the newest `keep` of their line, oldest first. A version that is only being prepared is no old one. */
function surplus(all: readonly PublishedVersion[], keep: number): readonly PublishedVersion[] {
  const lines = Map.groupBy(all, ({ version }) => version.split(".").slice(0, 2).join("."));
  return [...lines.values()].flatMap((rows) =>
    rows.sort((left, right) => compareVersions(left.version, right.version)).slice(0, -keep),
  );
}

async function retire(rollout: Rollout, published: PublishedVersion): Promise<StepResult> {
  const { publisher, clock, dryRun } = rollout;
  const { version, regions, sha256, internal } = published;
  const what = internal ? `delete ${version}` : `make ${version} internal`;
  if (dryRun) return { kind: "would", version, what };
  if (internal) await publisher.delete(version);
  else {
    const stageStarted = published.stageStarted ?? clock.now();
    await publisher.put({ version, internal: true, regions, sha256: sha256 ?? "", stageStarted, held: "retired" });
  }
  return { kind: "done", version, what };
}
