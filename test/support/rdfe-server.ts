import { XMLParser } from "fast-xml-parser";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { member } from "../../publish/json-value.ts";
import { addressOf } from "./http-server.ts";
import { nextFault, playFault, readBody, type DelayedFault, type ServiceFault } from "./service-faults.ts";

/**
 * A stand-in for the classic service management API ("RDFE"), because the real one needs an approved subscription. It
 * keeps the rules known of it: a client certificate, x-ms-version on every request, 202 with an operation to ask for,
 * POST only for a new type, PUT only for a known one, deletion of internal versions only.
 */
export interface RdfeServer {
  readonly endpoint: string;
  readonly faults: ServiceFault[];
  faultAfter: DelayedFault | undefined;
  readonly requests: string[];
  readonly images: Map<string, string>;
  pollsUntilReplicated: number;
  failReplication: boolean;
  failOperations: boolean;
  close(): Promise<void>;
}

export async function startRdfeServer(tls: { readonly cert: string; readonly key: string }): Promise<RdfeServer> {
  const operations = new Map<string, number>();
  const http = createServer(
    { ...tls, requestCert: true, rejectUnauthorized: false, maxVersion: "TLSv1.2" },
    (request, response) => {
      answer({ server, operations }, request, response).catch((error: unknown) => {
        send(response, 500, `<Error><Code>StandIn</Code><Message>${String(error)}</Message></Error>`);
      });
    },
  );
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const server: RdfeServer = {
    endpoint: `https://127.0.0.1:${addressOf(http.address()).port}`,
    faults: [],
    faultAfter: undefined,
    requests: [],
    images: new Map(),
    pollsUntilReplicated: 0,
    failReplication: false,
    failOperations: false,
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

interface State {
  readonly server: RdfeServer;
  readonly operations: Map<string, number>;
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { server } = state;
  const body = await readBody(request);
  server.requests.push(`${request.method ?? ""} ${request.url ?? ""}`);
  const fault = nextFault(server);
  if (playFault(fault, request, response)) return;
  if (!hasCertificate(request)) {
    refuse(response, 403, "ForbiddenError");
    return;
  }
  if (request.headers["x-ms-version"] === undefined) {
    refuse(response, 400, "MissingOrIncorrectVersionHeader");
    return;
  }
  const url = new URL(request.url ?? "", server.endpoint);
  const [, , ...parts] = url.pathname.split("/");
  const sink = fault?.kind === "lost-answer" ? undefined : response;
  route(state, { method: request.method, parts, action: url.searchParams.get("action"), body }, sink);
  if (sink === undefined) request.socket.destroy();
}

function hasCertificate(request: IncomingMessage): boolean {
  const socket: unknown = request.socket;
  const isTls = (value: unknown): value is TLSSocket => typeof member(value, "getPeerCertificate") === "function";
  return isTls(socket) && Object.keys(socket.getPeerCertificate()).length > 0;
}

interface Call {
  readonly method: string | undefined;
  readonly parts: readonly string[];
  readonly action: string | null;
  readonly body: string;
}

function route(state: State, { method, parts, action, body }: Call, response: ServerResponse | undefined): void {
  const [area, kind, , , version = "", question] = parts;
  if (area === "operations") sendOperation(state, kind ?? "", response);
  else if (kind === "publisherextensions") sendImages(state, response);
  else if (question === "replicationstatus") sendReplication(state, version, response);
  else if (method === "DELETE") deleteImage(state, version, response);
  else if (method === "POST") write(state, { body, mustExist: false }, response);
  else if (method === "PUT" && action === "update") write(state, { body, mustExist: true }, response);
  else refuse(response, 404, "ResourceNotFound");
}

function write(
  { server, operations }: State,
  { body, mustExist }: { readonly body: string; readonly mustExist: boolean },
  response: ServerResponse | undefined,
): void {
  const image: unknown = member(new XMLParser({ parseTagValue: false }).parse(body), "ExtensionImage");
  const version = String(member(image, "Version"));
  if (mustExist !== server.images.size > 0) {
    refuse(response, mustExist ? 404 : 409, mustExist ? "ResourceNotFound" : "ConflictError");
    return;
  }
  if (!server.images.has(version) && member(image, "MediaLink") === "") {
    refuse(response, 400, "BadRequest");
    return;
  }
  if (server.images.size >= 15 && !server.images.has(version)) {
    refuse(response, 400, "QuotaExceeded");
    return;
  }
  const id = `op${operations.size + 1}`;
  operations.set(id, 1);
  if (!server.failOperations) server.images.set(version, body.replace(/^<\?xml[^>]*>\n/, ""));
  accept(response, id);
}

function sendOperation({ server, operations }: State, id: string, response: ServerResponse | undefined): void {
  const left = operations.get(id);
  if (left === undefined) {
    refuse(response, 404, "ResourceNotFound");
    return;
  }
  operations.set(id, left - 1);
  const failed = "<Status>Failed</Status><Error><Code>ConflictError</Code><Message>version exists</Message></Error>";
  const ended = server.failOperations ? failed : "<Status>Succeeded</Status>";
  send(response, 200, `<Operation><ID>${id}</ID>${left > 0 ? "<Status>InProgress</Status>" : ended}</Operation>`);
}

function sendImages({ server }: State, response: ServerResponse | undefined): void {
  send(response, 200, `<ExtensionImages>${[...server.images.values()].join("")}</ExtensionImages>`);
}

function sendReplication({ server }: State, version: string, response: ServerResponse | undefined): void {
  if (!server.images.has(version)) {
    refuse(response, 404, "ResourceNotFound");
    return;
  }
  const done = server.pollsUntilReplicated <= 0;
  server.pollsUntilReplicated -= 1;
  const status = server.failReplication ? "Failed" : done ? "Completed" : "InProgress";
  const rows = ["West Central US", "North Europe"].map(
    (region) => `<ReplicationStatus><Location>${region}</Location><Status>${status}</Status></ReplicationStatus>`,
  );
  send(response, 200, `<ReplicationStatusList>${rows.join("")}</ReplicationStatusList>`);
}

function deleteImage({ server, operations }: State, version: string, response: ServerResponse | undefined): void {
  if (server.images.get(version)?.includes("<IsInternalExtension>true") !== true) {
    refuse(response, 400, "ExtensionIsPublic");
    return;
  }
  server.images.delete(version);
  const id = `op${operations.size + 1}`;
  operations.set(id, 0);
  accept(response, id);
}

function refuse(response: ServerResponse | undefined, status: number, code: string): void {
  send(response, status, `<Error><Code>${code}</Code><Message>refused</Message></Error>`);
}

function accept(response: ServerResponse | undefined, id: string): void {
  response?.writeHead(202, { "x-ms-request-id": id });
  response?.end();
}

function send(response: ServerResponse | undefined, status: number, body: string): void {
  response?.writeHead(status, { "content-type": "application/xml", "x-ms-request-id": "rdfe-0" });
  response?.end(body);
}
