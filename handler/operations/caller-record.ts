import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Caller } from "../check/running/run-command.ts";
import { replaceFile } from "../files/replace-file.ts";
import type { Host } from "../host.ts";
import { isJsonObject, parseJson } from "../text/parse-json.ts";
import type { AgentContext } from "./context.ts";

/*
 * The service manager starts the supervisor with an environment of its own. What the guest agent gave to `enable` is therefore
 * kept in a private file (a proxy's password may stand in it): a user's command gets the same on every system, and downloads go
 * through the agent's proxy.
 */

/** The launcher takes these from our runtime and keeps them under this name for the user's command. */
const kept = "CAPZ_CALLER_";
const proxyNames = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

/** Our own environment and limits, with what the launcher took away put back. */
function callerOf(host: Pick<Host, "env" | "ownLimits">): Caller {
  const env: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(host.env)) {
    if (!name.startsWith(kept)) env[name] = value;
  }
  for (const [name, value] of Object.entries(host.env)) {
    if (name.startsWith(kept)) env[name.slice(kept.length)] = value;
  }
  return { env, limits: host.ownLimits() };
}

/** Called by `enable`, each time it starts a supervisor. */
export async function keepCaller({ host, instance }: Pick<AgentContext, "host" | "instance">): Promise<void> {
  await replaceFile({ path: callerFile(instance), bytes: Buffer.from(JSON.stringify(callerOf(host))), durable: false });
}

/** What `enable` kept; our own where nothing is kept (`run`) or it cannot be read. */
export function readCaller({ host, instance }: Pick<AgentContext, "host" | "instance">): Caller {
  const json = parseJson(readText(callerFile(instance)));
  const own = callerOf(host);
  const { env, limits } = json.kind === "value" && isJsonObject(json.value) ? json.value : {};
  if (!isJsonObject(env) || !isJsonObject(limits)) return own;
  const { nice, oomScore } = limits;
  return {
    env: Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ),
    limits: {
      nice: typeof nice === "number" ? nice : own.limits.nice,
      ...(typeof oomScore === "number" ? { oomScore } : {}),
    },
  };
}

/** The proxies among the caller's variables, for our own downloads; what we have ourselves wins. */
export function proxiesOf({ env }: Caller): Readonly<Record<string, string>> {
  return Object.fromEntries(
    proxyNames.flatMap((name) => {
      const value = env[name];
      return value === undefined || value === "" ? [] : [[name, value] as const];
    }),
  );
}

function callerFile(instance: string): string {
  return join(instance, "caller.json");
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
