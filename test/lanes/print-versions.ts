import { release } from "node:os";

/**
 * Prints what a lane really runs: a green report is worth what its real parts were. `lines` is the output of
 * `dpkg-query --show` or of a program's `--version`; an empty one fails the lane.
 */
export function printVersions(lane: string, ...lines: readonly string[]): void {
  const parts = lines.flatMap((line) => line.split("\n")).map((line) => line.replaceAll(/\s+/gu, " ").trim());
  const known = parts.filter((part) => part !== "");
  if (known.length === 0) throw new Error(`The lane ${lane} cannot tell the versions of its real parts`);
  process.stderr.write(`${lane} runs: ${[...known, `Linux ${release()}`].join(", ")}\n`);
}
