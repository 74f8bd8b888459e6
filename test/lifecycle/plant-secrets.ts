import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "@jest/globals";
import AdmZip from "adm-zip";
import { packageForHost } from "../../scripts/dev/start/package-for-host.ts";
import { disguises, mayWear, seenIn, type Disguise } from "../handler/text/disguises.ts";
import { generateSecrets, type PlantedSecret } from "../handler/text/generate-secrets.ts";
import { waitUntil } from "../support/wait-until.ts";
import { createLifecycleMachine, waitForStatus, type LifecycleMachine } from "./lifecycle-machine.ts";

interface Worn extends PlantedSecret {
  readonly number: number;
  readonly disguise: string;
  readonly line: string;
}

const perRound = 1000;
/** Logs of a node, each with its own encoding; the excerpts of the report hold the last 128 KiB of each. */
const logs = [
  { path: "var/log/cloud-init-output.log", encode: (text: string) => Buffer.from(text, "utf8") },
  { path: "var/log/cloud-init.log", encode: (text: string) => Buffer.from(`\ufeff${text}`, "utf16le") },
  { path: "run/cluster-api/bootstrap-error.log", encode: (text: string) => Buffer.from(text, "utf16le") },
  { path: "var/log/syslog", encode: (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16() },
  { path: "var/log/waagent.log", encode: (text: string) => Buffer.from(text, "utf16le").swap16() },
] as const;

/** Secrets in these disguises in turn, each behind a line with its number. */
function plant(round: number, worn: readonly Disguise[]): readonly Worn[] {
  return generateSecrets(20261122 + round, perRound).map((planted, index) => {
    const number = round * perRound + index;
    const wanted = worn[number % worn.length];
    const plain = worn[0];
    const chosen = wanted !== undefined && mayWear(wanted, planted) ? wanted : plain;
    if (chosen === undefined) throw new Error("There are no disguises");
    return { ...planted, number, disguise: chosen.name, line: chosen.wear(planted) };
  });
}

const bodyOf = (planted: readonly Worn[]): string =>
  planted.map(({ number, line }) => `error: planted number ${String(number)}.\n${line}\n`).join("");

function write(root: string, path: string, bytes: Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), bytes);
}

/** Every text that left the program in one round, by outlet. */
async function shownBy(
  { agent, machine }: LifecycleMachine,
  planted: readonly Worn[],
): Promise<ReadonlyMap<string, string>> {
  const uploads: Buffer[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.method === "PUT") uploads.push(Buffer.concat(parts));
      response.writeHead(201).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const share = Math.ceil(planted.length / logs.length);
  for (const [index, { path, encode }] of logs.entries()) {
    write(machine.root, path, encode(bodyOf(planted.slice(index * share, (index + 1) * share))));
  }
  write(machine.root, "dev/console", Buffer.alloc(0));
  write(machine.root, "check/output", Buffer.from(bodyOf(planted.slice(0, 40))));
  agent.putSettings(0, {
    publicSettings: {
      commandToExecute: `cat ${machine.root}/check/output; tail -n 20 ${machine.root}/check/output >&2; exit 1`,
    },
    protectedSettings: { reportUploadUri: `http://127.0.0.1:${String(port)}/reports/one.zip` },
  });
  expect((await agent.run("install", 0)).exitCode).toBe(0);
  const enabled = await agent.run("enable", 0);
  await waitForStatus(agent, 0);
  await waitUntil("the upload of the report", () => (uploads.length > 0 ? true : undefined), { timeoutMs: 60_000 });
  server.close();
  const program = (...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(join(agent.handlerFolder, "bin/capz-bootstrap"), args, {
      env: { PATH: process.env["PATH"] ?? "", CAPZ_BOOTSTRAP_ROOT: machine.root },
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout + stderr;
  };
  const zipped = (bytes: Buffer): string =>
    new AdmZip(bytes)
      .getEntries()
      .map((entry) => `${entry.entryName}\n${entry.getData().toString("utf8")}`)
      .join("\n");
  const files = readdirSync(agent.logFolder, { recursive: true, encoding: "utf8" })
    .map((name) => join(agent.logFolder, name))
    // A file that is being written has another name for a moment, and is gone behind it.
    .filter((path) => !path.endsWith(".tmp") && statSync(path).isFile());
  return new Map([
    ["enable's own output", enabled.output],
    ["status", readFileSync(join(agent.statusFolder, "0.status"), "utf8")],
    ["console", readFileSync(join(machine.root, "dev/console"), "utf8")],
    ["upload", zipped(uploads[0] ?? Buffer.alloc(0))],
    ...files.map((path): [string, string] => [
      path.slice(agent.logFolder.length + 1),
      path.endsWith(".zip") ? zipped(readFileSync(path)) : readFileSync(path, "utf8"),
    ]),
    ["report", program("report")],
    ["report --json", program("report", "--json")],
    ["diagnose", program("diagnose", "--root", machine.root, "--no-probes")],
    ["diagnose --json", program("diagnose", "--root", machine.root, "--no-probes", "--json")],
    ["diagnose --html", program("diagnose", "--root", machine.root, "--no-probes", "--html")],
    ["explain", program("explain", join(agent.statusFolder, "0.status"))],
  ]);
}

/**
 * Plants secrets in the logs and the output of nodes, a thousand for each, lets the packaged program fail on them, and looks for
 * them in everything that left it.
 */
export async function expectNoneSeen(total: number, worn: readonly Disguise[] = disguises): Promise<void> {
  const built = packageForHost();
  let bundled = 0;
  const outlets = new Set<string>();
  const leaks: object[] = [];
  for (let round = 0; round < total / perRound; round++) {
    const planted = plant(round, worn);
    const machine = createLifecycleMachine(built);
    try {
      const shown = await shownBy(machine, planted);
      for (const [outlet, text] of shown) {
        outlets.add(outlet.replace(/^events\/.*/u, "events"));
        const isSeen = seenIn(text);
        for (const { secret, disguise, kind, line } of planted) {
          if (isSeen(secret)) leaks.push({ outlet, disguise, kind, secret, line });
        }
      }
      const bundle = shown.get("report.zip") ?? "";
      bundled += planted.filter(({ number }) => bundle.includes(`planted number ${String(number)}.`)).length;
    } finally {
      await machine.discard();
    }
  }
  process.stdout.write(
    `planted ${String(total)} secrets in ${String(worn.length)} disguises, 5 encodings: ${String(bundled)} of their places are in report.zip, ${String(leaks.length)} were seen in ${String(outlets.size)} outlets (${[...outlets].toSorted().join(", ")})\n`,
  );
  expect(leaks.slice(0, 10)).toEqual([]);
  // The places are in the bundle, so the secrets would have been.
  expect(bundled).toBe(total);
}
