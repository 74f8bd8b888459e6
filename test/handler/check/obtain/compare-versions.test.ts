import { expect, test } from "@jest/globals";
import { compareVersions } from "../../../../handler/check/obtain/compare-versions.ts";

const ascending = [
  "0.9.9",
  "1.0.0-1",
  "1.0.0-2",
  "1.0.0-11",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-rc-1",
  "1.0.0",
  "1.0.1",
  "1.2.0",
  "1.10.0",
  "2.0.0",
];

test("compareVersions() orders as semantic versioning does", () => {
  const shuffled = ascending.toSorted();
  expect(shuffled.toSorted(compareVersions)).toEqual(ascending);
});

test("compareVersions() says of each two which is the older, from either side", () => {
  const wrong = ascending.flatMap((one, left) =>
    ascending
      .filter((other, right) => Math.sign(compareVersions(one, other)) !== Math.sign(left - right))
      .map((other) => [one, other]),
  );
  expect(wrong).toEqual([]);
  expect(compareVersions("1.2", "1.2.0")).toBe(0);
  expect(compareVersions("1.0.0-rev.1", "1.0.0-rev.2")).toBeLessThan(0);
  expect(compareVersions("1.0.0.5", "1.0.0.4")).toBe(0);
  expect(compareVersions("1.0.0-av", "1.0.0-ab")).toBeGreaterThan(0);
  expect(compareVersions("1.0.5-rc", "1.0.4")).toBeGreaterThan(0);
  expect(compareVersions("1.0.0-1", "1.0.0--x")).toBeLessThan(0);
  expect(compareVersions("1.0.0--x", "1.0.0-1")).toBeGreaterThan(0);
});

test("compareVersions() ignores a leading v and build metadata", () => {
  expect(compareVersions("v1.2.0+build.5", "1.2.0")).toBe(0);
});
