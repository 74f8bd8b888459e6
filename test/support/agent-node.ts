import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentStatusOf, type HandlerReport } from "./agent-node-status.ts";
import { bootNode, type BootedNode, type NodeOptions } from "./booted-node.ts";
import type { GoalPlugin } from "./goal-state.ts";
import { makeTenantKey, type TenantKey } from "./tenant-key.ts";
import { waitUntil } from "./wait-until.ts";
import { startWireServer, type WireServer } from "./wire-server.ts";

/** A booted node on which Debian's guest agent runs as its own service, with the host side of Azure played beside it. */
export interface AgentNode {
  readonly node: BootedNode;
  readonly server: WireServer;
  readonly tenant: TenantKey;
  /** Publishes a handler version, so that a goal state may name it. */
  publish(name: string, version: string, zip: string): void;
  /** Sends a new goal state (a higher incarnation) that names exactly these extensions. */
  apply(plugins: readonly GoalPlugin[]): Promise<void>;
  /** The handler as the newest uploaded blob shows it. */
  report(name: string): HandlerReport | undefined;
  /** Waits for an uploaded blob in which the handler satisfies `accept`, among those uploaded after the call. */
  waitForReport(name: string, what: string, accept: (report: HandlerReport) => boolean): Promise<HandlerReport>;
  /** Waits until the agent has worked through the newest goal state. */
  waitProcessed(): Promise<void>;
  /** Waits until two more blobs have come, so that what is not in them is really gone. */
  waitForBlobs(count: number): Promise<void>;
  agentLog(): Promise<string>;
  dispose(): Promise<void>;
}

const agentConfiguration = [
  "Extensions.Enabled=y",
  "Extensions.GoalStatePeriod=1",
  "Extensions.InitialGoalStatePeriod=1",
  "Provisioning.Agent=cloud-init",
  "Provisioning.MonitorHostName=n",
  "ResourceDisk.Format=n",
  "Protocol.EndpointDiscovery=static",
  "Logs.Verbose=n",
  "Logs.Collect=n",
  "Logs.Console=n",
  "OS.RootDeviceScsiTimeout=300",
  "OS.OpensslPath=/usr/bin/openssl",
  "OS.EnableFirewall=n",
  "OS.EnableFIPS=n",
  "AutoUpdate.Enabled=n",
  "AutoUpdate.UpdateToLatestVersion=n",
  "",
].join("\n");

/** Boots a node, starts the host side and waits until the agent has uploaded its first status. */
export async function startAgentNode(options: Omit<NodeOptions, "vmId"> = {}): Promise<AgentNode> {
  const vmId = randomUUID();
  const tenantFolder = await mkdtemp(join(tmpdir(), "capz-tenant-"));
  const tenant = await makeTenantKey(tenantFolder);
  let server: WireServer | undefined;
  const node = await bootNode({
    ...options,
    vmId,
    prepare: async (files) => {
      await options.prepare?.(files);
      await files.write("/etc/waagent.conf", agentConfiguration);
      // The unit asks for Hyper-V; a container says "systemd-nspawn".
      await files.write("/etc/systemd/system/walinuxagent.service.d/lane.conf", "[Unit]\nConditionVirtualization=\n");
      // The VM counts as provisioned, by the id that cloud-init's handler would have written.
      await files.write("/var/lib/waagent/provisioned", vmId);
    },
  });
  try {
    server = await startWireServer(node.name, tenantFolder);
    await node.run(["systemctl", "enable", "--now", "--quiet", "walinuxagent.service"]);
    const agentNode = agentNodeHandle(node, server, tenant);
    await agentNode.waitForBlobs(1);
    return agentNode;
  } catch (error) {
    await server?.stop();
    await node.dispose();
    await rm(tenantFolder, { recursive: true, force: true });
    throw error;
  }
}

function agentNodeHandle(node: BootedNode, server: WireServer, tenant: TenantKey): AgentNode {
  const packages: Record<string, Record<string, string>> = {};
  let incarnation = 1;
  const agentLog = (): Promise<string> => node.read("/var/log/waagent.log");
  const logTail = async (): Promise<readonly string[]> => (await agentLog()).split("\n").slice(-60);

  const agent: AgentNode = {
    node,
    server,
    tenant,
    publish: (name, version, zip) => {
      packages[name] = { ...packages[name], [version]: zip };
    },
    apply: async (plugins) => {
      incarnation += 1;
      await server.setGoal({ incarnation, plugins, packages: structuredClone(packages) });
    },
    report: (name) => agentStatusOf(server.blobs.at(-1))?.find((handler) => handler.name === name),
    waitForReport: (name, what, accept) => {
      let seen = server.blobs.length;
      let last: unknown = "no blob with this handler";
      return waitUntil(
        `${name} ${what}`,
        () => {
          while (seen < server.blobs.length) {
            const report = agentStatusOf(server.blobs[seen])?.find((handler) => handler.name === name);
            seen += 1;
            if (report === undefined) continue;
            last = report;
            if (accept(report)) return report;
          }
          return undefined;
        },
        { timeoutMs: 120_000, describe: async () => ({ last, problems: server.problems, log: await logTail() }) },
      );
    },
    waitProcessed: async () => {
      // Up to 2.8 "[Incarnation: 2; …", then "[incarnation_2 …".
      const line = new RegExp(
        `ProcessExtensions(?:In)?GoalState completed \\[(?:Incarnation: |incarnation_)${incarnation}\\b`,
        "u",
      );
      await waitUntil(`the agent to process incarnation ${incarnation}`, async () => line.test(await agentLog()), {
        timeoutMs: 120_000,
        describe: logTail,
      });
    },
    waitForBlobs: async (count) => {
      const wanted = server.blobs.length + count;
      await waitUntil(`${count} status blobs`, () => server.blobs.length >= wanted, {
        timeoutMs: 120_000,
        describe: async () => ({ problems: server.problems, log: await logTail() }),
      });
    },
    agentLog,
    dispose: async () => {
      await server.stop();
      await node.dispose();
      await rm(tenant.folder, { recursive: true, force: true });
    },
  };
  return agent;
}
