import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { notMade } from "../../../../handler/diagnosis/not-made.ts";
import { createForesight } from "../../../../handler/operations/supervise/foresight.ts";
import { keepRecord } from "../../../../handler/operations/supervise/run-record.ts";
import { uploadBeforeVerdict } from "../../../../handler/operations/supervise/upload-before-verdict.ts";
import { readSettings } from "../../../../handler/operations/read-settings.ts";
import { newRunState } from "../../../../handler/state/run-state.ts";
import { listen, startHttpServer, status, type Answer } from "../../../support/http-server.ts";
import { failedVerdict } from "../../../support/verdict-samples.ts";
import { enabledMachine } from "./handler-machine.ts";

interface Trial {
  /** The setting reportUploadUri. */
  readonly uri?: string;
  readonly diagnosed?: boolean;
  /** The machine's own facts are known. */
  readonly hasFacts?: boolean;
  readonly hasSettings?: boolean;
  readonly signal?: AbortSignal;
  readonly factor?: number;
  /** In the place of the folder of logs. */
  readonly logFolder?: (root: string) => string;
}

/** A failure that is known and not told yet. */
async function uploaded({ uri, diagnosed = true, hasFacts, hasSettings = true, signal, factor = 1, logFolder }: Trial) {
  const machine = await enabledMachine({ settings: uri === undefined ? {} : { reportUploadUri: uri }, factor });
  const context = await machine.contextOf();
  const { settings } = await readSettings(context);
  const always = new AbortController().signal;
  const environment = { ...context.environment, ...(logFolder && { logFolder: logFolder(machine.host.root) }) };
  const run = {
    context: { ...context, environment },
    marker: "m",
    signal: signal ?? always,
    told: always,
    record: keepRecord(machine.host, machine.instance, newRunState(machine.host, context)),
    foresight: createForesight(machine.host),
    readSettings: () => Promise.reject(new Error()),
  };
  const before = machine.log();
  const { diagnosis, ...verdict } = failedVerdict();
  const { excerpts, ...made } = notMade("no time");
  const end = {
    verdict: { ...verdict, ...(diagnosed && { diagnosis: hasFacts === true ? made : (diagnosis ?? made) }) },
    excerpts,
  };
  const { verdict: told, report } = await uploadBeforeVerdict(run, end, hasSettings ? settings : undefined);
  const log = machine.log().slice(before.length);
  const names = environment.logFolder === context.environment.logFolder ? filesIn(environment.logFolder) : [];
  const written = names.filter((name) => name.endsWith("report.json")).map((name) => readFileSync(name, "utf8"));
  rmSync(machine.host.root, { recursive: true });
  return { report, reportUri: told.reportUri, log, written };
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
}

async function withServer<Value>(answer: Answer, use: (uri: string) => Promise<Value>): Promise<[Value, number]> {
  const server = await startHttpServer();
  server.answer("/in/report.zip", answer);
  const value = await use(`${server.origin}/in/report.zip?sig=secret`);
  await server.close();
  return [value, server.requests.length];
}

test("a report that has arrived is named in the verdict, without what gives access to it", async () => {
  const [{ report, reportUri, log }, requests] = await withServer(status(201), (uri) => uploaded({ uri }));
  expect([report, requests]).toEqual(["uploaded", 1]);
  expect(reportUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/in\/report\.zip$/u);
  expect(log).toContain(`The report is uploaded to ${reportUri ?? ""}`);
});

test.each([
  [true, 1],
  [false, 0],
])("the report tells the facts of a machine where they are known: %j", async (hasFacts, count) => {
  const [{ written }] = await withServer(status(201), (uri) => uploaded({ uri, hasFacts }));
  expect(written.map((text) => text.match(/"machine":/gu)?.length ?? 0)).toEqual([count]);
});

test("a report that is refused is to be sent again, and the verdict names no place", async () => {
  const [{ report, reportUri, log }, requests] = await withServer(status(403), (uri) => uploaded({ uri }));
  expect([report, reportUri, requests]).toEqual(["to-do", undefined, 1]);
  expect(log).toMatch(/^(?!.*could not be made).*could not be uploaded/su);
});

test("nothing is sent where nobody wants the report, or nothing is known of the cause or of the settings", async () => {
  expect(await uploaded({})).toEqual({ report: "to-do", log: "", written: [] });
  const known = { diagnosed: false, hasSettings: true };
  for (const trial of [known, { ...known, diagnosed: true, hasSettings: false }]) {
    const [{ report, log }, requests] = await withServer(status(201), (uri) => uploaded({ uri, ...trial }));
    expect([report, log, requests]).toEqual(["to-do", "", 0]);
  }
});

test("a report that cannot be made costs no verdict, and the log says why", async () => {
  const logFolder = (root: string) => {
    writeFileSync(join(root, "file"), "");
    return join(root, "file");
  };
  const [{ report, log }, requests] = await withServer(status(201), (uri) => uploaded({ uri, logFolder }));
  expect([report, requests]).toEqual(["to-do", 0]);
  expect(log).toMatch(/The report could not be made before the verdict: .*(?:ENOTDIR|EEXIST)/u);
});

test.each([
  ["who takes no report for fifteen seconds", { factor: 200 }],
  ["a supervisor that is asked to end", { signal: AbortSignal.abort() }],
])("the verdict does not wait for %s", async (_, trial) => {
  const server = await listen((request) => request.resume());
  expect(await uploaded({ uri: `${server.origin}/report.zip`, ...trial })).toMatchObject({ report: "to-do" });
  await server.close();
});
