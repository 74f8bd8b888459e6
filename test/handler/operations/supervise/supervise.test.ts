import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { rulesFile } from "../../../../scripts/dev/build-rules.ts";
import { listen, startHttpServer, status as answerStatus } from "../../../support/http-server.ts";
import { waitUntil } from "../../../support/wait-until.ts";
import { enabledMachine, eventsOf, type EnabledMachine, type Given, type SeenStatus } from "./handler-machine.ts";

const passes = 'return result("bootstrapped");';
const fails = 'return result("failed", { reason: "KubeadmFailed", message: "it failed" });';
const waits = 'return result("not-yet", { running: ["kubeadm (74 s)"] });';
const untilSentinel = (else_: string) => `
  const [seen] = yield [{ ask: "path", path: "/run/cluster-api/bootstrap-success.complete" }];
  if (seen.value.kind === "file") ${passes}
  ${else_}`;

interface Told {
  readonly name: string;
  readonly given: Given;
  readonly kind: string;
  readonly code: number;
  readonly message: RegExp;
  /** Part of the substatus BootstrapVerdict. */
  readonly verdict: Record<string, unknown>;
  readonly events: readonly string[];
  readonly names: readonly string[];
  readonly final?: false;
}

const always = ["BootstrapVerdict", "BootstrapTimeline"];
const ofFailure = [
  "BootstrapVerdict",
  "BootstrapDiagnosis",
  "BootstrapTimeline",
  "BootstrapEvidence",
  "ErrorClarification",
];
const obtaining = "obtaining the check";

const told: readonly Told[] = [
  {
    name: "a node that came up",
    given: { look: passes },
    kind: "success",
    code: 0,
    message: /^Bootstrapped in \d+ s \(kubeadm\)$/u,
    verdict: { outcome: "bootstrapped", mode: "enforce", timeoutSeconds: 1200, checkVersion: "3.0.0", sequence: 0 },
    events: [obtaining, "bootstrapped"],
    names: [...always, "BootstrapProof"],
  },
  {
    name: "a node that failed",
    given: { look: fails, settings: { aftercareSeconds: 0 } },
    kind: "error",
    code: 10,
    message: /^Bootstrap failed \(KubeadmFailed\) in kubeadm join after \d+ s: it failed\./u,
    verdict: { outcome: "failed", checkVersion: "3.0.0" },
    events: [obtaining, "the check failed (KubeadmFailed)"],
    names: ofFailure,
  },
  {
    name: "a node that failed, to a run that only observes",
    given: { look: fails, settings: { aftercareSeconds: 0, mode: "observe" } },
    kind: "success",
    code: 0,
    message: /KubeadmFailed/u,
    verdict: { outcome: "failed", mode: "observe" },
    events: [obtaining, "the check failed (KubeadmFailed)"],
    names: ofFailure.slice(0, -1),
  },
  {
    name: "a node that did not come up in time",
    given: { look: waits, settings: { timeoutSeconds: 30, aftercareSeconds: 0 }, factor: 100 },
    kind: "error",
    code: 11,
    message: /^Bootstrap failed \(DeadlineExceeded\) in kubeadm join after \d+ s: still running: kubeadm \(74 s\)/u,
    verdict: { outcome: "deadline", timeoutSeconds: 30 },
    events: [obtaining, "kubeadm join", "the deadline was reached"],
    names: ofFailure,
  },
  {
    name: "a command that went well",
    given: { settings: { commandToExecute: "echo done", bootstrapProvider: "none" } },
    kind: "success",
    code: 0,
    message: /^Bootstrapped in \d+ s\n[\s\S]*\[stdout\]\ndone/u,
    verdict: { outcome: "bootstrapped" },
    events: [obtaining, "running the command", "bootstrapped"],
    names: always,
  },
  {
    name: "a command that failed",
    given: { settings: { commandToExecute: "echo why >&2; exit 3" }, look: waits },
    kind: "error",
    code: 2,
    message:
      /^Bootstrap failed \(CommandFailed\) (?:in kubeadm join )?after \d+ s: the command exited with code 3: why\./u,
    verdict: { outcome: "failed", reason: "CommandFailed" },
    events: [obtaining, "running the command", "the check failed"],
    names: ofFailure,
  },
  {
    name: "a command that went well, which claims nothing of the node",
    given: { look: waits, settings: { commandToExecute: "sleep 0.1" } },
    kind: "success",
    code: 0,
    message: /^Bootstrapped in \d+ s\b/u,
    verdict: { outcome: "bootstrapped" },
    events: [obtaining, "running the command", "bootstrapped"],
    names: always,
  },
  {
    name: "a machine of which only facts are wanted",
    given: { look: passes, settings: { mode: "report" } },
    kind: "success",
    code: 0,
    message: /^Bootstrap reported, not judged: the check says bootstrapped/u,
    verdict: { outcome: "not-checked", mode: "report", reason: "Reported" },
    events: ["facts reported"],
    names: [...always, "BootstrapProof"],
  },
  {
    name: "settings that nobody can follow",
    given: { settings: { timeoutSeconds: -1 } },
    kind: "error",
    code: 21,
    message: /^Bootstrap not checked \(SettingsInvalid\): timeoutSeconds is -1;/u,
    verdict: { outcome: "not-checked", mode: "enforce", timeoutSeconds: 0 },
    events: ["not checked (SettingsInvalid)"],
    names: [...always, "ErrorClarification"],
  },
  {
    name: "settings with a name that is none of ours",
    given: { look: passes, settings: { colour: "red" } },
    kind: "success",
    code: 0,
    message: /\nWarning: [^\n]*colour/u,
    verdict: { warnings: [expect.stringContaining("colour")] },
    events: [obtaining, "bootstrapped"],
    names: [...always, "BootstrapProof"],
  },
  {
    name: "a command where nothing bootstraps, which nobody looks beside",
    given: { look: passes, settings: { commandToExecute: "exit 4", bootstrapProvider: "none" } },
    kind: "error",
    code: 2,
    message: /exited with code 4/u,
    verdict: { outcome: "failed" },
    events: [obtaining, "running the command", "the check failed"],
    names: ofFailure,
  },
];

