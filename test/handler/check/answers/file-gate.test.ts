import { expect, test } from "@jest/globals";
import { createFileGate } from "../../../../handler/check/answers/file-gate.ts";

const never = () => new Promise<never>(() => undefined);

test("two questions at most are in the file threads at the same time", async () => {
  const gate = createFileGate();
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, (inside += 1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    inside -= 1;
    return "done";
  };
  expect(await Promise.all(Array.from({ length: 7 }, () => gate.pass(work)))).toEqual(Array(7).fill("done"));
  expect(most).toBe(2);
});

test("questions that a file system does not answer are given up, and none is put to it after that", async () => {
  const gate = createFileGate(20);
  const ends = await Promise.allSettled([gate.pass(never), gate.pass(never), gate.pass(never)]);
  expect(ends.map((end) => (end.status === "rejected" ? String(end.reason) : ""))).toEqual([
    "Error: the file system gave no answer within 20 ms",
    "Error: the file system gave no answer within 20 ms",
    "Error: earlier questions to the file system have no answer yet",
  ]);
  await expect(gate.pass(() => Promise.resolve(1))).rejects.toThrow("earlier questions");
});

test("one silent file system leaves a place for the others, and a late answer gives its place back", async () => {
  const gate = createFileGate(20);
  let answer: (value: number) => void = () => undefined;
  const silent = gate.pass(() => new Promise<number>((resolve) => (answer = resolve)));
  await expect(silent).rejects.toThrow("within 20 ms");
  expect(await gate.pass(() => Promise.resolve(2))).toBe(2);
  await expect(gate.pass(never)).rejects.toThrow("within 20 ms");
  await expect(gate.pass(() => Promise.resolve(3))).rejects.toThrow("earlier questions");
  answer(1);
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(await gate.pass(() => Promise.resolve(4))).toBe(4);
  await expect(gate.pass(never)).rejects.toThrow("within 20 ms");
  await expect(gate.pass(() => Promise.resolve(5))).rejects.toThrow("earlier questions");
});

test("who waited counts like any other when it has its place", async () => {
  const gate = createFileGate();
  const ends: (() => void)[] = [];
  const work = () =>
    new Promise<void>((resolve) => {
      ends.push(resolve);
    });
  const turns = () => new Promise((resolve) => setImmediate(resolve));
  const all = [gate.pass(work), gate.pass(work), gate.pass(work)];
  expect(ends).toHaveLength(2);
  ends[0]?.();
  await turns();
  expect(ends).toHaveLength(3);
  all.push(gate.pass(work), gate.pass(work));
  await turns();
  expect(ends).toHaveLength(3);
  for (let end = 1; end < 5; end += 1) {
    ends[end]?.();
    await turns();
  }
  expect(await Promise.all(all)).toHaveLength(5);
});

test("one silence refuses nobody who waits for the other place", async () => {
  const gate = createFileGate(200);
  const silent = gate.pass(never).catch(String);
  await new Promise((resolve) => setTimeout(resolve, 100));
  let end: () => void = () => undefined;
  const busy = gate.pass(() => new Promise<void>((resolve) => (end = resolve)));
  const waits = gate.pass(() => Promise.resolve("done"));
  expect(await silent).toContain("within 200 ms");
  end();
  await busy;
  expect(await waits).toBe("done");
});

test("a question that fails gives its place back", async () => {
  const gate = createFileGate();
  for (let round = 0; round < 5; round++) {
    await expect(gate.pass(() => Promise.reject(new Error("EIO")))).rejects.toThrow("EIO");
  }
});
