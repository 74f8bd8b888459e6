import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { capzCommand } from "../../../../scripts/dev/start/capz-command.ts";
import type { Observation } from "../../../../handler/check/running/look-beside.ts";
import { createForesight } from "../../../../handler/operations/supervise/foresight.ts";
import { lookBesideCommand } from "../../../../handler/operations/supervise/look-beside-command.ts";
import { openDeadline } from "../../../../handler/operations/supervise/open-deadline.ts";
import { keepRecord } from "../../../../handler/operations/supervise/run-record.ts";
import { readSettings } from "../../../../handler/operations/read-settings.ts";
import { newRunState } from "../../../../handler/state/run-state.ts";
import { enabledMachine, type EnabledMachine } from "./handler-machine.ts";

interface Trial {
  readonly look: string;
  readonly before?: (machine: EnabledMachine) => void;
  /** Stops the look at this observation. */
  readonly stopsAt?: number;
  readonly onObservation?: (machine: EnabledMachine) => void;
}

/** What the packaged check sees beside CAPZ's own loop, which runs elsewhere. */
async function observed({ look, before, stopsAt, onObservation }: Trial) {
  const machine = await enabledMachine({ look, factor: 50 });
  machine.put(0, { commandToExecute: capzCommand(machine.host.root) });
  const context = await machine.contextOf();
  const { settings } = await readSettings(context);
  const record = keepRecord(machine.host, machine.instance, newRunState(machine.host, context));
  const never = new AbortController().signal;
  const run = {
    context,
    marker: "m",
    signal: never,
    told: never,
    record,
    foresight: createForesight(machine.host),
    readSettings: () => readSettings(context),
  };
  const deadline = openDeadline(run, 600);
  before?.(machine);
  const stop = new AbortController();
  const seen: Observation[] = [];
  try {
    for await (const observation of lookBesideCommand(run, settings, deadline)(stop.signal)) {
      seen.push(observation);
      onObservation?.(machine);
      if (seen.length === stopsAt) stop.abort();
    }
  } finally {
    await deadline.close();
    rmSync(machine.host.root, { recursive: true });
  }
  return seen.map((one) => (one.kind === "stage" ? one.report.message : one.outcome.kind));
}

const sentinel = `const [seen] = yield [{ ask: "path", path: "/run/cluster-api/bootstrap-success.complete" }];`;
const untilSentinel = (verdict: string) => `${sentinel}
  if (seen.value.kind !== "file") return result("not-yet", { message: "it waits" });
  ${verdict}`;

test.each([
  ["a success", 'return result("bootstrapped");', "passed"],
  ["a failure", 'return result("failed", { reason: "KubeadmFailed", message: "it failed" });', "failed"],
])("what is certain beside a command is told last: %s", async (_, verdict, kind) => {
  const seen = await observed({
    look: untilSentinel(verdict),
    onObservation: ({ sentinel: write }) => {
      write();
    },
  });
  expect([seen[0], seen.at(-1)]).toEqual(["it waits", kind]);
});

test("a look beside a command that is stopped tells no verdict", async () => {
  const seen = await observed({ look: untilSentinel(""), stopsAt: 1 });
  expect(seen).toEqual(["it waits"]);
});

test("that there is no check to look with is told to who listens", async () => {
  const before = ({ host }: EnabledMachine) => {
    rmSync(join(host.programFolder, "bundle"), { recursive: true });
  };
  await expect(observed({ look: 'return result("bootstrapped");', before })).rejects.toThrow(/bundle\.json/u);
});
