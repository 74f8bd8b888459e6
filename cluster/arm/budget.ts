import type { World } from "../world.ts";
import type { ArmTarget } from "./target.ts";
import { createBucket, type BucketSize, type TokenBucket } from "./token-bucket.ts";

/**
 * A quarter of what Azure refills for each subscription and region (azure-compute-docs: compute-throttling-limits), because CAPZ and people
 * ask with the same limits: VMs 8,000 a minute, instances of scale sets 2,000, lists of VMs 300.
 */
const families: Readonly<Record<ArmTarget["kind"], BucketSize>> = {
  vm: { perSecond: 33, burst: 100 },
  uniform: { perSecond: 8, burst: 25 },
  flexible: { perSecond: 1.25, burst: 5 },
};

const longestPauseMs = 3_600_000;
const shortestPauseMs = 5_000;

/** Who may ask now. One bucket for the resource manager in front of each subscription, one for each family and region behind it. */
export interface ArmBudget {
  /** 0: go. Otherwise the milliseconds after which it is worth asking again. */
  admit(target: ArmTarget, location: string | undefined): number;
  /** 429, or 503 with a Retry-After: nothing of this family is asked until then. Gives the pause in milliseconds. */
  throttled(target: ArmTarget, location: string | undefined, retryAfterMs: number | undefined): number;
  succeeded(target: ArmTarget, location: string | undefined): void;
}

/** `front`: requests to one subscription, whatever they ask. Resource Manager refills 25 a second up to 250. */
export function createArmBudget(front: BucketSize, world: Pick<World, "monotonicMs" | "random">): ArmBudget {
  const fronts = new Map<string, TokenBucket>();
  const behind = new Map<string, TokenBucket>();
  const refusals = new Map<string, number>();
  const keyOf = ({ kind, subscription }: ArmTarget, location: string | undefined) =>
    `${subscription} ${location ?? ""} ${kind}`;
  const familyOf = (target: ArmTarget, location: string | undefined) =>
    bucketIn(behind, keyOf(target, location), families[target.kind]);
  return {
    admit: (target, location) => {
      const now = world.monotonicMs();
      // A token of the family is lost where the front refuses: that errs on the careful side.
      const wait = familyOf(target, location).take(now);
      return wait > 0 ? wait : bucketIn(fronts, target.subscription, front).take(now);
    },
    throttled: (target, location, retryAfterMs) => {
      const key = keyOf(target, location);
      const tries = (refusals.get(key) ?? 0) + 1;
      refusals.set(key, tries);
      const own = Math.min(longestPauseMs, shortestPauseMs * 2 ** Math.min(tries, 12)) * (0.5 + world.random() / 2);
      const pause = Math.min(longestPauseMs, Math.max(retryAfterMs ?? 0, own));
      familyOf(target, location).pauseUntil(world.monotonicMs() + pause);
      return pause;
    },
    succeeded: (target, location) => {
      refusals.delete(keyOf(target, location));
    },
  };
}

function bucketIn(buckets: Map<string, TokenBucket>, key: string, size: BucketSize): TokenBucket {
  const known = buckets.get(key);
  if (known !== undefined) return known;
  const made = createBucket(size);
  buckets.set(key, made);
  return made;
}
