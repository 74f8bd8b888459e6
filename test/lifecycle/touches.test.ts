import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cloudInitRuns, kubeadmJoins } from "../../scripts/dev/start/node-events.ts";
import { createLifecycleMachine, waitForStatus } from "./lifecycle-machine.ts";

const strace = spawnSync("strace", ["-V"]).status === 0;
const calls =
  "open,openat,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat";
const more = "chmod,fchmodat,chown,lchown,fchownat,truncate,utimensat,mknodat,flock,mount,kill,setxattr";

/** strace where it is installed; continuous integration always has it (scripts/dev/install-lane-packages.sh). */
const testWithStrace = strace || process.env["CI"] === "true" ? test : test.skip;

testWithStrace(
  "the success path writes in our own folders alone, takes no lock and signals nobody (system calls traced)",
  async () => {
    const { machine, agent, discard } = createLifecycleMachine();
    const trace = join(machine.root, "trace");
    try {
      agent.putSettings(0, { publicSettings: { aftercareSeconds: "0" } });
      await agent.run("install", 0);
      cloudInitRuns(machine);
      const launcher = join(agent.handlerFolder, "bin/capz-bootstrap");
      spawnSync("strace", ["-f", "-D", "-qq", "-o", trace, "-e", `trace=${calls},${more}`, launcher, "enable"], {
        env: { PATH: process.env["PATH"] ?? "", CAPZ_BOOTSTRAP_ROOT: machine.root, ConfigSequenceNumber: "0" },
        stdio: "ignore",
      });
      await waitForStatus(agent, 0, ({ message }) => message.includes("cloud-init"));
      kubeadmJoins(machine);
      await waitForStatus(agent, 0, ({ kind }) => kind === "success");
      const lines = readFileSync(trace, "utf8").split("\n");
      const ours = ["var/lib/capz-bootstrap", "var/lib/waagent", "var/log/azure"].map((path) =>
        join(machine.root, path),
      );
      const changed = lines.filter(changesSomething).flatMap(pathsOf);
      expect(changed.length).toBeGreaterThan(10);
      const foreign = changed.filter(
        (path) => !ours.some((folder) => path.startsWith(`${folder}/`)) && !harmless(path),
      );
      expect([...new Set(foreign)]).toEqual([]);
      expect(lines.filter((line) => /\b(?:flock|mount)\(/u.test(line))).toEqual([]);
      expect(lines.filter((line) => /\bkill\((?!\d+, 0)/u.test(line))).toEqual([]);
    } finally {
      await discard();
    }
  },
  120_000,
);

function changesSomething(line: string): boolean {
  if (line.includes("= -1 E")) return false;
  if (/\b(?:open|openat)\(/u.test(line)) return /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/u.test(line);
  return line.includes("(") && !/\b(?:kill|flock|exit)\w*\(|\+\+\+|---/u.test(line);
}

function pathsOf(line: string): readonly string[] {
  return [...line.matchAll(/"(?<path>\/[^"]*)"/gu)].map((match) => match.groups?.["path"] ?? "");
}

/** Not files: devices without effect, and our own process's priority. */
function harmless(path: string): boolean {
  return ["/dev/null", "/dev/tty", "/proc/self/oom_score_adj"].includes(path);
}
