import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createWorld } from "../../../cluster/create-world.ts";
import { connect } from "../../../cluster/kube/connection.ts";
import { createReflector, keyOf, type Reflector } from "../../../cluster/kube/reflector.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { json, startHostileServer, type HostileServer, type Mischief } from "../support/hostile-server.ts";

const resource = { group: "example.io", version: "v1", plural: "things", kind: "Thing" };
const world = createWorld();

let server: HostileServer;
let over: AbortController;
let lines: string[];

beforeEach(async () => {
  server = await startHostileServer();
  over = new AbortController();
  lines = [];
});
afterEach(async () => {
  over.abort();
  await server.close();
});

interface Running {
  readonly reflector: Reflector<string>;
  readonly changes: string[];
  readonly ended: Promise<void>;
}

async function start(parts: { readonly failOn?: string; readonly watchSeconds?: number } = {}): Promise<Running> {
  const connection = await connect({ server: server.origin }, world);
  const changes: string[] = [];
  const reflector = createReflector<string>({
    connection,
    resource,
    world,
    log: { info: (line) => lines.push(line), warn: (line) => lines.push(line) },
    read: (object) => {
      const key = keyOf(object);
      if (key === "default/unreadable") throw new Error("unreadable");
      return JSON.stringify(object);
    },
    onChange: (key, after) => {
      changes.push(`${key}${after === undefined ? " gone" : ""}`);
      if (key === parts.failOn) throw new Error("an error in a handler");
    },
    limits: { firstMs: 10, longestMs: 100, watchSeconds: parts.watchSeconds ?? 240, guardMs: 200 },
  });
  const ended = reflector.run(over.signal);
  return { reflector, changes, ended };
}

/** The whole point: whatever has happened, the next change is seen. */
async function seesTheNextChange({ reflector }: Running): Promise<void> {
  const name = `after-${String(server.version())}`;
  server.change(name);
  await waitUntil("the next change", () => reflector.get(`default/${name}`) !== undefined);
}

const answerWith =
  (status: number, body: unknown = {}, headers = {}): Mischief =>
  (_, response) => {
    json(response, status, body, headers);
  };
const reset: Mischief = (request) => request.socket.resetAndDestroy();
const silence: Mischief = () => undefined;
const closeAtOnce: Mischief = (_, response) => {
  response.writeHead(200);
  response.end();
};
const event =
  (text: string): Mischief =>
  (_, response) => {
    response.writeHead(200);
    response.write(text);
  };
const eventAndEnd =
  (text: string): Mischief =>
  (_, response) => {
    response.writeHead(200);
    response.end(text);
  };
const gone = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
const error500 = { type: "ERROR", object: { kind: "Status", code: 500, reason: "InternalError", message: "etcd" } };

