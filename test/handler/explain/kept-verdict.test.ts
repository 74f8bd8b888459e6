import { expect, test } from "@jest/globals";
import { stringify } from "yaml";
import { makeAccount } from "../../../cluster/verdict/make-account.ts";
import type { Account } from "../../../cluster/verdict/account.ts";
import { verdictObject } from "../../../cluster/verdict/verdict-object.ts";
import { explain } from "../../../handler/explain/explain.ts";
import type { Answer } from "../../../handler/explain/explanation.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { failedVerdict } from "../../support/verdict-samples.ts";

const time = "2026-11-21T09:15:14.000Z";

/** As the management side keeps it. */
function kept(verdict: Account): object {
  const record = {
    cluster: "workload",
    machine: { name: "workload-md-0-7xk2p", uid: "1" },
    owner: { kind: "MachineSet", name: "workload-md-0" },
    verdict,
    firstSeen: time,
    lastSeen: time,
  };
  const cluster = { apiVersion: "cluster.x-k8s.io/v1beta2", name: "workload", uid: "2" };
  return verdictObject({ namespace: "default", name: "workload-md-0-7xk2p-1f0c9a3e" }, record, cluster);
}

async function answerOf(text: string): Promise<Answer | undefined> {
  const explanation = await explain(text);
  return explanation.kind === "explained" ? explanation.answers[0] : undefined;
}

test("explain tells all that a verdict object holds: the machine, the whole next step, evidence and timeline", async () => {
  const status = verdictStatus(failedVerdict());
  const found = { from: "", message: status.message, substatuses: status.substatuses, notes: [] };
  const account = makeAccount({ source: "instanceView", found, time });
  expect(account.evidence).not.toEqual([]);
  expect(account.timeline).not.toEqual([]);
  for (const text of [stringify(kept(account)), JSON.stringify(kept(account))]) {
    const { outcome, reason, nextStep, retryable, vmId, evidence, timeline } = account;
    expect(await answerOf(text)).toMatchObject({
      machine: "workload-md-0-7xk2p",
      ...{ outcome, reason, nextStep, retryable, vmId, evidence, timeline },
    });
  }
});

test("explain tells the outcome of a verdict object whose line is not the extension's", async () => {
  const account: Account = {
    source: "instanceView",
    outcome: "bootstrapped",
    reason: "Bootstrapped",
    firstLine: "The extension reports success",
    time,
    evidence: [],
    timeline: [],
  };
  expect(await answerOf(stringify(kept(account)))).toMatchObject({
    outcome: "bootstrapped",
    summary: "The extension reports success",
  });
});
