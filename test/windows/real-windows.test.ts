import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { buildPackage, type HandlerPackage } from "../lanes/real-package.ts";
import { open, unpackHandler, type WindowsHandler } from "../lanes/windows-handler.ts";
import type { CommandResult } from "../support/run-command.ts";
import { waitUntil } from "../support/wait-until.ts";
import { decryptScript } from "../../handler/platform/decrypt-windows.ts";
import { processListScript } from "../support/powershell-texts.ts";
import { powershell, realMachine, refusal, told } from "./real-machine.ts";

if (process.platform !== "win32")
  throw new Error("These tests are for Windows; elsewhere the lanes run the package under Wine");

const refused = refusal(process.env);
if (refused !== undefined) throw new Error(refused);

const folder = "C:\\run\\cluster-api";
const sentinel = `${folder}\\bootstrap-success.complete`;
const fast = { aftercareSeconds: "0", pollSeconds: "1" };

describe("the package on a real Windows", () => {
  let built: HandlerPackage;
  let handler: WindowsHandler;
  let sequence = 0;

  beforeAll(async () => {
    built = await buildPackage("Windows");
    handler = await unpackHandler(realMachine, built);
    expect(await handler.run("install", 0)).toMatchObject({ code: 0 });
  });

  afterEach(async () => {
    await handler.run("disable", sequence);
    await rm(folder, { recursive: true, force: true });
  });

  afterAll(async () => {
    await handler.run("uninstall", sequence);
  });

  async function apply(settings: object): Promise<number> {
    sequence += 1;
    await handler.putSettings(sequence, settings);
    expect(await handler.run("enable", sequence)).toMatchObject({ code: 0 });
    return sequence;
  }

  async function writeSentinel(): Promise<void> {
    await mkdir(folder, { recursive: true });
    await writeFile(sentinel, "success \r\n");
  }

  test("the sentinel is a success, whose proof names this Windows", async () => {
    const now = await apply(open(fast));
    await handler.waitFor("progress", now, ({ kind }) => kind === "transitioning");
    await writeSentinel();
    expect(await handler.waitFor("the verdict", now)).toMatchObject({ kind: "success", code: 0 });
    const names = await waitUntil("the proof", async () => {
      const text = await told(
        `Get-Content -Raw -Encoding UTF8 '${handler.windowsFolder}\\Status\\${String(now)}.status'`,
      );
      return text.includes("BootstrapProof") && text;
    });
    expect(names).toMatch(/Windows Server/u);
  });

  test("settings encrypted for a certificate of LocalMachine\\My are opened by PowerShell 5.1, and by no PowerShell in Constrained Language Mode", async () => {
    const answer = await told(`
      Add-Type -AssemblyName System.Security
      $certificate = New-SelfSignedCertificate -Subject 'CN=capz-bootstrap test' -CertStoreLocation Cert:\\LocalMachine\\My -KeyUsage KeyEncipherment, DataEncipherment -Type DocumentEncryptionCert -Provider 'Microsoft Enhanced RSA and AES Cryptographic Provider' -KeySpec KeyExchange
      $plain = [Text.Encoding]::UTF8.GetBytes('{"commandToExecute":"echo opened & exit 0"}')
      $envelope = New-Object System.Security.Cryptography.Pkcs.EnvelopedCms (, (New-Object System.Security.Cryptography.Pkcs.ContentInfo (, $plain)))
      $envelope.Encrypt((New-Object System.Security.Cryptography.Pkcs.CmsRecipient $certificate))
      $certificate.Thumbprint + ' ' + [Convert]::ToBase64String($envelope.Encode())`);
    const [thumbprint = "", protectedSettings = ""] = answer.split(" ");
    const settings = { publicSettings: fast, protectedSettings, protectedSettingsCertThumbprint: thumbprint };
    try {
      const opened = await handler.waitFor("the verdict", await apply(settings));
      expect(opened).toMatchObject({ kind: "success", message: expect.stringContaining("opened") });
      expect(await lockDown("add", "/t", "REG_SZ", "/d", "4")).toMatchObject({ code: 0 });
      const locked = await handler.waitFor("the verdict", await apply(settings));
      expect(locked).toMatchObject({ kind: "error", firstLine: expect.stringMatching(/^Bootstrap not checked \(/u) });
    } finally {
      await lockDown("delete");
      await told(`Remove-Item "Cert:\\LocalMachine\\My\\${thumbprint}"`);
    }
  });

  test("a failed command is an error, and its first line is an event of the Application log", async () => {
    const status = await handler.waitFor("the verdict", await apply(open({ ...fast, commandToExecute: "exit 3" })));
    expect(status).toMatchObject({ kind: "error", code: 2 });
    const event = await waitUntil("the event", async () => {
      const { code, stdout } = await powershell(
        "(Get-WinEvent -MaxEvents 1 -FilterHashtable @{ LogName = 'Application'; ProviderName = 'capz-bootstrap' }).Message",
      );
      return code === 0 && stdout.trim();
    });
    expect(event).toContain("Bootstrap failed (CommandFailed)");
  });

  test("event logs and services are read, in whatever language", async () => {
    const { stdout } = await realMachine.run([
      ...["cmd", "/c", `${handler.windowsFolder}\\bin\\capz-bootstrap.cmd`, "diagnose", "--no-probes", "--json"],
    ]);
    const report = JSON.parse(stdout) as {
      readonly sources: readonly { readonly origin: string; readonly state: string }[];
    };
    const states = new Map(report.sources.map(({ origin, state }) => [origin, state]));
    for (const origin of ["event log System", "event log Application", "services"]) {
      expect([origin, states.get(origin)]).toEqual([origin, "read"]);
    }
  });

  test("a killed supervisor is started again and goes on", async () => {
    const now = await apply(open({ ...fast, timeoutSeconds: "600" }));
    await handler.waitFor("progress", now, ({ kind }) => kind === "transitioning");
    const ours =
      "Get-CimInstance Win32_Process -Filter \"Name = 'node.exe'\" | Where-Object { $_.CommandLine -match 'supervise' }";
    const before = await told(`(${ours}).ProcessId`);
    await told(`Stop-Process -Force -Id ${before}`);
    const after = await waitUntil("another supervisor", async () => {
      const pid = await told(`(${ours}).ProcessId`);
      return pid !== "" && pid !== before && pid;
    });
    expect(after).toMatch(/^\d+$/u);
    await writeSentinel();
    expect((await handler.waitFor("the verdict", now)).kind).toBe("success");
  });

  test("at the deadline the whole tree of a command ends, though WMIC may be missing", async () => {
    const line = "start /b ping -n 3000 127.0.0.53 & ping -n 3000 127.0.0.53";
    const status = await handler.waitFor(
      "the verdict",
      await apply(open({ commandToExecute: line, timeoutSeconds: "30" })),
    );
    expect(status).toMatchObject({ kind: "error", code: 11 });
    const left =
      "@(Get-CimInstance Win32_Process | Where-Object { $_.CommandLine -match '127[.]0[.]0[.]53' -and $_.Name -eq 'PING.EXE' }).Count";
    expect(await told(left)).toBe("0");
  });

  test("a hook below Program Files runs; one that users can change, or that belongs to somebody else, does not", async () => {
    const hook = "C:\\Program Files\\capz-bootstrap-hooks\\check.d\\10-gpu.ps1";
    const look = async () => {
      const { stdout } = await realMachine.run([
        "cmd",
        "/c",
        `${handler.windowsFolder}\\bin\\capz-bootstrap.cmd`,
        "check",
      ]);
      return stdout;
    };
    await mkdir("C:\\Program Files\\capz-bootstrap-hooks\\check.d", { recursive: true });
    const seen = "C:\\hook-folder.sddl";
    const lines = [
      `(Get-Acl (Split-Path $env:CAPZ_CHECK_OUTPUT)).Sddl | Set-Content '${seen}'`,
      "Set-Content -Encoding UTF8 $env:CAPZ_CHECK_OUTPUT 'reason=NoGpu'",
      "exit 3",
    ];
    await writeFile(hook, lines.map((line) => `${line}\r\n`).join(""));
    try {
      expect(await look()).toContain("CustomNoGpu");
      expect(trusteesOf(await readFile(seen, "utf8")).toSorted()).toEqual(["BA", "SY"]);
      await told(`icacls.exe '${hook}' /grant '*S-1-5-32-545:(M)' /Q`);
      expect(await look()).toContain("Users can change it");
      await told(`icacls.exe '${hook}' /reset /Q; icacls.exe '${hook}' /setowner '*S-1-5-32-545' /Q`);
      expect(await look()).toContain("it belongs to");
    } finally {
      await rm("C:\\Program Files\\capz-bootstrap-hooks", { recursive: true, force: true });
      await rm(seen, { force: true });
    }
  });

  test("nobody but the system and administrators may enter our folder", async () => {
    const rights = await told('(Get-Acl "$env:ProgramData\\capz-bootstrap").Sddl');
    const trustees = trusteesOf(rights);
    expect(trustees.length).toBeGreaterThan(0);
    expect(trustees.filter((who) => who !== "SY" && who !== "BA")).toEqual([]);
  });

  test.each(["decryption", "process list"])("PowerShell 5.1 reads our text: %s", async (name) => {
    const text = name === "decryption" ? decryptScript("AB".repeat(20)) : await processListScript();
    const base64 = Buffer.from(text, "utf16le").toString("base64");
    const faults = await told(`
      $errors = $null
      $text = [Text.Encoding]::Unicode.GetString([Convert]::FromBase64String('${base64}'))
      [void][System.Management.Automation.Language.Parser]::ParseInput($text, [ref]$null, [ref]$errors)
      "$($errors.Count) $($PSVersionTable.PSVersion.Major)"`);
    expect(faults).toBe("0 5");
  });
});

/**
 * The machine's variable that puts every new PowerShell into Constrained Language Mode. By reg.exe: a PowerShell that is locked down
 * cannot take it away again.
 */
function lockDown(verb: "add" | "delete", ...data: readonly string[]): Promise<CommandResult> {
  const key = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment";
  return realMachine.run(["reg.exe", verb, key, "/v", "__PSLockdownPolicy", ...data, "/f"]);
}

/** To whom an access list in SDDL gives a right. */
function trusteesOf(sddl: string): readonly string[] {
  return [...sddl.matchAll(/\(A;[^)]*;(?<who>[^;)]+)\)/gu)].map(({ groups }) => groups?.["who"] ?? "");
}
