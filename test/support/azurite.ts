import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  BlobServiceClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  StorageSharedKeyCredential,
  type StoragePipelineOptions,
} from "@azure/storage-blob";
import { addressOf } from "./http-server.ts";
import { runCommand } from "./run-command.ts";

/** Account and key that every Azurite has (documented by Microsoft; no secret). */
export const azuriteAccount = "devstoreaccount1";
export const azuriteKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

export interface Azurite {
  /** https URL of the container. */
  readonly container: string;
  /** Certificate of the server, for clients that must trust it. */
  readonly certificate: string;
  put(name: string, content: string | Buffer): Promise<void>;
  get(name: string): Promise<string>;
  /** A SAS query, without "?". */
  sas(permissions: string): string;
  close(): Promise<void>;
}

/** Longer than it takes on the busiest machine. What a test starts and does not end keeps the whole run from ending. */
const startLimitMs = 150_000;

/** For the hook that starts one: it gives up later than the start itself, which ends the server then. */
export const azuriteHookMs = startLimitMs + 30_000;

/** Starts a real Azurite on loopback with TLS and token checks, and makes one private container. */
export async function startAzurite(): Promise<Azurite> {
  const folder = mkdtempSync(join(tmpdir(), "capz-azurite-"));
  const [cert, key] = await makeCertificate(folder);
  const port = await freePort();
  const program = join(import.meta.dirname, "..", "..", "node_modules", "azurite", "dist", "src", "blob", "main.js");
  const child = spawn(
    process.execPath,
    [
      ...[program, "--blobPort", String(port), "--location", folder, "--silent", "--disableTelemetry"],
      ...["--cert", cert, "--key", key, "--oauth", "basic", "--skipApiVersionCheck"],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await started(child);
  const certificate = readFileSync(cert, "utf8");
  const credential = new StorageSharedKeyCredential(azuriteAccount, azuriteKey);
  const origin = `https://127.0.0.1:${String(port)}/${azuriteAccount}`;
  // Handed on to the client's core pipeline, though not in the type of its options.
  const options: StoragePipelineOptions & { readonly tlsOptions: { readonly ca: string } } = {
    tlsOptions: { ca: certificate },
  };
  const container = new BlobServiceClient(origin, credential, options).getContainerClient("checks");
  await container.create();
  return {
    container: container.url,
    certificate,
    put: async (name, content) => {
      await container.getBlockBlobClient(name).upload(content, Buffer.byteLength(content));
    },
    get: async (name) => (await container.getBlobClient(name).downloadToBuffer()).toString(),
    sas: (permissions) =>
      generateBlobSASQueryParameters(
        {
          containerName: "checks",
          permissions: ContainerSASPermissions.parse(permissions),
          expiresOn: new Date(Date.now() + 3_600_000),
        },
        credential,
      ).toString(),
    close: async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

async function makeCertificate(folder: string): Promise<readonly [string, string]> {
  const cert = join(folder, "cert.pem");
  const key = join(folder, "key.pem");
  await runCommand([
    ...["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"],
    ...["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
  ]);
  return [cert, key];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = addressOf(server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function started(child: ChildProcess): Promise<void> {
  let text = "";
  const limit = setTimeout(() => child.kill(), startLimitMs);
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => {
      reject(new Error(`Azurite ended before it listened: ${text}`));
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("successfully listens")) resolve();
    });
  }).finally(() => {
    clearTimeout(limit);
  });
}
