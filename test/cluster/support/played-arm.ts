import { createServer, type ServerResponse } from "node:http";
import { addressOf } from "../../support/http-server.ts";
import { azureVm, type PlayedVm } from "./azure-vm.ts";

export type ArmFault =
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: "silence" }
  | { readonly kind: "broken" }
  /** An answer of 200 that the service itself would not give. */
  | { readonly kind: "body"; readonly body: unknown };

/**
 * A stand-in for the compute part of Azure Resource Manager, from its published answers: a VM by its instance view, one list for all
 * instances of a Uniform scale set, the filtered VM list for a Flexible one.
 */
export interface PlayedArm {
  readonly origin: string;
  /** By resource id, lower case. */
  readonly vms: Map<string, PlayedVm>;
  /** Machines of a page; ARM decides that itself. */
  pageSize: number;
  /** Taken by the next requests, one each. */
  readonly faults: ArmFault[];
  /** Taken by every request while set. */
  fault: ArmFault | undefined;
  /** Resource groups for which every answer is 403. */
  readonly refusedGroups: Set<string>;
  readonly requests: { readonly path: string; readonly query: URLSearchParams; readonly token: string | undefined }[];
  close(): Promise<void>;
}

export async function startPlayedArm(): Promise<PlayedArm> {
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://arm.test");
    const path = url.pathname.toLowerCase();
    arm.requests.push({ path, query: url.searchParams, token: request.headers.authorization });
    const fault = arm.fault ?? arm.faults.shift();
    if (arm.refusedGroups.has(path.split("/")[4] ?? "")) playFault({ kind: "status", status: 403 }, response);
    else if (fault !== undefined) playFault(fault, response);
    else serve(path, url.searchParams, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const serve = (path: string, query: URLSearchParams, response: ServerResponse) => {
    if (query.get("api-version") === null) {
      send(response, 400, { error: { code: "MissingApiVersionParameter" } });
      return;
    }
    const vm = arm.vms.get(path);
    if (vm !== undefined) {
      send(response, 200, azureVm(vm));
      return;
    }
    if (!path.endsWith("/virtualmachines")) {
      send(response, 404, { error: { code: "ResourceNotFound" } });
      return;
    }
    const set = /eq '([^']+)'/u.exec(query.get("$filter") ?? "")?.[1];
    const folder = set === undefined ? `${path}/` : undefined;
    const all = [...arm.vms].filter(([id, { type }]) => (folder === undefined ? type === set : id.startsWith(folder)));
    const from = Number(query.get("$skiptoken") ?? "0");
    const items = all.slice(from, from + arm.pageSize).map(([, one]) => azureVm(one));
    const more = from + arm.pageSize < all.length;
    const next = new URLSearchParams(query);
    next.set("$skiptoken", String(from + arm.pageSize));
    send(response, 200, { value: items, ...(more ? { nextLink: `${arm.origin}${path}?${String(next)}` } : {}) });
  };
  const arm: PlayedArm = {
    origin: `http://127.0.0.1:${String(addressOf(http.address()).port)}`,
    vms: new Map(),
    pageSize: 100,
    faults: [],
    fault: undefined,
    refusedGroups: new Set(),
    requests: [],
    close: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => {
          resolve();
        });
      }),
  };
  return arm;
}

function playFault(fault: ArmFault, response: ServerResponse): void {
  switch (fault.kind) {
    case "status":
      send(response, fault.status, { error: { code: "Played" } }, fault.headers);
      return;
    case "broken":
      response.end('{"value": [');
      return;
    case "body":
      send(response, 200, fault.body);
      return;
    case "silence":
  }
}

function send(response: ServerResponse, status: number, ...content: readonly unknown[]): void {
  const [body, headers] = content as readonly [unknown, Readonly<Record<string, string>>?];
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
