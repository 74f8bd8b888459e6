import { beforeAll, expect, test } from "@jest/globals";
import { mkdir, mkdtemp, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunProcess } from "../../../handler/host.ts";
import { decryptLinux } from "../../../handler/platform/decrypt-linux.ts";
import { runProcess } from "../../../handler/process/run-process.ts";
import { openProtectedSettings } from "../../../handler/settings/protected-settings.ts";

/** A machine as the agent leaves it: certificate and key lie two levels above the config folder. */
interface Machine {
  readonly library: string;
  readonly configFolder: string;
  readonly thumbprint: string;
  readonly certificate: string;
  readonly key: string;
}

const secret = "hunter2-hunter2";
const settings = { commandToExecute: `echo ${secret}`, fileUris: ["https://example.com/ü.sh"] };
const machines: { own?: Machine; other?: Machine } = {};

beforeAll(async () => {
  machines.own = await makeMachine();
  machines.other = await makeMachine();
});

function own(): Machine {
  if (machines.own === undefined) throw new Error("the machine was not made");
  return machines.own;
}

function other(): Machine {
  if (machines.other === undefined) throw new Error("the other machine was not made");
  return machines.other;
}

async function openssl(args: readonly string[], input?: Uint8Array): Promise<Buffer> {
  const result = await runProcess("openssl", args, input === undefined ? {} : { input });
  if (result.kind === "exited" && result.code === 0) return result.stdout;
  throw new Error(`openssl ${args.join(" ")}: ${JSON.stringify(result)}`);
}

async function makeMachine(): Promise<Machine> {
  const library = await mkdtemp(join(tmpdir(), "waagent-"));
  const configFolder = join(library, "CAPZ.Linux.Bootstrapping-1.0.0", "config");
  await mkdir(configFolder, { recursive: true });
  const [draftKey, draftCertificate] = [join(library, "draft.key"), join(library, "draft.crt")];
  const subject = ["-subj", "/DC=Windows Azure CRP Certificate Generator", "-days", "30"];
  await openssl([
    "req",
    "-x509",
    "-nodes",
    "-newkey",
    "rsa:2048",
    ...subject,
    "-keyout",
    draftKey,
    "-out",
    draftCertificate,
  ]);
  const fingerprint = (await openssl(["x509", "-in", draftCertificate, "-noout", "-fingerprint", "-sha1"])).toString();
  const thumbprint = (fingerprint.split("=")[1] ?? "").trim().replaceAll(":", "");
  const machine = {
    library,
    configFolder,
    thumbprint,
    certificate: join(library, `${thumbprint}.crt`),
    key: join(library, `${thumbprint}.prv`),
  };
  await rename(draftCertificate, machine.certificate);
  await rename(draftKey, machine.key);
  return machine;
}

/** Base64 of an envelope for the machine, as the service sends it. */
async function encrypt(machine: Machine, options: readonly string[], text = JSON.stringify(settings)): Promise<string> {
  const args = ["cms", "-encrypt", "-binary", "-outform", "DER", ...options];
  // With -keyopt the recipient must be given by -recip before it; without, at the end.
  const recipient = options.includes("-keyopt") ? [] : [machine.certificate];
  return (await openssl([...args, ...recipient], Buffer.from(text))).toString("base64");
}

function open(protectedText: string, machine: Machine = own(), run: RunProcess = runProcess) {
  return openWith({ protectedText, thumbprint: machine.thumbprint }, machine, run);
}

function openWith(
  file: { readonly protectedText?: string; readonly thumbprint?: string },
  { configFolder }: Machine = own(),
  run: RunProcess = runProcess,
) {
  return openProtectedSettings({ file, configFolder, platform: { decrypt: decryptLinux }, run });
}

async function failureOf(
  opened: Promise<unknown>,
): Promise<{ readonly id: string; readonly message: string; readonly hint: string }> {
  const thrown: unknown = await opened.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toMatchObject({
    id: "protectedSettingsUndecryptable",
    message: expect.not.stringContaining(secret),
    hint: expect.stringMatching(/\w{5}/),
  });
  const { id, message, hint } = Object.assign({ id: "", message: "", hint: "" }, thrown, {
    message: thrown instanceof Error ? thrown.message : "",
  });
  return { id, message, hint };
}

test.each(["-des3", "-aes128", "-aes256"])("an envelope with %s and PKCS#1 v1.5 is opened", async (cipher) => {
  expect(await open(await encrypt(own(), [cipher]))).toEqual(settings);
});

test.each(["-des3", "-aes128", "-aes256"])("an envelope with %s and OAEP is opened", async (cipher) => {
  const options = [cipher, "-recip", own().certificate, "-keyopt", "rsa_padding_mode:oaep"];
  expect(await open(await encrypt(own(), options))).toEqual(settings);
});

test("an envelope of `openssl smime`, and base64 in lines of 64 characters, are opened", async () => {
  const envelope = await openssl(
    ["smime", "-encrypt", "-binary", "-outform", "DER", "-aes256", own().certificate],
    Buffer.from("{}"),
  );
  const lines = envelope.toString("base64").replaceAll(/(.{64})/g, "$1\n");
  expect(await open(lines)).toEqual({});
});

test.each([
  ["lower case", (hex: string): string => hex.toLowerCase()],
  ["a UTF mark before it", (hex: string): string => `\u200e${hex}`],
  ["a BOM before it", (hex: string): string => `\ufeff${hex}`],
  ["blanks in it", (hex: string): string => `${hex.slice(0, 2)} ${hex.slice(2)} `],
])("the thumbprint may have %s", async (_case, change) => {
  const protectedText = await encrypt(own(), ["-des3"]);
  expect(await openWith({ protectedText, thumbprint: change(own().thumbprint) })).toEqual(settings);
});

