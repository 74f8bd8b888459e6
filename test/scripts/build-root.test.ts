import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryCommand } from "../support/run-command.ts";
import { waitUntil } from "../support/wait-until.ts";

const script = join(import.meta.dirname, "../support/build-root.sh");
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "capz-root-"));
  for (const name of ["bin", "debs"]) await mkdir(join(folder, name));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** A debootstrap of our own comes first on the PATH. It appends a line to `calls` and then does what the test says; $target is the root. */
async function givenDebootstrap(body: string): Promise<void> {
  const start = `#!/bin/sh\necho called >>${folder}/calls\ntries=$(wc -l <${folder}/calls)\nfor target; do case $target in *.partial) break ;; esac; done\n`;
  await writeFile(join(folder, "bin/debootstrap"), start + body);
  await chmod(join(folder, "bin/debootstrap"), 0o755);
}

const environment = (changed: Readonly<Record<string, string>> = {}) => ({
  PATH: `${folder}/bin:${process.env["PATH"] ?? ""}`,
  FINAL: join(folder, "root"),
  DEBS: join(folder, "debs"),
  PACKAGES: "systemd",
  SUITE: "sid",
  MIRROR: "http://127.0.0.1:9/debian",
  FINISH: "",
  NEEDS_MB: "1",
  RUN: "this-run",
  TRY_SECONDS: "60",
  FINISH_SECONDS: "60",
  LOCK_SECONDS: "60",
  PAUSE_SECONDS: "0",
  ...changed,
});

const build = (changed?: Readonly<Record<string, string>>) => tryCommand(["sh", script], { env: environment(changed) });
const calls = async () => (await readFile(join(folder, "calls"), "utf8").catch(() => "")).split("called").length - 1;
const works = `mkdir -p "$target"; echo made >"$target/made"`;

test("a mirror that fails twice gives a root at the third try, and what had come is kept", async () => {
  await givenDebootstrap(
    `if [ "$tries" -lt 3 ]; then mkdir -p "$target/left"; touch ${folder}/debs/$tries.deb; exit 1; fi\n[ ! -e "$target/left" ] && ${works}; cat "$WGETRC" >${folder}/wget; echo "\${TMPDIR-none}" >>${folder}/wget`,
  );
  const { code, stdout } = await build();
  expect({ code, calls: await calls() }).toEqual({ code: 0, calls: 3 });
  expect(stdout).toContain("debootstrap exited 1; try 2 of 3");
  expect(existsSync(join(folder, "debs/1.deb"))).toBe(true);
  expect(existsSync(join(folder, "root/made"))).toBe(true);
  expect(existsSync(join(folder, "root.failed"))).toBe(false);
  // Silence of the mirror ends a download; the folder for temporary files of this test is none inside the root.
  expect(await readFile(join(folder, "wget"), "utf8")).toBe("timeout = 30\ntries = 3\nwaitretry = 3\nnone\n");
  expect(await build()).toMatchObject({ code: 0, stdout: "" });
  expect(await calls()).toBe(3);
});

test("a mirror that says nothing is given up, with the last words, and nothing of it lives on", async () => {
  await givenDebootstrap(`echo "I: Retrieving InRelease"; sleep 987 & echo $! >>${folder}/pids; wait`);
  const { code, stdout } = await build({ TRY_SECONDS: "1" });
  expect({ code, calls: await calls() }).toEqual({ code: 1, calls: 3 });
  expect(stdout).toContain("debootstrap did not end within 1 s, and so it was three times");
  expect(stdout).toContain("I: Retrieving InRelease");
  const pids = (await readFile(join(folder, "pids"), "utf8")).trim().split("\n");
  await waitUntil("every sleep to end", () => pids.every((pid) => !existsSync(`/proc/${pid}`)));
  expect(existsSync(join(folder, "root"))).toBe(false);
});

