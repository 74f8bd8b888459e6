import { expect, test } from "@jest/globals";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { startTimeOf } from "../../handler/platform/process-linux.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { FaultMachine } from "./fault-machine.ts";
import { survives, verdictOf } from "./trials.ts";

/** Files that we write by name or by renaming. */
const places: readonly ((machine: FaultMachine, sequence: number) => string)[] = [
  ({ agent }, sequence) => join(agent.statusFolder, `${String(sequence)}.status`),
  ({ agent }) => join(agent.handlerFolder, "mrseq"),
  ({ instance }, sequence) => join(instance, `${String(sequence)}.state.json`),
  ({ agent }) => join(agent.logFolder, "handler.log"),
  ({ agent }) => join(agent.logFolder, "supervisor-output.log"),
  ({ agent }) => join(agent.logFolder, "report.txt"),
  ({ agent }) => join(agent.logFolder, "report.json.new"),
  ({ instance }, sequence) => join(instance, `${String(sequence)}.work/stdout`),
  ({ instance }, sequence) => join(instance, `${String(sequence)}.work/stderr`),
  ({ instance }, sequence) => join(instance, `${String(sequence)}.work/check-output`),
];

test("a link in the place of a file or folder of ours: what it leads to stays as it is, and the verdict comes", async () => {
  await survives("links", async ({ machine, index, damage }) => {
    await ended(machine);
    await damage(async () => {
      machine.putCommand(index, 'echo out; echo err >&2; echo "stage=a" >> "$CAPZ_CHECK_OUTPUT"; exit 3');
      placeLink(machine, index);
      expect((await machine.enable(index)).exitCode).toBe(0);
      await verdictOf(machine, index);
      await ended(machine);
    });
    expect(machine.changesOutside()).toEqual([]);
    expect(readFileSync(join(machine.victim, "file"), "utf8")).toBe("belongs to somebody else\n");
    return { kind: "error", message: /exited with code 3/u };
  });
}, 180_000);

function placeLink(machine: FaultMachine, index: number): void {
  const place = places[Math.floor(index / 2)];
  if (place !== undefined) {
    const path = place(machine, index);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    rmSync(path, { force: true });
    if (index % 2 === 0) symlinkSync(join(machine.victim, "file"), path);
    else linkSync(join(machine.victim, "file"), path);
    return;
  }
  const path = [machine.instance, join(machine.instance, `${String(index)}.work`)][index % 2] ?? "";
  rmSync(path, { recursive: true, force: true });
  symlinkSync(join(machine.victim, "folder"), path);
}

async function ended(machine: FaultMachine): Promise<void> {
  const pid = existsSync(machine.instance) ? machine.supervisorPid() : undefined;
  await waitUntil("the supervisor to end", () => pid === undefined || startTimeOf(pid) === undefined, { everyMs: 5 });
}
