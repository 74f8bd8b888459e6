import { connect } from "node:net";
import { systemErrorCode, errorText } from "../../errors/handler-error.ts";
import { failed, passed, type Answer, type Probe } from "./probe.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

export function tcpProbe(name: string, { host, port }: Address): Probe {
  return { name, target: `${host}:${port}`, ask: (signal) => tryConnect({ host, port }, signal) };
}

export function tryConnect(address: Address, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, signal });
    socket.once("connect", () => {
      socket.destroy();
      resolve(passed("connected"));
    });
    socket.once("error", (error) => {
      resolve(failed(describeConnectError(error)));
    });
  });
}

/** Stable words for what a connection attempt met. */
export function describeConnectError(error: unknown): string {
  const code = systemErrorCode(error);
  switch (code) {
    case "ECONNREFUSED":
      return "refused, the address answers but nothing listens on the port";
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
    case "ABORT_ERR":
      return "timeout, no answer at all";
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return "no route to the address";
    case "ENOTFOUND":
      return "name not found";
    case "EAI_AGAIN":
      return "name resolution failed, no resolver answered";
    case "ECONNRESET":
      return "reset, the connection was cut";
    case "EACCES":
    case "EPERM":
      return "forbidden by a local firewall";
    default:
      return code ?? errorText(error);
  }
}
