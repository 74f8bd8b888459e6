/**
 * The host side of an Azure VM, as far as the guest agent sees it: WireServer (port 80), HostGAPlugin (port 32526) and the
 * instance metadata service. Runs as a process of its own in the node's network namespace; the test drives it over IPC.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import {
  certificatesXml,
  extensionsConfigXml,
  goalStateXml,
  hostingEnvironmentXml,
  manifestXml,
  metadataAddress,
  sharedConfigXml,
  versionsXml,
  wireServerAddress,
  type GoalState,
} from "./goal-state.ts";
import { certificatesForAgent } from "./tenant-key.ts";
import type { FromWireServer, ToWireServer } from "./wire-server-messages.ts";

interface State {
  goal: GoalState;
  readonly tenantFolder: string;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
  readonly file?: string;
}

type Route = (request: IncomingMessage, url: URL) => Answer | Promise<Answer>;

const notFound: Answer = { status: 404, body: "" };
const done: Answer = { status: 200, body: "" };

function xml(body: string): Answer {
  return { status: 200, type: "text/xml; charset=utf-8", body };
}

function wireServer(state: State): Route {
  return async (request, url) => {
    const comp = url.searchParams.get("comp") ?? "";
    const type = url.searchParams.get("type");
    if (url.pathname.startsWith("/manifests/")) return manifest(state.goal, url.pathname);
    if (url.pathname.startsWith("/packages/")) return packageFile(state.goal, url.pathname);
    if (request.method !== "GET") {
      send({ kind: "post", path: url.pathname + url.search, bytes: (await readBody(request)).length });
      return done;
    }
    switch (comp) {
      case "versions":
        return xml(versionsXml());
      case "goalstate":
        return xml(goalStateXml(state.goal));
      case "certificates":
        return xml(certificatesXml(await certificatesForAgent(state.tenantFolder, request.headers)));
      case "config":
        if (type === "extensionsConfig") return xml(extensionsConfigXml(state.goal));
        if (type === "hostingEnvironmentConfig") return xml(hostingEnvironmentXml(state.goal));
        if (type === "sharedConfig") return xml(sharedConfigXml());
        return notFound;
      default:
        return notFound;
    }
  };
}

function manifest(goal: GoalState, path: string): Answer {
  const body = manifestXml(goal, path.slice("/manifests/".length).replace(/\.xml$/, ""));
  return body === undefined ? notFound : xml(body);
}

function packageFile(goal: GoalState, path: string): Answer {
  const [name, file] = path.slice("/packages/".length).split("/");
  const version = file?.replace(/\.zip$/, "");
  const zip = name === undefined || version === undefined ? undefined : goal.packages[name]?.[version];
  if (zip === undefined) return notFound;
  send({ kind: "download", name: name ?? "", version: version ?? "" });
  return { status: 200, type: "application/zip", file: zip };
}

const hostPlugin: Route = async (request, url) => {
  switch (`${request.method ?? ""} ${url.pathname}`) {
    case "GET /versions":
      return { status: 200, type: "application/json", body: '["2015-09-01"]' };
    case "GET /health":
      return done;
    case "PUT /status": {
      const upload: unknown = JSON.parse((await readBody(request)).toString("utf8"));
      if (typeof upload === "object" && upload !== null && "content" in upload && typeof upload.content === "string") {
        send({ kind: "status", blob: Buffer.from(upload.content, "base64").toString("utf8") });
      }
      return done;
    }
    default:
      // No Fast Track: the agent then takes everything from the WireServer.
      if (request.method !== "GET") await readBody(request);
      return url.pathname === "/vmSettings" || request.method === "GET" ? notFound : done;
  }
};

const metadata: Route = (_request, url) => {
  const compute = {
    location: "westeurope",
    name: "capz-node-1",
    offer: "capi",
    osType: "Linux",
    placementGroupId: "",
    platformFaultDomain: "0",
    platformUpdateDomain: "0",
    publisher: "cncf-upstream",
    resourceGroupName: "capz",
    sku: "ubuntu-2404-gen1",
    subscriptionId: "6f6f2f44-2a5c-4a3b-9a28-6f6a9f3d6c11",
    tags: "",
    version: "2026.1.1",
    vmId: "00000000-0000-0000-0000-000000000000",
    vmScaleSetName: "",
    vmSize: "Standard_D2s_v5",
    zone: "",
  };
  const network = {
    interface: [
      {
        ipv4: {
          ipAddress: [{ privateIpAddress: "10.0.0.4", publicIpAddress: "" }],
          subnet: [{ address: "10.0.0.0", prefix: "24" }],
        },
        ipv6: { ipAddress: [] },
        macAddress: "6045BD000001",
      },
    ],
  };
  switch (url.pathname) {
    case "/metadata/instance":
      return { status: 200, type: "application/json", body: JSON.stringify({ compute, network }) };
    case "/metadata/instance/compute":
      return { status: 200, type: "application/json", body: JSON.stringify(compute) };
    default:
      return notFound;
  }
};

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(message: FromWireServer): void {
  process.send?.(message);
}

async function reply(response: ServerResponse, answer: Answer): Promise<void> {
  if (answer.file === undefined) {
    response.writeHead(answer.status, { "content-type": answer.type ?? "text/plain" }).end(answer.body);
    return;
  }
  const { size } = await stat(answer.file);
  response.writeHead(answer.status, { "content-type": answer.type ?? "text/plain", "content-length": size });
  // The agent closes the connection once it has the announced length, which may be before our end of stream.
  await pipeline(createReadStream(answer.file), response).catch((error: unknown) => {
    if (!response.writableEnded) throw error;
  });
}

async function listen(address: string, port: number, route: Route): Promise<void> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", `http://${address}`);
    Promise.resolve(route(request, url))
      .then((answer) => reply(response, answer))
      .catch((error: unknown) => {
        send({ kind: "problem", text: `${request.method ?? ""} ${url.pathname}: ${String(error)}` });
        response.destroy();
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
}

async function start(state: State): Promise<void> {
  await listen(wireServerAddress, 80, wireServer(state));
  await listen(wireServerAddress, 32526, hostPlugin);
  await listen(metadataAddress, 80, metadata);
  send({ kind: "listening" });
}

const [tenantFolder] = process.argv.slice(2);
if (tenantFolder === undefined) throw new Error("Usage: wire-server-main.ts TENANT_FOLDER");
const state: State = { goal: { incarnation: 1, plugins: [], packages: {} }, tenantFolder };
process.on("message", (message: ToWireServer) => {
  state.goal = message.goal;
  send({ kind: "goal-taken", incarnation: message.goal.incarnation });
});
process.once("disconnect", () => process.exit(0));
await start(state);
