import { readFileSync } from "node:fs";
import type { Host } from "../host.ts";
import { systemErrorCode } from "../errors/handler-error.ts";
import { decodeText } from "../text/decode-text.ts";
import { parseJson } from "../text/parse-json.ts";
import { onceUnblocked } from "../files/blocked-file.ts";

export type AgentJson =
  | { readonly kind: "absent" }
  | { readonly kind: "empty" }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "malformed"; readonly reason: string };

const tries = 10;
const pauseMs = 50;

/**
 * Reads a JSON file that the agent writes in place, not atomically: what is empty or malformed is read again for up to
 * half a second, because the agent may be in the middle of writing it (WALinuxAgent: exthandlers, create_handler_env).
 * One that the agent keeps closed meanwhile (Windows) is waited for. Throws the system error when the file exists but cannot be read.
 */
export async function readAgentJson(path: string, host: Pick<Host, "sleep">): Promise<AgentJson> {
  let last = await readOnce(path, host);
  for (let attempt = 1; attempt < tries; attempt++) {
    if (last.kind === "value" || last.kind === "absent") return last;
    // A file without content is normal for a handler without settings, so it is not waited for as long.
    if (last.kind === "empty" && attempt >= 3) return last;
    await host.sleep(pauseMs);
    last = await readOnce(path, host);
  }
  return last;
}

async function readOnce(path: string, { sleep }: Pick<Host, "sleep">): Promise<AgentJson> {
  try {
    const text = decodeText(await onceUnblocked(() => readFileSync(path), sleep));
    return text.trim() === "" ? { kind: "empty" } : parseJson(text);
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ENOENT") return { kind: "absent" };
    throw thrown;
  }
}