describe("a reflector against a server on a bad day", () => {
  test.each<[string, readonly Mischief[]]>([
    ["500 on a watch", [answerWith(500)]],
    ["seven times 500 on a watch", Array.from({ length: 7 }, () => answerWith(500))],
    ["429 with Retry-After on a watch", [answerWith(429, { reason: "TooManyRequests" }, { "retry-after": "0" })]],
    ["a reset of the connection", [reset]],
    ["a clean close at once", [closeAtOnce]],
    ["HTTP 410", [answerWith(410, gone)]],
    ["an ERROR event of 410", [eventAndEnd(`${JSON.stringify({ type: "ERROR", object: gone })}\n`)]],
    ["an ERROR event of another code", [event(`${JSON.stringify(error500)}\n`)]],
    ["broken JSON", [event('{"type":"ADDED","object":\n')]],
    ["half a line and then the end", [eventAndEnd('{"type":"ADDED","object":{"metadata":{"na')]],
    ["an event type that nobody knows, and then silence until the guard", [event('{"type":"SPARKLE","object":{}}\n')]],
    ["a half-open connection: headers, and then nothing for ever", [event("")]],
    ["no answer to a watch at all", [silence]],
    ["401 after the token has changed", [answerWith(401, { reason: "Unauthorized" })]],
  ])("sees the next change after %s", async (_, mischief) => {
    server.change("a");
    server.watches.push(...mischief);
    const running = await start({ watchSeconds: 1 });
    await waitUntil("the first list", () => running.reflector.synced());
    await waitUntil("the mischief", () => server.watches.length === 0);
    await seesTheNextChange(running);
    expect(running.reflector.get("default/a")).toBeDefined();
  });

  test.each<[string, readonly Mischief[]]>([
    ["500", [answerWith(500)]],
    ["429", [answerWith(429, {}, { "retry-after": "0" })]],
    ["a reset", [reset, reset]],
    ["an answer that is no list", [answerWith(200, { hello: 1 })]],
    [
      "broken JSON",
      [
        (_, response) => {
          response.end("{");
        },
      ],
    ],
    [
      "an answer that breaks off",
      [
        (request, response) => {
          response.writeHead(200, { "content-length": "1000" });
          response.write("{");
          setTimeout(() => request.socket.destroy(), 20);
        },
      ],
    ],
  ])("lists again after %s on a list", async (_, mischief) => {
    server.change("a");
    server.lists.push(...mischief);
    const running = await start();
    await waitUntil("the first list", () => running.reflector.synced());
    await seesTheNextChange(running);
    expect(running.reflector.get("default/a")).toBeDefined();
  });

  test("starts a list anew when a page is too old, and keeps no object that is gone since", async () => {
    for (let n = 0; n < 1200; n += 1) server.change(`n${String(n)}`);
    server.lists.push((request, response) => {
      // The first page as it should be; the second one is refused.
      server.lists.unshift(answerWith(410, gone));
      const items = Array.from({ length: 500 }, (_, n) => ({
        metadata: { name: `n${String(n)}`, namespace: "default", resourceVersion: "2" },
      }));
      json(response, 200, { metadata: { resourceVersion: "2", continue: "500" }, items });
      server.remove("n3");
      request.resume();
    });
    const running = await start();
    await waitUntil("the first list", () => running.reflector.synced());
    expect([...running.reflector.values()]).toHaveLength(1199);
    expect(running.reflector.get("default/n3")).toBeUndefined();
  });

  test("derives deletions that happened while its version was too old", async () => {
    server.change("a");
    server.change("b");
    const running = await start({ watchSeconds: 1 });
    await waitUntil("the first list", () => running.reflector.synced());
    server.watches.push(closeAtOnce, (_, response) => {
      server.remove("b");
      server.compact();
      response.end();
    });
    await waitUntil("the deletion", () => running.reflector.get("default/b") === undefined);
    expect(running.changes).toContain("default/b gone");
    await seesTheNextChange(running);
  });

  test("goes on after an error in the handler of a change, and after an object that cannot be read", async () => {
    const running = await start({ failOn: "default/bad" });
    await waitUntil("the first list", () => running.reflector.synced());
    server.change("bad");
    server.change("unreadable");
    await seesTheNextChange(running);
    expect(lines.join("\n")).toContain("an error in a handler");
    expect(running.reflector.get("default/unreadable")).toBeUndefined();
  });

  test("does not storm a server that closes every watch at once", async () => {
    const always: Mischief = (request, response) => {
      server.watches.push(always);
      closeAtOnce(request, response, server);
    };
    server.watches.push(always);
    await start();
    await world.sleep(1000);
    const watches = server.requests.filter(({ watch }) => watch).length;
    // With delays of 10, 20, 40, 80, 100 … ms, each at least halved, there is room for 25; a storm makes thousands.
    expect(watches).toBeLessThan(30);
    expect(watches).toBeGreaterThan(3);
  });

  test("asks for the version after the last event when it watches again, so that nothing is lost between two watches", async () => {
    const running = await start({ watchSeconds: 1 });
    await waitUntil("the first list", () => running.reflector.synced());
    for (let n = 0; n < 100; n += 1) {
      server.change(`n${String(n)}`);
      await world.sleep(30);
    }
    await waitUntil("every object", () => [...running.reflector.values()].length === 100);
    expect(new Set(running.changes).size).toBe(100);
    expect(server.requests.filter(({ watch }) => !watch)).toHaveLength(1);
  });

  test("reads an event whose characters are cut by the borders of packets", async () => {
    const running = await start();
    await waitUntil("the first list", () => running.reflector.synced());
    const object = { metadata: { name: "größe-€-𝄞", namespace: "default", resourceVersion: "9" } };
    server.watches.push((_, response) => {
      response.writeHead(200);
      void (async () => {
        for (const byte of Buffer.from(`${JSON.stringify({ type: "ADDED", object })}\n`)) {
          response.write(Buffer.of(byte));
          await world.sleep(1);
        }
      })();
    });
    server.closeWatches();
    await waitUntil("the object", () => running.reflector.get("default/größe-€-𝄞") !== undefined);
    expect(running.reflector.get("default/größe-€-𝄞")).toBe(JSON.stringify(object));
  });

  test("watches on from the version of a bookmark", async () => {
    server.watches.push(
      eventAndEnd(`${JSON.stringify({ type: "BOOKMARK", object: { metadata: { resourceVersion: "4711" } } })}\n`),
    );
    const running = await start();
    await waitUntil("the next watch", () => server.requests.filter(({ watch }) => watch).length > 1);
    expect(server.requests.at(-1)?.query.get("resourceVersion")).toBe("4711");
    expect([...running.reflector.values()]).toEqual([]);
  });

  test("ends at once when it is told to, also in the middle of a slow list", async () => {
    server.lists.push(silence);
    const running = await start();
    await waitUntil("a request", () => server.requests.length === 1);
    over.abort();
    await running.ended;
    expect(running.reflector.synced()).toBe(false);
  });
});
