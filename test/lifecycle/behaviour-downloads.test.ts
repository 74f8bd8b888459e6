import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HandlerSettings } from "../../scripts/dev/start/agent-player.ts";
import { ok, startHttpServer, status as answers, type TestServer } from "../support/http-server.ts";
import { createLifecycleMachine, waitForStatus, type LifecycleMachine } from "./lifecycle-machine.ts";

/** The Custom Script handler's behaviour with downloads and long scripts (docs/peers-expectations.md), with the packaged program. */
let current: LifecycleMachine | undefined;
let server: TestServer;

const good = "#!/bin/sh\necho good file\n";

beforeEach(async () => {
  server = await startHttpServer();
});

afterEach(async () => {
  await current?.discard();
  current = undefined;
  await server.close();
});

async function enabled(settings: HandlerSettings): Promise<LifecycleMachine> {
  current = createLifecycleMachine();
  current.agent.putSettings(0, settings);
  expect((await current.agent.run("install", 0)).exitCode).toBe(0);
  expect((await current.agent.run("enable", 0)).exitCode).toBe(0);
  return current;
}

function downloading(address: string, more: Record<string, string> = {}): HandlerSettings {
  return {
    publicSettings: { commandToExecute: "sh ./run.sh", fileUris: address, aftercareSeconds: "0", ...more },
  };
}

/** Every file that the handler keeps, by its path. */
function keptFiles({ machine, agent }: LifecycleMachine): readonly string[] {
  const folder = join(machine.root, "var/lib/capz-bootstrap", agent.name);
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}

test.each([
  [404, 53, "downloadnotfound"],
  [401, 52, "denied"],
  [403, 52, "denied"],
  [400, 54, ""],
  [409, 54, ""],
])("a server that answers %d is told at once, asked once, and leaves no file", async (code, ours, words) => {
  server.answer("/run.sh", answers(code));
  const made = await enabled(downloading(`${server.origin}/run.sh`));
  const status = await waitForStatus(made.agent, 0);
  expect(status).toMatchObject({ kind: "error", code: ours });
  expect(status.message).toContain(String(code));
  expect(status.message.toLowerCase()).toContain(words);
  expect(server.requests).toHaveLength(1);
  expect(keptFiles(made).filter((path) => path.endsWith("run.sh"))).toEqual([]);
});

test("a body that breaks off is fetched again whole, and the file that runs is the good one", async () => {
  server.answer("/run.sh", { kind: "break-off", body: good, afterBytes: 10 }, ok(good));
  const made = await enabled(downloading(`${server.origin}/run.sh`));
  const status = await waitForStatus(made.agent, 0);
  expect(status.kind).toBe("success");
  expect(status.message).toContain("[stdout]\ngood file");
  expect(server.requests).toHaveLength(2);
  const [file = ""] = keptFiles(made).filter((path) => path.endsWith("run.sh"));
  expect(readFileSync(join(made.machine.root, "var/lib/capz-bootstrap", made.agent.name, file), "utf8")).toBe(good);
});

test("a body that stalls ends with the deadline at the latest, and says that the download took too long", async () => {
  server.answer("/run.sh", { kind: "stall", body: good, afterBytes: 3 });
  const made = await enabled(downloading(`${server.origin}/run.sh`, { timeoutSeconds: "30" }));
  const status = await waitForStatus(made.agent, 0);
  expect(status.kind).toBe("error");
  expect(status.message).toMatch(/\/run\.sh/u);
  expect(status.message).toMatch(/the time ran out while it was under way/u);
}, 180_000);

test("a server that sends on to the metadata service is not followed, and the status says where it led", async () => {
  server.answer("/run.sh", { kind: "redirect", to: "http://169.254.169.254/metadata/instance?api-version=2021-02-01" });
  const made = await enabled(downloading(`${server.origin}/run.sh`));
  const status = await waitForStatus(made.agent, 0);
  expect(status.kind).toBe("error");
  expect(status.message).toMatch(/the server redirected to http:\/\/169\.254\.169\.254\/metadata\/instance/u);
  expect(server.requests).toHaveLength(1);
});

test("ftp:// is an error before anything is asked for", async () => {
  const made = await enabled(downloading("ftp://files.example.com/run.sh"));
  const status = await waitForStatus(made.agent, 0);
  expect(status.kind).toBe("error");
  expect(status.message).toMatch(/ftp/u);
});

test("an address with a signature and without a file name is an error that shows no signature, in status and log", async () => {
  const signature = "c2lnbmF0dXJlLW9mLWEtYmxvYg%3D%3D";
  const made = await enabled(downloading(`${server.origin}/?sv=2024-11-04&sig=${signature}`));
  const status = await waitForStatus(made.agent, 0);
  expect(status.kind).toBe("error");
  expect(status.message).not.toContain(signature);
  const logs = readdirSync(made.agent.logFolder).filter((name) => name.endsWith(".log"));
  expect(logs).not.toEqual([]);
  for (const name of logs) expect(readFileSync(join(made.agent.logFolder, name), "utf8")).not.toContain(signature);
  expect(server.requests).toEqual([]);
});

test("a script of 349 KB is an error, and nothing is run", async () => {
  const script = Buffer.alloc(261_750, "echo ran\n").toString("base64");
  expect(script.length).toBe(349_000);
  const made = await enabled({ publicSettings: { script, aftercareSeconds: "0" } });
  const status = await waitForStatus(made.agent, 0);
  expect(status.kind).toBe("error");
  expect(status.message).toMatch(/script.*(?:262,?144|349,?000)/u);
  expect(status.message).not.toContain("\nran");
});
