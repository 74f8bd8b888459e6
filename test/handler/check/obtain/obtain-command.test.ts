import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { clearUserFolder, lineFileOf } from "../../../../handler/check/obtain/command-place.ts";
import { cleanScript } from "../../../../handler/check/obtain/clean-script.ts";
import { markScript } from "../../../../handler/check/obtain/mark-script.ts";
import { obtainCheck } from "../../../../handler/check/obtain/obtain-check.ts";
import { startDeadline } from "../../../../handler/check/deadline.ts";
import type { CheckProgress } from "../../../../handler/verdict/outcome.ts";
import { runCommand } from "../../../../handler/check/running/run-command.ts";
import { parseFileUri } from "../../../../handler/settings/file-uri.ts";
import type { Host } from "../../../../handler/host.ts";
import { Secret } from "../../../../handler/settings/secret.ts";
import type { CommandText } from "../../../../handler/settings/settings.ts";
import { checkHost, commandSettings, fastHost } from "../../../support/check-host.ts";
import { ok, startHttpServer, status, type TestServer } from "../../../support/http-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startHttpServer();
});
afterAll(() => server.close());

const identity = { vmId: "vm-1", bootId: "boot-1" };
const line = (text: string): CommandText => ({ kind: "line", line: new Secret(text) });

interface ObtainOptions {
  readonly skipDos2Unix?: boolean;
  readonly host?: Host;
  readonly runAsUser?: string;
}

function obtain(command: CommandText, uris: readonly string[] = [], options: ObtainOptions = {}) {
  const { skipDos2Unix = false, host = fastHost(checkHost()), runAsUser } = options;
  // Others must be able to pass, as they are through the machine's own root.
  chmodSync(host.root, 0o711);
  const workFolder = join(host.root, "mine");
  const check = obtainCheck({
    host,
    workFolder,
    identity,
    handlerVersion: "1.0.0",
    deadline: { remainingMs: () => 600_000 },
    signal: new AbortController().signal,
    settings: {
      check: { ...commandSettings, command, fileUris: uris.map(parseFileUri), skipDos2Unix, runAsUser },
      storage: { kind: "anonymous" },
      proxy: undefined,
    },
  });
  return { host, workFolder, folder: join(workFolder, "download"), check };
}

/** Obtains and runs. */
async function run(
  command: CommandText,
  uris: readonly string[] = [],
  { budgetMs = 20_000, runAsUser }: { readonly budgetMs?: number; readonly runAsUser?: string } = {},
) {
  const obtained = obtain(command, uris, runAsUser === undefined ? {} : { runAsUser });
  const check = await obtained.check;
  if (check.kind !== "command") throw new Error("not a command");
  // The command itself runs in real time.
  const host = { ...checkHost(), root: obtained.host.root };
  const deadline = startDeadline({ host, budgetMs, bootId: "b", stored: undefined, persist: () => Promise.resolve() });
  const outcome = await runCommand({
    host,
    check,
    settings: { bootstrapProvider: "auto", timeoutSeconds: 20, graceSeconds: 0 },
    deadline,
    workFolder: obtained.workFolder,
    identity,
    marker: `command-${obtained.workFolder}`,
    signal: new AbortController().signal,
    told: AbortSignal.abort(),
    caller: { env: host.env, limits: host.ownLimits() },
    onProgress: () => undefined,
  });
  await deadline.close();
  return { outcome, check };
}

test("a command runs in the download folder, where its files lie, and exit 0 passes", async () => {
  server.answer("/tools/hello.sh", ok("#!/bin/sh\r\necho from $(basename $PWD)\r\n"));
  const { outcome, check } = await run(line("./hello.sh"), [`${server.origin}/tools/hello.sh?sig=x`]);
  expect(outcome).toMatchObject({ kind: "passed", output: { stdout: "from download\n" } });
  expect(check.files).toEqual([join(check.workingFolder, "hello.sh")]);
  expect(check.lineFile).toBe(join(check.workingFolder, "..", "command"));
});

