import type { Transport } from "./send-request.ts";
import { mask, withoutQuery } from "../mask.ts";

/**
 * Prints each request that would change something and answers as a service that took it; nothing is sent and nobody has to
 * sign in. The media link's signature is masked.
 */
export function createDryTransport(backend: "arm" | "rdfe", print: (text: string) => void): Transport {
  return ({ method, url, body }) => {
    if (method === "GET") {
      // An empty registry: Azure Resource Manager does not know the type yet, the classic service has an empty list.
      return Promise.resolve(
        backend === "arm"
          ? { status: 404, headers: {}, body: "{}" }
          : { status: 200, headers: {}, body: "<ExtensionImages></ExtensionImages>" },
      );
    }
    print(`${method} ${url}\n${body === undefined ? "" : `${mask(readable(body))}\n`}`);
    return Promise.resolve({ status: 200, headers: {}, body: "{}" });
  };
}

function readable(body: string): string {
  return body.startsWith("{")
    ? JSON.stringify(JSON.parse(body), maskLink, 2)
    : body.replace(/(<MediaLink>[^<?]*)\?[^<]*/u, "$1");
}

function maskLink(key: string, value: unknown): unknown {
  return key === "mediaLink" && typeof value === "string" && value !== "" ? withoutQuery(value) : value;
}
