import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { createLifecycleMachine, waitForStatus, type LifecycleMachine } from "./lifecycle-machine.ts";

/** What a provider, a hook or a script says of itself, from the packaged program to the status that an operator reads. */

let current: LifecycleMachine | undefined;
afterEach(async () => {
  await current?.discard();
});

async function begin(provider: string): Promise<LifecycleMachine> {
  const made = (current = createLifecycleMachine());
  made.agent.putSettings(0, { publicSettings: { bootstrapProvider: provider, pollSeconds: 1, timeoutSeconds: 600 } });
  await made.agent.run("install", 0);
  return made;
}

test("a failure that a provider writes down is told as it was given, while nothing else has failed", async () => {
  const made = await begin("custom");
  await made.agent.run("enable", 0);
  await waitForStatus(made.agent, 0, ({ message }) => message.startsWith("Waiting for bootstrap: "));
  const report = {
    reason: "LicencePoolEmpty",
    message: "The licence pool of rack 7 is empty: 120 of 120 are in use",
    next: "Ask the owner of the pool for more, then replace this machine",
    retryable: false,
  };
  made.machine.write("run/cluster-api/bootstrap-failed.json", JSON.stringify(report));
  const status = await waitForStatus(made.agent, 0);
  expect(status.kind).toBe("error");
  expect(status.message.split("\n")[0]).toMatch(
    /^Bootstrap failed \(CustomLicencePoolEmpty\) after \d+ s: The licence pool of rack 7 is empty: 120 of 120 are in use\. /u,
  );
  expect(status.message).toContain(`\nNext: ${report.next}.`);
  expect(status.message).not.toContain("unclassified");
  expect(JSON.parse(status.substatuses["BootstrapVerdict"] ?? "")).toMatchObject({
    reason: "CustomLicencePoolEmpty",
    nextStep: report.next,
    retryable: false,
  });
});

test("a hook's stage shows while it waits, and its reason, message and next step stand in the verdict", async () => {
  const made = await begin("talos");
  const folder = join(made.machine.root, "etc/capz-bootstrap/check.d");
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const hook = join(folder, "10-licence.sh");
  const gaveUp = `${made.machine.root}/run/gave-up`;
  writeFileSync(
    hook,
    `#!/bin/sh
[ -e ${gaveUp} ] || { echo stage=asking-for-a-licence >>"$CAPZ_CHECK_OUTPUT"; exit 75; }
printf 'reason=NoLicence\\nmessage=The licence server refuses this node\\nnext=Renew the contract\\n' >>"$CAPZ_CHECK_OUTPUT"
exit 1
`,
  );
  chmodSync(hook, 0o755);
  await made.agent.run("enable", 0);
  const waiting = await waitForStatus(made.agent, 0, ({ message }) => message.includes("asking for a licence"));
  expect(waiting.message).toMatch(/^Waiting for bootstrap: asking for a licence; \d+ s of 600 s used/u);
  expect(waiting.message).toContain('bootstrapProvider is "talos", which this version does not know');
  writeFileSync(gaveUp, "");
  const status = await waitForStatus(made.agent, 0);
  expect(status.message.split("\n")[0]).toMatch(
    /^Bootstrap failed \(CustomNoLicence\) after \d+ s: The licence server refuses this node\. Next: Renew the contract\.$/u,
  );
  expect(status.message).not.toContain("unclassified");
});
