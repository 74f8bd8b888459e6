import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import {
  answerLog,
  answerMentions,
  answerNames,
  answerPath,
  answerText,
  type FileView,
} from "../../../../handler/check/answers/file-answers.ts";
import { decodeEnd, decodeFront } from "../../../../handler/check/answers/decode-part.ts";
import { directCalls, threadCalls } from "../../../../handler/check/answers/file-calls.ts";
import { createFileGate } from "../../../../handler/check/answers/file-gate.ts";
import { openFilesBelow } from "../../../support/open-files.ts";

const root = mkdtempSync(join(tmpdir(), "capz-answers-"));

/** Both ways to a file: directly, and through the file threads. */
const ways = [true, false].map((isLocal) => [isLocal ? "directly" : "through a thread", view(isLocal)] as const);

function view(isLocal: boolean): FileView {
  return { root, gate: createFileGate(), isLocal, isCopy: false };
}

function put(path: string, content: string | Buffer): string {
  const file = join(root, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, content);
  return `/${path}`;
}

const absent = { kind: "known", value: { kind: "absent" } };

test.each(ways)("a path is a file, a folder, something else, or not there (%s)", async (_, files) => {
  const file = put("etc/one/file", "four");
  utimesSync(join(root, file), 100, 100);
  execFileSync("mkfifo", ["-m", "600", join(root, `etc/one/pipe-${String(files.isLocal)}`)]);
  const kindOf = async (path: string) => {
    const answer = await answerPath(files, path);
    return answer.kind === "known" ? answer.value.kind : answer.why;
  };
  expect(await answerPath(files, file)).toMatchObject({
    value: {
      kind: "file",
      size: 4,
      modifiedMs: 100_000,
      changedMs: expect.closeTo(Date.now(), -5) as unknown,
      createdMs: expect.closeTo(Date.now(), -5) as unknown,
    },
  });
  expect(await kindOf("/etc/one")).toBe("folder");
  expect(await kindOf(`/etc/one/pipe-${String(files.isLocal)}`)).toBe("other");
  expect(await kindOf("/etc/none")).toBe("absent");
  expect(await kindOf(`${file}/below`)).toBe("absent");
});

test.each(ways)(
  "below a root that is a copy the inode's time is the copy's, so the content's stands for it (%s)",
  async (_, files) => {
    const file = put("etc/copied", "x");
    utimesSync(join(root, file), 50, 50);
    const answer = await answerPath({ ...files, isCopy: true }, file);
    expect(answer).toEqual({ kind: "known", value: { kind: "file", size: 1, modifiedMs: 50_000, changedMs: 50_000 } });
  },
);

test.each(ways)("a path that leads out of the root, or is none, cannot be told (%s)", async (_, files) => {
  for (const path of ["etc/x", "/etc/../../x", "", "/a\0b", `/${"x".repeat(2000)}`, "C:relative"]) {
    const why = expect.stringContaining("it is not an absolute path") as unknown;
    expect(await answerPath(files, path)).toEqual({ kind: "cannot-tell", why });
    expect(await answerText(files, path)).toEqual({ kind: "cannot-tell", why });
  }
});

test.each(ways)("a path of Windows lies below the root (%s)", async (_, files) => {
  put("run/cluster-api/done", "");
  expect(await answerPath(files, "C:\\run\\cluster-api\\done")).toMatchObject({ value: { kind: "file" } });
});

const mark = Buffer.from([0xff, 0xfe]);
test.each([
  ["UTF-8", Buffer.from("größe\n")],
  ["UTF-8 with a mark", Buffer.from("\uFEFFgröße\n")],
  ["UTF-16", Buffer.concat([mark, Buffer.from("größe\n", "utf16le")])],
  ["UTF-16 without a mark", Buffer.from("größe\n", "utf16le")],
  ["UTF-16 of the other order", Buffer.from("\uFEFFgröße\n", "utf16le").swap16()],
])("a text in %s is decoded", async (_, bytes) => {
  const path = put("texts/one", bytes);
  for (const [, files] of ways) {
    expect(await answerText(files, path)).toEqual({
      kind: "known",
      value: { kind: "text", text: "größe\n", cut: false },
    });
    expect(await answerLog(files, path)).toEqual({
      kind: "known",
      value: { kind: "text", text: "größe\n", cut: false },
    });
  }
});

test.each(ways)("a text is bounded, whatever the check asks for (%s)", async (_, files) => {
  const path = put("texts/long", "x".repeat(100_000));
  const answer = await answerText(files, path, 10_000_000);
  expect(answer).toMatchObject({ value: { cut: true } });
  expect(answer.kind === "known" && answer.value.kind === "text" ? answer.value.text.length : 0).toBe(64 * 1024);
  expect(await answerText(files, path, 3)).toEqual({ kind: "known", value: { kind: "text", text: "xxx", cut: true } });
});