test.each(told.map((row) => [row.name, row] as const))(
  "supervise() tells of %s in status, state, log, event and console",
  async (_, row) => {
    const machine = await enabledMachine({ factor: 1, ...row.given });
    expect(await machine.run()).toBe("concluded");
    const status = mustHave(machine.status());
    expect(status).toMatchObject({ kind: row.kind, code: row.code, message: expect.stringMatching(row.message) });
    expect(Object.keys(status.substatuses)).toEqual(row.names);
    expect(status.substatuses["BootstrapVerdict"]).toMatchObject({
      vmId: "unknown",
      warnings: [],
      ...row.verdict,
    });
    const state = mustHave(machine.state());
    expect(eventsOf(state)).toEqual(row.events);
    expect(state.verdict).toMatchObject({ final: true, status: { kind: row.kind, code: row.code } });
    const line = mustHave(status.message.split("\n")[0]);
    const level = row.kind === "error" ? "Error" : "Informational";
    expect(machine.events()).toEqual([
      expect.objectContaining({ Message: line, EventLevel: level, TaskName: "supervise", OperationId: "0" }),
    ]);
    expect(machine.log()).toContain(`verdict: ${row.kind}, code ${String(row.code)}: ${line}`);
    expect(machine.log()).not.toContain("could not be");
    expect(machine.console()).toBe(line.startsWith("capz") ? line : `capz-bootstrap: ${line}`);
    discard(machine);
  },
);

