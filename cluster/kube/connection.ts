import { readFile } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { join } from "node:path";
import type { World } from "../world.ts";

/** Where the API server is and how one is known to it. */
export interface Connection {
  readonly origin: URL;
  readonly agent: http.Agent;
  /** The bearer token, read anew from its file when a minute old; undefined where none is needed. */
  token(): Promise<string | undefined>;
  /** A token that was refused is read anew at the next request. */
  forgetToken(): void;
}

export interface ConnectionFiles {
  readonly server: string;
  readonly caFile?: string | undefined;
  readonly tokenFile?: string | undefined;
}

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
const tokenAgeMs = 60_000;

/** A Pod's own connection; undefined outside of a cluster (Kubernetes: "Accessing the API from a Pod"). */
export function inClusterFiles(env: Readonly<Record<string, string | undefined>>): ConnectionFiles | undefined {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"] ?? "443";
  if (host === undefined || host === "") return undefined;
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    caFile: join(serviceAccountFolder, "ca.crt"),
    tokenFile: join(serviceAccountFolder, "token"),
  };
}

export async function connect(files: ConnectionFiles, world: Pick<World, "monotonicMs">): Promise<Connection> {
  const origin = new URL(files.server);
  const ca = files.caFile === undefined ? undefined : await readCertificates(files.caFile);
  const options = { keepAlive: true, maxSockets: 64, ...(ca === undefined ? {} : { ca }) };
  const agent = origin.protocol === "https:" ? new https.Agent(options) : new http.Agent(options);
  let held: { readonly token: string; readonly readAt: number } | undefined;
  return {
    origin,
    agent,
    token: async () => {
      if (files.tokenFile === undefined) return undefined;
      if (held !== undefined && world.monotonicMs() - held.readAt < tokenAgeMs) return held.token;
      held = {
        token: (await readNamed(files.tokenFile, "token for the API server")).trim(),
        readAt: world.monotonicMs(),
      };
      return held.token;
    },
    forgetToken: () => {
      held = undefined;
    },
  };
}

/** TLS takes a text without a certificate for none at all, and then trusts nobody. */
async function readCertificates(file: string): Promise<string> {
  const what = "certificate authority of the API server";
  const text = await readNamed(file, what);
  if (!/^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/mu.test(text))
    throw new Error(`The ${what} holds no certificate in PEM (-----BEGIN CERTIFICATE-----): ${file}`);
  return text;
}

async function readNamed(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new Error(`The ${what} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
