import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLifecycleMachine } from "./lifecycle-machine.ts";

/** In a shell, as a person does it; the exit code of our program, not of the pipe. */
function shell(line: string, env: Readonly<Record<string, string>>): string {
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", line], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return `${stdout}${stderr}`;
}

test("a reader that has closed the pipe does not change the exit code; a full disk is told and is no verdict", async () => {
  const { agent, discard } = createLifecycleMachine();
  const root = mkdtempSync(join(tmpdir(), "capz-closed-"));
  try {
    mkdirSync(join(root, "var/log"), { recursive: true });
    const lines = Array.from({ length: 4000 }, (_, index) => `line ${String(index)}: no known cause in here`);
    writeFileSync(join(root, "var/log/cloud-init-output.log"), `${lines.join("\n")}\n`);
    const program = join(agent.handlerFolder, "bin/capz-bootstrap");
    const env = { program, CAPZ_BOOTSTRAP_ROOT: root };
    expect(shell('"$program" --help | true; echo "code ${PIPESTATUS[0]}"', env)).toBe("code 0\n");
    expect(shell('"$program" reason DnsResolutionFailed | true; echo "code ${PIPESTATUS[0]}"', env)).toBe("code 0\n");
    // What it says without a pipe is what it says with a reader that does not read on.
    const plain = shell('"$program" diagnose --no-probes --json >/dev/null; echo "code $?"', env);
    const piped = shell('"$program" diagnose --no-probes --json | true; echo "code ${PIPESTATUS[0]}"', env);
    expect(plain).toMatch(/^code [023]\n$/u);
    expect(piped).toBe(plain);
    const full = shell('"$program" reason DnsResolutionFailed >/dev/full; echo "code $?"', env);
    expect(full).toContain("code 3\n");
    expect(full).toContain("the answer could not be written to standard output: ENOSPC");
  } finally {
    rmSync(root, { recursive: true, force: true });
    await discard();
  }
}, 120_000);
