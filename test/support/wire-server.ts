import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { metadataAddress, wireServerAddress, type GoalState } from "./goal-state.ts";
import { runCommand } from "./run-command.ts";
import type { FromWireServer, ToWireServer } from "./wire-server-messages.ts";
import { waitUntil } from "./wait-until.ts";

/** The host side of the VM as the test holds it. */
export interface WireServer {
  /** Raw status blobs in the order in which the agent uploaded them. */
  readonly blobs: readonly string[];
  readonly downloads: readonly string[];
  /** Telemetry, health and role reports of the agent. */
  readonly posts: readonly string[];
  readonly problems: readonly string[];
  setGoal(goal: GoalState): Promise<void>;
  stop(): Promise<void>;
}

/** Starts WireServer, HostGAPlugin and IMDS at their fixed addresses on `lo` of a network namespace. */
export async function startWireServer(networkNamespace: string, tenantFolder: string): Promise<WireServer> {
  for (const address of [wireServerAddress, metadataAddress]) {
    await runCommand(["ip", "-n", networkNamespace, "address", "add", `${address}/32`, "dev", "lo"]);
    // The agent looks for this route in place of DHCP option 245 (WALinuxAgent: dhcp, wireserver_route_exists).
    await runCommand(["ip", "-n", networkNamespace, "route", "add", `${address}/32`, "dev", "lo"]);
  }
  const program = join(import.meta.dirname, "wire-server-main.ts");
  const child = spawn(
    "nsenter",
    [`--net=/run/netns/${networkNamespace}`, process.execPath, "--no-warnings", program, tenantFolder],
    { stdio: ["ignore", "inherit", "inherit", "ipc"] },
  );
  const blobs: string[] = [];
  const downloads: string[] = [];
  const posts: string[] = [];
  const problems: string[] = [];
  let listening = false;
  let taken = 0;
  child.on("message", (message: FromWireServer) => {
    switch (message.kind) {
      case "listening":
        listening = true;
        break;
      case "goal-taken":
        taken = message.incarnation;
        break;
      case "status":
        blobs.push(message.blob);
        break;
      case "download":
        downloads.push(`${message.name} ${message.version}`);
        break;
      case "post":
        posts.push(message.path);
        break;
      case "problem":
        problems.push(message.text);
        break;
    }
  });
  await waitUntil("the WireServer to listen", () => {
    if (child.exitCode !== null) throw new Error(`The WireServer process ended with ${child.exitCode}`);
    return listening;
  });
  return {
    blobs,
    downloads,
    posts,
    problems,
    setGoal: async (goal) => {
      const message: ToWireServer = { goal };
      child.send(message);
      await waitUntil("the WireServer to take the goal state", () => taken === goal.incarnation, { everyMs: 10 });
    },
    stop: () => stopChild(child),
  };
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise<void>((resolve) =>
    child.once("exit", () => {
      resolve();
    }),
  );
  child.disconnect();
  await exited;
}
