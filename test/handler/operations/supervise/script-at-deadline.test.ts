import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { enabledMachine } from "./handler-machine.ts";

interface Given {
  readonly stage: string;
  readonly running?: readonly string[];
  /** Of cloud-init-output.log. */
  readonly output?: string;
}

/** First line of the status and summary of the verdict at a deadline; `bash /opt/x.sh` is in cloud-final's group. */
async function atDeadline({
  stage,
  running = [],
  output = "",
}: Given): Promise<readonly [line: string, summary: string]> {
  const more = JSON.stringify({ stage, running, providers: [] });
  const machine = await enabledMachine({
    look: `return result("not-yet", ${more});`,
    settings: { timeoutSeconds: 30, aftercareSeconds: 0 },
    factor: 100,
  });
  const put = (folder: string, name: string, text: string): void => {
    mkdirSync(machine.under(folder), { recursive: true });
    writeFileSync(machine.under(folder, name), text);
  };
  put("proc", "uptime", "600.00 1.0\n");
  put("proc/704", "stat", "704 (bash) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 10000 1 1\n");
  put("proc/704", "cmdline", "bash\0/opt/x.sh\0");
  put("sys/fs/cgroup/system.slice/cloud-final.service", "cgroup.procs", "704\n");
  put("var/log", "cloud-init-output.log", output);
  await machine.run();
  const status = machine.status();
  const verdict = status?.substatuses["BootstrapVerdict"] as { readonly summary: string } | undefined;
  rmSync(machine.under("."), { recursive: true, force: true });
  return [status?.message.split("\n")[0] ?? "", verdict?.summary ?? ""];
}

const final = "cloud-init-final";

test("a deadline while a script of cloud-init waits names it and quotes what it printed last", async () => {
  const output = "Reading package lists...\nDo you want to continue? [Y/n] ";
  const [line] = await atDeadline({ stage: final, output });
  expect(line).toContain("still running: the script of cloud-init bash /opt/x.sh (500 s)");
  expect(line).toContain('says "Do you want to continue? [Y/n]"');
  expect(line).not.toContain("nothing that bootstraps was running");
});

test("what it printed last is redacted, and cut when it is long", async () => {
  const output = `password=Zq7vN3xR8tLw2KpM ${"waiting ".repeat(60)}the end\n`;
  const [line, summary] = await atDeadline({ stage: final, output });
  expect(summary).toMatch(/, says "password=<redacted.{20,80} the end"$/u);
  expect(line + summary).not.toContain("Zq7vN3xR8tLw2KpM");
});

test("a program that the check names keeps its name, and what was printed is quoted", async () => {
  const [line] = await atDeadline({
    stage: "downloading",
    running: ["curl (500 s)"],
    output: "Waiting for approval\n",
  });
  expect(line).toContain('still running: curl (500 s), says "Waiting for approval"');
});

test("kubeadm, and what is left of a script after cloud-init's end, are told as before", async () => {
  const [joining] = await atDeadline({ stage: "kubeadm-join", running: ["kubeadm (74 s)"], output: "an old line\n" });
  expect(joining).toContain("still running: kubeadm (74 s)");
  expect(joining).not.toContain("an old line");
  const [over] = await atDeadline({ stage: "cloud-init-finished", output: "an old line\n" });
  expect(over).toContain("nothing that bootstraps was running");
});
