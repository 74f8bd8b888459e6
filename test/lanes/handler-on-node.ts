import AdmZip from "adm-zip";
import { createHash } from "node:crypto";
import { access, chmod, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { cacheFolder } from "../support/node-root.ts";
import type { BootedNode, NodeFiles } from "../support/booted-node.ts";
import { waitUntil } from "../support/wait-until.ts";
import type { HandlerPackage } from "./real-package.ts";

export const handlerName = "Example.ClusterApi.CAPZ.Linux.Bootstrapping";
export const privateFolder = `/var/lib/capz-bootstrap/${handlerName}`;

/** Where the guest agent would have unpacked this version. */
export function handlerFolder(version: string): string {
  return `/var/lib/waagent/${handlerName}-${version}`;
}

/** One sequence of the handler on a node. */
export interface HandlerOnNode {
  readonly node: BootedNode;
  readonly version: string;
  readonly sequence: number;
}

/** Unpacks the package as the guest agent does (no modes in the zip, every file u+x) into a layer for nodes. */
export async function handlerLayer({ zip, version }: HandlerPackage): Promise<string> {
  const digest = createHash("sha256")
    .update(await readFile(zip))
    .digest("hex")
    .slice(0, 16);
  const layer = join(cacheFolder, "packages", `layer-${digest}`);
  if (await exists(layer)) return layer;
  await removeOldLayers();
  const partial = `${layer}.${process.pid}`;
  const target = join(partial, handlerFolder(version));
  await mkdir(target, { recursive: true });
  new AdmZip(zip).extractAllTo(target, true);
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o744);
  }
  await rename(partial, layer).catch(() => rm(partial, { recursive: true, force: true }));
  return layer;
}

/** A layer takes 200 MB, and every change of the sources makes another; one of the last hour may be in use by another run. */
async function removeOldLayers(): Promise<void> {
  const packages = join(cacheFolder, "packages");
  for (const name of await readdir(packages).catch(() => [])) {
    const path = join(packages, name);
    const { mtimeMs } = await stat(path);
    if (name.startsWith("layer-") && mtimeMs < Date.now() - 3_600_000) await rm(path, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Writes what the agent writes before the first command: HandlerEnvironment.json and the folders. */
export async function writeHandlerEnvironment(node: NodeFiles, version: string): Promise<void> {
  const folder = handlerFolder(version);
  const handlerEnvironment = {
    logFolder: `/var/log/azure/${handlerName}`,
    configFolder: `${folder}/config`,
    statusFolder: `${folder}/status`,
    heartbeatFile: `${folder}/heartbeat.log`,
    eventsFolder: `/var/log/azure/${handlerName}/events`,
    eventsFolder_preview: `/var/log/azure/${handlerName}/events`,
  };
  const content = [{ name: handlerName, version: 1.0, handlerEnvironment }];
  await node.write(`${folder}/HandlerEnvironment.json`, JSON.stringify(content));
  await node.write(`${folder}/config/HandlerState`, "Enabled");
  await node.write(`${folder}/status/.keep`, "");
  await node.write(`/var/log/azure/${handlerName}/events/.keep`, "");
}

export async function writeSettings(
  node: NodeFiles,
  version: string,
  settings: { readonly sequence: number; readonly publicSettings: Readonly<Record<string, string>> },
): Promise<void> {
  const handlerSettings = {
    publicSettings: settings.publicSettings,
    protectedSettings: null,
    protectedSettingsCertThumbprint: null,
  };
  const content = JSON.stringify({ runtimeSettings: [{ handlerSettings }] });
  await node.write(`${handlerFolder(version)}/config/${settings.sequence}.settings`, content);
}

/**
 * Runs one handler command as the agent does: from a service of its own, whose end takes everything in its control group
 * along. So only what has left that group survives, as on distributions where the agent starts handlers in its own group.
 */
export async function callHandler({ node, version, sequence }: HandlerOnNode, command: string): Promise<void> {
  const folder = handlerFolder(version);
  await node.run([
    "systemd-run",
    "--quiet",
    "--wait",
    "--pipe",
    "--collect",
    `--working-directory=${folder}`,
    `--setenv=ConfigSequenceNumber=${sequence}`,
    `--setenv=AZURE_GUEST_AGENT_EXTENSION_PATH=${folder}`,
    `--setenv=AZURE_GUEST_AGENT_EXTENSION_VERSION=${version}`,
    "/bin/sh",
    "-c",
    `${folder}/bin/capz-bootstrap ${command}`,
  ]);
}

const statusFile = v.tuple([
  v.object({
    status: v.object({
      status: v.string(),
      code: v.number(),
      formattedMessage: v.object({ message: v.string() }),
      substatus: v.optional(
        v.array(
          v.object({
            name: v.string(),
            status: v.string(),
            code: v.number(),
            formattedMessage: v.object({ message: v.string() }),
          }),
        ),
      ),
    }),
  }),
]);

export interface StatusOnDisk {
  readonly kind: string;
  readonly code: number;
  readonly message: string;
  readonly firstLine: string;
  readonly substatuses: ReadonlyMap<string, string>;
}

export async function readStatus({ node, version, sequence }: HandlerOnNode): Promise<StatusOnDisk | undefined> {
  const text = await node.read(`${handlerFolder(version)}/status/${sequence}.status`).catch(() => undefined);
  if (text === undefined) return undefined;
  const [{ status }] = v.parse(statusFile, JSON.parse(text));
  const { message } = status.formattedMessage;
  return {
    kind: status.status,
    code: status.code,
    message,
    firstLine: message.split("\n")[0] ?? "",
    substatuses: new Map((status.substatus ?? []).map((item) => [item.name, item.formattedMessage.message])),
  };
}

/** Waits for success or error in the status file. */
export function waitForVerdict(handler: HandlerOnNode): Promise<StatusOnDisk> {
  return waitForStatus(handler, "a verdict", ({ kind }) => kind === "success" || kind === "error");
}

export function waitForStatus(
  handler: HandlerOnNode,
  what: string,
  accept: (status: StatusOnDisk) => boolean,
): Promise<StatusOnDisk> {
  const { node } = handler;
  const tail = `tail -n 20 /var/log/azure/${handlerName}/*.log /var/log/cloud-init-output.log`;
  return waitUntil(
    `${what} on ${node.name}`,
    async () => {
      const status = await readStatus(handler);
      return status !== undefined && accept(status) ? status : undefined;
    },
    {
      timeoutMs: 120_000,
      describe: async () => ({ status: await readStatus(handler), logs: await node.exec(["sh", "-c", tail]) }),
    },
  );
}

const runState = v.object({
  startedAt: v.string(),
  vmId: v.string(),
  clock: v.object({ usedMs: v.number() }),
});

/** What the handler itself remembers of a sequence. */
export async function readRunState({ node, sequence }: HandlerOnNode): Promise<v.InferOutput<typeof runState>> {
  return v.parse(runState, JSON.parse(await node.read(`${privateFolder}/${sequence}.state.json`)));
}