test("what failed in this run is not tried again by it, but by the next one", async () => {
  await givenDebootstrap("echo 'E: Failed getting release file' >&2; exit 1");
  await build();
  const again = await build();
  expect({ code: again.code, calls: await calls() }).toEqual({ code: 1, calls: 3 });
  expect(again.stdout).toMatch(/^Not tried again: it failed before in this run\.\n.*E: Failed getting release file/su);
  await givenDebootstrap(works);
  expect(await build({ RUN: "the-next" })).toMatchObject({ code: 0 });
  expect(await calls()).toBe(4);
});

test("without a run of a name every call tries", async () => {
  await givenDebootstrap("exit 1");
  await build({ RUN: "" });
  await build({ RUN: "" });
  expect(await calls()).toBe(6);
});

test("a disk without space is named before anything is fetched", async () => {
  await givenDebootstrap(works);
  const { code, stdout } = await build({ NEEDS_MB: "999999999" });
  expect({ code, calls: await calls() }).toEqual({ code: 1, calls: 0 });
  expect(stdout).toMatch(/^Only \d+ MB are free where \S+ is to lie; it needs 999999999 MB\.$/mu);
});

test("one who waits for another builder gives up in time", async () => {
  await givenDebootstrap(works);
  const command = [join(folder, "root.lock"), "sh", "-c", `touch ${folder}/held; exec sleep 987`];
  const holder = spawn("flock", command, { stdio: "ignore", detached: true });
  await waitUntil("the lock to be held", () => existsSync(join(folder, "held")));
  const { code, stdout } = await build({ LOCK_SECONDS: "1" });
  // Nor does it wait where this run has given the root up.
  await writeFile(join(folder, "root.failed"), "this-run\nE: no mirror\n");
  const refused = await build({ LOCK_SECONDS: "1000" });
  // The whole group: the lock is the sleep's, too.
  if (holder.pid !== undefined) process.kill(-holder.pid, "SIGKILL");
  expect({ code, calls: await calls() }).toEqual({ code: 1, calls: 0 });
  expect(stdout).toContain("Another run has been building");
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining("E: no mirror") });
});

test("SIGTERM ends debootstrap too and marks the root for the rest of the run", async () => {
  await givenDebootstrap(`sleep 987 & echo $! >${folder}/pid; wait`);
  const child = spawn("sh", [script], { env: { ...process.env, ...environment() }, stdio: "ignore" });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const pid = await waitUntil("debootstrap", () => readFile(join(folder, "pid"), "utf8").catch(() => undefined));
  child.kill("SIGTERM");
  expect(await exited).toBe(143);
  await waitUntil("the sleep to end", () => !existsSync(`/proc/${pid.trim()}`));
  expect((await build()).stdout).toContain("It was broken off.");
});

test("SIGTERM is heard at once by one who waits for another builder", async () => {
  const command = [join(folder, "root.lock"), "sh", "-c", `touch ${folder}/held; exec sleep 987`];
  const holder = spawn("flock", command, { stdio: "ignore", detached: true });
  await waitUntil("the lock to be held", () => existsSync(join(folder, "held")));
  const child = spawn("sh", [script], {
    env: { ...process.env, ...environment({ LOCK_SECONDS: "900" }) },
    stdio: "ignore",
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await waitUntil(
    "it to wait",
    async () => (await readFile(`/proc/${String(child.pid)}/task/${String(child.pid)}/children`, "utf8")) !== "",
  );
  child.kill("SIGTERM");
  expect(await exited).toBe(143);
  if (holder.pid !== undefined) process.kill(-holder.pid, "SIGKILL");
});

test("a child that lost the first SIGTERM, as one just forked does, is told again", async () => {
  const loses = `#!/bin/sh\ntrap 'trap - TERM' TERM\necho $$ >${folder}/pid\nwhile :; do sleep 0.05; done\n`;
  await writeFile(join(folder, "bin/flock"), loses, { mode: 0o755 });
  const child = spawn("sh", [script], { env: { ...process.env, ...environment() }, stdio: "ignore" });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const pid = await waitUntil(
    "the child",
    async () => (await readFile(join(folder, "pid"), "utf8").catch(() => "")) || false,
  );
  child.kill("SIGTERM");
  expect(await exited).toBe(143);
  expect(existsSync(`/proc/${pid.trim()}`)).toBe(false);
});