test("supervise() leaves a report of a failure, and what the check saw of every end", async () => {
  const failed = await enabledMachine({ look: fails, settings: { aftercareSeconds: 0 }, factor: 1 });
  await failed.run();
  const report = JSON.parse(readFileSync(failed.under("logFolder/report.json"), "utf8")) as object;
  expect(report).toMatchObject({
    schemaVersion: 1,
    outcome: "failed",
    firstLine: expect.stringContaining("it failed"),
    vmId: "unknown",
    checkVersion: "3.0.0",
    timeoutSeconds: 1200,
    diagnosis: { kind: "unclassified" },
    timeline: expect.arrayContaining([expect.objectContaining({ event: "the check failed (KubeadmFailed)" })]),
    warnings: [],
  });
  expect(readFileSync(failed.under("logFolder/report.txt"), "utf8")).toContain("it failed");
  expect(verdictOf(failed)).toMatchObject({ reportFile: failed.under("logFolder/report.txt") });
  const passed = await enabledMachine({ look: passes });
  await passed.run();
  const seen = JSON.parse(readFileSync(passed.under("logFolder/observations.json"), "utf8")) as object;
  expect(seen).toMatchObject({ protocol: 2, result: { verdict: "bootstrapped" } });
  discard(failed, passed);
});

test("a report that cannot be written costs no verdict", async () => {
  const machine = await enabledMachine({ look: fails, settings: { aftercareSeconds: 0 } });
  mkdirSync(machine.under("logFolder/report.txt/x"), { recursive: true });
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "error", code: 10 });
  expect(machine.log()).toContain("The report could not be written: ");
  discard(machine);
});

test("echoToConsole false keeps the console clean", async () => {
  const machine = await enabledMachine({ look: passes, settings: { echoToConsole: false } });
  await machine.run();
  expect(machine.console()).toBe("");
  discard(machine);
});

test("the settings of older sequences are emptied once a verdict stands", async () => {
  const machine = await enabledMachine({ look: passes });
  machine.put(1, {});
  await machine.enableAgain(1);
  const context = await machine.contextOf({ env: { ...machine.host.env, ConfigSequenceNumber: "1" } });
  expect(await machine.run({ context })).toBe("concluded");
  expect(readFileSync(machine.under("configFolder/0.settings"), "utf8")).toBe("");
  expect(readFileSync(machine.under("configFolder/1.settings"), "utf8")).not.toBe("");
  expect(machine.status(1)).toMatchObject({ kind: "success" });
  discard(machine);
});

/** What cloud-init keeps of itself, and the line that names the cause. */
function putLogs({ host, under }: EnabledMachine): void {
  for (const folder of ["var/log", "run/cloud-init"]) mkdirSync(under(folder), { recursive: true });
  const lines =
    'error execution phase preflight: Get "https://api.internal:6443/x": dial tcp: lookup api.internal: no such host\n';
  writeFileSync(under("var/log/cloud-init-output.log"), lines);
  const start = host.now().getTime() / 1000 - 60;
  const stage = { start, finished: start + 10, errors: [] };
  writeFileSync(under("run/cloud-init/status.json"), JSON.stringify({ v1: { init: stage } }));
}

test("a cause that a log names leads the verdict, and the node's own events stand among ours", async () => {
  const rules = readFileSync(rulesFile, "utf8");
  const machine = await enabledMachine({ look: fails, settings: { aftercareSeconds: 0 }, rules, factor: 1 });
  putLogs(machine);
  await machine.run();
  expect(machine.status()?.message).toMatch(/^Bootstrap failed \(Dns\w+\) in /u);
  const { entries } = machine.status()?.substatuses["BootstrapTimeline"] as { entries: readonly Entry[] };
  expect(entries.map(({ event }) => event)).toEqual([
    "cloud-init init started",
    "cloud-init init finished",
    obtaining,
    "the check failed (KubeadmFailed)",
  ]);
  expect(entries[0]?.seconds).toBeGreaterThan(-65);
  expect(entries[0]?.seconds).toBeLessThan(-55);
  discard(machine);
});

interface Entry {
  readonly event: string;
  readonly seconds: number;
}

const commandToExecute = "echo 'dial tcp: lookup api.internal: no such host' >&2; exit 1";