test("exit 3 fails with that code, a signal is named", async () => {
  expect((await run(line("echo why >&2; exit 3"))).outcome).toMatchObject({
    kind: "failed",
    exit: { kind: "code", code: 3 },
    output: { stderr: "why\n" },
  });
  expect((await run(line("kill -9 $$"))).outcome).toMatchObject({ exit: { kind: "signal", signal: "SIGKILL" } });
});

test("a command that outlives the deadline is ended, and the outcome names what ran", async () => {
  const { outcome } = await run(line("setsid sleep 30 & wait"), [], { budgetMs: 300 });
  expect(outcome).toMatchObject({
    kind: "deadline",
    stillRunning: [expect.stringMatching(/^sleep \(pid \d+\) for \d+ s$/u)],
  });
});

test("a script is written for us alone, run by its first line, and listed for deletion", async () => {
  const script = {
    kind: "script",
    bytes: Buffer.from("#!/usr/bin/env bash\r\n[[ -n $BASH_VERSION ]] && exit 7\r\n"),
  } as const;
  const { outcome, check } = await run(script);
  expect(outcome).toMatchObject({ kind: "failed", exit: { kind: "code", code: 7 } });
  expect(check.files).toEqual([join(check.workingFolder, "script.sh")]);
  expect(statSync(check.files[0] ?? "").mode & 0o777).toBe(0o500);
});

test("two addresses with one file name are an error that names both, before anything is downloaded", async () => {
  const before = server.requests.length;
  const { check } = obtain(line("true"), [`${server.origin}/a/run.sh?sig=SECRET`, `${server.origin}/b/run.sh`]);
  await expect(check).rejects.toThrow(
    `Two of fileUris would be saved as run.sh: ${server.origin}/a/run.sh?<redacted> and ${server.origin}/b/run.sh`,
  );
  expect(server.requests.length).toBe(before);
});

test("one bad download stops the command, and nothing unfinished is left", async () => {
  server.answer("/one.sh", ok("echo one"));
  server.answer("/two.sh", status(404));
  const { check, folder } = obtain(line("true"), [`${server.origin}/one.sh`, `${server.origin}/two.sh`]);
  await expect(check).rejects.toMatchObject({ id: "downloadNotFound" });
  expect(readdirSync(folder)).toEqual([]);
});

test("a file whose name ends in .part is not destroyed by the one before the ending", async () => {
  server.answer("/x.sh.part", ok("echo part"));
  server.answer("/x.sh", ok("echo whole"));
  const { check, folder } = obtain(line("true"), [`${server.origin}/x.sh.part`, `${server.origin}/x.sh`]);
  await check;
  expect(readdirSync(folder).toSorted()).toEqual(["x.sh", "x.sh.part"]);
  expect(readFileSync(join(folder, "x.sh.part"), "utf8")).toBe("echo part");
});

test("a download in the place of the setting script is an error, not an overwrite", async () => {
  const { check } = obtain({ kind: "script", bytes: Buffer.from("true") }, [`${server.origin}/script.sh`]);
  await expect(check).rejects.toThrow("would be saved as script.sh, which is the name of the setting script");
});

test("a password with a per cent sign that begins no escape is sent as it stands", async () => {
  server.answer("/secured.sh", ok("true"));
  const address = `${server.origin}/secured.sh`.replace("://", "://me:50%off@");
  await obtain(line("true"), [address]).check;
  const sent = server.requests.at(-1)?.headers.authorization;
  expect(sent).toBe(`Basic ${Buffer.from("me:50%off").toString("base64")}`);
});

test("downloads are run again over the files of an interrupted run", async () => {
  server.answer("/again.sh", ok("echo one"), ok("echo two"));
  const first = obtain(line("true"), [`${server.origin}/again.sh`]);
  await first.check;
  expect(readFileSync(join(first.folder, "again.sh"), "utf8")).toBe("echo one");
  const second = obtain(line("true"), [`${server.origin}/again.sh`], { host: first.host });
  await second.check;
  expect(second.folder).toBe(first.folder);
  expect(readFileSync(join(second.folder, "again.sh"), "utf8")).toBe("echo two");
  expect(readdirSync(second.folder)).toEqual(["again.sh"]);
});

