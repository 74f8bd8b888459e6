import { beforeEach, describe, expect, test } from "@jest/globals";
import { createCalmLog } from "../../../cluster/commands/calm-log.ts";
import { createWorld } from "../../../cluster/create-world.ts";

let nowMs = 0;
let lines: string[] = [];
const world = { ...createWorld(), monotonicMs: () => nowMs };
const log = () =>
  createCalmLog({ info: (line) => lines.push(`info ${line}`), warn: (line) => lines.push(line) }, world, {
    lines: 3,
    windowMs: 600_000,
    shapes: 5,
  });
const refusal = (n: number) =>
  `Machine default/md-0-${String(n)} could not be brought up to date: PATCH /apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/md-0-${String(n)}/status: 422 Invalid: Machine "md-0-${String(n)}" is invalid; it is tried again`;

beforeEach(() => {
  nowMs = 0;
  lines = [];
});

describe("a refusal that meets a whole fleet", () => {
  test("is printed for the first machines, and the last printed line says that more are held back", () => {
    const calm = log();
    for (let n = 0; n < 5000; n += 1) calm.warn(refusal(n));
    expect(lines).toEqual([
      refusal(0),
      refusal(1),
      `${refusal(2)} (more lines like this one are held back for 10 min)`,
    ]);
  });

  test("is told again after ten minutes, with the number of lines that were held back", () => {
    const calm = log();
    for (let n = 0; n < 5000; n += 1) calm.warn(refusal(n));
    nowMs = 600_000;
    calm.warn(refusal(7));
    expect(lines.at(-1)).toBe(`${refusal(7)} (4997 lines like this one were held back before)`);
  });

  test("hides no warning of another kind, and no word of the normal course", () => {
    const calm = log();
    for (let n = 0; n < 10; n += 1) calm.warn(refusal(n));
    calm.warn("The watch of machines ended: reset; it is opened again");
    calm.info("Ended in order");
    expect(lines.slice(3)).toEqual(["The watch of machines ended: reset; it is opened again", "info Ended in order"]);
  });

  test("a log of ever new warnings is remembered within a bound", () => {
    const calm = log();
    for (let n = 0; n < 100; n += 1) calm.warn(`warning ${"x".repeat(n + 1)}`);
    expect(lines).toHaveLength(100);
  });
});