test.each(ways)("of a log the newest part is told, begun at a line (%s)", async (_, files) => {
  const path = put("log/one", "first line\nsecond ä line\nlast line\n");
  expect(await answerLog(files, path, 20)).toMatchObject({ value: { text: "last line\n", cut: true } });
  const wide = put("log/wide", Buffer.concat([mark, Buffer.from("first\nsecond\nthird\n", "utf16le")]));
  expect(await answerLog(files, wide, 20)).toMatchObject({ value: { text: "third\n", cut: true } });
  const oneLine = put("log/line", `${"y".repeat(50)}end`);
  expect(await answerLog(files, oneLine, 10)).toMatchObject({ value: { text: "yyyyyyend", cut: true } });
});

test.each(ways)("a log of 100 MB costs as little as a small one (%s)", async (_, files) => {
  const path = put(`log/huge-${String(files.isLocal)}`, "");
  const file = await open(join(root, path), "w");
  await file.truncate(100_000_000);
  await file.write("\nlast line\n", 99_999_989);
  await file.close();
  const before = process.memoryUsage().arrayBuffers;
  expect(await answerLog(files, path)).toMatchObject({ value: { text: "last line\n", cut: true } });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4_000_000);
});

test.each(ways)("what is no file has no text (%s)", async (_, files) => {
  const pipe = `log/pipe-${String(files.isLocal)}`;
  mkdirSync(join(root, "log"), { recursive: true });
  execFileSync("mkfifo", [join(root, pipe)]);
  symlinkSync("loop", join(root, `log/${String(files.isLocal)}-loop`));
  symlinkSync(`${String(files.isLocal)}-loop`, join(root, "log", "loop-" + String(files.isLocal)));
  const why = { kind: "cannot-tell", why: "it is not a regular file" };
  expect(await answerText(files, `/${pipe}`)).toEqual(why);
  expect(await answerLog(files, `/${pipe}`)).toEqual(why);
  expect(await answerMentions(files, `/${pipe}`, ["x"])).toEqual(why);
  expect((await answerText(files, "/log")).kind).toBe("cannot-tell");
  expect(await answerText(files, "/log/none")).toEqual(absent);
  expect(await answerLog(files, "/log/none")).toEqual(absent);
});

test.each(ways)("only the words that a file holds are told of it (%s)", async (_, files) => {
  const path = put("scripts/part-001", "#!/bin/sh\nkubeadm join --token abcdef.0123456789abcdef\n");
  expect(await answerMentions(files, path, ["kubeadm", "k3s", "join"])).toEqual({
    kind: "known",
    value: { kind: "mentions", words: ["kubeadm", "join"] },
  });
  expect(await answerMentions(files, "/scripts/none", ["kubeadm"])).toEqual(absent);
});

test.each(ways)("of a folder with 10,000 names the first thousand are told, in their order (%s)", async (_, files) => {
  const folder = join(root, "many");
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < 10_000; index++) writeFileSync(join(folder, `n${String(index).padStart(5, "0")}`), "");
  const answer = await answerNames(files, "/many");
  const names = answer.kind === "known" && answer.value.kind === "names" ? answer.value.names : [];
  expect(names).toHaveLength(1000);
  expect([names[0], names[999]]).toEqual(["n00000", "n00999"]);
  expect(await answerNames(files, "/none")).toEqual(absent);
  expect((await answerNames(files, put("a-file", ""))).kind).toBe("known");
});

const partOf = (
  bytes: readonly number[] | string,
  more: { readonly head?: readonly number[]; readonly cut?: boolean },
) => {
  const own = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : Buffer.from(bytes);
  return { bytes: own, head: Buffer.from(more.head ?? own.subarray(0, 3)), from: 0, cut: more.cut ?? false };
};

test.each([
  ["a mark", [0xff, 0xfe, 0x61, 0], "a"],
  ["a mark of the other order", [0xfe, 0xff, 0, 0x61], "a"],
  ["a mark of the other order and half a letter", [0xfe, 0xff, 0, 0x61, 0], "a"],
  ["a mark of UTF-8", [0xef, 0xbb, 0xbf, 0x61], "a"],
  ...[
    [0xff, 0x61],
    [0x61, 0xfe],
    [0xfe, 0x61],
    [0x61, 0xff],
    [0xef, 0xbb, 0x61],
    [0xef, 0x61, 0xbf],
    [0x61, 0xbb, 0xbf],
  ].map((bytes) => ["half a mark", bytes, Buffer.from(bytes).toString("utf8")] as const),
  ["zeros between letters", [0x61, 0, 0x62, 0], "ab"],
  ["zeros before letters", [0, 0x61, 0, 0x62], "ab"],
  ["too little to tell", [0x61, 0, 0x62], "a\0b"],
  ["zeros on both sides", [0x61, 0, 0x62, 0, 0, 0x63, 0x64, 0], "a\0b\0\0cd\0"],
  ["zeros on both sides, most before letters", [0, 0x61, 0, 0x62, 0, 0, 0, 0x63], "\0a\0b\0\0\0c"],
  ["few zeros", [0x61, 0, 0x62, 0, 0x63, 0x64, 0x65, 0x66], "a\0b\0cdef"],
  ["few zeros before letters", [0, 0x61, 0, 0x62, 0x63, 0x64, 0x65, 0x66], "\0a\0bcdef"],
])("a text with %s is decoded", (_, bytes, text) => {
  expect(decodeFront(partOf(bytes, {}))).toBe(text);
  expect(decodeEnd(partOf(bytes, {}))).toBe(text);
});

