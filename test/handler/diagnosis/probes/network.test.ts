import { createSocket, type Socket } from "node:dgram";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { azureProbes } from "../../../../handler/diagnosis/probes/azure-services.ts";
import { dnsProbes, nameservers } from "../../../../handler/diagnosis/probes/dns.ts";
import { askProbe, probeLine, type Probe } from "../../../../handler/diagnosis/probes/probe.ts";
import { registryProbe } from "../../../../handler/diagnosis/probes/registry.ts";
import { runProbes } from "../../../../handler/diagnosis/probes/run-probes.ts";
import { tcpProbe } from "../../../../handler/diagnosis/probes/tcp.ts";
import { tlsProbe } from "../../../../handler/diagnosis/probes/tls.ts";
import { fakeHost } from "../fake-host.ts";
import { issueCertificate, makeAuthority, type Issued } from "./certificates.ts";

let root = "";
let certificates = "";
const closers: (() => void)[] = [];

beforeAll(async () => {
  certificates = await mkdtemp(join(tmpdir(), "certificates-"));
  await makeAuthority(certificates, "kubernetes");
  await makeAuthority(certificates, "Contoso-Inspection");
});
afterAll(() => rm(certificates, { recursive: true, force: true }));
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "probes-"));
});
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await rm(root, { recursive: true, force: true });
});

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

function portOf(server: Server | Socket): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return portOf(server);
}

/** A resolver that answers every question with this code, an address, or nothing at all. */
async function startResolver(answer: "silent" | "address" | number): Promise<number> {
  const socket = createSocket("udp4");
  socket.on("message", (question, peer) => {
    if (answer === "silent") return;
    const reply = Buffer.from(question);
    reply.writeUInt16BE(0x8180 | (answer === "address" ? 0 : answer), 2);
    if (answer === "address") reply.writeUInt16BE(1, 6);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 4]);
    socket.send(answer === "address" ? Buffer.concat([reply, record]) : reply, peer.port, peer.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, "127.0.0.1", resolve);
  });
  closers.push(() => socket.close());
  return portOf(socket);
}

async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function ask(probe: Probe | undefined, options: { readonly timeoutMs?: number; readonly now?: () => Date } = {}) {
  if (probe === undefined) throw new Error("There is no such probe");
  const timed = options.timeoutMs === undefined ? probe : { ...probe, timeoutMs: options.timeoutMs };
  return askProbe(timed, fakeHost({ root }));
}

const name = "cp.example.internal";
test.each([
  [3, `probe dns ${name} via 127.0.0.1: NXDOMAIN, 127.0.0.1 says that the name does not exist`],
  [2, `probe dns ${name} via 127.0.0.1: SERVFAIL, 127.0.0.1 could not find out`],
  [5, `probe dns ${name} via 127.0.0.1: REFUSED, 127.0.0.1 did not answer the question`],
  [0, `probe dns ${name} via 127.0.0.1: NODATA, the name ${name} exists at 127.0.0.1 but has no address`],
  ["address", `probe dns ${name} via 127.0.0.1: 10.0.0.4`],
] as const)("tells what the resolver answered: %s", async (answer, line) => {
  await put("etc/resolv.conf", "nameserver 127.0.0.1\n");
  const [probe] = await dnsProbes(root, name, await startResolver(answer));
  const result = await ask(probe);
  expect(probeLine(result)).toBe(line);
  expect(result.state).toBe(answer === "address" ? "passed" : "failed");
});

test("tells a resolver that never answers from one that is not there", async () => {
  await put("etc/resolv.conf", "nameserver 127.0.0.1\n");
  const [silent] = await dnsProbes(root, name, await startResolver("silent"));
  expect(await ask(silent, { timeoutMs: 60 })).toMatchObject({ state: "failed", message: "timeout after 60 ms" });
  const gone = await startResolver("silent");
  closers.pop()?.();
  const [nobody] = await dnsProbes(root, name, gone);
  expect(await ask(nobody)).toMatchObject({ state: "failed", message: "unreachable, nothing listens at 127.0.0.1" });
});

