import { beforeEach, expect, jest, test } from "@jest/globals";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { ours } from "../../../handler/text/shown-text.ts";

/** What a power cut could come between, in its order. */
const steps: string[] = [];
jest.unstable_mockModule("node:fs", () => ({
  ...fs,
  fsyncSync: (descriptor: number) => {
    steps.push(`flush ${shortName(fs.readlinkSync(`/proc/self/fd/${String(descriptor)}`))}`);
    fs.fsyncSync(descriptor);
  },
  renameSync: (from: string, to: string) => {
    steps.push(`rename to ${basename(to)}`);
    fs.renameSync(from, to);
  },
}));

const { writeStatus } = await import("../../../handler/contract/status-file.ts");
const { writeLastSequence } = await import("../../../handler/contract/last-sequence.ts");
const { newRunState, writeRunState } = await import("../../../handler/state/run-state.ts");

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), "durable-"));
  steps.length = 0;
});

function shortName(path: string): string {
  return path === folder ? "the folder" : basename(path).replace(/^\.capz-.*\.tmp$/u, "the new file");
}

const durably = (name: string) => ["flush the new file", `rename to ${name}`, "flush the folder"];
const now = new Date();
const status = { operation: "Enable", code: 0, message: ours`text`, substatuses: [] } as const;
const begun = newRunState(
  { now: () => now, monotonicMs: () => 0 },
  { sequence: 3, identity: { vmId: "vm", bootId: "boot" } },
);

test.each(["success", "warning", "error"] as const)(
  "the verdict %s is on the disk before anybody can read it",
  async (kind) => {
    await writeStatus({ folder, sequence: 3, status: { ...status, kind }, now });
    expect(steps).toEqual(durably("3.status"));
  },
);

test("a state with a verdict, or with a command that was started, is on the disk before it counts", async () => {
  const command = { startedAt: "t", bootId: "b", starts: 1 };
  await writeRunState(folder, { ...begun, command });
  expect(steps.splice(0)).toEqual(durably("3.state.json"));
  const verdict = { status: { ...status, kind: "success" as const }, decidedAt: "t", afterSeconds: 1, final: true };
  await writeRunState(folder, { ...begun, verdict });
  expect(steps).toEqual(durably("3.state.json"));
});

test("a status that nobody waits for any more is whole for every reader, and costs the disk no flush", async () => {
  await writeStatus({ folder, sequence: 2, status: { ...status, kind: "error" }, now, durable: false });
  expect(steps).toEqual(["rename to 2.status"]);
});

test("what is made again after a power cut costs the disk no flush: progress, a begun wait, mrseq", async () => {
  await writeStatus({ folder, sequence: 3, status: { ...status, kind: "transitioning" }, now });
  await writeRunState(folder, begun);
  await writeLastSequence({ handlerFolder: folder, sequence: 3 });
  expect(steps).toEqual(["rename to 3.status", "rename to 3.state.json", "rename to mrseq"]);
});
