import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import type { Host } from "../../host.ts";
import { failed, notRun, passed, type Answer, type Probe } from "./probe.ts";
import { describeConnectError } from "./tcp.ts";

const usualSockets = [
  "/run/containerd/containerd.sock",
  "/run/k3s/containerd/containerd.sock",
  "/var/run/crio/crio.sock",
  "/var/run/cri-dockerd.sock",
];

/** The container runtime's socket: the configured one, else the first of the usual ones. */
export function runtimeProbe(host: Host, configured: string | undefined): Probe {
  const present = usualSockets.find((path) => existsSync(join(host.root, path)));
  const path = configured ?? present ?? "/run/containerd/containerd.sock";
  return { name: "cri", target: path, ask: (signal) => askRuntime(host, path, signal) };
}

async function askRuntime(host: Host, path: string, signal: AbortSignal): Promise<Answer> {
  if (host.platform.name === "windows")
    return notRun("the runtime listens on a named pipe; see the service containerd");
  const socket = join(host.root, path);
  if (!existsSync(socket)) return failed("no socket, the container runtime does not run");
  const answer = await knock(socket, signal);
  if (answer.state !== "passed") return answer;
  const version = await host.run("crictl", ["--runtime-endpoint", `unix://${socket}`, "--timeout", "1s", "version"], {
    timeoutMs: 2000,
  });
  if (version.kind === "not-started") return passed("accepts connections; crictl is not installed");
  const output = version.stdout.toString("utf8");
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(output)?.[1];
  const runtime = field("RuntimeName");
  if (runtime !== undefined)
    return passed(`${runtime} ${field("RuntimeVersion") ?? ""}, CRI ${field("RuntimeApiVersion") ?? ""}`);
  const said = version.stderr.toString("utf8").trim().split("\n").at(-1) ?? "";
  return failed(`no CRI answer, ${said.slice(0, 200)}`);
}

function knock(path: string, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = connect({ path, signal });
    socket.once("connect", () => {
      socket.destroy();
      resolve(passed("accepts connections"));
    });
    socket.once("error", (error) => {
      resolve(failed(`socket dead, ${describeConnectError(error)}`));
    });
  });
}