test.each([
  ["CRLF in a script by its name", "a.SH", "a\r\nb\r\n", "a\nb\n"],
  ["CRLF in a script by its first line", "a", "#!/bin/sh\r\nb\r\n", "#!/bin/sh\nb\n"],
  ["a byte order mark", "a", "\ufeff#!/bin/sh\n", "#!/bin/sh\n"],
])("cleanScript() corrects %s", (...[, name, text, cleaned]) => {
  expect(cleanScript(name, Buffer.from(text))?.toString()).toBe(cleaned);
});

test("cleanScript() turns UTF-16 into UTF-8", () => {
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("#!/bin/sh\r\necho ü\r\n", "utf16le")]);
  expect(cleanScript("a", bytes)?.toString()).toBe("#!/bin/sh\necho ü\n");
});

test("cleanScript() leaves data and clean scripts alone", () => {
  expect(cleanScript("data.bin", Buffer.from("a\r\nb"))).toBeUndefined();
  expect(cleanScript("a.sh", Buffer.from("a\rb\nc"))).toBeUndefined();
});

test.each([
  ["letters beyond ASCII in UTF-8", Buffer.from("'für'\r\n"), Buffer.from("\uFEFF'für'\r\n")],
  ["nothing but ASCII", Buffer.from("exit 0\r\n"), undefined],
  ["a mark already", Buffer.from("\uFEFF'für'"), undefined],
  ["UTF-16 with a mark", Buffer.from("\uFEFF'für'", "utf16le"), undefined],
  ["ANSI", Buffer.from("'für'", "latin1"), undefined],
  ["nothing", Buffer.from(""), undefined],
])("markScript() marks what Windows PowerShell 5.1 would garble: a script with %s", (_, bytes, marked) => {
  expect(markScript(bytes)).toEqual(marked);
});

test("with skipDos2Unix a script stays as it is", async () => {
  const bytes = Buffer.from("#!/bin/sh\r\n");
  const { check, folder } = obtain({ kind: "script", bytes }, [], { skipDos2Unix: true });
  await check;
  expect(readFileSync(join(folder, "script.sh")).equals(bytes)).toBe(true);
});

test("while a command runs, what it says and writes is told after 3 s and then every 15 s", async () => {
  const real = checkHost();
  const pauses: number[] = [];
  const host = {
    ...real,
    // Every pause of 15 s passes at once, three times; the others in real time.
    sleep: (ms: number, signal?: AbortSignal) => {
      pauses.push(ms);
      const hurried = ms === 3000 || (ms === 15_000 && pauses.filter((pause) => pause === 15_000).length <= 2);
      return real.sleep(hurried ? 100 : ms, signal);
    },
  };
  const told: CheckProgress[] = [];
  const workFolder = join(host.root, "mine");
  mkdirSync(workFolder);
  const outcome = await runCommand({
    host,
    check: {
      kind: "command",
      argv: ["/bin/sh", "-c", 'echo stage=joining >"$CAPZ_CHECK_OUTPUT"; echo step 1; sleep 0.6'],
      workingFolder: workFolder,
      files: [],
      removeFiles: false,
      waitsForSentinel: false,
      env: {},
      warnings: [],
    },
    caller: { env: host.env, limits: host.ownLimits() },
    settings: { bootstrapProvider: "auto", timeoutSeconds: 20, graceSeconds: 0 },
    deadline: { elapsedMs: () => 0, remainingMs: () => 20_000 },
    workFolder,
    identity,
    marker: `command-${workFolder}`,
    signal: new AbortController().signal,
    told: AbortSignal.abort(),
    onProgress: (progress) => told.push(progress),
  });
  expect(outcome).toMatchObject({ kind: "passed", report: { stage: "joining" } });
  expect(told).toHaveLength(3);
  expect(told.at(-1)).toMatchObject({ report: { stage: "joining" }, output: { stdout: "step 1\n", stderr: "" } });
});

