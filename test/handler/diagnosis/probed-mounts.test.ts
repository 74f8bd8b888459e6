import { expect, test } from "@jest/globals";
import { rangesOfProbedMounts } from "../../../handler/diagnosis/probed-mounts.ts";

const head =
  "2026-04-02 08:15:10,101 - util.py[DEBUG]: Failed mount of '/dev/sdz1' as 'iso9660': Unexpected error while running command.";
const said = "Stderr: mount: wrong fs type, bad option, bad superblock on /dev/sdz1,";
const next = "2026-04-02 08:15:10,102 - util.py[DEBUG]: Recursively deleting /tmp/made-up";

test.each([
  ["with the next record", ["before", head, "Exit code: 32", said, next], { from: 2, to: 4 }],
  ["with the log", [head, said], { from: 1, to: 2 }],
  ["after twenty lines", [head, ...Array.from({ length: 30 }, () => said)], { from: 1, to: 21 }],
])("what cloud-init notes of a disk that holds no seed ends %s", (_, lines, range) => {
  expect(rangesOfProbedMounts(lines.join("\n"))).toEqual([range]);
});

test("a mount that failed at another level is none of these", () => {
  expect(rangesOfProbedMounts([head.replace("DEBUG", "WARNING"), said].join("\n"))).toEqual([]);
});
