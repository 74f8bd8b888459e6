import { describe, expect, it } from "@jest/globals";
import { simplestOf, soak } from "./soak.ts";
import { storyOf } from "./story.ts";
import { alwaysBootstrapped, alwaysFailed, neverDecides, onlySentinel, sentinelOrErrors } from "./wrong-checks.ts";

const wrongChecks = { alwaysBootstrapped, alwaysFailed, neverDecides, onlySentinel, sentinelOrErrors };

describe("the model catches", () => {
  it.each(Object.entries(wrongChecks))("the check %s within a few histories", (_name, check) => {
    const counts = soak(check, { histories: 100, seed: 20_261_122, stopAfter: 1 });
    expect(counts.wrong).toBe(1);
  });

  it("a check that trusts the sentinel alone in both directions, and tells it as a story", () => {
    const { faults } = soak(onlySentinel, { histories: 1_000, seed: 1 });
    const stories = faults
      .map(({ history, fault }) => simplestOf(onlySentinel, history, fault))
      .map(({ history, fault }) => storyOf(history, fault));
    expect(stories).toContainEqual(
      expect.stringMatching(/# false-success[^]*The check said: bootstrapped[^]*The truth: /u),
    );
    expect(stories).toContainEqual(expect.stringMatching(/# no-verdict[^]*The check said: not-yet/u));
  });
});

describe("the histories", () => {
  it("reach every kind of truth on both systems", () => {
    const { reached } = soak(neverDecides, { histories: 3_000, seed: 1 });
    const kinds = new Set([...reached.keys()].map((name) => name.split(": ")[1] ?? name));
    expect([...kinds].sort()).toEqual(["can-still", "clone", "never", "unknowable", "was-working", "working"]);
  });
});