test("a storage key is not sent over http, and the refusal says so instead of speaking of a SAS token", async () => {
  const base = checkHost();
  const host = { ...fastHost(base), fetch: () => Promise.resolve(new Response("", { status: 404 })) };
  const check = obtainCheck({
    host,
    workFolder: join(host.root, "mine"),
    identity,
    handlerVersion: "1.0.0",
    deadline: { remainingMs: () => 600_000 },
    signal: new AbortController().signal,
    settings: {
      check: {
        ...commandSettings,
        command: line("true"),
        fileUris: [parseFileUri("http://account.blob.core.windows.net/c/a.sh")],
      },
      storage: { kind: "account-key", account: "account", key: new Secret("a2V5") },
      proxy: undefined,
    },
  });
  await expect(check).rejects.toMatchObject({
    message: expect.stringContaining("was not sent, because the address is http"),
    hint: "Write https in fileUris: a key and a token are sent over https only",
  });
});

test("the same address twice is downloaded once", async () => {
  server.answer("/twice.sh", ok("#!/bin/sh\necho once\n"));
  const before = server.requests.length;
  const { outcome } = await run(line("sh twice.sh"), [`${server.origin}/twice.sh`, `${server.origin}/twice.sh`]);
  expect(outcome).toMatchObject({ kind: "passed", output: { stdout: "once\n" } });
  expect(server.requests.length - before).toBe(1);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot("runAsUser: the command runs as that user, in a folder of its own, and its files are the user's", async () => {
  server.answer("/whoami.sh", ok("#!/bin/sh\nid -un; pwd -P; echo $HOME $USER; stat -c %U whoami.sh\n"));
  const { outcome, check } = await run(line("./whoami.sh && ! cat /etc/shadow"), [`${server.origin}/whoami.sh`], {
    runAsUser: "nobody",
  });
  expect(outcome).toMatchObject({ kind: "passed" });
  if (outcome.kind !== "passed") return;
  const [user, folder, variables, owner] = outcome.output.stdout.split("\n");
  expect([user, owner]).toEqual(["nobody", "nobody"]);
  expect(variables).toMatch(/ nobody$/u);
  expect(folder).toBe(check.workingFolder);
  expect(statSync(join(check.workingFolder, "..")).mode & 0o777).toBe(0o710);
});

asRoot("runAsUser: the user cannot put a link in the place of the folder from which we remove files", async () => {
  const { outcome } = await run(
    line('cd / && mv "$OLDPWD" "$OLDPWD.away" 2>/dev/null; echo "moved: $?"; touch "$OLDPWD/own"; echo "own: $?"'),
    [],
    {
      runAsUser: "nobody",
    },
  );
  expect(outcome).toMatchObject({ kind: "passed", output: { stdout: "moved: 1\nown: 0\n" } });
});

asRoot("runAsUser: a user that does not exist is an error before anything is downloaded", async () => {
  const before = server.requests.length;
  await expect(run(line("true"), [`${server.origin}/x.sh`], { runAsUser: "no-such-user" })).rejects.toMatchObject({
    id: "commandNotStarted",
    message: expect.stringContaining('runAsUser "no-such-user": this machine has no such user'),
  });
  expect(server.requests.length).toBe(before);
});

const crlf = Buffer.from("#!/bin/sh\r\n");
test.each<[string, Buffer, string | undefined]>([
  ["a.txt", Buffer.from("a\r\nb"), "a\nb"],
  ["a.PY", Buffer.from("a\r\nb"), "a\nb"],
  ["a.pl", Buffer.from("a\r\r\nb\rc\r"), "a\r\nb\rc\r"],
  ["a.sh.bin", Buffer.from("a\r\nb"), undefined],
  ["sh", Buffer.from("a\r\nb"), undefined],
  ["a", Buffer.from("#a\r\n"), undefined],
  ["a", Buffer.from("!#a\r\n"), undefined],
  ["a", Buffer.from("#"), undefined],
  ["a.bin", Buffer.from("\uFEFFa\r\n"), undefined],
  ["a.sh", Buffer.from("\uFEFF"), ""],
  ["a.sh", Buffer.from([0xef, 0xbb, 0x61, 0x0d, 0x0a]), Buffer.from([0xef, 0xbb, 0x61, 0x0a]).toString("latin1")],
  ["a.sh", Buffer.from([0xff, 0x61, 0x0d, 0x0a]), Buffer.from([0xff, 0x61, 0x0a]).toString("latin1")],
  ["a.sh", Buffer.from([0xfe, 0x61, 0x0d, 0x0a]), Buffer.from([0xfe, 0x61, 0x0a]).toString("latin1")],
  ["a", Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from("#!a\r\n", "utf16le").swap16()]), "#!a\n"],
  ["a.sh", Buffer.from("a\nb\n"), undefined],
])("cleanScript() of %s: %#", (...[name, bytes, cleaned]) => {
  expect(cleanScript(name, bytes)?.toString("latin1")).toBe(cleaned);
});

