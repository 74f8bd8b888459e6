import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { LookRecord } from "../../../../scripts/check/look.ts";
import { HandlerError } from "../../../../handler/errors/handler-error.ts";
import { conventionalEnvironment } from "../../../../handler/contract/handler-environment.ts";
import { createQuickLog } from "../../../../handler/logging/quick-log.ts";
import type { SequenceContext } from "../../../../handler/operations/context.ts";
import { createForesight } from "../../../../handler/operations/supervise/foresight.ts";
import { addProof, type AddProof } from "../../../../handler/operations/supervise/add-proof.ts";
import { renderObservations } from "../../../../handler/operations/supervise/look-observations.ts";
import { keepRecord } from "../../../../handler/operations/supervise/run-record.ts";
import { parseSettings } from "../../../../handler/settings/parse-settings.ts";
import type { BootstrapProvider } from "../../../../handler/settings/settings.ts";
import { newRunState, readRunState } from "../../../../handler/state/run-state.ts";
import { verdictStatus } from "../../../../handler/verdict/verdict-status.ts";
import { wordsOf } from "../../../../handler/verdict/verdict-words.ts";
import { checkHost } from "../../../support/check-host.ts";
import { passedVerdict } from "../../../support/verdict-samples.ts";

/** A success that is told, of a check that cannot look: what else can be said of the node is asked all the same. */
function toldSuccess(change: Partial<AddProof["verdict"]> = {}, signal = new AbortController().signal) {
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
  const verdict = passedVerdict(change);
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
    signal,
    told: signal,
    record,
    foresight: createForesight(host),
    readSettings: () => Promise.reject(new Error()),
  };
  const read = (provider: BootstrapProvider = "auto") => ({
    settings: { ...settings, bootstrapProvider: provider },
    warnings: [],
  });
  const add = (given: AddProof["read"] = read()) => addProof({ run, read: given, verdict, words });
  return { host, environment, instance, log, record, read, add };
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

const statusOf = ({ environment }: ReturnType<typeof toldSuccess>) => join(environment.statusFolder, "0.status");

test("the proof stands in the state too, and names the check that gave the verdict and the donor of the disk", async () => {
  const told = toldSuccess({ checkVersion: "3.0.0" });
  const state = told.host.platform.paths(told.host.root).state;
  mkdirSync(state, { recursive: true });
  const donor = { vmId: "the-donor", preparedAt: "2026-01-30T08:00:00.000Z" };
  writeFileSync(join(state, "prepared-image.json"), JSON.stringify(donor));
  await told.add();
  const proof = (text: string) => /BootstrapProof[\s\S]*?the-donor/u.test(text) && text.includes("3.0.0");
  expect(proof(readFileSync(statusOf(told), "utf8"))).toBe(true);
  expect(proof(JSON.stringify(readRunState(told.instance, 0)?.verdict?.status))).toBe(true);
  expect(readRunState(told.instance, 0)?.verdict).toMatchObject({ final: true, afterSeconds: 1 });
  rmSync(told.host.root, { recursive: true });
});

test("a machine that was prepared as it stands is nobody's clone", async () => {
  const told = toldSuccess();
  const state = told.host.platform.paths(told.host.root).state;
  mkdirSync(state, { recursive: true });
  const self = { vmId: "6f1c0f0e-6a39-4c1e-9a51-1f2b3c4d5e6f", preparedAt: "2026-01-30T08:00:00.000Z" };
  writeFileSync(join(state, "prepared-image.json"), JSON.stringify(self));
  await told.add();
  expect(readFileSync(statusOf(told), "utf8")).not.toContain("another-machine");
  rmSync(told.host.root, { recursive: true });
});

test.each([
  ["of a user's own command, which claims nothing of the node", { ownCommand: true } as const, undefined],
  ["where nothing bootstraps", {}, "none" as const],
  ["that is none", { end: { kind: "not-checked", error: new HandlerError("internal", "x") } } as const, undefined],
])("no proof is collected for a verdict %s", async (_, change, provider) => {
  const told = toldSuccess(change);
  await told.add(told.read(provider));
  expect(existsSync(statusOf(told))).toBe(false);
  rmSync(told.host.root, { recursive: true });
});

