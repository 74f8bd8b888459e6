import { describe, expect, it, jest, test } from "@jest/globals";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { HandlerError } from "../../../handler/errors/handler-error.ts";
import { loadAgentContext, loadSequenceContext } from "../../../handler/operations/context.ts";
import { loadStopContext } from "../../../handler/operations/stop-context.ts";
import { acceptSettings, readSettings } from "../../../handler/operations/read-settings.ts";
import { asideStream, print, printAside, tellPackageNotWhole } from "../../../handler/operations/terminal.ts";
import { parseSettings } from "../../../handler/settings/parse-settings.ts";
import { ours } from "../../../handler/text/shown-text.ts";
import type { Host } from "../../../handler/host.ts";
import { checkHost } from "../../support/check-host.ts";

/** A handler folder as the agent lays it out, below the scratch root. */
function handlerHost(env: Host["env"]): Host {
  const host = checkHost();
  const folders = Object.fromEntries(
    ["logFolder", "configFolder", "statusFolder"].map((name) => [name, join(host.root, name)]),
  );
  for (const folder of [...Object.values(folders), host.programFolder]) mkdirSync(folder, { recursive: true });
  const environment = [{ name: "CAPZ", version: 1, handlerEnvironment: folders }];
  writeFileSync(join(host.programFolder, "HandlerEnvironment.json"), JSON.stringify(environment));
  return { ...host, env: { ConfigSequenceNumber: "3", ...env } };
}

test.each([
  ["a plain name", "pool-a", "CAPZ+pool-a"],
  ["blanks around it", "  pool-a ", "CAPZ+pool-a"],
  ["no name", "", "CAPZ"],
  ["only blanks", "   ", "CAPZ"],
  ["a way out of the folder", "../other", "CAPZ"],
  ["letters that no file name of ours has", "Bücher", "CAPZ"],
  ["more characters than a file name takes", "x".repeat(200), "CAPZ"],
])("every command works in the same folder for an extension name with %s", async (_, name, folder) => {
  const host = handlerHost({ ConfigExtensionName: name });
  const enabling = await loadSequenceContext(host, "enable");
  const disabling = await loadAgentContext(host, "disable");
  expect(disabling).toMatchObject({ instance: enabling.instance, extensionName: enabling.extensionName });
  expect(basename(enabling.instance)).toBe(folder);
});

test("a name that cannot be used is told in the log of every command", async () => {
  const host = handlerHost({ ConfigExtensionName: "../other" });
  const { environment, log } = await loadAgentContext(host, "disable");
  await log.flush();
  expect(JSON.parse(readFileSync(join(environment.logFolder, "handler.log"), "utf8"))).toMatchObject({
    message: 'The variable ConfigExtensionName is "../other", not a file name; ignored',
  });
});

/** The words on standard error, and the context. */
async function stopWithout(host: Host) {
  const told: string[] = [];
  const output = jest.spyOn(process.stderr, "write").mockImplementation((text) => told.push(String(text)) > 0);
  try {
    return { context: await loadStopContext(host, "disable"), told: told.join("") };
  } finally {
    output.mockRestore();
  }
}

test("without HandlerEnvironment.json a lock says which state is ours, though the handler's folder has another name", async () => {
  const host = handlerHost({});
  const enabling = await loadSequenceContext(host, "enable");
  const other = join(dirname(enabling.instance), "Another.Handler");
  const multi = `${enabling.instance}+pool-b`;
  const statusFolder = join(host.programFolder, "status");
  const ofOthers = {
    pid: 1,
    sequence: 0,
    startTime: "1",
    bootId: "b",
    handlerVersion: "1",
    marker: "m",
    statusFolder: "/elsewhere/status",
  };
  for (const [folder, holder] of [
    [other, ofOthers],
    [multi, { ...ofOthers, statusFolder }],
    [enabling.instance, { ...ofOthers, statusFolder }],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "supervisor.lock.1"), JSON.stringify(holder));
  }
  // Both come before ours by their names.
  writeFileSync(join(dirname(other), "A file"), "");
  mkdirSync(join(dirname(other), "An empty one"));
  rmSync(join(host.programFolder, "HandlerEnvironment.json"));
  const { context, told } = await stopWithout(host);
  expect(context.instance).toBe(enabling.instance);
  expect(told).toContain(`the supervisor of ${enabling.instance} is ended`);
  const named = await stopWithout({ ...host, env: { ConfigExtensionName: "pool-b" } });
  expect(named.context.instance).toBe(multi);
});

test("without HandlerEnvironment.json, a lock and a state it is said that there is nothing to end", async () => {
  const host = handlerHost({});
  rmSync(join(host.programFolder, "HandlerEnvironment.json"));
  const { context, told } = await stopWithout(host);
  expect(basename(context.instance)).toBe("program");
  expect(context.environment.logFolder).toBe(join(host.root, "var/log/azure/program"));
  expect(told).toContain("so nothing is there to end");
});

