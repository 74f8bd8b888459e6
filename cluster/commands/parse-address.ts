import { isIP } from "node:net";

export interface ListenAddress {
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
}

/** "0.0.0.0:9440", "[::]:9440" or ":9440"; throws an Error that says what is allowed. */
export function parseListen(text: string): ListenAddress {
  const colon = text.lastIndexOf(":");
  const [before, digits] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)];
  const bracketed = before.startsWith("[") && before.endsWith("]");
  const host = bracketed ? before.slice(1, -1) : before === "" ? "0.0.0.0" : before;
  const port = /^\d{1,5}$/u.test(digits) ? Number(digits) : Number.NaN;
  const isHost = colon !== -1 && (bracketed ? isIP(host) === 6 : host === "localhost" || isIP(host) === 4);
  if (!isHost || !(port <= 65_535))
    throw new Error(
      `"${text}" is no address: an IP address and a port up to 65535, for example 0.0.0.0:9440 or [::]:9440`,
    );
  return { host, port };
}

/** An http or https URL without a path, which the paths of the API would replace; throws an Error that says what is allowed. */
export function parseServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isServer = (url?.protocol === "https:" || url?.protocol === "http:") && url.pathname === "/";
  if (url === undefined || !isServer)
    throw new Error(
      `"${text}" is no URL of an API server (http or https, no path), for example https://10.0.0.1:6443 or http://127.0.0.1:8001`,
    );
  return url.origin;
}
