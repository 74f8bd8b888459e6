import { expect, test } from "@jest/globals";
import { readCloudbaseLog } from "../../../scripts/check/cloudbase-init-log.ts";
import { readKubeadmOutput } from "../../../scripts/check/kubeadm-output.ts";
import { pythonLiteral } from "../../support/python-literal.ts";

const attempt = "[preflight] Running pre-flight checks";
const error = "error execution phase kubelet-start: timed out waiting for the condition";
const success = "This node has joined the cluster:";
const reset = "[reset] Stopping the kubelet service";

function outcomeOf(...lines: readonly string[]): string {
  const reader = readKubeadmOutput();
  for (const line of lines) reader.read(line);
  return reader.outcome("log").kind;
}

test("a reset brings back the error that it cleans up after", () => {
  expect(outcomeOf(attempt, error, attempt, reset)).toBe("failed");
});

test("a reset of a node that had joined in the end brings back no error from before it joined", () => {
  expect(outcomeOf(attempt, error, attempt, success)).toBe("completed");
  expect(outcomeOf(attempt, error, attempt, success, reset)).toBe("begun");
});

const heading = "error execution phase preflight: [preflight] Some fatal errors occurred:";
const port = "[ERROR Port-10250]: Port 10250 is in use";
const file = "[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists";
const advice =
  "[preflight] If you know what you are doing, you can make a check non-fatal with `--ignore-preflight-errors=...`";
const trace = "To see the stack trace of this error execute with --v=5 or higher";
const frames = [
  "k8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/workflow.(*Runner).Run.func1",
  "\t/workspace/src/k8s.io/kubernetes/cmd/kubeadm/app/cmd/phases/workflow/runner.go:262",
  "runtime.goexit",
  "\t/usr/local/go/src/runtime/asm_amd64.s:1695",
];

const quoted: readonly (readonly [string, readonly string[], string])[] = [
  ["one error of preflight", [heading, `\t${port}`, advice, trace], `${heading} ${port}`],
  ["several errors", [heading, `\t${port}`, `\t${file}`, advice, trace], `${heading} ${port} ${file}`],
  [
    "errors behind klog's prefix",
    [`error: ${heading}`, `E0110 08:00:11.123456    1234 checks.go:121] ${port}`, trace],
    `error: ${heading} ${port}`,
  ],
  [
    "a heading behind klog's prefix",
    [`F0110 08:00:11.123456    1234 join.go:97] ${heading}`, `\t${port}`],
    `F0110 08:00:11.123456 1234 join.go:97] ${heading} ${port}`,
  ],
  ["errors on the line of the heading, behind tabs", [`${heading}\t${port}\t${file}`], `${heading} ${port} ${file}`],
  [
    "no warning beside them",
    [heading, "\t[WARNING Swap]: swap is supported", `\t${port}`, file],
    `${heading} ${port} ${file}`,
  ],
  [
    "errors before the phase (--v=5)",
    ["[preflight] Some fatal errors occurred:", `\t${port}`, `\t${file}`, advice],
    `${port} ${file}`,
  ],
  [
    "a control plane without certificates",
    [
      "error execution phase preflight: ",
      "One or more conditions for hosting a new control plane instance is not satisfied.",
      "",
      "[failure loading certificate for CA: couldn't load the certificate file /etc/kubernetes/pki/ca.crt: no such file or directory]",
      "",
      "Please ensure that:",
      "* The cluster has a stable controlPlaneEndpoint address.",
    ],
    "error execution phase preflight: One or more conditions for hosting a new control plane instance is not satisfied. [failure loading certificate for CA: couldn't load the certificate file /etc/kubernetes/pki/ca.crt: no such file or directory]",
  ],
  [
    "a phase that stands alone behind its cause (--v=5)",
    ["timed out waiting for the condition", "error execution phase kubelet-start", ...frames],
    "error execution phase kubelet-start: timed out waiting for the condition",
  ],
  [
    "a phase behind the stack of its cause",
    [
      "failed to get config map: Unauthorized",
      ...frames,
      "unable to fetch the kubeadm-config ConfigMap",
      ...frames,
      "error execution phase preflight",
      ...frames,
    ],
    "error execution phase preflight: failed to get config map: Unauthorized",
  ],
  [
    "a phase behind words of progress",
    ["[kubelet-start] Starting the kubelet", "error execution phase kubelet-start"],
    "error execution phase kubelet-start",
  ],
  ["nothing of what comes after", [heading, `\t${port}`, advice, `\t${file}`], `${heading} ${port}`],
  ["a heading that ends the log", [heading], heading],
];

test.each(quoted)(
  "the words that decide are quoted, of %s, in a plain log and in a literal on one line",
  (_, lines, words) => {
    const reader = readKubeadmOutput();
    for (const line of [attempt, ...lines]) reader.read(line);
    expect(reader.outcome("log")).toMatchObject({ kind: "failed", line: words });
    for (const quote of ["'", '"'] as const) {
      const output = pythonLiteral(["a step before", attempt, ...lines, ""].join("\r\n"), quote);
      const log = `2026-01-31 12:00:03.120 1840 INFO cloudbaseinit.init [-] Executing plugin 'UserDataPlugin'\r\n${output}\r\n`;
      expect(readCloudbaseLog(log).runs[0]?.kubeadm).toMatchObject({ kind: "failed", line: words });
    }
  },
);

test("what is quoted is bounded in lines and in letters", () => {
  const reader = readKubeadmOutput();
  for (const line of [
    heading,
    ...Array.from({ length: 9 }, (_, index) => `\t[ERROR Number-${index}]: ${"x".repeat(40)}`),
  ])
    reader.read(line);
  const outcome = reader.outcome("log");
  const line = outcome.kind === "failed" ? outcome.line : "";
  expect(line).toContain("[ERROR Number-3]");
  expect(line).not.toContain("[ERROR Number-4]");
  const long = readKubeadmOutput();
  for (const text of [heading, `\t${port} ${"y".repeat(5000)}`]) long.read(text);
  expect(long.outcome("log")).toMatchObject({ line: expect.stringMatching(/^.{600}$/u) });
});
