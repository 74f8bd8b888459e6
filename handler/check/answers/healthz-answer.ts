import type { Socket } from "node:net";
import type { Answer, Answers } from "../../../scripts/check/questions.ts";
import type { Host } from "../../host.ts";
import { systemErrorCode } from "../../errors/handler-error.ts";
import { cannotTell, known } from "./answer.ts";

const timeLimitMs = 3000;
const request = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAccept: */*\r\n\r\n";

/** By a socket, not an HTTP client: no setting and no variable can lead it to a proxy. */
export async function answerHealthz(
  host: Pick<Host, "sleep">,
  port: number,
  limitMs: number = timeLimitMs,
): Promise<Answer<"healthz">> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return cannotTell("it is not a port");
  const first = await ask(host, { address: "127.0.0.1", port }, limitMs);
  // A kubelet of a cluster with IPv6 alone answers on its loopback.
  const isThere = first.kind !== "refused";
  const second = isThere ? first : await ask(host, { address: "::1", port }, limitMs);
  return known<"healthz">(second.kind === "status" ? second : first);
}

async function ask(
  host: Pick<Host, "sleep">,
  { address, port }: { readonly address: string; readonly port: number },
  limitMs: number,
): Promise<Answers["healthz"]> {
  const done = new AbortController();
  // Loaded by the first question: a node that is not there yet has no port to ask.
  const { connect } = process.getBuiltinModule("node:net");
  const socket = connect({ host: address, port });
  try {
    return await Promise.race([
      readStatus(socket),
      host.sleep(limitMs, done.signal).then((): Answers["healthz"] => ({ kind: "no-answer" })),
    ]);
  } finally {
    done.abort();
    socket.destroy();
  }
}

function readStatus(socket: Socket): Promise<Answers["healthz"]> {
  return new Promise((resolve) => {
    let head = "";
    const end = () => {
      const status = /^HTTP\/1\.[01] (?<status>[1-5]\d\d)(?: |\r)/u.exec(head)?.groups?.["status"];
      resolve(status === undefined ? { kind: "no-answer" } : { kind: "status", status: Number(status) });
    };
    socket.on("connect", () => socket.write(request));
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1");
      if (head.includes("\n") || head.length > 1024) end();
    });
    socket.on("end", end);
    socket.on("error", (error) => {
      resolve(systemErrorCode(error) === "ECONNREFUSED" ? { kind: "refused" } : { kind: "no-answer" });
    });
  });
}
