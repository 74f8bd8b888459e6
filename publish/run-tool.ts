import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { PublishError } from "./publish-error.ts";

export interface ToolResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface ToolOptions {
  readonly cwd?: string;
  readonly input?: Uint8Array;
}

/** Runs a program to its end. A red exit code is a result; a program that cannot be started is an error. */
export function runTool(file: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const [program, ...before] = programOf(file);
    const child = spawn(program, [...before, ...args], { cwd: options.cwd, stdio: ["pipe", "pipe", "pipe"] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => stdout.push(part));
    child.stderr.on("data", (part: Buffer) => stderr.push(part));
    child.once("error", (error) => {
      reject(new PublishError(`${file} could not be started: ${error.message}`, `Install ${file} and try again.`));
    });
    child.once("close", (code, signal) => {
      const text = Buffer.concat(stderr).toString("utf8");
      resolve({
        code: code ?? 128,
        stdout: Buffer.concat(stdout),
        stderr: signal === null ? text : `${text}${signal}`,
      });
    });
    // A program that ends before it has read everything closes the pipe; its exit code tells more than EPIPE.
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input);
  });
}

/** Node starts no batch file without a shell, and on Windows npm is one: its program is a script of this Node there. */
export function programOf(
  file: string,
  { platform, execPath, env }: Pick<NodeJS.Process, "platform" | "execPath" | "env"> = process,
): readonly [string, ...string[]] {
  if (file !== "npm" || platform !== "win32") return [file];
  return [execPath, env["npm_execpath"] ?? join(dirname(execPath), "node_modules/npm/bin/npm-cli.js")];
}

/** As `runTool`, for a program whose failure ends the work. */
export async function requireTool(file: string, args: readonly string[], options: ToolOptions = {}): Promise<Buffer> {
  const result = await runTool(file, args, options);
  if (result.code === 0) return result.stdout;
  throw new PublishError(
    `${file} ${args.slice(0, 3).join(" ")} failed with exit code ${result.code}: ${result.stderr.trim()}`,
    "Read the message of the program above.",
  );
}
