import type { ChildProcess } from "node:child_process";
import type { RunOptions, RunResult } from "../host.ts";

const defaultMaxBytes = 1024 * 1024;
const defaultTimeoutMs = 30_000;

/**
 * Windows gives each program without a console a console host of its own, a second process that starts first. These of its own programs print
 * into a pipe as well without one. They are then outside our job, too: should we be ended by force, they end with their own answer.
 */
const needsNoConsole = /\\System32\\(?:reg|sc|tasklist|wevtutil)\.exe$/iu;

/** Real `Host.run`: a short helper program, its output kept in memory up to a limit, its environment ours plus the given. */
export function runProcess(file: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  // Loaded by the first program that is run: most waits and most calls of enable run none.
  const { spawn } = process.getBuiltinModule("node:child_process");
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env: { ...process.env, ...options.env },
      // A pipe that nobody writes into is one more that Node has to open, wait for and close.
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      windowsHide: true,
      detached: needsNoConsole.test(file),
    });
    const maxBytes = options.maxBytes ?? defaultMaxBytes;
    const stdout = keep(child.stdout, maxBytes);
    const stderr = keep(child.stderr, maxBytes);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill("SIGKILL");
      // A grandchild may hold the pipes open for ever: stop listening, so that "close" comes.
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, options.timeoutMs ?? defaultTimeoutMs);
    child.once("error", (error) => {
      clearTimeout(timer);
      resolve({ kind: "not-started", reason: error.message });
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      const streams = { stdout: stdout(), stderr: stderr() };
      if (timedOut) resolve({ kind: "timed-out", ...streams });
      else if (code === null) resolve({ kind: "signalled", signal: signal ?? "unknown", ...streams });
      else resolve({ kind: "exited", code, ...streams });
    });
    giveInput(child, options.input);
  });
}

function giveInput({ stdin }: ChildProcess, input: Uint8Array | undefined): void {
  if (stdin === null || input === undefined) return;
  // A program that ends without reading its input breaks the pipe; its exit code tells more than EPIPE.
  stdin.on("error", () => undefined);
  stdin.end(input);
}

function keep(stream: NodeJS.ReadableStream | null, maxBytes: number): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on("data", (chunk: Buffer) => {
    if (size >= maxBytes) return;
    const part = chunk.subarray(0, maxBytes - size);
    chunks.push(part);
    size += part.length;
  });
  stream?.on("error", () => undefined);
  return () => Buffer.concat(chunks);
}
