import { expect, test } from "@jest/globals";
import { explain } from "../../../handler/explain/explain.ts";
import type { Answer } from "../../../handler/explain/explanation.ts";
import { waitingStatus } from "../../../handler/verdict/waiting-status.ts";

const at = new Date("2026-11-28T10:31:07Z");
const hour = 3_600_000;
const old = "this status is 3 h old, and its deadline is over";

/** The status that a wait of 1200 s shows after 10 s. */
function waiting(withTime = true): { readonly message: string; readonly substatus: string | undefined } {
  const facts = { stage: "kubeadm-join", elapsedSeconds: 10, timeoutSeconds: 1200, lastEvent: undefined, warnings: [] };
  const of = { vmId: "vm-1", sequence: 0, time: at };
  const { message, substatuses } = waitingStatus({ ...facts, at, ...(withTime && { of }) });
  return { message, substatus: substatuses[0]?.message };
}

function view({ agent = "Ready", time = "" } = {}): string {
  const { message } = waiting();
  return JSON.stringify({
    vmAgent: { vmAgentVersion: "2.15.0.1", statuses: [{ code: "ProvisioningState/succeeded", displayStatus: agent }] },
    extensions: [
      {
        name: "CAPZ.Linux.Bootstrapping",
        type: "Example.ClusterApi.CAPZ.Linux.Bootstrapping",
        statuses: [{ code: "ProvisioningState/transitioning/0", message, ...(time !== "" && { time }) }],
      },
    ],
  });
}

function file(withTime: boolean): string {
  const { message, substatus } = waiting(withTime);
  const status = {
    status: "transitioning",
    code: 0,
    formattedMessage: { lang: "en", message },
    substatus:
      substatus === undefined
        ? []
        : [{ name: "BootstrapVerdict", formattedMessage: { lang: "en", message: substatus } }],
  };
  return JSON.stringify([{ version: "1.0", timestampUTC: at.toISOString(), status }]);
}

async function answerTo(text: string, laterMs: number): Promise<Answer | undefined> {
  const explanation = await explain(text, undefined, new Date(at.getTime() + laterMs));
  return explanation.kind === "explained" ? explanation.answers[0] : undefined;
}

test.each([
  ["a status file that dates itself", file(false)],
  ["a status file whose verdict has a time", file(true)],
  ["an instance view", view({ time: "2026-11-28T10:31:07+00:00" })],
])("explain() does not tell anyone to wait for a wait that should be over: %s", async (_what, text) => {
  const answer = await answerTo(text, 3 * hour);
  expect(answer).toMatchObject({ outcome: "waiting", nextStep: expect.stringContaining(old) });
  expect(answer?.nextStep).not.toContain("Wait and ask again");
  expect(answer?.notes.at(-1)).toBe("The status was written at 2026-11-28T10:31:07.000Z, 3 h ago by this clock.");
  for (const laterMs of [-hour, 0, 1190_000, 1190_000 + 14 * 60_000])
    expect((await answerTo(text, laterMs))?.nextStep).toContain("Wait and ask again");
  expect((await answerTo(text, 1190_000 + 15 * 60_000))?.nextStep).toContain("this status is 35 min old");
});

test("explain() takes the longest wait that is allowed where a status does not say how much is left", async () => {
  const text = file(false).replace("1190 s left", "");
  expect((await answerTo(text, 1.5 * hour))?.nextStep).toContain("Wait and ask again");
  expect((await answerTo(text, 3 * hour))?.nextStep).toContain(old);
});

test("explain() says of a status without a date, or without a clock, what it said before", async () => {
  expect((await answerTo(view(), 30 * 24 * hour))?.nextStep).toContain("Wait and ask again");
  const unasked = await explain(file(true));
  expect(unasked.kind === "explained" && unasked.answers[0]?.nextStep).toContain("Wait and ask again");
});