test("names the resolvers behind systemd-resolved's stub, and /etc/hosts before them", async () => {
  await put("etc/resolv.conf", "# stub\nnameserver 127.0.0.53\noptions edns0\n");
  await put("run/systemd/resolve/resolv.conf", "nameserver 10.0.0.10\nnameserver 168.63.129.16\n");
  expect(await nameservers(root)).toEqual(["10.0.0.10", "168.63.129.16"]);
  await put("etc/hosts", `127.0.0.1 localhost\n10.0.0.4 ${name} cp # lb\n`);
  const [probe] = await dnsProbes(root, name);
  expect(probeLine(await ask(probe))).toBe(`probe dns ${name} via /etc/hosts: 10.0.0.4`);
});

test("tells an open port from a closed one and from silence", async () => {
  const open = await listen(createServer());
  expect(await ask(tcpProbe("tcp", { host: "127.0.0.1", port: open }))).toMatchObject({
    state: "passed",
    message: "connected",
  });
  const closed = await closedPort();
  expect(probeLine(await ask(tcpProbe("tcp", { host: "127.0.0.1", port: closed })))).toBe(
    `probe tcp 127.0.0.1:${closed}: refused, the address answers but nothing listens on the port`,
  );
  const never: Probe = { name: "tcp", target: "x", ask: () => new Promise(() => undefined) };
  expect(await ask(never, { timeoutMs: 20 })).toMatchObject({ state: "failed", message: "timeout after 20 ms" });
});

async function tlsMessage(issued: Issued, authority: string | undefined, now = new Date()): Promise<string> {
  const server = createTlsServer({ cert: issued.cert, key: issued.key });
  server.on("tlsClientError", () => undefined);
  const port = await listen(server);
  const host = fakeHost({ root, now: () => now });
  const result = await askProbe(tlsProbe({ address: { host: "127.0.0.1", port }, authority }, host), host);
  return `${result.state}: ${result.message}`;
}

const day = (offset: number) =>
  new Date(Date.now() + offset * 86_400_000).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14) + "Z";
const current = [day(-1), day(10)] as const;

async function certificate(
  authority: string,
  san = "IP:127.0.0.1",
  validity: readonly [string, string] = current,
): Promise<Issued> {
  return issueCertificate(certificates, { authority, name: san, validity });
}

test("tells a good certificate from an expired one, one of tomorrow, one of another name", async () => {
  const { readFile } = await import("node:fs/promises");
  const authority = await readFile(join(certificates, "kubernetes.crt"), "utf8");
  expect(await tlsMessage(await certificate("kubernetes"), authority)).toMatch(
    /^passed: valid until \S+Z, issuer "kubernetes"$/,
  );
  expect(await tlsMessage(await certificate("kubernetes", "IP:127.0.0.1", [day(-9), day(-2)]), authority)).toMatch(
    /^failed: certificate expired at \S+Z, issuer "kubernetes"$/,
  );
  expect(await tlsMessage(await certificate("kubernetes", "IP:127.0.0.1", [day(2), day(9)]), authority)).toMatch(
    /^failed: certificate not yet valid, only from \S+Z; this machine's clock says \S+Z$/,
  );
  expect(await tlsMessage(await certificate("kubernetes", "DNS:other.example.com"), authority)).toBe(
    "failed: name mismatch, the certificate is not for 127.0.0.1 but for DNS:other.example.com",
  );
});

test("recognises TLS inspection, with the cluster's authority known and without", async () => {
  const { readFile } = await import("node:fs/promises");
  const authority = await readFile(join(certificates, "kubernetes.crt"), "utf8");
  const inspected = await certificate("Contoso-Inspection");
  expect(await tlsMessage(inspected, authority)).toBe(
    'failed: unknown issuer "Contoso-Inspection", not the cluster\'s authority "kubernetes"; something between may inspect TLS',
  );
  expect(await tlsMessage(inspected, undefined)).toMatch(/^failed: foreign issuer "Contoso-Inspection"/);
  expect(await tlsMessage(await certificate("kubernetes"), undefined)).toMatch(/^passed/);
});

test("a server that does not speak TLS fails the handshake", async () => {
  const port = await listen(createServer((socket) => socket.end("SSH-2.0-x\r\n")));
  const host = fakeHost({ root });
  const result = await askProbe(tlsProbe({ address: { host: "127.0.0.1", port }, authority: undefined }, host), host);
  expect(result.message).toMatch(/^no handshake, /);
});

