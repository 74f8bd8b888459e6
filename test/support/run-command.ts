import { spawn } from "node:child_process";

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** Added to ours. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a helper program to its end and gives its output as text; a red exit code is a result, not an exception. */
export async function tryCommand(command: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const [file, ...args] = command;
  if (file === undefined) throw new Error("An empty command cannot be run");
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // A program that ends without reading its input closes the pipe; its exit code tells enough.
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, stdout: Buffer.concat(stdout).toString("utf8"), stderr: Buffer.concat(stderr).toString("utf8") };
}

/** Like tryCommand, but throws with the program's own words unless it exits 0. */
export async function runCommand(command: readonly string[], options: CommandOptions = {}): Promise<string> {
  const result = await tryCommand(command, options);
  if (result.code !== 0) {
    throw new Error(
      `${command.join(" ")} exited ${String(result.code)}: ${result.stderr.trim()} ${result.stdout.trim()}`,
    );
  }
  return result.stdout;
}
