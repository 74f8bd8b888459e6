import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import https from "node:https";
import { join } from "node:path";
import { parse } from "yaml";
import { apiServerProgram, apiServerRoot } from "./api-server-root.ts";
import { waitUntil } from "./wait-until.ts";

/** A running API server of Kubernetes for custom resources, with its etcd. */
export interface ApiServer {
  /** "https://127.0.0.1:12345" */
  readonly origin: string;
  /** Certificate of the server, which is its own authority. */
  readonly ca: string;
  /** The folder of the Debian root; kubectl lies in it. */
  readonly root: string;
  readonly versions: string;
  /** The last two are the body and its content type, JSON where it is not named. */
  request(
    method: string,
    path: string,
    ...content: readonly unknown[]
  ): Promise<{ readonly status: number; readonly json: unknown }>;
  /** Installs CRDs and waits until they are served. */
  install(crds: readonly unknown[]): Promise<void>;
  close(): Promise<void>;
}

const nowhere = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "none", cluster: { server: "http://127.0.0.1:1" } }],
  contexts: [{ name: "none", context: { cluster: "none", user: "none" } }],
  users: [{ name: "none", user: {} }],
  "current-context": "none",
});

export async function startApiServer(): Promise<ApiServer> {
  const root = await apiServerRoot();
  const inside = `/var/tmp/capz-${randomBytes(4).toString("hex")}`;
  const folder = join(root, inside);
  await mkdir(folder, { recursive: true });
  const [client, peer, port] = await Promise.all([freePort(), freePort(), freePort()]);
  // It must exist, and may point nowhere.
  await writeFile(join(folder, "kubeconfig"), nowhere);
  const log = await open(join(folder, "log"), "a");
  const processes: ChildProcess[] = [];
  const start = (command: readonly string[]) => {
    // The folder for temporary files of the test run does not exist inside.
    const env = { ...process.env, TMPDIR: "/tmp" };
    const child = spawn("chroot", [root, ...command], { env, stdio: ["ignore", log.fd, log.fd] });
    processes.push(child);
  };
  start([
    "/usr/bin/etcd",
    ...["--data-dir", `${inside}/etcd`, "--unsafe-no-fsync", "--log-level", "error"],
    ...[
      "--listen-client-urls",
      `http://127.0.0.1:${String(client)}`,
      "--advertise-client-urls",
      `http://127.0.0.1:${String(client)}`,
    ],
    ...["--listen-peer-urls", `http://127.0.0.1:${String(peer)}`],
  ]);
  start([
    apiServerProgram,
    ...[
      "--etcd-servers",
      `http://127.0.0.1:${String(client)}`,
      "--secure-port",
      String(port),
      "--bind-address",
      "127.0.0.1",
    ],
    ...[
      "--cert-dir",
      `${inside}/certs`,
      "--kubeconfig",
      `${inside}/kubeconfig`,
      "--enable-priority-and-fairness=false",
    ],
  ]);
  const origin = `https://127.0.0.1:${String(port)}`;
  const close = async () => {
    for (const child of processes) await ended(child);
    await log.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntil("the API server", () => isReady(origin), {
      timeoutMs: 120_000,
      describe: async () => (await readFile(join(folder, "log"), "utf8")).slice(-2000),
    });
    const ca = await readFile(join(folder, "certs/apiserver.crt"), "utf8");
    const versions = await readFile(join(root, "opt/api-server/versions"), "utf8");
    const request: ApiServer["request"] = (method, path, ...[body, contentType]) =>
      send(origin, { method, path, body, contentType: typeof contentType === "string" ? contentType : undefined, ca });
    return { origin, ca, root, versions, request, install: (crds) => install(request, crds), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function install(request: ApiServer["request"], crds: readonly unknown[]): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  for (const crd of crds) {
    const { status, json } = await request("POST", path, crd);
    if (status !== 201) throw new Error(`A CRD was refused: ${JSON.stringify(json).slice(0, 2000)}`);
  }
  await waitUntil("the CRDs", async () => {
    const { json } = await request("GET", path);
    return itemsOf(json).every(
      (crd) => JSON.stringify(crd).includes('"type":"Established","status":"True"') || isEstablished(crd),
    );
  });
}

function itemsOf(json: unknown): readonly unknown[] {
  return typeof json === "object" && json !== null && "items" in json && Array.isArray(json.items)
    ? (json.items as unknown[])
    : [];
}

function isEstablished(crd: unknown): boolean {
  return /"status":"True"[^}]*"type":"Established"|"type":"Established"[^}]*"status":"True"/u.test(JSON.stringify(crd));
}

/** A CRD as it can be loaded without the webhook that converts between its versions. */
export function withoutConversion(yaml: string): unknown {
  const crd = parse(yaml) as { readonly spec: Readonly<Record<string, unknown>> };
  const spec = Object.fromEntries(Object.entries(crd.spec).filter(([key]) => key !== "conversion"));
  return { ...crd, spec };
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly contentType: string | undefined;
  readonly ca: string;
}

function send(
  origin: string,
  { method, path, body, contentType, ca }: Sent,
): Promise<{ readonly status: number; readonly json: unknown }> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const request = https.request(
      new URL(path, origin),
      {
        method,
        ca,
        headers: {
          accept: "application/json",
          ...(text === undefined ? {} : { "content-type": contentType ?? "application/json" }),
        },
      },
      (response) => {
        let answer = "";
        response.setEncoding("utf8").on("data", (part: string) => (answer += part));
        response.on("end", () => {
          resolve({ status: response.statusCode ?? 0, json: JSON.parse(answer) as unknown });
        });
      },
    );
    request.on("error", reject);
    request.end(text);
  });
}

/** Not /readyz: it waits for informers of core types, which the kubeconfig that points nowhere can never fill. */
function isReady(origin: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = https.get(
      new URL("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", origin),
      { rejectUnauthorized: false },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.on("error", () => {
      resolve(false);
    });
  });
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => {
      resolve();
    });
    child.kill("SIGKILL");
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}