test.each([
  ["x\nab\ncd", {}, "ab\ncd"],
  ["abc", {}, "abc"],
  ["abc\n", {}, "abc\n"],
  ["\nabc", {}, "abc"],
  ["\x9f\x9a\x80a", {}, "a"],
  ["\x80\x80\x80\x80a", {}, "\ufffda"],
  ["a\x80", {}, "a\ufffd"],
  ["x\0\n\0a\0b\0", { head: [0xff, 0xfe, 0x61] }, "ab"],
  ["\x80\0a\0", { head: [0xff, 0xfe, 0x61] }, "\u0080a"],
])("the end %j of a longer text begins at a line, else at a character", (bytes, more, text) => {
  expect(decodeEnd(partOf(bytes, { ...more, cut: true }))).toBe(text);
});

const calls = [
  ["directly", directCalls],
  ["through a thread", threadCalls],
] as const;

test.each(calls)(
  "as many names as are wanted are read of a folder, which is closed whatever happens (%s)",
  async (_, { names }) => {
    const folder = join(root, "named");
    mkdirSync(folder, { recursive: true });
    for (const name of ["a", "b", "c"]) writeFileSync(join(folder, name), "");
    for (const [most, found] of [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 3],
    ] as const)
      expect(new Set(await names(folder, most)).size).toBe(found);
    expect([...(await names(folder, 9))].toSorted()).toEqual(["a", "b", "c"]);
    await expect(Promise.resolve().then(() => names(join(folder, "a"), 9))).rejects.toThrow("ENOTDIR");
    expect(openFilesBelow(root)).toEqual([]);
  },
);

test.each(calls)(
  "a file is read from where it is asked for, and is closed after it (%s)",
  async (_, { open: openFile }) => {
    put("read/here", "0123456789");
    const file = await openFile(join(root, "read/here"));
    const into = Buffer.alloc(4, "-");
    expect(await file.read(into, 3)).toBe(4);
    expect(into.toString()).toBe("3456");
    expect(await file.read(into, 8)).toBe(2);
    expect(into.toString()).toBe("8956");
    expect(await file.read(into, 10)).toBe(0);
    expect((await file.stat()).size).toBe(10);
    expect(openFilesBelow(root)).toHaveLength(1);
    await file.close();
    expect(openFilesBelow(root)).toEqual([]);
  },
);

test.each(ways)(
  "of a folder with a few names more than are told, the first are told in their order (%s)",
  async (_, files) => {
    const folder = join(root, `some-${String(files.isLocal)}`);
    mkdirSync(folder);
    for (let index = 0; index <= 1000; index++) writeFileSync(join(folder, `n${String(index).padStart(4, "0")}`), "");
    writeFileSync(join(folder, "A"), "");
    const answer = await answerNames(files, `/some-${String(files.isLocal)}`);
    const names = answer.kind === "known" && answer.value.kind === "names" ? answer.value.names : [];
    expect([names.length, names[0], names[1], names[999]]).toEqual([1000, "A", "n0000", "n0998"]);
    expect(names).toEqual([...names].sort());
    expect(await answerNames(files, "/none")).toEqual(absent);
  },
);

test.each(ways)("what cannot be looked at is not told as absent, and no file stays open (%s)", async (_, files) => {
  const path = put("shut/one", "xxx");
  const long = `/${"x".repeat(300)}`;
  const why = { kind: "cannot-tell", why: "ENAMETOOLONG" };
  expect(await answerPath(files, long)).toEqual(why);
  expect(await answerText(files, long)).toEqual(why);
  expect(await answerNames(files, long)).toEqual(why);
  expect(await answerText(files, path, 3)).toEqual({ kind: "known", value: { kind: "text", text: "xxx", cut: false } });
  await answerText(files, path);
  await answerLog(files, path);
  await answerMentions(files, path, ["x"]);
  expect(openFilesBelow(join(root, "shut"))).toEqual([]);
});

test.each([
  ["a file", "/etc/hostname-of-nobody", false, 1],
  ["a file of a machine with local file systems alone", "/etc/hostname-of-nobody", true, 0],
  ["kernel memory", "/proc/uptime", false, 0],
])("%s is asked for through the gate so many times: %#", async (...[, path, isLocal, times]) => {
  let passed = 0;
  const gate = {
    pass: <Value>(work: () => Promise<Value>) => {
      passed += 1;
      return work();
    },
  };
  await answerText({ root: "/", gate, isLocal, isCopy: false }, path);
  expect(passed).toBe(times);
});
