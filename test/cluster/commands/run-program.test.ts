import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../../../cluster/commands/run-program.ts";
import { textIfThere } from "../../../handler/files/text-if-there.ts";
import { projectFolder } from "../../support/node-root.ts";
import { waitUntil } from "../../support/wait-until.ts";

/** Longer than any test may take: what does not end it by itself is seen. */
const forever = "600";
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "capz-kubectl-"));
  // As a kubectl whose helper for the login hangs, and holds the pipes.
  const text = `#!/bin/sh\necho "$2" >>"${folder}/calls"\nsleep ${forever} &\necho $! >>"${folder}/pids"\nwait\n`;
  writeFileSync(join(folder, "kubectl"), text, { mode: 0o755 });
});
afterAll(() => {
  for (const pid of readFileSync(join(folder, "pids"), "utf8").trim().split("\n")) process.kill(Number(pid));
  rmSync(folder, { recursive: true, force: true });
});

describe("runProgram", () => {
  test("gives up what has not ended in its time", async () => {
    const { signal } = new AbortController();
    const result = await runProgram([join(folder, "kubectl"), "get", "late"], signal, 500);
    expect(result).toEqual({ kind: "late", afterMs: 500 });
  });

  test("starts nothing once it is asked to end", async () => {
    expect(await runProgram(["/no/such/program"], AbortSignal.abort())).toEqual({ kind: "stopped" });
  });
});

test("SIGTERM ends status while kubectl hangs, and starts no other", async () => {
  const main = join(projectFolder, "cluster/main.ts");
  const child = spawn(process.execPath, [main, "status", "--kubectl", join(folder, "kubectl")]);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const calls = () => (textIfThere(join(folder, "calls")) ?? "").split("\n").filter((line) => line !== "late");
  await waitUntil("the first question", () => calls().length > 1);
  child.kill("SIGTERM");
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect([code, said]).toEqual([3, "Ended before kubectl had read machines.cluster.x-k8s.io\n"]);
  expect(calls()).toEqual(["bootstrapverdicts.bootstrap.capz.io", ""]);
});
