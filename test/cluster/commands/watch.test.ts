import { afterEach, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { clusterObject, paths } from "../../../scripts/dev/start/cluster-objects.ts";
import { projectFolder } from "../../support/node-root.ts";
import { failedVerdict } from "../../support/verdict-samples.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { openPlayedCluster } from "../support/played-cluster.ts";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Passes everything on, but refuses every change of a Machine as a broken admission policy does. */
async function refusing(upstream: string): Promise<{ readonly origin: string; readonly refused: () => number }> {
  let refused = 0;
  const server = http.createServer((request, response) => {
    if (request.method === "PATCH" && request.url?.includes("/machines/") === true) {
      refused += 1;
      const name = (request.url ?? "").split("/machines/")[1]?.split("/")[0] ?? "";
      response.writeHead(422, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ kind: "Status", reason: "Invalid", message: `Machine "${name}" is invalid: no`, code: 422 }),
      );
      return;
    }
    const { method = "GET" } = request;
    const onward = http.request(
      new URL(request.url ?? "/", upstream),
      { method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
        response.on("close", () => answer.destroy());
      },
    );
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, refused: () => refused };
}

test("a refusal of every Machine is told ten times and not for each, and the verdict objects are written all the same", async () => {
  const cluster = await openPlayedCluster();
  closing.push(() => cluster.close());
  cluster.api.put(paths.cluster("c1"), clusterObject("c1"));
  for (let n = 0; n < 40; n += 1)
    cluster.machine({ name: `md-0-${String(n)}`, vm: { status: verdictStatus(failedVerdict()) } });
  const proxy = await refusing(cluster.api.origin);
  const main = join(projectFolder, "cluster/main.ts");
  const args = ["watch", "--server", proxy.origin, "--arm-origin", cluster.arm.origin, "--listen", "127.0.0.1:0"];
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  closing.push(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  await waitUntil("a refusal of each", () => proxy.refused() >= 40, { describe: () => log });
  await waitUntil(
    "the objects",
    () => cluster.api.list("/apis/bootstrap.capz.io/v1alpha1/bootstrapverdicts").length === 40,
  );
  child.kill("SIGTERM");
  const code = await new Promise((resolve) => child.once("close", resolve));
  const told = log.split("\n").filter((line) => line.includes("could not be brought up to date"));
  expect(told).toHaveLength(10);
  expect(told[0]).toMatch(/422 Invalid: Machine \\"md-0-\d+\\" is invalid: no; it is tried again/u);
  expect(told[9]).toMatch(/more lines like this one are held back for \d+ min/u);
  expect(code).toBe(0);
});

/** `watch` of the played API server, until it says that it listens or ends. */
async function startWatch(args: (armOrigin: string) => readonly string[], env: Readonly<Record<string, string>> = {}) {
  const cluster = await openPlayedCluster();
  closing.push(() => cluster.close());
  cluster.api.put(paths.cluster("c1"), clusterObject("c1"));
  cluster.machine({ name: "md-0-a", vm: { status: verdictStatus(failedVerdict()) } });
  const main = join(projectFolder, "cluster/main.ts");
  const child = spawn(process.execPath, [main, "watch", "--server", cluster.api.origin, ...args(cluster.arm.origin)], {
    env: { ...process.env, ...env },
  });
  closing.push(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  return { cluster, child, log: () => log, out: () => out };
}

test("the metrics of a dry run say that nothing was written", async () => {
  const { cluster, log, out } = await startWatch((arm) => [
    "--dry-run",
    "--listen",
    "127.0.0.1:0",
    "--arm-origin",
    arm,
  ]);
  await waitUntil("its words", () => /probes and metrics on port \d+/u.test(log()), { describe: log });
  await waitUntil("what would be written", () => out().includes('"would":"apply"'), { describe: log });
  const port = /metrics on port (?<port>\d+)/u.exec(log())?.groups?.["port"] ?? "";
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(series.filter((line) => !line.includes('dry_run="true"'))).toEqual([]);
  expect(cluster.api.list("/apis/bootstrap.capz.io/v1alpha1/bootstrapverdicts")).toEqual([]);
});

test("a port that is taken is told with what to do", async () => {
  const taken = http.createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  closing.push(() => void taken.close());
  const address = `127.0.0.1:${String((taken.address() as AddressInfo).port)}`;
  const { child, log } = await startWatch(() => ["--dry-run", "--listen", address]);
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(3);
  expect(log()).toContain(`Probes cannot be served on ${address}: listen EADDRINUSE`);
  expect(log()).toContain("Name another address with --listen.");
});

test("a file of certificates that holds none is told before anything is asked", async () => {
  const { child, log } = await startWatch(() => ["--ca-file", "/dev/null", "--listen", "127.0.0.1:0"]);
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect([code, log()]).toEqual([
    3,
    "capz-bootstrap-cluster: The certificate authority of the API server holds no certificate in PEM (-----BEGIN CERTIFICATE-----): /dev/null\n",
  ]);
});

test("a token file that is not there is told with its variable", async () => {
  const { child, log } = await startWatch(() => ["--dry-run", "--listen", "127.0.0.1:0"], {
    AZURE_CLIENT_ID: "00000000-0000-0000-0000-000000000001",
    AZURE_TENANT_ID: "00000000-0000-0000-0000-000000000002",
    AZURE_FEDERATED_TOKEN_FILE: "/no/such/token",
  });
  await waitUntil("its words", () => log().includes("AZURE_FEDERATED_TOKEN_FILE"), { describe: log });
  expect(log()).toContain("the token file that AZURE_FEDERATED_TOKEN_FILE names cannot be read: ENOENT");
  child.kill("SIGTERM");
  await new Promise((resolve) => child.once("close", resolve));
});
