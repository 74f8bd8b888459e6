import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import { HandlerError } from "../errors/handler-error.ts";
import type { RunProcess, RunResult } from "../host.ts";
import { cleanText } from "../text/clean-text.ts";
import { cutText } from "../text/cut-text.ts";
import type { DecryptRequest } from "./platform.ts";

interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const decryptTimeoutMs = 30_000;
/** Protected settings may carry a script of 256 KiB; the agent's own limit on a goal state is far below this. */
const plaintextLimitBytes = 8 * 1024 * 1024;

/**
 * Opens a CMS envelope with the machine's certificate, which the agent keeps two levels above the config folder. The key is
 * used where it lies, and the plain text only ever stands in memory. Throws HandlerError protectedSettingsUndecryptable.
 */
export async function decryptLinux(request: DecryptRequest, run: RunProcess): Promise<Buffer> {
  const pair = await findKeyPair(request);
  const failures: string[] = [];
  // `cms` knows AES and OAEP and works in FIPS mode; `smime` is what very old OpenSSL builds have.
  for (const command of ["cms", "smime"]) {
    const result = await run("openssl", opensslArguments(command, pair), {
      input: request.envelope,
      timeoutMs: decryptTimeoutMs,
      maxBytes: plaintextLimitBytes,
    });
    if (result.kind === "not-started") throw opensslMissing(result.reason);
    if (result.kind === "exited" && result.code === 0) return result.stdout;
    failures.push(`openssl ${command}: ${failureText(result)}`);
  }
  throw new HandlerError(
    "protectedSettingsUndecryptable",
    `The protected settings cannot be decrypted with ${pair.certificate}: ${failures.join("; ")}`,
  );
}

function opensslArguments(command: string, pair: KeyPair): readonly string[] {
  return [command, "-decrypt", "-inform", "DER", "-recip", pair.certificate, "-inkey", pair.key];
}

async function findKeyPair({ thumbprint, configFolder }: DecryptRequest): Promise<KeyPair> {
  const folder = resolve(configFolder, "..", "..");
  const hex = hexDigits(thumbprint);
  const problems: string[] = [];
  for (const name of [hex.toUpperCase(), hex.toLowerCase()]) {
    const pair = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.prv`) };
    const problem = await pairProblem(pair);
    if (problem === undefined) return pair;
    problems.push(problem);
  }
  throw new HandlerError(
    "protectedSettingsUndecryptable",
    `The certificate that the protected settings are encrypted for is not on this machine: ${problems[0] ?? folder}`,
    {
      hint: "Apply the extension again (new forceUpdateTag): Azure then encrypts for the machine's present certificate. If it stays so, restart the guest agent, which fetches the certificates",
    },
  );
}

/** The text may begin with a UTF mark or hold blanks (copied from a certificate dialog). */
function hexDigits(thumbprint: string): string {
  const hex = thumbprint.replace(/[^\p{L}\p{N}]/gu, "");
  if (/^[0-9a-f]{40,64}$/i.test(hex)) return hex;
  throw new HandlerError(
    "protectedSettingsUndecryptable",
    `protectedSettingsCertThumbprint has ${thumbprint.length} characters and is no certificate thumbprint (40 hexadecimal digits)`,
  );
}

async function pairProblem(pair: KeyPair): Promise<string | undefined> {
  for (const path of [pair.certificate, pair.key]) {
    try {
      await access(path, constants.R_OK);
    } catch {
      return `${path} is missing or not readable`;
    }
  }
  return undefined;
}

function opensslMissing(reason: string): HandlerError {
  return new HandlerError(
    "protectedSettingsUndecryptable",
    `The protected settings cannot be decrypted because the program openssl could not be started: ${cutText(cleanText(reason), 200)}`,
    { hint: "Install the package openssl in the node image, or use public settings only" },
  );
}

function failureText(result: Exclude<RunResult, { readonly kind: "not-started" }>): string {
  switch (result.kind) {
    case "exited":
      return `exit code ${result.code}, ${lastLine(result.stderr)}`;
    case "signalled":
      return `ended by ${result.signal}`;
    case "timed-out":
      return `no answer within ${decryptTimeoutMs / 1000} s`;
  }
}

/** OpenSSL's error lines name its own functions and reasons, never the data. */
function lastLine(stderr: Buffer): string {
  const lines = cleanText(stderr.toString("utf8"))
    .split("\n")
    .filter((line) => line.trim() !== "");
  return cutText(lines.at(-1) ?? "no message", 160);
}
