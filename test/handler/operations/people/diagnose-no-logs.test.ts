/** @jest-environment-options {"ownTemporaryFolder": true} */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runDiagnose } from "../../../../handler/operations/people/run-diagnose.ts";
import type { ShownReport } from "../../../../handler/report/report.ts";
import { writeReport } from "../../../../handler/report/write-report.ts";
import { show, showAll } from "../../../../handler/text/shown-text.ts";
import { verdictStatus } from "../../../../handler/verdict/verdict-status.ts";
import { failedVerdict } from "../../../support/verdict-samples.ts";
import { fakeHost } from "../../diagnosis/fake-host.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "capz-no-logs-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function diagnosed(place: string) {
  const options = { format: "text", probes: false, places: [place], rules: "scripts/rules.json" } as const;
  return runDiagnose(fakeHost({ root: "/nonexistent" }), options);
}

const report: ShownReport = showAll({
  schemaVersion: 1,
  time: "2026-11-21T09:30:00.000Z",
  handlerVersion: "2.0.0",
  outcome: "deadline",
  firstLine:
    "Bootstrap failed (DeadlineExceeded) after 900 s: rke2-server.service still starts. Next: See what it waits for.",
  body: ["Evidence:", "  /var/log/syslog:9: rke2 failed to pull image: no space left on device"],
  diagnosis: {
    kind: "unclassified",
    others: [],
    decisive: [
      {
        source: "system",
        origin: "/var/log/syslog",
        line: 9,
        text: "rke2 failed to pull image: no space left on device",
      },
    ],
  },
  timeline: [],
  probes: [],
  sources: [],
  warnings: [],
});

/** As the extension leaves it on a machine. */
async function bundleOf(logs: Readonly<Record<string, string>>): Promise<string> {
  const excerpts = Object.entries(logs).map(([origin, text]) => ({ origin: show(origin), text: show(text) }));
  return (await writeReport({ folder: root, report, excerpts: () => excerpts })).bundle;
}

test("diagnose reads the logs of its own report.zip, and not the report beside them", async () => {
  const noHost =
    'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://cp.example.internal:6443/api": dial tcp: lookup cp.example.internal on 10.0.0.10:53: no such host';
  const bundle = await bundleOf({
    "/var/log/cloud-init-output.log": `Cloud-init v. 25.1.4 running 'modules:final'\n[preflight] Running pre-flight checks\n${noHost}\n`,
    "journalctl -u kubelet":
      'Nov 21 09:14:05 node-1 kubelet[812]: I1121 server.go:417] "Kubelet version" kubeletVersion="v1.33.1"\n',
  });
  const { text, exitCode } = await diagnosed(bundle);
  expect(text).toMatch(/^Bootstrap failed \(DnsResolutionFailed\) in kubeadm join: cp\.example\.internal/u);
  expect(text).toContain("/logs/01-var_log_cloud-init-output.log:3\n");
  expect(text).not.toContain("rke2 failed to pull");
  expect(text).toContain("The report that lies beside these logs says: Bootstrap failed (DeadlineExceeded)");
  expect(exitCode).toBe(1);
});

test("diagnose of a report.zip whose logs show no failure tells what the report said", async () => {
  const { text, exitCode } = await diagnosed(
    await bundleOf({ "/var/log/syslog": "Nov 21 09:14:05 node-1 cron[9]: up\n" }),
  );
  expect(text).toContain("The report that lies beside these logs says: Bootstrap failed (DeadlineExceeded)");
  expect([2, 3]).toContain(exitCode);
});

test("diagnose of the folder of a report that kept no logs takes the report for no log", async () => {
  await bundleOf({});
  const { text, exitCode } = await diagnosed(root);
  expect(text).toContain("holds no logs of a machine");
  expect(exitCode).toBe(3);
});

test.each(["README.md", "package-lock.json", "docs/vm-application.md"])("%s is no log of a machine", async (page) => {
  const { text, exitCode } = await diagnosed(page);
  expect(text).toContain("holds nothing of a bootstrap: it is no log of a machine");
  expect(exitCode).toBe(3);
});

test.each(["view-other-extension-failed.json", "azuremachine-verdict.yaml", "describe-azuremachine-verdict.txt"])(
  "%s, an answer of Azure or Kubernetes, is sent to explain and not judged",
  async (name) => {
    const path = join(root, name);
    copyFileSync(join(import.meta.dirname, "../../../fixtures/answers", name), path);
    const { text, exitCode } = await diagnosed(path);
    expect(text).toMatch(/is an answer of Azure or Kubernetes \([^)]+\).*Next: Run capz-bootstrap explain "/u);
    expect(exitCode).toBe(3);
  },
);

test("a status file of the extension is sent to explain", async () => {
  const { kind, code, message, substatuses } = verdictStatus(failedVerdict());
  const formatted = (text: string) => ({ lang: "en", message: text });
  const substatus = substatuses.map((one) => ({ name: one.name, formattedMessage: formatted(one.message) }));
  const status = { status: kind, code, formattedMessage: formatted(message), substatus };
  writeFileSync(join(root, "0.status"), JSON.stringify([{ version: "1.0", status }]));
  const { text } = await diagnosed(join(root, "0.status"));
  expect(text).toContain("is an answer of Azure or Kubernetes (status file)");
});
