import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import AdmZip from "adm-zip";
import { waitUntil } from "../../support/wait-until.ts";

const mebibyte = 1024 * 1024;
const entryBytes = 400 * mebibyte;

let folder = "";
let zip = "";

/** A source of the project, for an import in a program of another process. */
function module(path: string): string {
  return JSON.stringify(join(process.cwd(), path));
}

/** A log of 400 MiB in a zip of some hundred kilobytes, made in pieces: the test must not need the memory that it says is not needed. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capz-large-zip-test-"));
  zip = join(folder, "node.zip");
  const piece = Buffer.alloc(mebibyte);
  const deflate = createDeflateRaw();
  const packed: Buffer[] = [];
  deflate.on("data", (part: Buffer) => packed.push(part));
  let sum = 0;
  for (let bytes = 0; bytes < entryBytes; bytes += mebibyte) {
    sum = crc32(piece, sum);
    if (!deflate.write(piece)) await once(deflate, "drain");
  }
  deflate.end();
  await once(deflate, "end");
  writeFileSync(zip, zipOf("var/log/large.log", { packed: Buffer.concat(packed), size: entryBytes, sum }));
});

/** APPNOTE.TXT 4.3: local header, data, central directory, its end. */
function zipOf(
  name: string,
  { packed, size, sum }: { readonly packed: Buffer; readonly size: number; readonly sum: number },
): Buffer {
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(8, 4);
  shared.writeUInt32LE(sum, 10);
  shared.writeUInt32LE(packed.length, 14);
  shared.writeUInt32LE(size, 18);
  shared.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), shared, Buffer.from(name), packed]);
  const central = Buffer.concat([
    Buffer.from("PK\u0001\u0002\u0014\u0000"),
    shared,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, central, Buffer.from("PK\u0005\u0006"), end]);
}

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test("a large entry of a zip is unpacked in pieces: memory does not grow with it", () => {
  const target = mkdtempSync(join(folder, "target-"));
  const program = [
    `import { unpackArchive } from ${module("handler/copies/unpack-archive.ts")};`,
    `const { files } = await unpackArchive(${JSON.stringify(zip)}, { kind: "zip", folder: ${JSON.stringify(target)} });`,
    // Not resourceUsage(): that counts what the process had been before it became Node, a copy of the one that starts it.
    `import { readFileSync } from "node:fs";`,
    `const peak = Number(/^VmHWM:\\s+(\\d+)/m.exec(readFileSync("/proc/self/status", "utf8"))[1]) * 1024;`,
    `console.log(JSON.stringify({ files, peak }));`,
  ].join("\n");
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  expect(stderr).toBe("");
  const { files, peak } = JSON.parse(stdout) as { readonly files: number; readonly peak: number };
  expect(files).toBe(1);
  expect(peak).toBeLessThan(entryBytes / 2);
  rmSync(target, { recursive: true });
});

test("an entry that declares less than it holds is inflated no further than that, and one that declares more is damaged", async () => {
  const { unpackArchive } = await import("../../../handler/copies/unpack-archive.ts");
  const content = Buffer.from("0123456789".repeat(100_000));
  const packed = deflateRawSync(content);
  for (const declared of [1000, content.length + 1]) {
    const made = new AdmZip();
    made.addFile("a.log", Buffer.from("a"));
    made.addFile("var/log/lies.log", content);
    const bytes = made.toBuffer();
    const central = bytes.lastIndexOf("PK\u0001\u0002", undefined, "latin1");
    expect(bytes.readUInt32LE(central + 16)).toBe(crc32(content));
    expect(bytes.readUInt32LE(central + 20)).toBe(packed.length);
    bytes.writeUInt32LE(declared, central + 24);
    const path = join(folder, "lies.zip");
    writeFileSync(path, bytes);
    const target = mkdtempSync(join(folder, "lies-"));
    const { files, notes } = await unpackArchive(path, { kind: "zip", folder: target });
    expect(files).toBe(1);
    expect(notes.join()).toMatch(declared === 1000 ? /holds more than it declares/u : /checksum is wrong/u);
    expect(readdirSync(join(target, "var/log"))).toEqual([]);
  }
});

test("a zip that is too large to be read is told with the limit and the way out", async () => {
  const { openCopies } = await import("../../../handler/copies/open-copies.ts");
  const limits = { bytes: mebibyte, entries: 10, zipBytes: 1000 };
  await expect(openCopies(zip, limits)).rejects.toThrow(
    /a zip may have 1000 bytes at most\. Next: Run "unzip node\.zip" in an empty folder, and name that folder\.$/u,
  );
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s in the middle of diagnose leaves no copies of logs behind",
  async (name) => {
    const temporary = mkdtempSync(join(folder, "tmp-"));
    const program = [
      `import { createHost } from ${module("handler/create-host.ts")};`,
      `import { linux } from ${module("handler/platform/linux.ts")};`,
      `import { runDiagnose } from ${module("handler/operations/people/run-diagnose.ts")};`,
      `const options = { format: "text", probes: false, rules: "scripts/rules.json" };`,
      `await runDiagnose(createHost(linux), { ...options, places: [${JSON.stringify(zip)}] });`,
    ].join("\n");
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      env: { ...process.env, TMPDIR: temporary },
      stdio: "ignore",
    });
    const ended = once(child, "exit");
    await waitUntil(
      "the large log to be unpacked",
      () => {
        const [copy] = readdirSync(temporary);
        return Promise.resolve(copy !== undefined && existsSync(join(temporary, copy, "var/log/large.log")));
      },
      { everyMs: 1 },
    );
    child.kill(name);
    expect(await ended).toEqual([null, name]);
    expect(readdirSync(temporary)).toEqual([]);
  },
);
