import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listOf, member, textOr } from "../../publish/json-value.ts";
import { addressOf } from "./http-server.ts";
import { nextFault, playFault, readBody, type DelayedFault, type ServiceFault } from "./service-faults.ts";

export interface StoredVersion {
  body: unknown;
  /** What the service copied from the media link: what agents would download. */
  content: Buffer;
  pollsLeft: number;
}

/**
 * A stand-in for the sharedVMExtensions part of Azure Resource Manager, because the real service needs a subscription
 * that Microsoft has approved. It keeps the published rules: api-version and bearer token on every request, a type before
 * its versions, a media link that can be read on the first PUT, replication that takes time.
 */
export interface ArmServer {
  readonly endpoint: string;
  readonly faults: ServiceFault[];
  faultAfter: DelayedFault | undefined;
  readonly requests: string[];
  /** Status questions until a change is replicated. */
  pollsUntilReplicated: number;
  failReplication: boolean;
  /** Regions in which the present replication has failed, until the same regions are put once more. */
  readonly failedRegions: Set<string>;
  readonly versions: Map<string, StoredVersion>;
  readonly types: Map<string, unknown>;
  close(): Promise<void>;
}

export async function startArmServer(): Promise<ArmServer> {
  const http = createServer((request, response) => {
    answer(server, request, response).catch((error: unknown) => {
      sendJson(response, 500, { error: { code: "StandIn", message: String(error) } });
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server: ArmServer = {
    endpoint: `http://127.0.0.1:${addressOf(http.address()).port}`,
    faults: [],
    faultAfter: undefined,
    requests: [],
    pollsUntilReplicated: 0,
    failReplication: false,
    failedRegions: new Set(),
    versions: new Map(),
    types: new Map(),
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => {
          resolve();
        });
      }),
  };
  return server;
}

const path =
  /^\/subscriptions\/[0-9a-f-]{36}\/resourceGroups\/[\w-]+\/providers\/Microsoft\.Compute\/sharedVMExtensions\/([\w.]+)(\/versions(?:\/([\d.]+))?)?$/;

async function answer(server: ArmServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  server.requests.push(`${request.method ?? ""} ${request.url ?? ""}`);
  const fault = nextFault(server);
  if (playFault(fault, request, response)) return;
  const url = new URL(request.url ?? "", server.endpoint);
  const [type, versions, version] = partsOf(url);
  const problem = envelopeProblem(request, url, type);
  if (problem !== undefined) {
    refuse(response, ...problem);
    return;
  }
  const sink = fault?.kind === "lost-answer" ? undefined : response;
  const call = { method: request.method, type, body };
  if (version !== undefined) await answerVersion(server, { ...call, version }, sink);
  else if (versions !== undefined) answerList(server, type, response);
  else answerType(server, call, sink);
  if (sink === undefined) request.socket.destroy();
}

function partsOf(url: URL): readonly [string, string | undefined, string | undefined] {
  const [, type = "", versions, version] = path.exec(url.pathname) ?? [];
  return [type, versions, version];
}

function envelopeProblem(request: IncomingMessage, url: URL, type: string): readonly [number, string] | undefined {
  if (type === "") return [404, "InvalidResourceType"];
  if (url.searchParams.get("api-version") === null) return [400, "MissingApiVersionParameter"];
  return /^Bearer \S+$/.test(request.headers.authorization ?? "") ? undefined : [401, "AuthenticationFailed"];
}

interface Call {
  readonly method: string | undefined;
  readonly type: string;
  readonly body: string;
}

function answerType(server: ArmServer, { method, type, body }: Call, response: ServerResponse | undefined): void {
  if (method === "GET") {
    const found = server.types.get(type);
    if (found === undefined) refuse(response, 404, "ResourceNotFound");
    else sendJson(response, 200, found);
    return;
  }
  const value: unknown = JSON.parse(body);
  const identifier = member(value, "properties", "identifier");
  if (`${String(member(identifier, "publisher"))}.${String(member(identifier, "type"))}` !== type) {
    refuse(response, 400, "InvalidIdentifier");
    return;
  }
  const status = server.types.has(type) ? 200 : 201;
  server.types.set(type, value);
  sendJson(response, status, value);
}

function answerList(server: ArmServer, type: string, response: ServerResponse): void {
  if (!server.types.has(type)) {
    refuse(response, 404, "ParentResourceNotFound");
    return;
  }
  const value = [...server.versions].map(([name, stored]) => ({ name: `${type}/${name}`, ...asObject(stored.body) }));
  sendJson(response, 200, { value });
}

async function answerVersion(
  server: ArmServer,
  call: Call & { readonly version: string },
  response: ServerResponse | undefined,
): Promise<void> {
  const { method, type, version, body } = call;
  const stored = server.versions.get(version);
  if (!server.types.has(type)) {
    refuse(response, 404, "ParentResourceNotFound");
    return;
  }
  if (method === "PUT") return putVersion(server, { version, body }, response);
  if (stored === undefined) {
    refuse(response, 404, "ResourceNotFound");
    return;
  }
  if (method === "DELETE") {
    deleteVersion(server, version, response);
    return;
  }
  sendJson(response, 200, withReplication(server, stored));
}

async function putVersion(
  server: ArmServer,
  { version, body }: { readonly version: string; readonly body: string },
  response: ServerResponse | undefined,
): Promise<void> {
  const value: unknown = JSON.parse(body);
  const properties = member(value, "properties");
  const before = server.versions.get(version);
  const link = textOr(member(properties, "mediaLink"), "");
  const problem =
    propertyProblem(properties) ?? (before === undefined && link === "" ? "MediaLinkRequired" : undefined);
  if (problem !== undefined) {
    refuse(response, 400, problem);
    return;
  }
  const content = before?.content ?? (await download(link));
  if (content === undefined) {
    refuse(response, 400, "MediaLinkNotReadable");
    return;
  }
  // The same regions once more: this time their replication succeeds.
  if (before !== undefined && sameRegions(before.body, value)) server.failedRegions.clear();
  server.versions.set(version, { body: value, content, pollsLeft: server.pollsUntilReplicated });
  sendJson(response, before === undefined ? 201 : 200, value);
}

function sameRegions(one: unknown, other: unknown): boolean {
  const regionsOf = (body: unknown) => JSON.stringify(member(body, "properties", "regions"));
  return regionsOf(one) === regionsOf(other);
}

function propertyProblem(properties: unknown): string | undefined {
  if (!["IaaS", "PaaS", "All"].includes(String(member(properties, "computeRole")))) return "InvalidComputeRole";
  if (!["Linux", "Windows"].includes(String(member(properties, "supportedOS")))) return "InvalidSupportedOS";
  if (!["Standard", "Minimal", "Hotfix"].includes(String(member(properties, "safeDeploymentPolicy"))))
    return "InvalidPolicy";
  return listOf(member(properties, "regions")).length === 0 ? "RegionsRequired" : undefined;
}

async function download(link: string): Promise<Buffer | undefined> {
  const answered = await fetch(link);
  return answered.ok ? Buffer.from(await answered.arrayBuffer()) : undefined;
}

function deleteVersion(server: ArmServer, version: string, response: ServerResponse | undefined): void {
  const properties = member(server.versions.get(version)?.body, "properties");
  if (member(properties, "isInternalExtension") !== true) {
    refuse(response, 409, "VersionIsPublic");
    return;
  }
  server.versions.delete(version);
  sendJson(response, 200, {});
}

function withReplication(server: ArmServer, stored: StoredVersion): unknown {
  const done = stored.pollsLeft <= 0;
  stored.pollsLeft -= 1;
  const regions = listOf(member(stored.body, "properties", "regions")).map(String);
  const isFailed = (region: string) => server.failReplication || server.failedRegions.has(region);
  const ended = done ? "Completed" : "InProgress";
  const summary = regions.map((region) => ({
    region,
    state: isFailed(region) ? "Failed" : ended,
    progress: done ? 100 : 40,
  }));
  const state = regions.some(isFailed) ? "Failed" : ended;
  const properties = asObject(member(stored.body, "properties"));
  const replicationStatus = { aggregatedState: state, summary };
  return { ...asObject(stored.body), properties: { ...properties, provisioningState: "Succeeded", replicationStatus } };
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

function refuse(response: ServerResponse | undefined, status: number, code: string): void {
  sendJson(response, status, { error: { code, message: `refused: ${code}` } });
}

function sendJson(response: ServerResponse | undefined, status: number, value: unknown): void {
  response?.writeHead(status, { "content-type": "application/json", "x-ms-request-id": "arm-1" });
  response?.end(JSON.stringify(value));
}
