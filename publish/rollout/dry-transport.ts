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
  if (body.startsWith("{")) return JSON.stringify(JSON.parse(body), maskLink, 2);
  const [before = "", rest = ""] = body.split("<MediaLink>");
  const end = rest.indexOf("</MediaLink>");
  return end < 0 ? body : `${before}<MediaLink>${withoutQuery(rest.slice(0, end))}${rest.slice(end)}`;
}

function maskLink(key: string, value: unknown): unknown {
  return key === "mediaLink" && typeof value === "string" && value !== "" ? withoutQuery(value) : value;
}
