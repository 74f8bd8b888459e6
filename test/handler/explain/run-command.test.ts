import { describe, expect, test } from "@jest/globals";
import { explain } from "../../../handler/explain/explain.ts";
import type { Answer } from "../../../handler/explain/explanation.ts";
import { rules } from "./expect-answer.ts";

const joined = `Cloud-init v. 25.1.4 running 'modules:final' at Sat, 21 Nov 2026 09:14:02 +0000. Up 31.20 seconds.
[2026-11-21 09:14:05] [preflight] Running pre-flight checks
[2026-11-21 09:14:31] [kubelet-check] The kubelet is healthy after 1.502s
[2026-11-21 09:14:35] This node has joined the cluster:
Cloud-init v. 25.1.4 finished at Sat, 21 Nov 2026 09:14:40 +0000. Datasource DataSourceAzure [seed=/dev/sr0].  Up 62.11 seconds`;
const unresolved =
  'Get "https://api.prod.internal:6443/": dial tcp: lookup api.prod.internal on 10.0.0.10:53: no such host';
const deadline =
  "Bootstrap failed (DeadlineExceeded) in kubeadm join after 900 s: kubeadm join still runs. Next: See what it waits for.";
const unlinked =
  "Bootstrap failed (DnsResolutionFailed) in kubeadm join after 900 s: no such host. Next: Link the zone.";

const bootstrapped: Partial<Answer> = { outcome: "bootstrapped", reason: "Bootstrapped" };
const unknown = (situation: NonNullable<Answer["situation"]>): Partial<Answer> => ({ outcome: "unknown", situation });

/** What a command printed on the machine, and what that tells. */
const printed: Readonly<Record<string, { readonly output: string; readonly answer: Partial<Answer> }>> = {
  "diagnose of healthy logs": {
    output: "Bootstrapped: the logs end in success\n\nBootstrapped: the logs end in success",
    answer: bootstrapped,
  },
  "our verdict, a success": {
    output: "Bootstrapped in 61 s (kubeadm)",
    answer: { ...bootstrapped, elapsedSeconds: 61 },
  },
  "our verdict, late": {
    output: `Bootstrapped in 903 s (kubeadm), late by 3 s\nFirst verdict, now revised: ${unlinked}`,
    answer: bootstrapped,
  },
  "our verdict, which a quoted line does not change": {
    output: `${deadline}\n  /var/log/cloud-init-output.log:210: ${unresolved}\n${deadline}`,
    answer: { outcome: "deadline", reason: "DeadlineExceeded", stage: "kubeadm join" },
  },
  "a log that ends in success": { output: joined, answer: unknown("command-log-ends-well") },
  "a log that ends in success after a failure": {
    output: joined.replace("[preflight]", `${unresolved}\n[preflight]`),
    answer: unknown("command-log-ends-well"),
  },
  "a log of a failure": { output: unresolved, answer: { outcome: "failed", reason: "DnsResolutionFailed" } },
  "nothing of a bootstrap": { output: "hello", answer: unknown("command-told-nothing") },
  nothing: { output: "", answer: unknown("command-told-nothing") },
};

const status = (code: string, message: string) => ({
  code,
  displayStatus: "Provisioning succeeded",
  level: "Info",
  message,
});
const onLinux = (output: string) => ({
  value: [status("ProvisioningState/succeeded", `Enable succeeded: \n[stdout]\n${output}\n[stderr]\n`)],
});
const onWindows = (output: string) => ({
  value: [status("ComponentStatus/StdOut/succeeded", output), status("ComponentStatus/StdErr/succeeded", "")],
});
const managed = (output: string) => ({
  name: "bootstrap-check",
  properties: { instanceView: { executionState: "Succeeded", exitCode: 0, output, error: "" } },
});

async function answersOf(given: object): Promise<readonly Answer[]> {
  const explanation = await explain(JSON.stringify(given), rules);
  return explanation.kind === "explained" ? explanation.answers : [];
}

describe.each(Object.entries({ onLinux, onWindows, managed }))(
  "explain reads what Run Command printed, %s",
  (_, wrap) => {
    test.each(Object.entries(printed))("%s", async (_name, { output, answer }) => {
      expect(await answersOf(wrap(output))).toEqual([expect.objectContaining({ from: "Run Command", ...answer })]);
    });
  },
);

describe("explain takes a command for what it is", () => {
  test("one that ended with an error is no bootstrap that failed, whatever files it names", async () => {
    const said = "Enable failed: failed to execute command: command terminated with exit status=2";
    const missing = "ls: cannot access '/var/lib/waagent/Example.ClusterApi.CAPZ.Linux.Bootstrapping-2.0.0/bin'";
    const message = `${said}\n[stdout]\n\n[stderr]\n${missing}`;
    const [answer] = await answersOf({ value: [status("ProvisioningState/failed", message)] });
    expect(answer).toMatchObject(unknown("command-failed"));
    expect(answer?.summary).toContain("ls: cannot access");
    expect(answer?.nextStep).not.toContain("run-command");
  });

  test("another extension that ran our program tells our verdict", async () => {
    const message = `Enable failed: failed to execute command: command terminated with exit status=2\n[stdout]\n${deadline}\n${unresolved}\n[stderr]\n`;
    const view = {
      vmAgent: {},
      extensions: [{ name: "CustomScript", statuses: [status("ProvisioningState/failed", message)] }],
    };
    expect(await answersOf(view)).toEqual([
      expect.objectContaining({ outcome: "deadline", reason: "DeadlineExceeded" }),
    ]);
  });
});
