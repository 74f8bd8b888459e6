/** @jest-environment-options {"ownTemporaryFolder": true} */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createHost, ownPlatform } from "../../../../handler/create-host.ts";
import type { Host } from "../../../../handler/host.ts";
import { runCheck } from "../../../../handler/operations/people/run-check.ts";
import type { Trial } from "../../../../handler/operations/people/try-check.ts";
import { snippetsOf } from "../../../support/markdown.ts";
import { writeBundleOf } from "../../../../scripts/dev/build-bundle.ts";

const programFolder = mkdtempSync(join(tmpdir(), "capz-try-program-"));
mkdirSync(join(programFolder, "bundle"));
const noRules = { rules: '{"version":1,"rules":[]}' };
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "capz-try-"));
  mkdirSync(join(folder, "machine/var/lib/example-agent"), { recursive: true });
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function tried(trial: Trial, json = false, change: Partial<Host["platform"]> = {}) {
  const own = createHost(await ownPlatform());
  const host = { ...own, platform: { ...own.platform, ...change }, root: join(folder, "machine"), programFolder };
  return runCheck(host, { json, provider: "k3s", trial });
}

const script = `#!/bin/sh
say() { printf '%s=%s\\n' "$1" "$2" >>"$CAPZ_CHECK_OUTPUT"; }
[ -e "$CAPZ_ROOT/var/lib/example-agent/joined" ] && exit 0
if [ -e "$CAPZ_ROOT/var/lib/example-agent/gave-up" ]; then
  say reason ExampleAgentGaveUp
  say message "example-agent has given up"
  say next "Look at the quota of example-agent"
  exit 1
fi
say stage waiting-for-example-agent
exit 75
`;

async function bundleOf(files: Readonly<Record<string, string>>, watch: readonly string[] = []): Promise<Trial> {
  const from = join(folder, "source");
  mkdirSync(from, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(from, name), content);
  const out = join(folder, "bundle");
  await writeBundleOf({ from, out, version: "3.1.0", minimumHandlerVersion: "2.0.0", watch });
  return { kind: "bundle", folder: out };
}

function agentWrites(name: string): void {
  writeFileSync(join(folder, "machine/var/lib/example-agent", name), "");
}

test("a bundle of somebody's own is tried in each of its answers, with the message that the operator would read", async () => {
  const trial = await bundleOf({ "check.sh": script });
  const waiting = await tried(trial);
  expect(waiting.exitCode).toBe(75);
  expect(waiting.text).toContain(
    "The status would say:\n\nWaiting for bootstrap: waiting for example agent; 0 s of 1200 s",
  );
  agentWrites("gave-up");
  const failed = await tried(trial);
  expect(failed.exitCode).toBe(1);
  expect(failed.text).toContain(
    "\n\nBootstrap failed (CustomExampleAgentGaveUp) after 0 s: example-agent has given up. Next: Look at the quota of example-agent.\n",
  );
  expect(failed.text).not.toContain("unclassified");
  agentWrites("joined");
  const passed = await tried(trial, true);
  expect(passed.exitCode).toBe(0);
  expect(JSON.parse(passed.text)).toMatchObject({ verdict: "bootstrapped", message: "Bootstrapped in 0 s" });
});

test("a bundle that a node would refuse is refused, with what is wrong", async () => {
  const trial = await bundleOf({ "check.sh": script });
  writeFileSync(join(folder, "bundle/check.sh"), `${script}# changed\n`);
  expect(await tried(trial)).toMatchObject({ exitCode: 3, text: expect.stringContaining("check.sh has") });
  const none = await tried({ kind: "bundle", folder: join(folder, "machine") });
  expect(none.text).toContain("npm run bundle -- --from");
});

test.each(["relative/folder", "/var/../etc", "/", String.raw`C:\run`])(
  "a folder to watch that is none, %s, is refused when the bundle is made",
  async (watched) => {
    await expect(bundleOf({ "check.sh": script }, [watched])).rejects.toThrow("watch must list at most 8 folders");
  },
);

