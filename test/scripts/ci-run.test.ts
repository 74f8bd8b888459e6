import { beforeEach, expect, test } from "@jest/globals";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryCommand } from "../support/run-command.ts";
import { waitUntil } from "../support/wait-until.ts";

const project = join(import.meta.dirname, "../..");
let folder: string;

/** The script itself in a project of its own, where npm is ours: it notes its words and then does what the test says of them. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "capz-ci-"));
  for (const name of [".ci", "bin", "scripts/dev", "tmp"]) await mkdir(join(folder, name), { recursive: true });
  await cp(join(project, ".ci/run"), join(folder, ".ci/run"));
  await writeFile(join(folder, "scripts/dev/install-lane-packages.sh"), "echo installed\n");
});

async function givenNpm(cases: string): Promise<void> {
  const note = `echo "$(basename "$0") $*" >>${folder}/calls`;
  for (const [name, body] of [
    ["npm", `case "$*" in\n${cases}\nesac`],
    ["npx", "exit 0"],
  ] as const) {
    await writeFile(join(folder, "bin", name), `#!/bin/sh\n${note}\n${body}\n`);
    await chmod(join(folder, "bin", name), 0o755);
  }
}

async function run(seconds: number) {
  const { code, stdout } = await tryCommand(["bash", join(folder, ".ci/run")], {
    env: {
      PATH: `${folder}/bin:${process.env["PATH"] ?? ""}`,
      TMPDIR: join(folder, "tmp"),
      CAPZ_CI_SECONDS: String(seconds),
    },
  });
  return { code, results: stdout.split("\n").filter((line) => /^== .*: (?:ok|FAILED)/u.test(line)) };
}

const calls = async () => (await readFile(join(folder, "calls"), "utf8")).split("\n");

test("every step is named with its result, and the run is green only when all are", async () => {
  await givenNpm("");
  const whole = await run(60);
  expect(whole.code).toBe(0);
  expect(whole.results.filter((line) => line.includes(": ok"))).toHaveLength(10);
  await givenNpm('"run --silent roots"*) exit 1 ;;');
  const { code, results } = await run(60);
  expect(code).toBe(1);
  expect(results.filter((line) => line.includes("FAILED"))).toEqual([
    expect.stringContaining("roots of the lanes, begun after npm ci: FAILED ("),
  ]);
  expect(await calls()).toContain("npm run lanes");
  await givenNpm('"run --silent ok -- lint") exit 1 ;;');
  expect((await run(60)).results.filter((line) => line.includes("FAILED"))).toEqual([
    expect.stringContaining("npm run ok, lint, begun after npm ci: FAILED ("),
  ]);
});

test("a run whose tests hang ends by itself: what did not run is named, the totals come, and nothing lives on", async () => {
  await givenNpm(`test) sleep 987 & echo $! >>${folder}/pids; trap "" TERM; wait ;;
"run --silent roots"*) sleep 987 & echo $! >>${folder}/pids; wait ;;`);
  const { code, results } = await run(3);
  expect(code).toBe(1);
  expect(results.slice(5).map((line) => line.replace(/\d+ s/u, "N s"))).toEqual([
    "== npm test: FAILED (ended after N s, its time was over)",
    "== lanes: real nodes, the real guest agent, Wine, arm64: FAILED (not run: the time of the whole run is over)",
    "== roots of the lanes, begun after npm ci: FAILED (not run: the time of the whole run is over)",
    expect.stringMatching(/^== end machines that the lanes left: ok/u),
    expect.stringMatching(/^== totals: ok/u),
  ]);
  const last = (await calls()).at(-2);
  expect(last).toMatch(/^npx node scripts\/dev\/print-totals\.ts \S+\/tests\.json \S+\/lanes\.json$/u);
  const pids = (await readFile(join(folder, "pids"), "utf8")).trim().split("\n");
  expect(pids).toHaveLength(2);
  await waitUntil("all that the steps started to end", () => pids.every((pid) => !existsSync(`/proc/${pid}`)));
});
