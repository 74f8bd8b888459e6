import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import AdmZip from "adm-zip";
import { startTimeOf } from "../../handler/platform/process-linux.ts";
import type { SeenStatus } from "../../scripts/dev/start/agent-player.ts";
import { findSupervisor } from "../../scripts/dev/start/supervisor-process.ts";
import { addressOf } from "../support/http-server.ts";
import { waitUntil } from "../support/wait-until.ts";
import { createLifecycleMachine, waitForStatus, type LifecycleMachine } from "./lifecycle-machine.ts";

/*
 * What follows a verdict hangs on single calls, any of which could be lost without another test noticing. One machine, two
 * settings one after the other, and a test for each thing that must have been done. `npm run wiring` takes the calls out one by
 * one and sees these tests fail (test/wiring/removals.ts).
 */

const logLimitBytes = 2 * 1024 * 1024;
const uploads: { readonly path: string; readonly bytes: Buffer }[] = [];
let server: Server;
let node: LifecycleMachine;
let verdict: SeenStatus;
/** Another machine, whose command runs into the shortest deadline of 30 s while the first one is looked at. */
let slow: LifecycleMachine;
const goodbye = (): string => join(slow.machine.root, "check/goodbye");

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.method === "PUT") uploads.push({ path: request.url ?? "", bytes: Buffer.concat(parts) });
      response.writeHead(201).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  slow = createLifecycleMachine();
  const line = `trap 'sleep 1; : > ${goodbye()}; exit 0' TERM; while :; do sleep 0.1; done`;
  slow.agent.putSettings(0, { publicSettings: { commandToExecute: line, timeoutSeconds: "30", graceSeconds: "20" } });
  await slow.agent.run("install", 0);
  await slow.agent.run("enable", 0);
  node = createLifecycleMachine();
  const { agent, machine } = node;
  machine.write("dev/console", "");
  writeFileSync(join(agent.logFolder, "handler.log"), `${"x".repeat(logLimitBytes)}\n`);
  const script = Buffer.from("#!/bin/sh\ntrue # of the first settings\n").toString("base64");
  agent.putSettings(0, { publicSettings: { script } });
  await agent.run("install", 0);
  await agent.run("enable", 0);
  await waitForStatus(agent, 0);
  await supervisorEnded();
  const { port } = addressOf(server.address());
  agent.putSettings(1, {
    publicSettings: { commandToExecute: "echo it is broken >&2; exit 3", aftercareSeconds: "0" },
    protectedSettings: { reportUploadUri: `http://127.0.0.1:${String(port)}/reports?sig=x` },
  });
  await agent.run("enable", 1);
  verdict = await waitForStatus(agent, 1);
  await supervisorEnded();
}, 180_000);

afterAll(async () => {
  server.close();
  await node.discard();
  await slow.discard();
}, 60_000);

async function supervisorEnded(): Promise<void> {
  const pid = findSupervisor(node.agent, node.machine.root)?.pid ?? 0;
  await waitUntil("the supervisor to end", () => startTimeOf(pid) === undefined);
}

const firstLine = (): string => verdict.message.split("\n", 1)[0] ?? "";
const instance = (): string => join(node.machine.root, "var/lib/capz-bootstrap", node.agent.name);
const logOf = (name: string): string => readFileSync(join(node.agent.logFolder, name), "utf8");

test("the verdict is the command's", () => {
  expect(verdict).toMatchObject({ kind: "error", code: 2 });
  expect(firstLine()).toContain("exited with code 3");
});

test("the verdict's first line stands on the console", () => {
  expect(readFileSync(join(node.machine.root, "dev/console"), "utf8")).toContain(`capz-bootstrap: ${firstLine()}`);
});

test("an event with the verdict's first line is handed to the agent", () => {
  const folder = join(node.agent.logFolder, "events");
  const events = readdirSync(folder).map((name): unknown => JSON.parse(readFileSync(join(folder, name), "utf8")));
  expect(events).toContainEqual(
    expect.objectContaining({ EventLevel: "Error", TaskName: "supervise", Message: firstLine(), OperationId: "1" }),
  );
  expect(events).toContainEqual(expect.objectContaining({ EventLevel: "Informational", OperationId: "0" }));
});

test("the report is on the machine, and is uploaded as a bundle", () => {
  expect(logOf("report.txt")).toContain(firstLine());
  expect(uploads.map(({ path }) => path)).toEqual([
    expect.stringMatching(/^\/reports\/capz-bootstrap\/.*\.zip\?sig=x$/u),
  ]);
  const names = new AdmZip(uploads[0]?.bytes).getEntries().map(({ entryName }) => entryName);
  expect(names).toContain("report.txt");
  expect(logOf("handler.log")).toContain("The report is uploaded");
});

test("the log is rotated when it has reached its size, and holds the verdict", () => {
  expect(statSync(join(node.agent.logFolder, "handler1.log")).size).toBe(logLimitBytes + 1);
  expect(statSync(join(node.agent.logFolder, "handler.log")).size).toBeLessThan(64 * 1024);
  expect(logOf("handler.log")).toContain(`verdict: error, code 2: ${JSON.stringify(firstLine()).slice(1, -1)}`);
});

test("the settings file of the older sequence is empty, the newer one is as the agent wrote it", () => {
  expect(statSync(join(node.agent.configFolder, "0.settings")).size).toBe(0);
  expect(JSON.parse(readFileSync(join(node.agent.configFolder, "1.settings"), "utf8"))).toHaveProperty(
    "runtimeSettings",
  );
});

test("script, output and state of the older sequence are gone", () => {
  expect(readdirSync(instance()).filter((name) => name.startsWith("0."))).toEqual([]);
  expect(existsSync(join(instance(), "1.state.json"))).toBe(true);
});

test("the state keeps the verdict, and mrseq the sequence", () => {
  expect(JSON.parse(readFileSync(join(instance(), "1.state.json"), "utf8"))).toMatchObject({
    verdict: { final: true, status: { code: 2, message: expect.stringContaining(firstLine()) } },
    command: { starts: 1, exit: { kind: "code", code: 3 } },
  });
  expect(readFileSync(join(node.agent.handlerFolder, "mrseq"), "utf8")).toBe("1");
});

test("graceSeconds: a command that the deadline ends has that time between the request and the kill", async () => {
  expect((await waitForStatus(slow.agent, 0)).message).toContain("(DeadlineExceeded)");
  expect(existsSync(goodbye())).toBe(true);
}, 120_000);

test("echoToConsole false keeps the console clean", async () => {
  const { agent, machine } = node;
  const before = readFileSync(join(machine.root, "dev/console"), "utf8");
  agent.putSettings(3, {
    publicSettings: { commandToExecute: "exit 4", echoToConsole: "false", aftercareSeconds: "0" },
  });
  await agent.run("enable", 3);
  await waitForStatus(agent, 3);
  await supervisorEnded();
  expect(readFileSync(join(machine.root, "dev/console"), "utf8")).toBe(before);
}, 120_000);