test("who was asked to end meanwhile writes no proof, and one that cannot be written is told in the log alone", async () => {
  const stopped = toldSuccess({}, AbortSignal.abort());
  await stopped.add();
  expect(existsSync(statusOf(stopped))).toBe(false);
  const broken = toldSuccess();
  mkdirSync(broken.environment.logFolder, { recursive: true });
  rmSync(join(broken.host.programFolder, "bundle/check.cjs"));
  await broken.add();
  await broken.log.flush();
  expect(readFileSync(join(broken.environment.logFolder, "handler.log"), "utf8")).toContain(
    "The proof could not be added",
  );
  for (const { host } of [stopped, broken]) rmSync(host.root, { recursive: true });
});

test("observations keep the newest end of a long text, and a bounded whole; no secret stands in them", () => {
  const long = (mark: string) => `${"a word ".repeat(75_500)}${mark}`;
  const record: unknown = {
    protocol: 2,
    context: { system: "linux", provider: "auto", elapsedMs: 0, timeoutMs: 1, memory: {} },
    observations: [
      { question: { ask: "path", path: "/a" }, answer: { kind: "known", value: null } },
      { question: { ask: "path", path: "/b" }, answer: { kind: "known", value: ["one", long("END-0")] } },
      ...[1, 2, 3, 4].map((number) => ({
        question: { ask: "path", path: `/${String(number)}` },
        answer: { kind: "known", value: long(`END-${String(number)}`) },
      })),
    ],
    result: {
      verdict: "not-yet",
      stage: "s",
      providers: [],
      running: [],
      remarks: ["token abcdef.0123456789abcdef"],
      facts: {},
      nextLookMs: 5,
      decidedBy: [],
      memory: {},
    },
  };
  const text = renderObservations(record as LookRecord);
  expect(text.endsWith("}\n")).toBe(true);
  const seen = JSON.parse(text) as { observations: { answer: { value: unknown } }[]; result: { nextLookMs: number } };
  const values = seen.observations.map(({ answer }) => answer.value);
  expect(values[0]).toBeNull();
  expect((values[1] as string[])[0]).toBe("one");
  expect((values[1] as string[])[1]).toHaveLength(512 * 1024);
  for (const [index, value] of [(values[1] as string[])[1], ...values.slice(2, 5)].entries())
    expect(String(value).endsWith(`END-${String(index)}`)).toBe(true);
  expect(String(values[5]).length).toBeLessThan(1000);
  expect(text.length).toBeLessThan(2 * 1024 * 1024 + 4000);
  expect(seen.result.nextLookMs).toBe(5);
  expect(text).not.toContain("0123456789abcdef");
});

test.each([
  ["lines", "\n"],
  ["one line, as cloudbase-init writes it", "\\r\\n"],
])("of a log of 5 MB the newest half a megabyte is kept, and what is secret in it stays so: %s", (_, lineEnd) => {
  const secret = "Qx7rV2mB9kLz4TpW8sYd";
  const fill = (bytes: number): string => `2026-03-01 08:30:05.120 waits for the network${lineEnd}`.repeat(bytes / 45);
  const head = `DEBUG cloudbaseinit [-] User_data stdout:\nb'`;
  const named = `export JOIN_PASSWORD=${secret}${lineEnd}`;
  const log = `${head}${fill(4_500_000)}${named}${fill(600_000)}joined with ${secret}${lineEnd}the end'\nPlugins execution done`;
  const record: unknown = {
    protocol: 2,
    observations: [{ answer: { value: { kind: "text", text: log } } }],
    result: {},
  };
  const text = renderObservations(record as LookRecord);
  const seen = JSON.parse(text) as { observations: { answer: { value: { text: string } } }[] };
  const shown = seen.observations[0]?.answer.value.text ?? "";
  expect(shown).toHaveLength(512 * 1024);
  expect(shown).toMatch(/the end'\nPlugins execution done$/u);
  expect(shown).toMatch(/waits for the network/u);
  expect(text).not.toContain(secret.slice(0, 8));
});

test("a secret that the begin of a long log names is hidden where it stands bare at the end", () => {
  const log = `API_PASSWORD:\nKestrel7-moor\n${"a word\n".repeat(150_000)}run tool Kestrel7-moor now\n`;
  const observations = [{ question: { ask: "log", path: "/a" }, answer: { kind: "known", value: log } }];
  const text = renderObservations({ observations } as unknown as LookRecord);
  expect(text).toContain("run tool <redacted:");
  expect(text).not.toContain("Kestrel7");
});
