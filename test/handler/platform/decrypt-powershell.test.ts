import { afterAll, beforeAll, expect } from "@jest/globals";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decryptWindows } from "../../../handler/platform/decrypt-windows.ts";
import { onPowerShell } from "../../support/on-powershell.ts";
import { hasPowerShell, runPowerShell, testWithPowerShell } from "../../support/powershell.ts";
import { runCommand } from "../../support/run-command.ts";

/** `agent` has its private key in the store, `keyless` has none there, `stranger` is not in the store. */
const names = ["agent", "keyless", "stranger"] as const;
type Name = (typeof names)[number];

const addToStore = `$types = 'System.Security.Cryptography.X509Certificates.'
$certificates = @(
  (New-Object "\${types}X509Certificate2" "$env:FOLDER/agent.pfx", '', 'PersistKeySet'),
  (New-Object "\${types}X509Certificate2" "$env:FOLDER/keyless.pem"))
$store = New-Object "\${types}X509Store" 'My', 'CurrentUser'
$store.Open('ReadWrite')
foreach ($certificate in $certificates) { $store.Add($certificate) }
$store.Close()`;

let folder: string;
const thumbprints = new Map<Name, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capz-envelope-"));
  if (!hasPowerShell) return;
  await mkdir(join(folder, "home"));
  for (const name of names) thumbprints.set(name, await makeCertificate(name));
  const env = { FOLDER: folder, HOME: join(folder, "home") };
  const added = await runPowerShell(["-NoProfile", "-NonInteractive", "-Command", addToStore], { env });
  expect(added).toMatchObject({ code: 0, stderr: "" });
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function makeCertificate(name: Name): Promise<string> {
  const [key, certificate, pfx] = ["key", "pem", "pfx"].map((end) => join(folder, `${name}.${end}`)) as [
    string,
    string,
    string,
  ];
  const subject = ["-subj", `/CN=${name}`, "-days", "2", "-keyout", key, "-out", certificate];
  await runCommand(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject]);
  await runCommand([
    "openssl",
    "pkcs12",
    "-export",
    "-passout",
    "pass:",
    "-inkey",
    key,
    "-in",
    certificate,
    "-out",
    pfx,
  ]);
  const print = await runCommand(["openssl", "x509", "-in", certificate, "-noout", "-fingerprint", "-sha1"]);
  return print.replace(/^[^=]*=/u, "").replaceAll(/[^0-9A-F]/gu, "");
}

async function envelope(text: string, cipher: string, to: Name = "agent"): Promise<Buffer> {
  const [plain, sealed] = [join(folder, "plain"), join(folder, "sealed")];
  await writeFile(plain, text);
  const form = ["-encrypt", "-binary", "-outform", "DER", `-${cipher}`, "-in", plain, "-out", sealed];
  await runCommand(["openssl", "cms", ...form, join(folder, `${to}.pem`)]);
  return readFile(sealed);
}

/** Only Windows has the store LocalMachine\My; the user's own store stands in for it, the rest of the script is untouched. */
async function decrypt(sealed: Buffer, thumbprint = thumbprints.get("agent") ?? ""): Promise<string> {
  const run = onPowerShell((script) => script.replace("'LocalMachine'", "'CurrentUser'"), {
    HOME: join(folder, "home"),
  });
  return (
    await decryptWindows("powershell.exe", { envelope: sealed, thumbprint, configFolder: folder }, run)
  ).toString();
}

testWithPowerShell.each(["des-ede3-cbc", "aes-128-cbc", "aes-256-cbc"])(
  "PowerShell opens an envelope of %s",
  async (cipher) => {
    const settings = JSON.stringify({
      commandToExecute: "exit 0",
      token: "Schlüssel 🔑 'quoted' \"twice\" $notAVariable",
    });
    expect(await decrypt(await envelope(settings, cipher))).toBe(settings);
  },
);

testWithPowerShell("PowerShell opens an envelope of a megabyte, and one of nothing but a bracket pair", async () => {
  const large = JSON.stringify({ script: "x".repeat(1024 * 1024) });
  expect(await decrypt(await envelope(large, "aes-256-cbc"))).toBe(large);
  expect(await decrypt(await envelope("{}", "aes-256-cbc"))).toBe("{}");
});

testWithPowerShell("the thumbprint may be in small letters and behind a mark", async () => {
  const small = `\uFEFF${(thumbprints.get("agent") ?? "").toLowerCase()}`;
  expect(await decrypt(await envelope("{}", "aes-256-cbc"), small)).toBe("{}");
});

testWithPowerShell.each([
  ["stranger", "is not on this machine: LocalMachine\\My has no "],
  ["keyless", "has no private key on this machine: "],
] as const)("a certificate like %s is named as the cause", async (name, words) => {
  const sealed = await envelope("{}", "aes-256-cbc", name);
  await expect(decrypt(sealed, thumbprints.get(name))).rejects.toThrow(words);
});

testWithPowerShell("an envelope for another certificate, and one that is none, say what PowerShell said", async () => {
  const sealed = await envelope("{}", "aes-256-cbc", "stranger");
  await expect(decrypt(sealed)).rejects.toThrow(/exit code 1, CryptographicException: .+/u);
  await expect(decrypt(Buffer.from("no envelope"))).rejects.toThrow(/exit code 1, \w+Exception: .+/u);
});

testWithPowerShell("a store that cannot be opened is an error with words, not a missing certificate", async () => {
  const run = onPowerShell((script) => script.replace("'My'", "'No/Such'"), { HOME: join(folder, "home") });
  const request = { envelope: await envelope("{}", "aes-256-cbc"), thumbprint: "AB".repeat(20), configFolder: folder };
  await expect(decryptWindows("powershell.exe", request, run)).rejects.toThrow(/exit code 1, \w+Exception: .+/u);
});
