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

function tryConnect(address: Address, signal: AbortSignal): Promise<Answer> {
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
  return code === undefined ? errorText(error) : (connectErrors[code] ?? code);
}

const timeout = "timeout, no answer at all";
const forbidden = "forbidden by a local firewall";
const connectErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused, the address answers but nothing listens on the port",
  ETIMEDOUT: timeout,
  UND_ERR_CONNECT_TIMEOUT: timeout,
  ABORT_ERR: timeout,
  EHOSTUNREACH: "no route to the address",
  ENETUNREACH: "no route to the address",
  ENOTFOUND: "name not found",
  EAI_AGAIN: "name resolution failed, no resolver answered",
  ECONNRESET: "reset, the connection was cut",
  EACCES: forbidden,
  EPERM: forbidden,
};
