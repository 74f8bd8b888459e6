import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../../support/run-command.ts";

const source = join(import.meta.dirname, "../../../scripts/dev/start/kept-in-run.ts");

function createRun() {
  const folder = mkdtempSync(join(tmpdir(), "capz-kept-"));
  const log = join(folder, "log");
  const run = join(folder, "run");
  mkdirSync(run);
  writeFileSync(log, "");
  /** A worker that makes "thing" where nobody has, in 300 ms, and prints what it then finds there. */
  const worker = (body = "") => [
    process.execPath,
    "--no-warnings",
    "--input-type=module",
    "--eval",
    `import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
    import { keptInRun } from ${JSON.stringify(source)};
    const path = keptInRun("thing", (own) => {
      appendFileSync(${JSON.stringify(log)}, "made\\n");
      ${body}
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      writeFileSync(own, "whole");
    });
    process.stdout.write(readFileSync(path, "utf8"));`,
  ];
  return {
    run,
    worker,
    env: { CAPZ_RUN_FOLDER: run },
    times: () => readFileSync(log, "utf8").split("made").length - 1,
  };
}

test("what four workers need at once is made once, and all have it whole", async () => {
  const { run, worker, env, times } = createRun();
  const all = await Promise.all(Array.from({ length: 4 }, () => runCommand(worker(), { env })));
  expect(all).toEqual(["whole", "whole", "whole", "whole"]);
  expect(times()).toBe(1);
  expect(readdirSync(run)).toEqual(["thing"]);
});

test("the turn of a worker that was killed is another's, and so is that of one that failed", async () => {
  const { run, worker, env, times } = createRun();
  const [file = "", ...args] = worker('process.kill(process.pid, "SIGKILL");');
  expect(spawnSync(file, args, { env: { ...process.env, ...env } }).signal).toBe("SIGKILL");
  expect(readdirSync(run)).toEqual(["thing.turn"]);
  const [, ...failing] = worker('throw new Error("no space");');
  const failed = spawnSync(file, failing, { env: { ...process.env, ...env }, encoding: "utf8" });
  expect(failed.stderr).toContain("no space");
  expect(readdirSync(run)).toEqual([]);
  expect(await runCommand(worker(), { env })).toBe("whole");
  expect(times()).toBe(3);
});
