import type { Server, Socket } from "node:net";
import { systemErrorCode } from "../errors/handler-error.ts";

/**
 * How a process on Windows is recognised without a look into the process list: it holds a named pipe open, which the system
 * takes away with the process, whatever ended it. The mark is the pipe's name and a secret; only who knows the secret can
 * answer, so another user's pipe of the same name is no sign of life. Windows lets only administrators write to the pipe.
 */
export interface HeldMark {
  readonly mark: string;
  readonly server: Server;
}

export type MarkRequest = "alive" | "stop";
/** `silent`: somebody holds the pipe but does not answer in time. */
export type MarkAnswer = "answered" | "silent" | "absent";

const longestRequest = 200;

/** Opens the pipe; `onStop` is called when an administrator's process asks us to end. Keeps no process alive. */
export async function holdMark(pipe: string, onStop: () => void): Promise<HeldMark> {
  // Loaded here, so that the commands on Linux do not pay for it.
  const { createServer } = await import("node:net");
  const { randomBytes } = process.getBuiltinModule("node:crypto");
  const secret = randomBytes(32).toString("hex");
  const server = createServer((socket) => {
    answer(socket, secret, onStop);
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(pipe, () => {
      server.on("error", () => undefined);
      resolve({ mark: `${pipe}|${secret}`, server });
    });
  });
}

function answer(socket: Socket, secret: string, onStop: () => void): void {
  let text = "";
  socket.unref();
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    const [, request, nonce] = /^(alive|stop) ([0-9a-f]{32})\n/u.exec(text) ?? [];
    if (nonce !== undefined) {
      socket.end(`${digest(secret, nonce)}\n`);
      if (request === "stop") onStop();
    } else if (text.length > longestRequest) {
      socket.destroy();
    }
  });
}

/** Asks the process behind the mark; never rejects. */
export async function askMark(mark: string, request: MarkRequest, timeoutMs: number): Promise<MarkAnswer> {
  const [pipe = "", secret] = mark.split("|");
  if (secret === undefined) return "absent";
  const { connect } = await import("node:net");
  const nonce = process.getBuiltinModule("node:crypto").randomBytes(16).toString("hex");
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(pipe, () => {
      socket.write(`${request} ${nonce}\n`);
    });
    const timer = setTimeout(() => {
      finish("silent");
    }, timeoutMs);
    const finish = (result: MarkAnswer): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    socket.on("error", (error) => {
      finish(["ENOENT", "ECONNREFUSED"].includes(systemErrorCode(error) ?? "") ? "absent" : "silent");
    });
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.includes("\n")) finish(equal(text.trim(), digest(secret, nonce)) ? "answered" : "absent");
    });
    socket.on("end", () => {
      finish("silent");
    });
  });
}

function digest(secret: string, nonce: string): string {
  return process.getBuiltinModule("node:crypto").createHmac("sha256", secret).update(nonce).digest("hex");
}

function equal(given: string, expected: string): boolean {
  const { timingSafeEqual } = process.getBuiltinModule("node:crypto");
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
