import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { filePlaceOf } from "../../handler/transfer/download-url.ts";
import { fileSink } from "../../handler/transfer/download-sinks.ts";
import { cleanScript } from "../../handler/check/obtain/clean-script.ts";
import { readTail } from "../../handler/check/running/output-tail.ts";
import { retryDelayMs } from "../../handler/transfer/retry-delay.ts";
import { agentCommandNames } from "../../handler/operations/agent/run-agent-command.ts";
import { startProcess } from "../../handler/process/start-process.ts";

/** Expectations of the Custom Script handler's own tests that no other test of ours holds (docs/peers-expectations.md). */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "capz-peers-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("the five commands of HandlerManifest.json are commands of the program", () => {
  const manifest = readFileSync(join(import.meta.dirname, "../../HandlerManifest.json"), "utf8");
  const named = [...manifest.matchAll(/"(?<name>\w+)Command":\s*"[^"]* (?<argument>\w+)"/gu)].map(
    ({ groups }) => groups,
  );
  expect(named).toHaveLength(5);
  for (const groups of named) {
    expect(groups?.["argument"]).toBe(groups?.["name"]);
    expect(agentCommandNames).toContain(groups?.["name"]);
  }
});

test.each([
  ["https://h.example/a.sh", "a.sh"],
  ["https://h.example/dir/dir2/a.sh?x=/y.sh", "a.sh"],
  ["https://h.example/a.sh#part", "a.sh"],
  ["https://h.example//dir//a.sh", "a.sh"],
  ["https://h.example/with%20blanks.sh", "with blanks.sh"],
])("the file's name is the last part of the path, without query and fragment: %s", (address, name) => {
  expect(filePlaceOf(new URL(address), "linux")).toEqual([name]);
});

test.each([
  "https://h.example",
  "https://h.example/",
  "https://h.example/dir/",
  "https://h.example/dir//",
  "https://h.example?a.sh",
  "https://h.example/?a=b.sh",
  "https://h.example/#a.sh",
  "https://h.example/dir/?a.sh",
  "https://h.example/dir/#a.sh",
])("an address without a file name is an error: %s", (address) => {
  expect(() => filePlaceOf(new URL(address), "linux")).toThrow("does not end in a usable file name");
});

test("pauses between tries double up to 30 s, with half of it by chance, and a Retry-After is the least", () => {
  for (let tries = 1; tries <= 8; tries++) {
    const ceiling = Math.min(30_000, 1000 * 2 ** (tries - 1));
    const delays = Array.from({ length: 200 }, (_, index) =>
      retryDelayMs({ tries, retryAfterMs: undefined, seed: `vm-${String(index)}` }),
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(ceiling / 2);
    expect(Math.max(...delays)).toBeLessThanOrEqual(ceiling);
    expect(new Set(delays).size).toBeGreaterThan(100);
  }
  expect(retryDelayMs({ tries: 1, retryAfterMs: 90_000, seed: "vm" })).toBe(90_000);
});

test("a download of 128 MiB is written in pieces, and a smaller one over it leaves nothing of it", async () => {
  const path = join(folder, "large");
  await save(
    path,
    Array.from({ length: 128 }, () => Buffer.alloc(1024 * 1024, 1)),
  );
  expect(statSync(path).size).toBe(128 * 1024 * 1024);
  await save(path, [Buffer.from("small")]);
  expect(readFileSync(path, "utf8")).toBe("small");
  expect(statSync(path).mode & 0o777).toBe(0o500);
  expect(readdirSync(folder).filter((name) => name.includes("large"))).toEqual(["large"]);
});

async function save(path: string, chunks: readonly Buffer[]): Promise<void> {
  const sink = fileSink(path);
  try {
    await sink.restart();
    for (const chunk of chunks) await sink.write(chunk);
    await sink.finish(0o500);
  } finally {
    await sink.discard();
  }
}

test("a second run of a command replaces what the first one wrote to both streams", async () => {
  const [stdoutFile, stderrFile] = [join(folder, "stdout"), join(folder, "stderr")];
  const run = (line: string) =>
    startProcess({ argv: ["/bin/sh", "-c", line], cwd: folder, env: {}, stdoutFile, stderrFile, ownSession: true })
      .exited;
  await run("echo a long first line; echo another >&2; exit 12");
  expect([readFileSync(stdoutFile, "utf8"), readFileSync(stderrFile, "utf8")]).toEqual([
    "a long first line\n",
    "another\n",
  ]);
  expect(await run("echo b")).toEqual({ kind: "code", code: 0 });
  expect([readFileSync(stdoutFile, "utf8"), readFileSync(stderrFile, "utf8")]).toEqual(["b\n", ""]);
});

test("a command whose folder or whose output cannot be used is not started, and the reason is given", async () => {
  const request = { argv: ["/bin/sh", "-c", "true"], env: {}, ownSession: true } as const;
  const output = { stdoutFile: join(folder, "o"), stderrFile: join(folder, "e") };
  const gone = join(folder, "gone");
  expect(await startProcess({ ...request, ...output, cwd: gone }).exited).toMatchObject({
    kind: "not-started",
    reason: `the working folder ${gone} does not exist`,
  });
  const noFolder = { ...output, stdoutFile: join(gone, "o") };
  expect(await startProcess({ ...request, ...noFolder, cwd: folder }).exited).toMatchObject({
    kind: "not-started",
    systemCode: "ENOENT",
  });
});

test("the tail of a folder or of a pipe is empty, not an error and not a wait", async () => {
  const path = join(folder, "is-a-folder");
  mkdirSync(path);
  expect(await readTail(path, 100)).toBe("");
  const pipe = join(folder, "pipe");
  const argv = ["mkfifo", pipe] as const;
  const files = { stdoutFile: join(folder, "o"), stderrFile: join(folder, "e") };
  await startProcess({ argv, cwd: folder, env: process.env, ...files, ownSession: true }).exited;
  expect(await readTail(pipe, 100)).toBe("");
});

test("a tail has the length that is asked for: none, a part, all, and no more than there is", async () => {
  const path = join(folder, "tail");
  writeFileSync(path, "0123456789");
  expect(await readTail(path, 0)).toBe("[… 10 bytes cut …]\n");
  expect(await readTail(path, 4)).toBe("[… 6 bytes cut …]\n6789");
  expect(await readTail(path, 10)).toBe("0123456789");
  expect(await readTail(path, 100)).toBe("0123456789");
});

test.each([
  ["a.SH", "x\r\ny\r\n", true],
  ["a.py", "x\r\n", true],
  ["a.txt", "x\r\n", true],
  ["noname", "#!/bin/sh\r\n", true],
  ["noname", " #!/bin/sh\r\n", false],
  ["a.png", "x\r\n", false],
])("which files are scripts: %s that begins with %j is corrected: %s", (name, content, corrected) => {
  expect(cleanScript(name, Buffer.from(content)) !== undefined).toBe(corrected);
});
