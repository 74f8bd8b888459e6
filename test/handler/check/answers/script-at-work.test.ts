import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { scriptAtWork } from "../../../../handler/check/answers/script-at-work.ts";
import { checkHost } from "../../../support/check-host.ts";

let root = "";
beforeEach(() => {
  ({ root } = checkHost());
  put("proc/uptime", "600.00 1.0\n");
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

type Row = readonly [pid: number, seconds: number, ...args: string[]];

/** Processes of a unit, each so many seconds old. */
function running(unit: string, ...rows: readonly Row[]): void {
  put(`sys/fs/cgroup/system.slice/${unit}/cgroup.procs`, rows.map(([pid]) => `${String(pid)}\n`).join(""));
  for (const [pid, seconds, ...args] of rows) {
    const name = (args[0] ?? "").split("/").at(-1) ?? "";
    const ticks = String((600 - seconds) * 100);
    put(`proc/${String(pid)}/stat`, `${String(pid)} (${name}) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 ${ticks} 1 1\n`);
    put(`proc/${String(pid)}/cmdline`, [...args, ""].join("\0"));
  }
}

const cloudInit: readonly Row[] = [
  [700, 510, "/usr/bin/python3", "/usr/bin/cloud-init", "modules", "--mode=final"],
  [701, 510, "/bin/sh", "-c", "tee -a /var/log/cloud-init-output.log"],
  [702, 510, "tee", "-a", "/var/log/cloud-init-output.log"],
];
const runcmd: Row = [703, 505, "/bin/sh", "/var/lib/cloud/instance/scripts/runcmd"];

test("scriptAtWork() names the innermost script of cloud-init's units, not what waits for another", () => {
  running("cloud-final.service", ...cloudInit, runcmd, [704, 500, "bash", "/opt/x.sh"], [705, 3, "sleep", "5"]);
  expect(scriptAtWork({ root })).toBe("the script of cloud-init bash /opt/x.sh (500 s)");
});

test("scriptAtWork() tells the age of the first of several with one command line: a subshell is young", () => {
  const script = ["python3", "/opt/register.py"] as const;
  running("cloud-init-main.service", ...cloudInit, runcmd, [704, 500, ...script], [705, 2, ...script]);
  expect(scriptAtWork({ root })).toBe("the script of cloud-init python3 /opt/register.py (500 s)");
});

test("scriptAtWork() names the user's commands where they run nothing else, and cloud-init where it works itself", () => {
  running("cloud-final.service", ...cloudInit, runcmd, [705, 3, "sleep", "5"]);
  expect(scriptAtWork({ root })).toContain("/bin/sh /var/lib/cloud/instance/scripts/runcmd (505 s)");
  running("cloud-final.service", ...cloudInit);
  expect(scriptAtWork({ root })).toBe("cloud-init itself (510 s)");
});

test("scriptAtWork() hides secrets of a command line before it cuts it", () => {
  const secret = "Zq7vN3xR8tLw2KpM";
  running("cloud-config.service", [9, 4, "bash", "/opt/join.sh", "--token", secret, "--password", `two ${secret}`]);
  const told = scriptAtWork({ root }) ?? "";
  expect(told).toContain("bash /opt/join.sh --token <redacted");
  expect(told).not.toContain(secret);
  running("cloud-config.service", [
    9,
    4,
    "sh",
    "-c",
    `while ! nc -z vault 8200; do\n sleep 5\ndone ${"x ".repeat(200)}`,
  ]);
  expect(scriptAtWork({ root })?.length).toBeLessThan(150);
  expect(scriptAtWork({ root })).not.toContain("\n");
});

test("scriptAtWork() tells nothing of other units, of a machine without processes, or of one that shows none", () => {
  running("kubelet.service", [9, 4, "bash", "/opt/x.sh"]);
  expect(scriptAtWork({ root })).toBeUndefined();
  put("sys/fs/cgroup/system.slice/cloud-final.service/cgroup.procs", "4711\n");
  expect(scriptAtWork({ root })).toBeUndefined();
  rmSync(join(root, "proc"), { recursive: true });
  expect(scriptAtWork({ root })).toBeUndefined();
});