/** A Windows machine in the place of this one: where files lie and what runs them. */
function windowsHost(): Host {
  const base = fastHost(checkHost());
  const platform: Host["platform"] = {
    ...base.platform,
    name: "windows",
    shell: (text) => ["cmd.exe", "/c", text],
    interpreter: (path) => ["powershell.exe", path],
  };
  return { ...base, platform };
}

test("on Windows a line is the shell's own argument, and nothing is written for it", async () => {
  const { check, folder, workFolder } = obtain(line("dir & ver"), [], { host: windowsHost() });
  expect(await check).toEqual({
    kind: "command",
    argv: ["cmd.exe", "/c", "dir & ver"],
    workingFolder: folder,
    files: [],
    removeFiles: false,
    waitsForSentinel: false,
    env: {},
    warnings: [],
  });
  expect(readdirSync(workFolder)).toEqual(["download"]);
});

test("on Windows a script is PowerShell's, keeps its line ends and gets the mark that it needs", async () => {
  const bytes = Buffer.from("'für'\r\n");
  const own = obtain({ kind: "script", bytes }, [], { host: windowsHost() });
  const path = join(own.folder, "script.ps1");
  expect(await own.check).toMatchObject({ argv: ["powershell.exe", path], files: [path] });
  expect(readFileSync(path, "utf8")).toBe("\uFEFF'für'\r\n");
  const plain = obtain({ kind: "script", bytes }, [], { host: windowsHost(), skipDos2Unix: true });
  await plain.check;
  expect(readFileSync(join(plain.folder, "script.ps1")).equals(bytes)).toBe(true);
});

test("names of files that differ in their letters' size are one name on Windows, and two elsewhere", async () => {
  server.answer("/a/Run.sh", ok(crlf));
  server.answer("/b/run.sh", ok(crlf));
  const uris = [`${server.origin}/a/Run.sh`, `${server.origin}/b/run.sh`];
  await expect(obtain(line("x"), uris, { host: windowsHost() }).check).rejects.toMatchObject({
    message: expect.stringContaining("Two of fileUris would be saved as run.sh"),
    hint: "Give one of the two files another name",
  });
  const linux = obtain(line("x"), uris);
  await linux.check;
  expect(readdirSync(linux.folder).toSorted()).toEqual(["Run.sh", "run.sh"]);
  expect(readFileSync(join(linux.folder, "run.sh"), "utf8")).toBe("#!/bin/sh\n");
  const windows = obtain(line("x"), uris.slice(0, 1), { host: windowsHost() });
  await windows.check;
  expect(readFileSync(join(windows.folder, "Run.sh")).equals(crlf)).toBe(true);
  const script = { kind: "script", bytes: Buffer.from("exit 0") } as const;
  const taken = obtain(script, [`${server.origin}/SCRIPT.PS1`], { host: windowsHost() });
  await expect(taken.check).rejects.toMatchObject({
    message: `${server.origin}/SCRIPT.PS1 would be saved as SCRIPT.PS1, which is the name of the setting script`,
    hint: "Give the file another name",
  });
  server.answer("/script.sh", ok("true"));
  expect((await obtain(line("true"), [`${server.origin}/script.sh`]).check).kind).toBe("command");
});