test("the script and the rule that the page shows make a bundle, without the texts that lines are found by", async () => {
  const shown = snippetsOf(readFileSync(join(import.meta.dirname, "../../../../docs/check-protocol.md"), "utf8"));
  const page = (words: string) => shown.find(({ text }) => text.includes(words))?.text ?? "";
  const rules = `{"version":2,"rules":[${page('"id": "example-agent-quota"')}]}`;
  const trial = await bundleOf({ "check.sh": page("# Bootstrapped when the agent"), "rules.json": rules });
  expect(readFileSync(join(folder, "bundle/rules.json"), "utf8")).toMatch(/"texts":\["[^"]{4,}"\]/u);
  expect(await tried(trial)).toMatchObject({
    exitCode: 75,
    text: expect.stringContaining("waiting for example agent"),
  });
  agentWrites("gave-up");
  mkdirSync(join(folder, "machine/var/log"));
  const log = "2026-11-21 09:15:10 example-agent: quota of pool-1 is used up\n";
  writeFileSync(join(folder, "machine/var/log/cloud-init-output.log"), log);
  expect((await tried(trial)).text).toContain("the quota of pool-1 is used up");
});

test("a bundle without a check, and one whose rules cannot be read, are not made", async () => {
  await expect(bundleOf({ "readme.txt": "" })).rejects.toThrow("has no check");
  await expect(bundleOf({ "check.sh": script, "rules.json": noRules.rules })).rejects.toThrow("rule catalogue");
});

test("a hook is run with its limits and ownership; one that others may change is not run", async () => {
  await bundleOf({ "check.sh": script });
  writeFileSync(join(programFolder, "bundle/rules.json"), '{"version":1,"rules":[]}');
  const file = join(folder, "licence.sh");
  writeFileSync(file, script);
  chmodSync(file, 0o700);
  agentWrites("gave-up");
  // The rules of the package explain a hook's failure; a package without them says so.
  expect((await tried({ kind: "hook", file })).text).toContain("rule catalogue");
  const rules = join(folder, "bundle/rules.json");
  writeFileSync(join(programFolder, "bundle/rules.json"), readFileSync(rules));
  const seen = await tried({ kind: "hook", file });
  expect(seen.text).toContain("Bootstrap failed (CustomExampleAgentGaveUp) after 0 s: example-agent has given up.");
  chmodSync(file, 0o777);
  const open = await tried({ kind: "hook", file });
  expect(open).toMatchObject({ exitCode: 3, text: expect.stringContaining("nobody else may be able to write to it") });
  chmodSync(file, 0o600);
  const closed = await tried({ kind: "hook", file });
  expect(closed).toMatchObject({ exitCode: 3, text: expect.stringContaining("it is no executable file") });
  const absent = await tried({ kind: "hook", file: `${file}-2` });
  expect(absent).toMatchObject({ exitCode: 3, text: expect.stringContaining("There is no file") });
});

const notFound = "\nCause: unclassified, and the logs hold no error line.\nNext: ";
const lines = Array.from({ length: 60 }, (_, index) => `line ${String(index + 1)}`).join("\n");

test.each([
  [
    "hook",
    "exit 1",
    1,
    `Bootstrap failed (HookFailed) in waiting for bootstrap after 0 s: /etc/capz-bootstrap/check.d/10-own.sh ended with exit code 1. Next: Read what the named hook prints.${notFound}Read what the named hook prints; let it write a reason and a message.`,
  ],
  [
    "bundle",
    "exit 1",
    1,
    `Bootstrap failed (CommandFailed) after 0 s: the command exited with code 1. Next: Make the command print why it fails, and apply the extension again.${notFound}Make the command print why it fails, and apply the extension again.`,
  ],
  [
    "bundle",
    `printf '${lines.replaceAll("\n", String.raw`\n`)}' >&2; exit 1`,
    1,
    `Bootstrap failed (CommandFailed) after 0 s: the command exited with code 1: line 60. Next: Read the command's output below and correct what it names.${notFound}Read the command's output below and correct what it names.\n[stdout]\n\n[stderr]\n${lines}`,
  ],
  ["hook", "exit 0", 0, "Bootstrapped in 0 s"],
  ["hook", "exit 75", 75, "Waiting for bootstrap: waiting for bootstrap; 0 s of 1200 s used, 1200 s left"],
  ["bundle", "exit 75", 75, "Waiting for bootstrap: starting the check; 0 s of 1200 s used, 1200 s left"],
  [
    "hook",
    'echo stage=own-step >>"$CAPZ_CHECK_OUTPUT"; echo message=soon >>"$CAPZ_CHECK_OUTPUT"; exit 75',
    75,
    "Waiting for bootstrap: own step; 0 s of 1200 s used, 1200 s left; last: soon",
  ],
] as const)("a %s with %s comes to exit code %i and the whole of this message", async (...row) => {
  const [kind, line, code, message] = row;
  const body = `#!/bin/sh\nenv >'${folder}/env'\n${line}\n`;
  const own = await bundleOf({ "check.sh": body });
  const hook = join(folder, "10-own.sh");
  writeFileSync(hook, body, { mode: 0o700 });
  writeFileSync(join(programFolder, "bundle/rules.json"), readFileSync(join(folder, "bundle/rules.json")));
  const killed: unknown[] = [];
  const killTree: Host["platform"]["killTree"] = (tree) => Promise.resolve(void killed.push(tree));
  const { text, exitCode } = await tried(kind === "hook" ? { kind, file: hook } : own, false, { killTree });
  expect(exitCode).toBe(code);
  expect(text.split("The status would say:\n\n")[1]).toBe(`${message}\n`);
  const env = readFileSync(join(folder, "env"), "utf8");
  const marker = `try-${String(process.pid)}`;
  for (const given of ["PROVIDER=k3s", "ELAPSED_SECONDS=0", "TIMEOUT_SECONDS=1200", `BOOTSTRAP_RUN=${marker}`])
    expect(env).toContain(`CAPZ_${given}\n`);
  expect(killed).toContainEqual({ marker, graceMs: 0 });
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith("capz-bootstrap-try"))).toEqual([]);
});

