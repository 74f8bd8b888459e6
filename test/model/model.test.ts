import { describe, expect, it } from "@jest/globals";
import { shrink, soak } from "./soak.ts";
import { storyOf } from "./story.ts";
import { alwaysBootstrapped, alwaysFailed, neverDecides, onlySentinel, sentinelOrErrors } from "./wrong-checks.ts";

const wrongChecks = { alwaysBootstrapped, alwaysFailed, neverDecides, onlySentinel, sentinelOrErrors };

describe("the model catches", () => {
  it.each(Object.entries(wrongChecks))("the check %s within a few histories", (_name, check) => {
    const counts = soak(check, { histories: 100, seed: 20_261_122, stopAfter: 1 });
    expect(counts.wrong).toBe(1);
  });

  it("a check that trusts the sentinel alone in both directions, and tells it as a story", () => {
    const success = shrink(onlySentinel, { seed: 1, runs: 2_000, rule: "false-success" });
    const silence = shrink(onlySentinel, { seed: 1, runs: 200, rule: "no-verdict" });
    expect(success === undefined ? "" : storyOf(success.history, success.fault)).toMatch(
      /The check said: bootstrapped/u,
    );
    expect(silence === undefined ? "" : storyOf(silence.history, silence.fault)).toMatch(/The truth: /u);
  });
});

describe("the histories", () => {
  it("reach every kind of truth on both systems", () => {
    const { reached } = soak(neverDecides, { histories: 3_000, seed: 1 });
    const kinds = new Set([...reached.keys()].map((name) => name.split(": ")[1] ?? name));
    expect([...kinds].sort()).toEqual(["can-still", "clone", "never", "unknowable", "was-working", "working"]);
  });
});