test("on Windows the files of blobs lie in the folders of their addresses, so equal names do not collide", async () => {
  const uris = ["one/run.ps1", "two/run.ps1", "top.ps1"].map((path) => `https://acc.blob.core.windows.net/box/${path}`);
  const host = {
    ...windowsHost(),
    fetch: (url: Parameters<Host["fetch"]>[0]) => Promise.resolve(new Response(typeof url === "string" ? url : "")),
  };
  const { check, folder } = obtain(line("powershell -File one\\run.ps1"), uris, { host });
  const places = ["one/run.ps1", "two/run.ps1", "top.ps1"].map((place) => join(folder, place));
  expect(await check).toMatchObject({ workingFolder: folder, files: places });
  expect(places.map((place) => readFileSync(place, "utf8"))).toEqual(uris);
});

test("with skipDos2Unix a downloaded file stays as it is, and so does one that is too large for a script", async () => {
  server.answer("/own.sh", ok(crlf));
  const own = obtain(line("true"), [`${server.origin}/own.sh`], { skipDos2Unix: true });
  await own.check;
  expect(readFileSync(join(own.folder, "own.sh")).equals(crlf)).toBe(true);
  for (const [size, isCleaned] of [
    [4 * 1024 * 1024, true],
    [4 * 1024 * 1024 + 1, false],
  ] as const) {
    server.answer("/large.sh", ok(Buffer.concat([crlf, Buffer.alloc(size - crlf.length, "x")])));
    const large = obtain(line("true"), [`${server.origin}/large.sh`]);
    await large.check;
    expect(statSync(join(large.folder, "large.sh")).size).toBe(isCleaned ? size - 1 : size);
    expect(statSync(join(large.folder, "large.sh")).mode & 0o777).toBe(0o500);
    expect(readdirSync(large.folder)).toEqual(["large.sh"]);
  }
});

test("a pinned file is taken if it is that file; one address with two pins is an error", async () => {
  server.answer("/pinned.sh", ok("true"));
  const address = (text: string) =>
    `${server.origin}/pinned.sh#sha256=${createHash("sha256").update(text).digest("hex")}`;
  const good = obtain(line("true"), [address("true"), address("true")]);
  expect((await good.check).kind).toBe("command");
  const bad = obtain(line("true"), [address("false")]);
  await expect(bad.check).rejects.toMatchObject({ id: "checkUntrusted" });
  expect(readdirSync(bad.folder)).toEqual([]);
  await expect(obtain(line("true"), [address("true"), `${server.origin}/pinned.sh`]).check).rejects.toThrow(
    "Two of fileUris would be saved as pinned.sh",
  );
});

test("a folder's name with an apostrophe does not end the quotes, and the line is in a file of ours alone", async () => {
  const base = checkHost();
  const root = join(base.root, "it's");
  mkdirSync(root);
  const own = obtain(line("echo $0 $#"), [], { host: { ...fastHost(base), root } });
  const check = await own.check;
  if (check.kind !== "command") throw new Error("not a command");
  const file = join(own.workFolder, "command");
  expect(check.argv.at(-1)).toBe(`. '${root.replace("'", String.raw`'\''`)}/mine/command'`);
  // Nothing is added: a backslash at the end would join with it.
  expect(readFileSync(file, "utf8")).toBe("echo $0 $#");
  expect(statSync(file).mode & 0o777).toBe(0o500);
  expect(statSync(own.folder).mode & 0o777).toBe(0o700);
});