test("certificate files with lower-case names are found", async () => {
  const machine = await makeMachine();
  const lower = (path: string): string => path.replace(machine.thumbprint, machine.thumbprint.toLowerCase());
  await rename(machine.certificate, lower(machine.certificate));
  await rename(machine.key, lower(machine.key));
  expect(
    await open(await encrypt({ ...machine, certificate: lower(machine.certificate) }, ["-des3"]), machine),
  ).toEqual(settings);
});

test("where `openssl cms` fails, `openssl smime` is asked", async () => {
  const asked: string[] = [];
  const run: RunProcess = (file, args, options) => {
    asked.push(args[0] ?? "");
    return runProcess(file, args[0] === "cms" ? ["unknown-command"] : args, options);
  };
  expect(await open(await encrypt(own(), ["-des3"]), own(), run)).toEqual(settings);
  expect(asked).toEqual(["cms", "smime"]);
});

test("no protected settings are none, with and without a thumbprint", async () => {
  expect(await openWith({})).toBeUndefined();
  expect(await openWith({ thumbprint: own().thumbprint })).toBeUndefined();
});

test("protected settings without a thumbprint are an error that says so", async () => {
  const failure = await failureOf(openWith({ protectedText: await encrypt(own(), ["-des3"]) }));
  expect(failure.message).toContain("protectedSettingsCertThumbprint");
});

test.each(["../../../etc/passwd", "not a thumbprint", "AB", "A".repeat(500)])(
  "a thumbprint that is none is refused: %s",
  async (thumbprint) => {
    const failure = await failureOf(openWith({ protectedText: await encrypt(own(), ["-des3"]), thumbprint }));
    expect(failure.message).toContain("thumbprint");
  },
);

test("a missing key names the file that it looked for and what to do", async () => {
  const machine = await makeMachine();
  const protectedText = await encrypt(machine, ["-des3"]);
  await rename(machine.key, `${machine.key}.gone`);
  const failure = await failureOf(open(protectedText, machine));
  expect(failure.message).toContain(`${machine.key} is missing`);
  expect(failure.hint).toContain("forceUpdateTag");
});

test("a wrong key is an error that names the certificate and openssl's reason", async () => {
  const failure = await failureOf(open(await encrypt(other(), ["-aes256"]), own()));
  expect(failure.message).toContain(own().certificate);
  expect(failure.message).toContain("openssl cms: exit code");
  expect(failure.message).toContain("openssl smime: exit code");
});

test("a key that does not belong to its certificate is an error", async () => {
  const machine = await makeMachine();
  await writeFile(machine.key, await readFile(other().key));
  for (let round = 0; round < 3; round++) await failureOf(open(await encrypt(machine, ["-des3"]), machine));
});

test("a damaged envelope is an error: cut off, bytes changed, no CMS at all", async () => {
  const envelope = Buffer.from(await encrypt(own(), ["-des3"]), "base64");
  const cut = envelope.subarray(0, 200).toString("base64");
  const changed = Buffer.from(envelope);
  changed.fill(0x55, 60, 200);
  for (const text of [cut, changed.toString("base64"), Buffer.from("hello").toString("base64")])
    await failureOf(open(text));
});

test("a text that is no base64, and base64 that was cut off, are errors before openssl is asked", async () => {
  const run: RunProcess = () => Promise.reject(new Error("openssl must not be asked"));
  for (const text of ["not base64!", (await encrypt(own(), ["-des3"])).slice(0, -1)]) {
    expect((await failureOf(open(text, own(), run))).message).toContain("base64");
  }
});

test.each([
  ["no JSON", secret],
  ["a list", `["${secret}"]`],
  ["a text", `"${secret}"`],
  ["nothing", " "],
  ["half an object", `{"commandToExecute":"${secret}`],
])("a plain text that is no object is an error without the text: %s", async (_case, text) => {
  await failureOf(open(await encrypt(own(), ["-aes256"], text)));
});

test("a missing openssl is told as such", async () => {
  const run: RunProcess = () => Promise.resolve({ kind: "not-started", reason: "spawn openssl ENOENT" });
  const failure = await failureOf(open(await encrypt(own(), ["-des3"]), own(), run));
  expect(failure.message).toContain("openssl could not be started");
  expect(failure.hint).toContain("Install the package openssl");
});

test("an openssl that hangs or is killed is told as such", async () => {
  const nothing = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  const text = await encrypt(own(), ["-des3"]);
  const hung = await failureOf(open(text, own(), () => Promise.resolve({ kind: "timed-out", ...nothing })));
  expect(hung.message).toContain("no answer within 30 s");
  const killed = await failureOf(
    open(text, own(), () => Promise.resolve({ kind: "signalled", signal: "SIGKILL", ...nothing })),
  );
  expect(killed.message).toContain("ended by SIGKILL");
});

test("decrypting leaves no file behind and changes neither certificate nor key", async () => {
  const before = await readdir(own().library, { recursive: true });
  const key = await stat(own().key);
  await open(await encrypt(own(), ["-des3"]));
  expect((await readdir(own().library, { recursive: true })).sort()).toEqual(before.sort());
  expect((await stat(own().key)).mtimeMs).toBe(key.mtimeMs);
});

test("the decrypted bytes are wiped after use", async () => {
  const plain = Buffer.from(JSON.stringify(settings));
  const platform = { decrypt: (): Promise<Buffer> => Promise.resolve(plain) };
  const request = { file: { protectedText: "TUlJ", thumbprint: own().thumbprint }, configFolder: own().configFolder };
  expect(await openProtectedSettings({ ...request, platform, run: runProcess })).toEqual(settings);
  expect(plain.every((byte) => byte === 0)).toBe(true);
});
