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

const inWindows = (path: string) => capzWindowsScript.replace(/Test-Path '[^']+'/u, `Test-Path '${path}'`);

test.each<[string, ReturnType<typeof line> | ReturnType<typeof script>, boolean]>([
  ["the loop as a line of cmd, which knows no such thing", line(capzWindowsScript), false],
  [
    "its PowerShell by its path",
    line(
      capzWindowsCommand.replace(
        /^powershell(?:\.exe)?/iu,
        String.raw`C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`,
      ),
    ),
    true,
  ],
  ["its PowerShell in capital letters", line(capzWindowsCommand.replace(/^powershell/iu, "POWERSHELL")), true],
  ["something behind the quotes", line(`${capzWindowsCommand} & shutdown`), false],
  ["something in front of it", line(`echo x & ${capzWindowsCommand}`), false],
  ["another program", line(capzWindowsCommand.replace(/^powershell/iu, "x-powershell")), false],
  [
    "the sentinel on another drive, with backslashes",
    script(inWindows(String.raw`D:\run\cluster-api\bootstrap-success.complete`)),
    true,
  ],
  ["the sentinel without a drive", script(inWindows(sentinel)), true],
  ["another file", script(inWindows(String.raw`C:\run\other.complete`)), false],
  ["something behind the loop", script(`${capzWindowsScript}\nStop-Computer`), false],
  ["something in front of the loop", script(`Stop-Computer; ${capzWindowsScript}`), false],
  ["nothing", script(""), false],
])("on Windows a command with %s: %#", (...[, command, expected]) => {
  expect(waitsForSentinel(command, onWindows)).toBe(expected);
});

test.each<[string, string, boolean]>([
  ["a line that names the interpreter", `#!/bin/bash -e\n${loop}`, true],
  ["a byte order mark before it", `\uFEFF#!/bin/bash\n${loop}`, true],
  ["such a line further down", `true\n#!/bin/bash\n${loop}`, false],
  ["two such lines", `#!/bin/sh\n#!/bin/sh\n${loop}`, false],
  ["blanks and line ends", `\n\n  ${loop.replaceAll("; ", ";\n\t ")}  \n`, true],
  ["more behind five thousand blanks", `${loop}${" ".repeat(5000)}; reboot`, false],
  ["four thousand blanks in it", loop.replace("; do", `; ${" ".repeat(4000)}do`), false],
  [
    "more behind fourteen hundred wide blanks",
    `${loop}${" ".repeat((4096 - loop.length) % 3)}${"\u3000".repeat(1400)}; reboot`,
    false,
  ],
])("a script with %s only waits, or not: %#", (...[, text, expected]) => {
  expect(waitsForSentinel(script(text), onLinux)).toBe(expected);
});

test("a line of more than four thousand letters is no loop of CAPZ's, whatever it holds", () => {
  const blanks = (count: number) => line(loop.replace("; do", `;${" ".repeat(count - loop.length + 1)}do`));
  expect(waitsForSentinel(blanks(4000), onLinux)).toBe(true);
  expect(waitsForSentinel(blanks(4001), onLinux)).toBe(false);
});