test("a place that cannot be made is told by its name, and what lay in it before is gone", async () => {
  const own = obtain(line("true"));
  await own.check;
  mkdirSync(join(own.folder, "left/over"), { recursive: true });
  await obtain(line("true"), [], { host: own.host }).check;
  expect(readdirSync(own.folder)).toEqual([]);
  const host = fastHost(checkHost());
  writeFileSync(join(host.root, "mine"), "");
  await expect(obtain(line("true"), [], { host }).check).rejects.toMatchObject({
    id: "stateUnwritable",
    message: expect.stringMatching(/^Cannot use .*\/mine\/download: .*not a directory/u),
  });
});

test("a system that has no other users says so", async () => {
  const host = fastHost(checkHost());
  const platform = { ...host.platform };
  Reflect.deleteProperty(platform, "findUser");
  await expect(
    obtain(line("true"), [], { host: { ...host, platform }, runAsUser: "nobody" }).check,
  ).rejects.toMatchObject({
    message: 'Cannot run the command as runAsUser "nobody": this system cannot run a command as another user',
    hint: expect.stringContaining("remove runAsUser"),
  });
});

/** The user is ourselves, so that anybody may give files to it. */
function hostWithUser(): Host {
  const base = fastHost(checkHost());
  const user = {
    kind: "found",
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    home: "/home/capz",
    prefix: ["/usr/bin/env"],
  } as const;
  return { ...base, platform: { ...base.platform, findUser: () => Promise.resolve(user) } };
}

test("another user's command has a folder that others may only pass to, and what lay there before is gone", async () => {
  const host = hostWithUser();
  server.answer("/own.sh", ok("true"));
  const first = await obtain(line("true"), [`${server.origin}/own.sh`], { host, runAsUser: "capz" }).check;
  if (first.kind !== "command") throw new Error("not a command");
  const users = host.platform.paths(host.root).userFiles;
  const base = join(first.workingFolder, "..");
  expect(join(base, "..")).toBe(users);
  expect([users, base, first.workingFolder].map((path) => statSync(path).mode & 0o777)).toEqual([0o711, 0o710, 0o700]);
  expect(first.env).toEqual({ HOME: "/home/capz", USER: "capz", LOGNAME: "capz" });
  expect(first.argv[0]).toBe("/usr/bin/env");
  expect(first.lineFile).toBe(join(base, "command"));
  expect(lineFileOf(host, join(host.root, "mine"), { runAsUser: "capz" })).toBe(first.lineFile);
  expect(lineFileOf(host, "/w/mine", {})).toBe("/w/mine/command");
  writeFileSync(join(base, "left-over"), "");
  mkdirSync(join(host.root, "mine"), { recursive: true });
  await obtain(line("true"), [], { host, runAsUser: "capz" }).check;
  expect(readdirSync(base).toSorted()).toEqual(["command", "download"]);
  expect(readdirSync(first.workingFolder)).toEqual([]);
  expect(existsSync(join(host.root, "mine/removed-user-files"))).toBe(false);
});

test("a link in the place of another user's folder is removed, and not what it leads to", async () => {
  const host = hostWithUser();
  const elsewhere = mkdtempSync(join(tmpdir(), "capz-elsewhere-"));
  writeFileSync(join(elsewhere, "kept"), "");
  const folder = join(lineFileOf(host, join(host.root, "instance/mine"), { runAsUser: "capz" }), "..");
  const own = join(host.root, "private");
  for (const isThere of [true, false]) {
    mkdirSync(join(folder, ".."), { recursive: true });
    symlinkSync(elsewhere, folder);
    if (isThere) mkdirSync(own);
    await clearUserFolder(host, join(host.root, "instance"), isThere ? own : join(own, "none"));
    expect(readdirSync(join(folder, ".."))).toEqual([]);
    expect(readdirSync(own)).toEqual([]);
  }
  expect(readdirSync(elsewhere)).toEqual(["kept"]);
});
