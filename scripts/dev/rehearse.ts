import { spawn } from "node:child_process";
import { createReadStream, existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { projectVersion } from "../../publish/project.ts";
import { startArmServer, type ArmServer } from "../../test/support/arm-server.ts";

/**
 * A rollout and its withdrawal with the publish tool's real commands, against the registry that the tests play on this
 * machine: nobody signs in, nothing leaves it. `npm run rehearse`; a line is a command, what it printed and its exit code.
 */
async function rehearse(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "capz-rehearsal-"));
  const version = await projectVersion();
  const zip = `dist/CAPZ.Linux.Bootstrapping-${version}.zip`;
  if (!existsSync(zip)) await run(["package", "linux"]);
  const registry = await startArmServer();
  const storage = await serve(zip);
  try {
    await play({
      registry,
      zip,
      version,
      plan: await planWithoutPauses(folder),
      link: await linkTo(storage.url, folder),
    });
  } finally {
    await Promise.all([registry.close(), storage.close()]);
    await rm(folder, { recursive: true });
  }
}

interface Stage {
  readonly registry: ArmServer;
  readonly zip: string;
  readonly version: string;
  readonly plan: string;
  readonly link: string;
}

async function play({ registry, zip, version, plan, link }: Stage): Promise<void> {
  const at = ["--system", "linux", "--plan", plan, "--endpoint", registry.endpoint];
  const promote = (stage: string) => run(["promote", version, "--stage", stage, "--wait", "60", ...at]);
  await run(["publish", zip, "--link-file", link, ...at]);
  await promote("canary");
  say("A region fails: exit code 3. The same stage again asks for it once more.");
  registry.failedRegions.add("West Central US");
  await promote("first-region");
  await promote("first-region");
  say("The version is bad. Stop it, then take it back.");
  const reason = ["--reason", "rehearsal: kubelets restart in a loop"];
  await run(["hold", version, ...reason, ...at]);
  await promote("early-regions");
  await run(["withdraw", version, "--regions", "West Central US", ...reason, "--yes", ...at]);
  await run(["withdraw", version, ...reason, "--yes", ...at]);
  await run(["list", ...at]);
}

/** Runs one command of the publish tool with its output on ours; its exit code is part of the rehearsal. */
async function run(args: readonly string[]): Promise<void> {
  process.stdout.write(`\n$ publish-tool ${args.map(quote).join(" ")}\n`);
  const child = spawn(process.execPath, ["--no-warnings", "publish/main.ts", ...args], { stdio: "inherit" });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  process.stdout.write(`(exit code ${String(code)})\n`);
}

function quote(text: string): string {
  return /^[\w./:=-]+$/u.test(text) ? text : `'${text}'`;
}

function say(sentence: string): void {
  process.stdout.write(`\n# ${sentence}\n`);
}

/** The reviewed plan, but no stage has to stand for a day. */
async function planWithoutPauses(folder: string): Promise<string> {
  const plan = parseDocument(await readFile("manifests/rollout.yaml", "utf8"));
  const stages = Array.from({ length: 4 }, (_, index) => ["clouds", "public", "stages", index, "bakeHours"]);
  for (const path of stages) if (plan.hasIn(path)) plan.setIn(path, 0);
  const file = join(folder, "rollout.yaml");
  await writeFile(file, plan.toString());
  return file;
}

async function linkTo(url: string, folder: string): Promise<string> {
  const file = join(folder, "link");
  await writeFile(file, `${url}\n`, { mode: 0o600 });
  return file;
}

/** Blob storage is played by one file over HTTP: the registry reads the package from there. */
async function serve(path: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((_, response) => {
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${String(port)}/package.zip`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  };
}

await rehearse();