test.each([
  ["are damaged", "{"],
  ["are not there", undefined],
])("rules of the package that %s cost the named cause, and neither the verdict nor what is quoted", async (_, text) => {
  const machine = await enabledMachine({ settings: { commandToExecute, bootstrapProvider: "none" }, factor: 1 });
  const file = join(machine.host.programFolder, "bundle/rules.json");
  if (text === undefined) rmSync(file);
  else writeFileSync(file, text);
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()?.message).toMatch(/^Bootstrap failed [\s\S]*no such host/u);
  expect(machine.log()).toContain(`The rule catalogue ${file} cannot be used: `);
  discard(machine);
});

test("what a command printed is evidence of its failure", async () => {
  const machine = await enabledMachine({ settings: { commandToExecute, bootstrapProvider: "none" }, factor: 1 });
  await machine.run();
  const evidence = JSON.stringify(machine.status()?.substatuses["BootstrapEvidence"]);
  expect(evidence).toContain('{"source":"command-output","origin":"stderr of the command","line":1,');
  expect(evidence).toContain("no such host");
  expect(evidence).not.toContain("stdout of the command");
  discard(machine);
});

test("a node that comes up after its failure was told is told again, once", async () => {
  const machine = await enabledMachine({
    look: untilSentinel(fails),
    settings: { aftercareSeconds: 3600, pollSeconds: 5 },
    factor: 100,
  });
  const running = machine.run();
  await waitUntil("the failure", () => machine.status()?.kind === "error", { everyMs: 5 });
  const first = mustHave(machine.status()?.message.split("\n")[0]);
  await waitUntil("the first verdict in the state", () => machine.state()?.verdict, { everyMs: 5 });
  expect(machine.state()?.verdict).toMatchObject({ final: false });
  machine.sentinel();
  expect(await running).toBe("concluded");
  const status = mustHave(machine.status());
  expect(status).toMatchObject({ kind: "success", code: 0 });
  expect(status.message).toMatch(/^Bootstrapped in \d+ s \(kubeadm\), late by \d+ s/u);
  expect(status.message).toContain(first);
  expect(status.substatuses).toHaveProperty("BootstrapProof");
  const { substatuses } = status;
  expect(substatuses["BootstrapVerdict"]).toMatchObject({ outcome: "bootstrapped", checkVersion: "3.0.0" });
  const late = Number(/late by (\d+) s/u.exec(status.message)?.[1]);
  const whole = (substatuses["BootstrapVerdict"] as { elapsedSeconds: number }).elapsedSeconds;
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThan(whole);
  expect(eventsOf(machine.state()).at(-1)).toBe(`bootstrapped, late by ${String(late)} s`);
  expect(machine.state()?.verdict).toMatchObject({ final: true, status: { kind: "success" } });
  discard(machine);
});

test("a node that does not come up late keeps its first verdict, which is final then", async () => {
  const machine = await enabledMachine({
    look: fails,
    settings: { aftercareSeconds: 30, pollSeconds: 5 },
    factor: 200,
  });
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "error", code: 10 });
  expect(machine.state()?.verdict?.final).toBe(true);
  discard(machine);
});

test("a stop during aftercare leaves the rest of it to the next supervisor", async () => {
  const stop = new AbortController();
  const machine = await enabledMachine({
    look: untilSentinel(fails),
    settings: { aftercareSeconds: 3600, pollSeconds: 60 },
    factor: 100,
  });
  const running = machine.run({ signal: stop.signal });
  await waitUntil("the first verdict", () => machine.state()?.verdict, { everyMs: 5 });
  stop.abort();
  expect(await running).toBe("interrupted");
  expect(machine.state()?.verdict).toMatchObject({ final: false, status: { kind: "error" } });
  machine.sentinel();
  rmSync(machine.under("statusFolder/0.status"));
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "success", message: expect.stringContaining("late by") });
  discard(machine);
});

