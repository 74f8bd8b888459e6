import { HandlerError } from "../errors/handler-error.ts";
import type { RunProcess, RunResult } from "../host.ts";
import { cleanText } from "../text/clean-text.ts";
import { cutText } from "../text/cut-text.ts";
import type { DecryptRequest } from "./platform.ts";
import { decodeOutput, encodedScript } from "./powershell-windows.ts";

/** Windows PowerShell starts slowly while a node bootstraps. */
const decryptTimeoutMs = 120_000;
const plaintextLimitBytes = 12 * 1024 * 1024;
const certificateMissing = 21;
const keyMissing = 22;

export interface StoreName {
  readonly name: string;
  readonly location: "LocalMachine" | "CurrentUser";
}

/** Where the Windows agent puts the certificates (azure-extension-platform: decrypt_windows.go). */
const agentStore: StoreName = { name: "My", location: "LocalMachine" };

/**
 * Opens a CMS envelope with the certificate of that thumbprint: base64 on standard input, base64 on standard output, so the
 * plain text touches no file and no argument. Written to what Windows PowerShell 5.1 and PowerShell 7 both understand.
 */
export function decryptScript(thumbprint: string, store: StoreName = agentStore): string {
  return `$ErrorActionPreference = 'Stop'
try {
  if ($PSVersionTable.PSVersion.Major -lt 6) { Add-Type -AssemblyName System.Security }
  $envelope = New-Object System.Security.Cryptography.Pkcs.EnvelopedCms
  $envelope.Decode([Convert]::FromBase64String([Console]::In.ReadToEnd().Trim()))
  $store = New-Object System.Security.Cryptography.X509Certificates.X509Store('${store.name}', '${store.location}')
  $store.Open('ReadOnly')
  $found = $store.Certificates.Find('FindByThumbprint', '${thumbprint}', $false)
  $store.Close()
  if ($found.Count -eq 0) { exit ${String(certificateMissing)} }
  if (-not $found[0].HasPrivateKey) { exit ${String(keyMissing)} }
  $envelope.Decrypt($found)
  [Console]::Out.Write([Convert]::ToBase64String($envelope.ContentInfo.Content))
} catch {
  $inner = $_.Exception
  while ($null -ne $inner.InnerException) { $inner = $inner.InnerException }
  [Console]::Error.WriteLine($inner.GetType().Name + ': ' + $inner.Message)
  exit 1
}
`;
}

/** Throws HandlerError protectedSettingsUndecryptable. */
export async function decryptWindows(powershell: string, request: DecryptRequest, run: RunProcess): Promise<Buffer> {
  const thumbprint = hexDigits(request.thumbprint);
  const result = await run(powershell, encodedScript(decryptScript(thumbprint)), {
    input: Buffer.from(Buffer.from(request.envelope).toString("base64"), "latin1"),
    timeoutMs: decryptTimeoutMs,
    maxBytes: plaintextLimitBytes,
  });
  if (result.kind === "exited" && result.code === 0) return plainText(result.stdout, thumbprint);
  throw failure(result, thumbprint);
}

function plainText(stdout: Buffer, thumbprint: string): Buffer {
  const text = decodeOutput(stdout).trim();
  if (text !== "" && /^[A-Za-z0-9+/]+={0,2}$/u.test(text)) return Buffer.from(text, "base64");
  throw undecryptable(thumbprint, "PowerShell ended well but gave no plain text");
}

function failure(result: RunResult, thumbprint: string): HandlerError {
  if (result.kind === "not-started") {
    return undecryptable(thumbprint, `PowerShell could not be started: ${cutText(cleanText(result.reason), 200)}`);
  }
  if (result.kind === "timed-out") {
    return undecryptable(thumbprint, `PowerShell gave no answer within ${String(decryptTimeoutMs / 1000)} s`);
  }
  if (result.kind === "signalled") return undecryptable(thumbprint, `PowerShell was ended by ${result.signal}`);
  // The words of decrypt-linux.ts, with the place on Windows.
  if (result.code === certificateMissing) {
    return missing(`is not on this machine: LocalMachine\\My has no ${thumbprint}`);
  }
  if (result.code === keyMissing) {
    return missing(`has no private key on this machine: ${thumbprint} in LocalMachine\\My`);
  }
  const words = cleanText(decodeOutput(result.stderr)).trim().split("\n", 1)[0] ?? "";
  return undecryptable(
    thumbprint,
    `PowerShell ended with exit code ${String(result.code)}${words === "" ? "" : `, ${cutText(words, 200)}`}`,
  );
}

const againHint =
  "Apply the extension again (new forceUpdateTag): Azure then encrypts for the machine's present certificate. If it stays so, restart the guest agent, which fetches the certificates";

function missing(what: string): HandlerError {
  const message = `The certificate that the protected settings are encrypted for ${what}`;
  return new HandlerError("protectedSettingsUndecryptable", message, { hint: againHint });
}

function undecryptable(thumbprint: string, why: string): HandlerError {
  return new HandlerError(
    "protectedSettingsUndecryptable",
    `The protected settings cannot be decrypted with the certificate ${thumbprint}: ${why}`,
  );
}

/** The text may begin with a UTF mark or hold blanks (copied from a certificate dialog); only hex digits reach the script. */
function hexDigits(thumbprint: string): string {
  const hex = thumbprint.replaceAll(/[^\p{L}\p{N}]/gu, "");
  if (/^[0-9a-f]{40,64}$/iu.test(hex)) return hex.toUpperCase();
  throw new HandlerError(
    "protectedSettingsUndecryptable",
    `protectedSettingsCertThumbprint has ${String(thumbprint.length)} characters and is no certificate thumbprint (40 hexadecimal digits)`,
  );
}