test("where nothing says the sequence, the agent's own note does, and that is told; without it the error is the first", async () => {
  const host = { ...handlerHost({}), env: {} };
  await expect(loadSequenceContext(host, "enable")).rejects.toMatchObject({ id: "sequenceUnknown" });
  const asked: unknown[] = [];
  const recordedSequence = (handler: object) => {
    asked.push(handler);
    return Promise.resolve(7);
  };
  const noted = { ...host, platform: { ...host.platform, recordedSequence } };
  const { sequence, log, environment } = await loadSequenceContext(noted, "enable");
  await log.flush();
  expect(sequence).toBe(7);
  expect(asked).toEqual([{ name: "CAPZ", version: "program" }]);
  expect(readFileSync(join(environment.logFolder, "handler.log"), "utf8")).toContain("note in the registry says 7");
});

test("only a lost HandlerEnvironment.json is gone round: what else fails stays an error", async () => {
  const host = handlerHost({});
  expect((await stopWithout(host)).told).toBe("");
  for (const failure of [new Error("a mistake of ours"), new HandlerError("internal", "a mistake of ours")]) {
    // Once: who went round it would not meet it again.
    const throwing = { throw: true };
    const get = () => {
      if (!throwing.throw) return undefined;
      throwing.throw = false;
      throw failure;
    };
    await expect(stopWithout({ ...host, env: new Proxy({}, { get }) })).rejects.toThrow("a mistake of ours");
  }
});

test.each([
  ["an empty file", "", ["The settings file PATH is empty; every setting has its default"]],
  [
    "a file of no settings",
    '{"runtimeSettings":[{"handlerSettings":{}}]}',
    ["The settings file PATH holds no settings; every setting has its default"],
  ],
  [
    "the nulls of an agent that was given none",
    '{"runtimeSettings":[{"handlerSettings":{"publicSettings":null}}]}',
    [],
  ],
])("of %s every setting has its default, and where one should be there that is told", async (_, text, warnings) => {
  const context = await loadSequenceContext(handlerHost({}), "supervise");
  const path = join(context.environment.configFolder, "3.settings");
  writeFileSync(path, text);
  const read = await readSettings(context);
  expect(read).toMatchObject({ settings: { mode: "enforce", timeoutSeconds: 1200 } });
  expect(read.warnings).toStrictEqual(warnings.map((warning) => warning.replace("PATH", path)));
});

test("of settings that are wrong every problem is told at once", () => {
  const parsed = parseSettings({ publicSettings: { timeoutSeconds: 1, pollSeconds: 0 }, protectedSettings: undefined });
  expect(() => acceptSettings(parsed)).toThrow(/timeoutSeconds[\s\S]*pollSeconds/u);
});

describe("an answer that cannot be written", () => {
  /** Plays the stream's own error: a real full disk stands in closed-output.test.ts. Streams of our own, which nobody has guarded yet. */
  const failing = (name: "stdout" | "stderr", code: string) => {
    const exits = process.listeners("exit").length;
    const own = { stdout: new PassThrough({ encoding: "utf8" }), stderr: new PassThrough({ encoding: "utf8" }) };
    const { stdout, stderr } = Object.getOwnPropertyDescriptors(process);
    for (const stream of ["stdout", "stderr"] as const)
      Object.defineProperty(process, stream, { value: own[stream], configurable: true, enumerable: true });
    try {
      print(ours`an `);
      print(ours`answer`);
      printAside(ours`a word\n`);
      expect(asideStream()).toBe(own.stderr);
      own[name].emit("error", Object.assign(new Error("it is full"), { code }));
    } finally {
      Object.defineProperties(process, { stdout, stderr });
    }
    expect(own.stdout.read()).toBe("an \nanswer\n");
    const added = process.listeners("exit").slice(exits);
    const before = process.exitCode;
    for (const listener of added) {
      process.removeListener("exit", listener);
      listener(0);
    }
    const exitCode = process.exitCode;
    process.exitCode = before;
    return { told: own.stderr.read() as unknown, exits: added.map(() => exitCode) };
  };

  it("because its reader has seen enough is no failure", () => {
    expect(failing("stdout", "EPIPE")).toEqual({ told: "a word\n", exits: [] });
    expect(failing("stderr", "ENOSPC")).toEqual({ told: "a word\n", exits: [] });
  });

  it("because the package has lost a part is told in words of our own, and nothing else is", () => {
    const lost = Object.assign(new Error("A part is not there"), { code: "CAPZ_PACKAGE_NOT_WHOLE" });
    const told: string[] = [];
    const output = jest.spyOn(process.stderr, "write").mockImplementation((text) => told.push(String(text)) > 0);
    try {
      expect(tellPackageNotWhole(new Error("another"))).toBeUndefined();
      expect(told).toEqual([]);
      expect(tellPackageNotWhole(lost)).toBe(52);
    } finally {
      output.mockRestore();
    }
    expect(told.join("")).toMatch(/^capz-bootstrap: A part is not there\. Next: Remove the extension [^\n]*\.\n$/u);
  });

  it("for another reason is told, once, and costs the exit code", () => {
    const line = /^a word\ncapz-bootstrap: the answer could not be written to standard output: [^\n]+\n$/u;
    expect(failing("stdout", "ENOSPC")).toEqual({ told: expect.stringMatching(line), exits: [3] });
  });
});
