import { copyFile, mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "@jest/globals";
import { createHost, ownPlatform } from "../../../handler/create-host.ts";
import { runExplain } from "../../../handler/operations/people/run-explain.ts";

const host = createHost(await ownPlatform());
const line =
  "Bootstrap failed (DnsResolutionFailed) in kubeadm join after 74 s: no such host. Next: Link the DNS zone.";

test("runExplain reads a file and prints for a person", async () => {
  const file = join(await mkdtemp(join(tmpdir(), "explain-")), "answer.txt");
  await writeFile(file, line);
  const result = await runExplain(host, { file, json: false });
  expect(result).toMatchObject({ exitCode: 0 });
  expect(result.text).toContain("Verdict:    failed (DnsResolutionFailed) in kubeadm join after 74 s");
});

test("runExplain reads standard input for a dash and prints JSON, the refusal included", async () => {
  const good = await runExplain(host, { file: "-", json: true, input: chunks(line.slice(0, 30), line.slice(30)) });
  expect(JSON.parse(good.text)).toMatchObject({ kind: "explained" });
  const bad = await runExplain(host, { file: "-", json: true, input: chunks("hello") });
  expect(bad.exitCode).toBe(64);
  expect(JSON.parse(bad.text)).toMatchObject({ kind: "not-understood" });
});

test("runExplain tells what it accepts", async () => {
  const result = await runExplain(host, { file: "-", json: false, input: chunks("") });
  expect(result).toMatchObject({ exitCode: 64 });
  expect(result.text).toMatch(
    /It is empty: the command before the pipe printed nothing\. .*2>&1.*Accepted: the instance view/u,
  );
});

test("runExplain reads the words of others with the rules of the package, and its own without them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "explain-"));
  await mkdir(join(folder, "bundle"));
  await copyFile(join(import.meta.dirname, "../../../scripts/rules.json"), join(folder, "bundle/rules.json"));
  const words = () => chunks("curl: (6) Could not resolve host: files.prod.internal");
  const read = await runExplain({ ...host, programFolder: folder }, { file: "-", json: false, input: words() });
  expect(read.text).toContain("failed (DnsResolutionFailed)");
  const unread = await runExplain({ ...host, programFolder: "/nowhere" }, { file: "-", json: false, input: words() });
  expect(unread.exitCode).toBe(64);
});

test("runExplain names a file that cannot be read", async () => {
  const result = await runExplain(host, { file: "/nowhere/answer.json", json: false });
  expect(result).toMatchObject({ exitCode: 64 });
  expect(result.text).toMatch(/^Cannot read \/nowhere\/answer\.json: .*ENOENT/);
});

test("runExplain takes text as well as bytes, and says of standard input when that cannot be read", async () => {
  const text = await runExplain(host, { file: "-", json: true, input: Readable.from([line]) });
  expect(JSON.parse(text.text)).toMatchObject({ kind: "explained" });
  const broken = new Readable({ read: () => broken.destroy(new Error("cut off")) });
  const { exitCode, text: said } = await runExplain(host, { file: "-", json: false, input: broken });
  expect([exitCode, said]).toEqual([64, 'Cannot read standard input: cut off. Name a file, or "-" and pipe the text.']);
});

async function* chunks(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part, "utf8"));
}