async function startAzure(dateOffsetSeconds: number) {
  const server = createHttpServer((request, response) => {
    response.setHeader("Date", new Date(Date.now() + dateOffsetSeconds * 1000).toUTCString());
    response.statusCode = request.url?.startsWith("/metadata/identity") === true ? 404 : 200;
    response.end("{}");
  });
  const port = await listen(server);
  return { metadata: `127.0.0.1:${port}`, wireServer: `127.0.0.1:${port}`, hostPlugin: { host: "127.0.0.1", port } };
}

test("reaches Azure's services and compares the clock with theirs", async () => {
  const azure = await startAzure(-732);
  const host = fakeHost({ root, fetch, now: () => new Date() });
  const results = await Promise.all(azureProbes(host, azure).map((probe) => askProbe(probe, host)));
  expect(
    results.map(({ name: question, state, message }) => `${question} ${state}: ${message.replace(/\+73\d/, "+732")}`),
  ).toEqual([
    "imds passed: answers, HTTP 200",
    "identity passed: answers, HTTP 404",
    "wireserver passed: answers, HTTP 200",
    "wireserver passed: connected",
    "clock failed: offset +732 s, this machine's clock is ahead",
  ]);
  const dead = `127.0.0.1:${await closedPort()}`;
  const lost = azureProbes(host, { metadata: dead, wireServer: dead, hostPlugin: azure.hostPlugin });
  const [imds, , , , clock] = await Promise.all(lost.map((probe) => askProbe(probe, host)));
  expect(imds).toMatchObject({
    state: "failed",
    message: "refused, the address answers but nothing listens on the port",
  });
  expect(clock).toMatchObject({ state: "not-run" });
});

test("asks metadata service, wire server and the machine itself past a proxy, of the environment and of the settings", async () => {
  const asked: string[] = [];
  const proxy = createHttpServer((request, response) => {
    asked.push(request.url ?? "");
    response.end();
  });
  proxy.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end();
  });
  const address = `http://127.0.0.1:${await listen(proxy)}`;
  const azure = await startAzure(0);
  const host = fakeHost({ root, now: () => new Date() });
  const http = process.getBuiltinModule("node:http");
  const stopProxy = http.setGlobalProxyFromEnv({ HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: "" });
  try {
    const kubelet = azure.metadata;
    const results = await runProbes({ host, azure, kubelet });
    const local = results.filter(({ name }) => ["imds", "identity", "wireserver", "clock", "kubelet"].includes(name));
    expect(local.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "imds passed",
      "identity passed",
      "wireserver passed",
      "wireserver passed",
      "clock passed",
      "kubelet passed",
    ]);
    expect(asked).toEqual([]);
  } finally {
    stopProxy();
  }
});

test("asks the registry of the configuration, and not past a proxy", async () => {
  const port = await closedPort();
  const host = fakeHost({ root, fetch });
  expect(await askProbe(registryProbe(host, `127.0.0.1:${port}/team`), host)).toMatchObject({
    target: `127.0.0.1:${port}`,
    state: "failed",
    message: "refused, the address answers but nothing listens on the port",
  });
  await put(
    "etc/systemd/system/containerd.service.d/http-proxy.conf",
    '[Service]\nEnvironment="HTTPS_PROXY=http://p:3128"\n',
  );
  expect(await askProbe(registryProbe(host, undefined), host)).toMatchObject({
    target: "registry.k8s.io",
    state: "not-run",
  });
});

test("all probes together name the broken DNS of the endpoint and still answer the rest", async () => {
  await put("etc/resolv.conf", "nameserver 127.0.0.1\n");
  await put("run/kubeadm/kubeadm-join-config.yaml", `apiServerEndpoint: ${name}:6443\n`);
  await put("proc/meminfo", "MemTotal: 4000000 kB\nMemAvailable: 3000000 kB\n");
  const host = fakeHost({ root, fetch, now: () => new Date() });
  const results = await runProbes({ host, azure: await startAzure(0), dnsPort: await startResolver(3) });
  const lines = results.map(probeLine);
  expect(lines).toContain(`probe dns ${name} via 127.0.0.1: NXDOMAIN, 127.0.0.1 says that the name does not exist`);
  expect(lines).toContain(`probe tcp ${name}:6443: name not found`);
  expect(results.find((one) => one.name === "memory")?.state).toBe("passed");
  expect(results.every((one) => one.durationMs <= 6000)).toBe(true);
});
