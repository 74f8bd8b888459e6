import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { certificateRequest, thumbprintOf } from "../../scripts/dev/start/tenant-certificate.ts";
import { tryCommand } from "../support/run-command.ts";
import { forwardingProgram } from "../support/windows-program.ts";

/**
 * Wine has no PowerShell. This script stands in for it, at its real place and as a real program: it opens envelopes with
 * OpenSSL on the host in place of the certificate store, and plays hooks and CAPZ's own loop with its rounds and pauses. So it proves how the handler calls
 * PowerShell and what it makes of the answers, not one line of PowerShell. The check of the package needs no PowerShell.
 */
const script = String.raw`
const { existsSync } = require("node:fs");
const http = require("node:http");
const args = process.argv.slice(3);
const valueOf = (name) => (args.some((arg) => arg.toLowerCase() === name) ? args[args.findIndex((arg) => arg.toLowerCase() === name) + 1] : undefined);

// about_For, Test-Path and Start-Sleep: as many rounds, and as many seconds between them, as the text says; "exit -2" at their end.
function capzLoop(text) {
  const [, rounds] = /-lt (\d+);/.exec(text);
  const [, path] = /Test-Path '([^']+)'/.exec(text);
  const [, seconds] = /Start-Sleep -Seconds (\d+)/.exec(text);
  const [, code] = /exit (-\d+)$/.exec(text);
  const look = (round) => {
    if (existsSync(path)) return;
    if (round >= Number(rounds)) process.exitCode = Number(code);
    else setTimeout(look, Number(seconds) * 1000, round + 1);
  };
  look(Number(rounds) === 0 ? 0 : 1);
}

function decrypt(text) {
  let envelope = "";
  process.stdin.on("data", (chunk) => (envelope += chunk));
  process.stdin.on("end", () => {
    const thumbprint = /'FindByThumbprint', '([0-9A-F]+)'/.exec(text)[1];
    const port = require("node:fs").readFileSync("C:\\stand-in\\port", "utf8");
    const request = http.request({ port, host: "127.0.0.1", method: "POST", path: "/" + thumbprint }, (response) => {
      let plain = "";
      response.on("data", (chunk) => (plain += chunk));
      response.on("end", () => {
        process.exitCode = response.statusCode === 200 ? 0 : 21;
        process.stdout.write(plain);
      });
    });
    request.end(envelope);
  });
}

/** A hook: of its text only what it notes of itself, and the exit code. */
function playHook(file) {
  const text = require("node:fs").readFileSync(file, "utf8");
  const said = /stage=[\w-]+/.exec(text);
  if (said !== null) require("node:fs").writeFileSync(process.env.CAPZ_CHECK_OUTPUT, said[0] + "\n");
  process.exitCode = Number(/exit (\d+)/.exec(text)[1]);
}

if (valueOf("-file") !== undefined) playHook(valueOf("-file"));
else if (args.some((arg) => arg === "-EncodedCommand")) {
  const text = Buffer.from(valueOf("-encodedcommand"), "base64").toString("utf16le");
  if (text.includes("EnvelopedCms")) decrypt(text);
} else if (/Test-Path '/.test(args.at(-1))) capzLoop(args.at(-1));
`;

/**
 * Wine's icacls changes nothing and saves nothing; this one notes what it is asked for, refuses as Windows does ("access is denied"),
 * and saves an access list as Windows gives it below Program Files, or the one that a test has put there.
 */
const icacls = String.raw`
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const args = process.argv.slice(3);
const asked = "C:\\stand-in\\access-list";
const list = existsSync(asked) ? readFileSync(asked, "utf8") : "D:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)";
if (args[1] === "/save") writeFileSync(args[2], args[0].split("\\").pop() + "\r\n" + list + "\r\n", "utf16le");
else appendFileSync("C:\\stand-in\\icacls.log", JSON.stringify(args) + "\n");
process.exitCode = existsSync("C:\\stand-in\\icacls-fails") ? 5 : 0;
`;

export interface StandIn {
  readonly thumbprint: string;
  /** Settings as Azure would encrypt them for this machine. */
  encrypt(settings: object): Promise<string>;
  close(): void;
}

/** Puts the stand-ins in the places of PowerShell and icacls on the drive; `node` is a node.exe on the host. */
export async function installStandIn(drive: string, node: string, scratch: string): Promise<StandIn> {
  const folder = join(drive, "stand-in");
  const place = join(drive, "windows", "system32", "WindowsPowerShell", "v1.0");
  for (const made of [folder, place]) await mkdir(made, { recursive: true });
  await copyFile(node, join(folder, "node.exe"));
  await writeFile(join(folder, "powershell.js"), script);
  const program = forwardingProgram('"C:\\stand-in\\node.exe" "C:\\stand-in\\powershell.js"');
  await writeFile(join(place, "powershell.exe"), program);
  await writeFile(join(folder, "icacls.js"), icacls);
  const system = join(drive, "windows", "system32");
  await writeFile(join(system, "icacls.exe"), forwardingProgram('"C:\\stand-in\\node.exe" "C:\\stand-in\\icacls.js"'));
  const certificate = await makeCertificate(scratch);
  const store = await serveStore(certificate);
  await writeFile(join(folder, "port"), String(portOf(store)));
  return {
    thumbprint: certificate.thumbprint,
    encrypt: (settings) => encrypt(certificate, settings),
    close: () => {
      store.close();
      store.closeAllConnections();
    },
  };
}

interface Certificate {
  readonly key: string;
  readonly file: string;
  readonly thumbprint: string;
}

async function makeCertificate(scratch: string): Promise<Certificate> {
  const [key, file] = [join(scratch, "agent.prv"), join(scratch, "agent.crt")];
  await openssl(certificateRequest(key, file));
  return { key, file, thumbprint: thumbprintOf(await readFile(file)) };
}

async function encrypt(certificate: Certificate, settings: object): Promise<string> {
  const args = ["cms", "-encrypt", "-binary", "-outform", "PEM", "-aes256", certificate.file];
  const pem = (await openssl(args, Buffer.from(JSON.stringify(settings)))).toString("utf8");
  return pem.replaceAll(/-----[^-]+-----|\s/gu, "");
}

/** POST /<thumbprint> with a base64 envelope gives the base64 plain text, or 404 for a certificate that is not there. */
function serveStore(certificate: Certificate): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url !== `/${certificate.thumbprint}`) {
        response.writeHead(404).end();
        return;
      }
      const pem = `-----BEGIN CMS-----\n${Buffer.concat(chunks)
        .toString("latin1")
        .replaceAll(/.{1,64}/gu, "$&\n")}-----END CMS-----\n`;
      const args = ["cms", "-decrypt", "-inform", "PEM", "-recip", certificate.file, "-inkey", certificate.key];
      void openssl(args, Buffer.from(pem)).then(
        (plain) => response.end(plain.toString("base64")),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address: string | AddressInfo | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}

async function openssl(args: readonly string[], input?: Uint8Array): Promise<Buffer> {
  const result = await tryCommand(["openssl", ...args], input === undefined ? {} : { input });
  if (result.code !== 0) throw new Error(`openssl ${args[0] ?? ""} failed: ${result.stderr}`);
  return Buffer.from(result.stdout, "utf8");
}
