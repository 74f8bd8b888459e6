import { expect, test } from "@jest/globals";
import { mkdtemp, readFile, rename, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onceUnblocked } from "../../../handler/files/blocked-file.ts";

/** Windows refuses like this while a file is open elsewhere; Linux never does. The real thing: test/lanes/windows-contract.test.ts. */
function blocked(code: string): Error {
  return Object.assign(new Error(`${code}: operation not permitted, rename`), { code });
}

async function twoFiles() {
  const folder = await mkdtemp(join(tmpdir(), "blocked-"));
  const [from, to] = [join(folder, "new"), join(folder, "1.status")];
  await writeFile(from, "new");
  await writeFile(to, "old");
  return { from, to };
}

test.each(["EPERM", "EACCES", "EBUSY"])(
  "onceUnblocked() replaces a file that is blocked by %s for a second",
  async (code) => {
    const { from, to } = await twoFiles();
    let waitedMs = 0;
    const replace = () => (waitedMs < 1000 ? Promise.reject(blocked(code)) : rename(from, to));
    await onceUnblocked(replace, (ms) => {
      waitedMs += ms;
      return Promise.resolve();
    });
    expect(await readFile(to, "utf8")).toBe("new");
  },
);

test("a file that stays blocked gives the system's error after some seconds, and any other error comes at once", async () => {
  let waitedMs = 0;
  const pause = (ms: number) => {
    waitedMs += ms;
    return Promise.resolve();
  };
  await expect(onceUnblocked(() => Promise.reject(blocked("EPERM")), pause)).rejects.toMatchObject({ code: "EPERM" });
  expect(waitedMs).toBeGreaterThan(5000);
  expect(waitedMs).toBeLessThan(10_000);
  waitedMs = 0;
  await expect(onceUnblocked(() => readFile("/no/such/file"), pause)).rejects.toMatchObject({ code: "ENOENT" });
  expect(waitedMs).toBe(0);
});

test("a blocked file is tried thirty times, with pauses that grow up to a quarter of a second", async () => {
  const pauses: number[] = [];
  let tries = 0;
  const action = () => {
    tries++;
    return Promise.reject(blocked("EBUSY"));
  };
  const pause = (ms: number) => Promise.resolve(void pauses.push(ms));
  await expect(onceUnblocked(action, pause)).rejects.toMatchObject({ code: "EBUSY" });
  expect(tries).toBe(30);
  expect([pauses[0], pauses[1], pauses.at(-1), pauses.length]).toEqual([25, 50, 250, 29]);
});

test("without a pause of the caller's own it really waits between the tries", async () => {
  let tries = 0;
  const action = () => (tries++ < 2 ? Promise.reject(blocked("EPERM")) : Promise.resolve("done"));
  const started = performance.now();
  expect(await onceUnblocked(action)).toBe("done");
  expect(tries).toBe(3);
  expect(performance.now() - started).toBeGreaterThan(60);
});
