import { describe, expect, test } from "@jest/globals";
import { statusFileLimitBytes } from "../../../handler/contract/bound-status.ts";
import { serialiseStatus } from "../../../handler/contract/status-file.ts";
import { waitingStatus, type WaitingFacts } from "../../../handler/verdict/waiting-status.ts";
import { show } from "../../../handler/text/shown-text.ts";
import { outputs } from "../../../scripts/dev/generate-status-schema.ts";
import { anySchema } from "../../support/schema-validator.ts";

const of = { vmId: "6f1c0f0e-6a39-4c1e-9a51-1f2b3c4d5e6f", sequence: 3, time: new Date("2026-11-22T10:00:00Z") };
const facts: WaitingFacts = {
  stage: "kubeadm-join",
  elapsedSeconds: 15,
  timeoutSeconds: 900,
  lastEvent: undefined,
  warnings: [],
  of: { ...of, mode: "observe" },
};

/** The file that the agent uploads. */
function fileOf(given: WaitingFacts): Buffer {
  return serialiseStatus({ status: waitingStatus(given), now: of.time, sequence: 3, extensionName: undefined });
}

/** BootstrapVerdict as a reader gets it. */
function verdictIn(given: WaitingFacts): unknown {
  const file = JSON.parse(fileOf(given).toString()) as readonly {
    readonly status: {
      readonly substatus: readonly { readonly name: string; readonly formattedMessage: { readonly message: string } }[];
    };
  }[];
  const found = file[0]?.status.substatus.find(({ name }) => name === "BootstrapVerdict");
  return JSON.parse(found?.formattedMessage.message ?? "null");
}

describe("the status of a wait", () => {
  test("says in BootstrapVerdict whose wait it is and where it stands", () => {
    expect(verdictIn(facts)).toMatchObject({
      outcome: "waiting",
      reason: "BootstrapInProgress",
      code: 0,
      mode: "observe",
      stage: "kubeadm join",
      elapsedSeconds: 15,
      timeoutSeconds: 900,
      vmId: of.vmId,
      sequence: 3,
      time: "2026-11-22T10:00:00.000Z",
    });
  });

  test("has the state of the whole in its substatus too, so that nothing reads as a success before there is one", () => {
    const { kind, substatuses } = waitingStatus(facts);
    expect(substatuses.map(({ status }) => status)).toEqual([kind]);
  });

  test("claims no mode and no deadline before the settings are read", () => {
    const begun = verdictIn({ ...facts, stage: undefined, timeoutSeconds: undefined, of });
    expect(begun).toMatchObject({ outcome: "waiting", sequence: 3, stage: "starting the check" });
    expect(begun).not.toHaveProperty("mode");
    expect(begun).not.toHaveProperty("timeoutSeconds");
  });

  test.each([
    ["at its start", { ...facts, timeoutSeconds: undefined, of }],
    ["in a stage", facts],
    ["with a deadline of a fraction", { ...facts, timeoutSeconds: 0.5 }],
  ])("is what the published schema says: %s", async (_, given) => {
    const [file] = await outputs();
    expect(anySchema(JSON.parse(file?.content ?? "") as object)({ BootstrapVerdict: verdictIn(given) })).toEqual([]);
  });

  test("stays whole JSON within the status file, beside long warnings and a talkative command", () => {
    const long = {
      ...facts,
      warnings: Array.from({ length: 40 }, (_, n) => `${String(n)} "quoted" ${"é".repeat(2000)}`),
    };
    const output = { stdout: show("out\n".repeat(9000)), stderr: show('"err"\n'.repeat(9000)) };
    expect(fileOf({ ...long, output }).length).toBeLessThanOrEqual(statusFileLimitBytes);
    expect(verdictIn({ ...long, output })).toMatchObject({ sequence: 3 });
  });

  test("adds less than a kilobyte to the file", () => {
    const { stage, elapsedSeconds, timeoutSeconds, lastEvent, warnings } = facts;
    const bare = { stage, elapsedSeconds, timeoutSeconds, lastEvent, warnings };
    expect(fileOf(facts).length - fileOf(bare).length).toBeLessThan(1024);
  });

  test("shows no secret of a warning", () => {
    const secret = "AccountKey=AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefgh==";
    expect(JSON.stringify(verdictIn({ ...facts, warnings: [secret] }))).not.toContain("AbCdEfGhIjKl");
  });
});
