import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createServer, type Server } from "node:http";
import { createWorld } from "../../../cluster/create-world.ts";
import { connect } from "../../../cluster/kube/connection.ts";
import { createWriter, isFieldConflict, isStale, type Writer } from "../../../cluster/kube/write.ts";
import { addressOf } from "../../support/http-server.ts";

const resource = { group: "example.io", version: "v1", plural: "things", kind: "Thing" };
const place = { namespace: "default", name: "a" };

let server: Server;
let writer: Writer;
let seen: { readonly line: string; readonly type: string | undefined; readonly body: unknown }[];
let answer: { readonly status: number; readonly body: unknown };

beforeEach(async () => {
  seen = [];
  answer = { status: 200, body: {} };
  server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      const type = request.headers["content-type"];
      seen.push({ line: `${request.method ?? ""} ${request.url ?? ""}`, type, body: JSON.parse(text) });
      response.writeHead(answer.status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${String(addressOf(server.address()).port)}`;
  writer = createWriter(await connect({ server: origin }, createWorld()));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const failure = (status: number, reason: string, message: string) => ({
  status,
  body: { kind: "Status", code: status, reason, message },
});

describe("createWriter", () => {
  test("applies under its own name and never by force", async () => {
    await writer.apply({ resource, place, subresource: "status", body: { x: 1 } });
    expect(seen).toEqual([
      {
        line: "PATCH /apis/example.io/v1/namespaces/default/things/a/status?fieldManager=capz-bootstrap-cluster",
        type: "application/apply-patch+yaml",
        body: { x: 1 },
      },
    ]);
  });

  test("removes the object of this uid and no namesake", async () => {
    expect(await writer.remove(resource, place, "uid-1")).toBe(true);
    expect(seen[0]).toMatchObject({
      line: "DELETE /apis/example.io/v1/namespaces/default/things/a",
      body: { preconditions: { uid: "uid-1" } },
    });
  });

  test("takes what is there already, or gone already, for done", async () => {
    answer = failure(409, "AlreadyExists", "exists");
    expect(await writer.create({ resource, place, body: {} })).toBe(false);
    answer = failure(404, "NotFound", "gone");
    expect(await writer.remove(resource, place, "uid-1")).toBe(false);
  });

  test("tells a field of another manager from an object that is newer than known", async () => {
    const errorOf = () => writer.apply({ resource, place, body: {} }).catch((error: unknown) => error);
    answer = failure(409, "Conflict", 'Apply failed with 1 conflict: conflict with "someone"');
    const field = await errorOf();
    answer = failure(409, "Conflict", "the object has been modified");
    const stale = await errorOf();
    expect([isFieldConflict(field), isStale(field), isFieldConflict(stale), isStale(stale)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});
