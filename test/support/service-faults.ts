import type { IncomingMessage, ServerResponse } from "node:http";

/** What goes wrong with the next request that changes or reads something. */
export type ServiceFault =
  | { readonly kind: "answer"; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: "lost-connection" }
  | { readonly kind: "redirect" }
  /** The service does the work and the answer is lost on the way. */
  | { readonly kind: "lost-answer" };

/** A fault that waits until so many more requests were served. */
export interface DelayedFault {
  readonly requests: number;
  readonly fault: ServiceFault;
}

/** The fault of this request, if one is due. */
export function nextFault(server: {
  readonly faults: ServiceFault[];
  faultAfter: DelayedFault | undefined;
}): ServiceFault | undefined {
  const { faultAfter } = server;
  if (faultAfter === undefined) return server.faults.shift();
  const { requests, fault } = faultAfter;
  server.faultAfter = requests === 0 ? undefined : { requests: requests - 1, fault };
  return requests === 0 ? fault : undefined;
}

/** Plays the fault; true when the request is dealt with. */
export function playFault(
  fault: ServiceFault | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (fault === undefined || fault.kind === "lost-answer") return false;
  if (fault.kind === "lost-connection") {
    request.socket.destroy();
    return true;
  }
  if (fault.kind === "redirect") {
    response.writeHead(307, {
      location: `${request.url ?? ""}${request.url?.includes("?") === true ? "&" : "?"}redirected=1`,
    });
    response.end();
    return true;
  }
  const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
  response.writeHead(fault.status, { ...headers, "x-ms-request-id": "fault" });
  response.end("the service is busy");
  return true;
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  return new Promise((resolve, reject) => {
    request.on("data", (part: Buffer) => parts.push(part));
    request.once("error", reject);
    request.once("end", () => {
      resolve(Buffer.concat(parts).toString("utf8"));
    });
  });
}
