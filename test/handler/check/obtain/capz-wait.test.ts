import { expect, test } from "@jest/globals";
import { waitsForSentinel } from "../../../../handler/check/obtain/capz-wait.ts";
import { linux } from "../../../../handler/platform/linux.ts";
import { Secret } from "../../../../handler/settings/secret.ts";
import { capzCommand } from "../../../../scripts/dev/start/capz-command.ts";
import { capzWindowsCommand, capzWindowsScript } from "../../../support/capz-windows-command.ts";

const sentinel = "/run/cluster-api/bootstrap-success.complete";
const printed =
  "echo 'Error joining node to cluster: kubeadm init or join failed. To debug, check the cloud-init, kubelet, or other bootstrap logs: https://capz.sigs.k8s.io/self-managed/troubleshooting.html#checking-cloud-init-logs-ubuntu'; ";

/** As CAPZ formats it. */
function linuxForm(rounds: number, last: string): string {
  return `for i in $(seq 1 ${String(rounds)}); do test -f ${sentinel} && break; if [ $i -eq ${String(rounds)} ]; then ${last}; else sleep 5; fi; done`;
}

const onLinux = { platform: linux, root: "/" };
const onWindows = {
  platform: { ...linux, name: "windows", paths: () => ({ ...linux.paths("/"), sentinel: String.raw`C:${sentinel}` }) },
  root: "C:\\",
} as const;
const line = (text: string) => ({ kind: "line", line: new Secret(text) }) as const;
const script = (text: string) => ({ kind: "script", bytes: Buffer.from(text) }) as const;

test.each([
  ["v0.5", linuxForm(240, "return 1")],
  ["v1.0 to v1.2", linuxForm(60, "return 1")],
  ["v1.3 to v1.19", linuxForm(60, "exit 1")],
  ["since v1.20", linuxForm(60, `${printed}exit 1`)],
])("CAPZ's command for Linux is recognised: %s", (_, command) => {
  expect(waitsForSentinel(line(command), onLinux)).toBe(true);
  expect(waitsForSentinel(script(`#!/bin/sh\n${command}\n`), onLinux)).toBe(true);
});

test.each([
  ["v0.5.3", capzWindowsCommand.replaceAll("60", "240")],
  ["since v1.0", capzWindowsCommand],
])("CAPZ's command for Windows is recognised: %s", (_, command) => {
  expect(waitsForSentinel(line(command), onWindows)).toBe(true);
  expect(waitsForSentinel(line(command), onLinux)).toBe(false);
});

test("CAPZ's loop as a PowerShell script, and below a scratch root", () => {
  expect(waitsForSentinel(script(capzWindowsScript), onWindows)).toBe(true);
  expect(waitsForSentinel(line(capzCommand("/tmp/node")), { platform: linux, root: "/tmp/node" })).toBe(true);
});

const loop = linuxForm(60, "exit 1");
test.each([
  ["something before it", `touch /tmp/began; ${loop}`],
  ["something behind it", `${loop}; systemctl start agent`],
  ["a command in the printed text's place", linuxForm(60, "reboot; exit 1")],
  ["a substitution in the file's place", loop.replace(sentinel, "$(touch${IFS}/tmp/x)")],
  ["another file", loop.replace(sentinel, "/run/other.complete")],
  ["the sentinel in a comment", `sh install.sh # ${sentinel}`],
  ["a success that does something", loop.replace("break", "systemctl start agent")],
  ["rounds that differ", loop.replace("-eq 60", "-eq 61")],
])("a command that does more than wait is none of CAPZ's: %s", (_, command) => {
  expect(waitsForSentinel(line(command), onLinux)).toBe(false);
});
