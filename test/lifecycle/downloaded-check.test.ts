import { expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageForHost } from "../../scripts/dev/start/package-for-host.ts";
import { startHttpServer } from "../support/http-server.ts";
import { makeBundle, serveBundle, type BundleRecipe } from "../support/bundle-maker.ts";
import { createLifecycleMachine, isTerminal, waitForStatus } from "./lifecycle-machine.ts";

const built = packageForHost();

const program = (body: string) => `
  module.exports.capzCheck = {
    begin(text) { const context = JSON.parse(text); ${body} },
    answer(text) { const [seen] = JSON.parse(text); return end(seen.value.kind === "file" ? "bootstrapped" : "not-yet"); },
  };
  const end = (verdict, more) => JSON.stringify({ kind: "result", result: { verdict, stage: "own-check", providers: [],
    running: [], remarks: [], facts: {}, nextLookMs: 1000, decidedBy: ["the mark"], memory: {}, ...more } });
  const ask = (path) => JSON.stringify({ kind: "questions", questions: [{ ask: "path", path }] });`;

const script = `#!/bin/sh
if [ -e "$CAPZ_ROOT/etc/kubernetes/joined" ]; then echo message=joined by its own check >"$CAPZ_CHECK_OUTPUT"; exit 0; fi
echo stage=own-check >"$CAPZ_CHECK_OUTPUT"
exit 75
`;

/** The packaged handler with a bundle that it downloads by version, verifies by digest and runs under the deadline. */
async function withBundle(recipe: BundleRecipe, settings: Readonly<Record<string, string>> = {}) {
  const server = await startHttpServer();
  const bundle = makeBundle({ version: "2.4.0", minimumHandlerVersion: "2.0.0", ...recipe });
  serveBundle(server, "/bundle/2.4.0", bundle);
  const machine = createLifecycleMachine(built);
  await machine.agent.run("install", 0);
  machine.agent.putSettings(0, {
    publicSettings: {
      checkVersion: "2.4.0",
      checkSha256: bundle.digest,
      checkBaseUris: `${server.origin}/bundle/{version}`,
      checkRequired: "true",
      timeoutSeconds: "60",
      aftercareSeconds: "0",
      ...settings,
    },
  });
  await machine.agent.run("enable", 0);
  const waits = () =>
    waitForStatus(machine.agent, 0, (status) => isTerminal(status) || status.message.includes("own check"));
  return {
    machine,
    waits,
    async end() {
      await machine.discard();
      await server.close();
    },
  };
}

test("a downloaded check.sh of protocol 1 waits, is woken by a change, and gives the verdict", async () => {
  const { machine, waits, end } = await withBundle({ protocol: 1, check: script });
  expect(await waits()).toMatchObject({ kind: "transitioning" });
  machine.machine.write("etc/kubernetes/joined", "");
  const status = await waitForStatus(machine.agent, 0);
  expect(status).toMatchObject({
    kind: "success",
    message: expect.stringContaining("joined by its own check") as unknown,
  });
  await end();
}, 120_000);

test("a downloaded check.sh that fails for good is an error with its reason", async () => {
  const failing = `#!/bin/sh\nprintf 'reason=NoGpu\\nmessage=the driver did not load\\n' >"$CAPZ_CHECK_OUTPUT"\nexit 1\n`;
  const { machine, end } = await withBundle({ protocol: 1, check: failing });
  const status = await waitForStatus(machine.agent, 0);
  expect(status.kind).toBe("error");
  expect(status.message).toContain("the driver did not load");
  await end();
}, 120_000);

test("a downloaded check.cjs of protocol 2 asks the machine, and what it saw is kept beside the verdict", async () => {
  const { machine, waits, end } = await withBundle({
    protocol: 2,
    program: program('return ask("/etc/kubernetes/joined");'),
  });
  expect(await waits()).toMatchObject({ kind: "transitioning" });
  machine.machine.write("etc/kubernetes/joined", "");
  expect((await waitForStatus(machine.agent, 0)).kind).toBe("success");
  const file = join(machine.agent.logFolder, "observations.json");
  for (let tries = 0; tries < 200 && !existsSync(file); tries++) await new Promise((done) => setTimeout(done, 20));
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
    protocol: 2,
    observations: [{ question: { path: "/etc/kubernetes/joined" }, answer: { value: { kind: "file" } } }],
    result: { verdict: "bootstrapped", decidedBy: ["the mark"] },
  });
  await end();
}, 120_000);

test("a downloaded check.cjs that never returns holds neither the deadline nor the status", async () => {
  const { machine, end } = await withBundle(
    { protocol: 2, program: program("for (;;);") },
    { timeoutSeconds: "30", checkRequired: "true" },
  );
  const status = await waitForStatus(machine.agent, 0);
  expect(status.kind).toBe("error");
  expect(status.message).toContain("DeadlineExceeded");
  await end();
}, 180_000);