test("a verdict that stands is written again where its file was lost, and nothing is checked again", async () => {
  const machine = await enabledMachine({ look: passes });
  await machine.run();
  const status = machine.status();
  rmSync(machine.under("statusFolder/0.status"));
  expect(await machine.run()).toBe("concluded");
  expect(machine.status()).toEqual(status);
  expect(eventsOf(machine.state())).toEqual([obtaining, "bootstrapped"]);
  discard(machine);
});

test("a stop before the verdict leaves the status waiting, and the next supervisor goes on with what is left of the time", async () => {
  const stop = new AbortController();
  const machine = await enabledMachine({
    look: untilSentinel(waits),
    settings: { timeoutSeconds: 5000 },
    factor: 1000,
  });
  const running = machine.run({ signal: stop.signal });
  await waitUntil("the stage", () => machine.status()?.message.includes("kubeadm join"), { everyMs: 5 });
  stop.abort();
  expect(await running).toBe("interrupted");
  expect(machine.status()).toMatchObject({ kind: "transitioning" });
  const used = mustHave(machine.state()).clock.usedMs;
  expect(used).toBeGreaterThan(0);
  machine.sentinel();
  expect(await machine.run()).toBe("concluded");
  expect((verdictOf(machine) as { elapsedSeconds: number }).elapsedSeconds).toBeGreaterThanOrEqual(
    Math.round(used / 1000),
  );
  discard(machine);
});

test("the status tells the stage while the check waits", async () => {
  const machine = await enabledMachine({
    look: untilSentinel('return result("not-yet", { message: "the image is pulled" });'),
    settings: { mode: "observe", colour: "red" },
  });
  const running = machine.run();
  const waiting = await waitUntil("the stage", () => stageTold(machine.status()), { everyMs: 5 });
  expect(waiting.kind).toBe("transitioning");
  expect(waiting.message).toMatch(
    /^Waiting for bootstrap: kubeadm join; \d+ s of 1200 s used, \d+ s left at [\d:]+ UTC; last: the image is pulled\n/u,
  );
  expect(waiting.message).toContain("colour");
  machine.sentinel();
  expect(await running).toBe("concluded");
  expect(eventsOf(machine.state())).toEqual([obtaining, "kubeadm join", "bootstrapped"]);
  discard(machine);
});

function stageTold(status: SeenStatus | undefined): SeenStatus | undefined {
  return status?.message.includes("the image is pulled") === true ? status : undefined;
}

test("the status tells what a command has written while it runs", async () => {
  const machine = await enabledMachine({
    settings: {
      commandToExecute: 'echo begun; while [ ! -e "$CAPZ_ROOT/go" ]; do sleep 0.01; done',
      lookBeside: false,
    },
    factor: 100,
  });
  const running = machine.run();
  await waitUntil("the output", () => machine.status()?.message.includes("[stdout]\nbegun"), { everyMs: 5 });
  expect(machine.status()).toMatchObject({ kind: "transitioning" });
  writeFileSync(machine.under("go"), "");
  expect(await running).toBe("concluded");
  discard(machine);
});

test("progress that cannot be written for a while is no end of the wait", async () => {
  const machine = await enabledMachine({ look: untilSentinel(waits) });
  rmSync(machine.under("statusFolder"), { recursive: true });
  writeFileSync(machine.under("statusFolder"), "in the way");
  const running = machine.run();
  await waitUntil("the try", () => machine.log().includes("The progress could not be written: "), { everyMs: 5 });
  rmSync(machine.under("statusFolder"));
  mkdirSync(machine.under("statusFolder"));
  machine.sentinel();
  expect(await running).toBe("concluded");
  expect(machine.status()).toMatchObject({ kind: "success" });
  discard(machine);
});

test("where the handler's folder is gone, nobody reads: the verdict is left to the version that follows", async () => {
  const machine = await enabledMachine({ look: untilSentinel(waits) });
  const running = machine.run();
  await waitUntil("the wait", () => machine.status()?.message.includes("kubeadm join"), { everyMs: 5 });
  rmSync(machine.host.programFolder, { recursive: true });
  machine.sentinel();
  expect(await running).toBe("interrupted");
  expect(machine.status()).toMatchObject({ kind: "transitioning" });
  expect(machine.state()?.verdict).toBeUndefined();
  expect(machine.log()).toContain("is gone; the verdict is left to the version that follows");
  discard(machine);
});

