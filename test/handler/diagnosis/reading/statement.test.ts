import { expect, test } from "@jest/globals";
import { readStatement } from "../../../../handler/diagnosis/reading/statement.ts";

const said = 'cannot open "/etc/made-up.yaml": permission denied';

test.each([
  [
    "klog",
    `E0402 08:15:00.120044    1204 server.go:303] "Failed to run" err="${said.replaceAll('"', '\\"')}"`,
    "error",
  ],
  ["logrus", `time="2026-04-02T08:15:00Z" level=fatal msg="${said.replaceAll('"', '\\"')}"`, "end"],
  ["zap", `{"level":"fatal","ts":"2026-04-02T08:15:00Z","msg":"stopped","error":${JSON.stringify(said)}}`, "end"],
  ["the journal", `Apr 02 08:15:00 node-1 kubelet[12]: ${said}`, "error"],
  ["RFC 3339 syslog", `2026-04-02T08:15:00.118203+00:00 node-1 kubelet[12]: ${said}`, "error"],
  ["cloud-init", `2026-04-02 08:15:00,118 - util.py[ERROR]: ${said}`, "error"],
  ["the guest agent", `2026-04-02T08:15:00.118203Z ERROR Daemon Daemon ${said}`, "error"],
  ["oslo", `2026-04-02 08:15:00.118 4788 ERROR cloudbaseinit.init [-] ${said}`, "error"],
  ["Docker's json-file", JSON.stringify({ log: `${said}\n`, stream: "stderr" }), "error"],
  ["colour", `\u001B[0;31m${said}\u001B[0m`, "error"],
])("readStatement takes the clothes of %s off", (_, line, severity) => {
  const statement = readStatement(line, "system");
  expect(statement.message).toContain(said);
  expect(statement.message).not.toMatch(/level=|\\"|\u001B|2026/u);
  expect(statement.severity).toBe(severity);
});

test.each([
  [
    "Apr 02 08:15:00 node-1 systemd[1]: containerd.service: Main process exited, code=exited, status=1/FAILURE",
    "containerd",
  ],
  ["error execution phase kubelet-start: something", "kubeadm"],
  ["Apr 02 08:15:00 node-1 k3s[12]: something odd", "k3s"],
  ["E: Unable to locate package made-up", "apt"],
])("readStatement names who says %s", (line, program) => {
  expect(readStatement(line, "system").program).toBe(program);
});

test("readStatement hears no failure where a pod only goes", () => {
  const line = 'E0402 08:15:00.1 1 x.go:1] "StopPodSandbox failed" err="failed to destroy network for sandbox"';
  expect(readStatement(line, "kubelet").severity).toBe("info");
});
