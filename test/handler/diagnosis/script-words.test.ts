import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { diagnose } from "../../../handler/diagnosis/diagnose.ts";
import type { Finding } from "../../../handler/diagnosis/diagnosis.ts";
import { loadRules } from "../../../handler/diagnosis/load-rules.ts";
import { renderFirstLine } from "../../../handler/diagnosis/render.ts";
import { explain } from "../../../handler/explain/explain.ts";
import { showAll, type Shown, type ShownText } from "../../../handler/text/shown-text.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { failedVerdict, report } from "../../support/verdict-samples.ts";
import { fakeHost } from "./fake-host.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "script-words-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

const wrapper = `{"v1":{"datasource":"DataSourceAzure","errors":["('scripts_user', RuntimeError('Runparts: 1 failures (runcmd) in 1 attempted commands'))"]}}`;
const begin = "Cloud-init v. 24.1.3 running 'modules:final' at Sat, 28 Nov 2026 20:11:00 +0000. Up 21.20 seconds.";

interface Named {
  readonly line: ShownText;
  readonly primary: Shown<Finding>;
}

/** What a node says whose cloud-init names a failed script, and whose log of what scripts print ends in these lines. */
async function named(lines: readonly string[], result = wrapper): Promise<Named> {
  await put("run/cloud-init/result.json", result);
  await put("var/log/cloud-init-output.log", `${[begin, "setting up", ...lines].join("\n")}\n`);
  return diagnosed();
}

async function diagnosed(): Promise<Named> {
  const ruleSet = loadRules(await readFile("scripts/rules.json", "utf8"));
  const { diagnosis } = await diagnose({ host: fakeHost({ root }), ruleSet });
  if (diagnosis.kind !== "classified") throw new Error(`the diagnosis is ${diagnosis.kind}`);
  return { line: renderFirstLine(diagnosis), primary: diagnosis.primary };
}

describe("where only a failed script is known, the first line and the lines below carry what was said before", () => {
  test.each([
    ["error execution phase frobnicate: the flux capacitor of node-a is missing", "kubeadm says"],
    ["/opt/setup.sh: Permission denied", "last words"],
    ["ModuleNotFoundError: No module named 'licences'", "last words"],
    ["FATAL agent: enrolment refused", "last words"],
    ["register: site west-2 has no seat left", "last words"],
    ["Waiting for approval of the owner", "last words"],
  ])("%s", async (said, who) => {
    const { line, primary } = await named([said]);
    expect(line).toMatch(/^Bootstrap failed \(CloudInitScriptsFailed\) in cloud-init: /u);
    expect(line).toContain(`${who}: "${said}"`);
    expect(primary.evidence[0]).toMatchObject({ origin: "/var/log/cloud-init-output.log", line: 3, text: said });
    expect(primary.evidence.at(-1)?.text).toContain("Runparts");
  });

  test("also below what cloud-init and its other modules print after it, and whatever its size", async () => {
    const noise = Array.from({ length: 4000 }, (_, index) => `step ${String(index)} of the set-up is made ready now`);
    const said = "register: site west-2 has no seat left";
    const { line, primary } = await named([
      ...noise,
      said,
      "2026-11-28 20:11:02,100 - cc_scripts_user.py[WARNING]: Failed to run module scripts_user (scripts in /var/lib/cloud/instance/scripts)",
      "2026-11-28 20:11:02,101 - util.py[WARNING]: Running module scripts_user (<module 'cloudinit.config.cc_scripts_user' from '/usr/lib/python3/dist-packages/cloudinit/config/cc_scripts_user.py'>) failed",
      "ci-info: +++++++++++++Authorized keys+++++++++++++",
      "-----BEGIN SSH HOST KEY FINGERPRINTS-----",
      "256 SHA256:0000000000000000000000000000000000000000000 root@node-a (ED25519)",
      "-----END SSH HOST KEY FINGERPRINTS-----",
      "Cloud-init v. 24.1.3 finished at Sat, 28 Nov 2026 20:11:03 +0000. Datasource DataSourceAzure.  Up 24.00 seconds",
    ]);
    expect(line).toContain(`last words: "${said}"`);
    expect(primary.evidence[0]).toMatchObject({ line: 4003, text: said });
  });

  test("a program's own fatal error before a tidy last line, and no trace of a shell", async () => {
    const said = "error execution phase frobnicate: the flux capacitor of node-a is missing";
    const { line, primary } = await named([said, "+ cleanup", "removing the scratch folder", "+ exit 1"]);
    expect(line).toContain(`kubeadm says: "${said}"`);
    expect(primary.evidence.map(({ text }) => text)).not.toContain("+ exit 1");
  });

  test("an earlier error of the script, and what another log says, are not passed for its last words", async () => {
    const said = "FATAL agent: enrolment refused";
    expect((await named([said, "removing the scratch folder of the agent"])).line).toContain(`; it said: "${said}"`);
    const logged = `Nov 28 20:11:00 node-a enrol[812]: ${said}`;
    await put("var/log/messages", `${logged}\n`);
    await rm(join(root, "var/log/cloud-init-output.log"));
    expect((await diagnosed()).line).toContain(`; a log says: "${logged}"`);
  });

  test("without the secrets in it", async () => {
    const { line, primary } = await named(["register: password=Hunter2Hunter2 is of no seat"]);
    expect(line).toContain("last words");
    expect(JSON.stringify([line, primary])).not.toContain("Hunter2");
  });
});

test("nobody knows whether a new machine passes a script that failed for an unknown reason, and every reader is told so", async () => {
  const { primary } = await named(["register: site west-2 has no seat left"]);
  expect(primary).not.toHaveProperty("retryable");
  const diagnosis = { kind: "classified", primary, others: [], decisive: [] } as const;
  const { message, substatuses } = verdictStatus(failedVerdict({ diagnosis: { diagnosis, evidence: [], probes: [] } }));
  expect(message).toContain("nobody knows whether a new machine passes");
  expect(message).not.toContain("in the same way");
  expect(substatuses[0]?.message).not.toContain("retryable");
  const explanation = await explain(message);
  expect(explanation.kind === "explained" ? explanation.answers[0] : undefined).not.toHaveProperty("retryable");
});

test("a script that no shell can read fails on every machine", async () => {
  const { line, primary } = await named(["runcmd: 14: Syntax error: Unterminated quoted string"]);
  expect(line).toContain('"runcmd: 14: Syntax error: Unterminated quoted string"');
  expect(primary.retryable).toBe(false);
});

test("the check's own words of kubeadm stand in the first line where no log that was read has any", async () => {
  await put("run/cloud-init/result.json", wrapper);
  const ruleSet = loadRules(await readFile("scripts/rules.json", "utf8"));
  const { diagnosis } = await diagnose({ host: fakeHost({ root }), ruleSet });
  const message = `cloud-init's scripts_user failed; kubeadm said: error execution phase frobnicate: the flux capacitor is missing`;
  const verdict = failedVerdict({
    end: {
      kind: "failed",
      exit: { kind: "code", code: 1 },
      report: report({ stage: "cloud-init", reason: "CloudInitFailed", message }),
      output: showAll({ stdout: "", stderr: "" }),
    },
    diagnosis: { diagnosis, evidence: [], probes: [] },
  });
  const line = verdictStatus(verdict).message.split("\n")[0];
  expect(line).toMatch(/^Bootstrap failed \(CloudInitScriptsFailed\)/u);
  expect(line).toContain("kubeadm said: error execution phase frobnicate: the flux capacitor is missing");
});
