import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { conventionalEnvironment } from "../../../../handler/contract/handler-environment.ts";
import { createQuickLog } from "../../../../handler/logging/quick-log.ts";
import type { SequenceContext } from "../../../../handler/operations/context.ts";
import { addProof } from "../../../../handler/operations/supervise/add-proof.ts";
import { keepRecord } from "../../../../handler/operations/supervise/run-record.ts";
import { parseSettings } from "../../../../handler/settings/parse-settings.ts";
import { newRunState } from "../../../../handler/state/run-state.ts";
import { verdictStatus } from "../../../../handler/verdict/verdict-status.ts";
import { wordsOf } from "../../../../handler/verdict/verdict-words.ts";
import { checkHost } from "../../../support/check-host.ts";
import { passedVerdict } from "../../../support/verdict-samples.ts";

/** A success that is told, of a check that cannot look: what else can be said of the node is asked all the same. */
function toldSuccess() {
  const host = checkHost();
  const handlerFolder = join(host.root, "handler-1.0.0");
  mkdirSync(handlerFolder);
  mkdirSync(join(host.programFolder, "bundle"), { recursive: true });
  writeFileSync(join(host.programFolder, "bundle", "check.cjs"), "module.exports = {};");
  const environment = conventionalEnvironment(handlerFolder, join(host.root, "log"));
  const identity = { vmId: "6f1c0f0e-6a39-4c1e-9a51-1f2b3c4d5e6f", bootId: "boot" };
  const log = createQuickLog(
    { folder: environment.logFolder, operation: "supervise", sequence: 0, handlerVersion: "1" },
    host,
  );
  const instance = join(host.root, "instance");
  mkdirSync(instance);
  const context: SequenceContext = {
    host,
    environment,
    extensionName: undefined,
    instance,
    log,
    sequence: 0,
    identity,
  };
  const verdict = passedVerdict();
  const words = wordsOf(verdict);
  const status = verdictStatus(verdict, words);
  const told = { status, decidedAt: verdict.time, afterSeconds: 1, final: true };
  const record = keepRecord(host, instance, { ...newRunState(host, context), verdict: told });
  const parsed = parseSettings({ publicSettings: {}, protectedSettings: {} }, "linux");
  if (parsed.kind === "invalid") throw new Error("the defaults are not valid");
  const { settings } = parsed;
  const run = {
    context,
    marker: "m",
    signal: new AbortController().signal,
    record,
    readSettings: () => Promise.reject(new Error()),
  };
  return { host, environment, add: () => addProof({ run, read: { settings, warnings: [] }, verdict, words }) };
}

test("the proof is added to a success that is told", async () => {
  const { host, environment, add } = toldSuccess();
  await add();
  expect(existsSync(join(environment.statusFolder, "0.status"))).toBe(true);
  rmSync(host.root, { recursive: true });
});

test("a proof does not make again the folder of a handler that an update has removed", async () => {
  const { host, environment, add } = toldSuccess();
  rmSync(environment.handlerFolder, { recursive: true });
  await add();
  expect(existsSync(environment.handlerFolder)).toBe(false);
  rmSync(host.root, { recursive: true });
});
