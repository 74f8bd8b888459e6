import { test } from "@jest/globals";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const repository = join(import.meta.dirname, "../..");

/** PowerShell on the PATH, or where scripts/dev/install-pwsh.sh puts it. */
const found = [join(repository, ".cache/pwsh"), ...(process.env["PATH"] ?? "").split(delimiter)]
  .map((folder) => join(folder, "pwsh"))
  .find((file) => existsSync(file));

const pwsh = found ?? "pwsh";

/** True also where CAPZ_REQUIRE_PWSH asks for PowerShell and there is none: then the tests fail. */
export const hasPowerShell = found !== undefined || process.env["CAPZ_REQUIRE_PWSH"] !== undefined;

/** Skips where there is no PowerShell: see docs/verification.md. */
export const testWithPowerShell = hasPowerShell ? test : test.skip;

export interface PowerShellResult {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs PowerShell with these arguments, as the handler does: a closed or given standard input, output kept as bytes. */
export async function runPowerShell(
  args: readonly string[],
  { input, env }: { readonly input?: Buffer; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<PowerShellResult> {
  const child = spawn(pwsh, args, { env: { ...process.env, ...env } });
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { code, stdout: Buffer.concat(stdout), stderr };
}