describe("where a mode closes no folder, as on Windows", () => {
  async function triedWith(restrictFolder: (folder: string) => Promise<string | undefined>) {
    const hook = join(folder, "10-gpu");
    writeFileSync(hook, `#!/bin/sh\npwd >'${join(folder, "ran-in")}'\nexit 75\n`, { mode: 0o755 });
    const own = createHost(await ownPlatform());
    const hooks = { ...own.platform.hooks, whoElse: () => Promise.resolve(undefined) };
    const platform = { ...own.platform, hooks, restrictFolder };
    const host = { ...own, platform, root: join(folder, "machine"), programFolder };
    return runCheck(host, { json: false, provider: "auto", trial: { kind: "hook", file: hook } });
  }

  test("a hook's folder is closed by its access list before the hook runs in it", async () => {
    const closed: (readonly [string, boolean])[] = [];
    const { exitCode } = await triedWith((path) => {
      closed.push([path, existsSync(join(folder, "ran-in"))]);
      return Promise.resolve(undefined);
    });
    expect(exitCode).toBe(75);
    expect(closed).toEqual([[readFileSync(join(folder, "ran-in"), "utf8").trim(), false]]);
  });

  test("no hook runs in a folder that cannot be closed, and the folder is gone", async () => {
    let asked = "";
    const { exitCode, text } = await triedWith((path) => {
      asked = path;
      return Promise.resolve("it could not be closed by icacls");
    });
    expect(exitCode).toBe(3);
    expect(text).toContain("could not be closed by icacls. Next: Run it as an administrator.");
    expect([asked !== "", existsSync(asked), existsSync(join(folder, "ran-in"))]).toEqual([true, false, false]);
  });
});