test("the progress of a wait does not make the handler's folder anew: a folder of that name would be read as a handler", async () => {
  const machine = await enabledMachine({ look: untilSentinel(waits), factor: 100 });
  const context = await machine.contextOf();
  const statusFolder = join(machine.host.programFolder, "status");
  let beats = 0;
  const sleep: typeof context.host.sleep = (ms, signal) => {
    if (ms === 30_000) beats += 1;
    return machine.host.sleep(ms, signal);
  };
  const environment = { ...context.environment, statusFolder };
  const running = machine.run({ context: { ...context, host: { ...context.host, sleep }, environment } });
  const waited = (): string => readFileSync(join(statusFolder, "0.status"), "utf8");
  await waitUntil("the wait", () => existsSync(statusFolder) && waited().includes("kubeadm join"), { everyMs: 5 });
  rmSync(machine.host.programFolder, { recursive: true });
  const before = beats;
  await waitUntil("two more beats", () => beats >= before + 2, { everyMs: 5 });
  expect(existsSync(machine.host.programFolder)).toBe(false);
  machine.sentinel();
  expect(await running).toBe("interrupted");
  expect(existsSync(machine.host.programFolder)).toBe(false);
  discard(machine);
});

test("the report is uploaded before the failure is told, which names its place without what gives access to it", async () => {
  const server = await startHttpServer();
  server.answer("/in/report.zip", answerStatus(201));
  const settings = { aftercareSeconds: 0, reportUploadUri: `${server.origin}/in/report.zip?sig=secret` };
  const machine = await enabledMachine({ look: fails, settings, factor: 1 });
  expect(await machine.run()).toBe("concluded");
  expect(server.requests.map(({ path }) => path)).toEqual(["/in/report.zip?sig=secret"]);
  expect(verdictOf(machine)).toMatchObject({ reportUri: `${server.origin}/in/report.zip` });
  expect(machine.log()).toContain(`The report is uploaded to ${server.origin}/in/report.zip`);
  await server.close();
  discard(machine);
});

test("an upload that is refused is tried once more after the verdict, and told in the log alone", async () => {
  const server = await startHttpServer();
  server.answer("/in/report.zip", answerStatus(403));
  const settings = { aftercareSeconds: 0, reportUploadUri: `${server.origin}/in/report.zip` };
  const machine = await enabledMachine({ look: fails, settings, factor: 1 });
  expect(await machine.run()).toBe("concluded");
  expect(server.requests).toHaveLength(2);
  expect(verdictOf(machine)).not.toHaveProperty("reportUri");
  expect(machine.log()).toContain("The report could not be uploaded: ");
  await server.close();
  discard(machine);
});

test("a verdict waits fifteen seconds for its report, not longer, and the report still arrives", async () => {
  let uploads = 0;
  let tell: () => void = () => undefined;
  const server = await listen((request, response) => {
    request.resume();
    uploads += 1;
    if (uploads === 1) tell = () => response.writeHead(201).end();
    else response.writeHead(201).end();
  });
  const settings = { aftercareSeconds: 0, reportUploadUri: `${server.origin}/report.zip` };
  const machine = await enabledMachine({ look: fails, settings, factor: 100 });
  expect(await machine.run()).toBe("concluded");
  expect(uploads).toBe(2);
  expect(verdictOf(machine)).not.toHaveProperty("reportUri");
  tell();
  await server.close();
  discard(machine);
});

function verdictOf(machine: EnabledMachine): unknown {
  return machine.status()?.substatuses["BootstrapVerdict"];
}

function mustHave<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("There is none");
  return value;
}

function discard(...machines: readonly EnabledMachine[]): void {
  for (const { host } of machines) rmSync(host.root, { recursive: true });
}
