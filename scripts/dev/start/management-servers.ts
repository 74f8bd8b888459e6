import { existsSync } from "node:fs";
import { startPlayedApiServer } from "./played-api-server.ts";

/** An API server as the scenario uses it, real or played. */
export interface ScenarioServer {
  readonly what: string;
  readonly origin: string;
  put(path: string, object: Readonly<Record<string, unknown>>): Promise<void>;
  putStatus(path: string, status: Readonly<Record<string, unknown>>): Promise<void>;
  get(path: string): Promise<unknown>;
  close(): Promise<void>;
}

/** The real one where its root has been built (npm run lanes -- test/lanes/management builds it), else the played one. */
export async function startScenarioServer(): Promise<ScenarioServer> {
  const { builtApiServerRoot } = await import("../../../test/support/api-server-root.ts");
  const root = await builtApiServerRoot();
  return root !== undefined && process.getuid?.() === 0 && existsSync("/usr/sbin/chroot") ? startReal() : startPlayed();
}

async function startReal(): Promise<ScenarioServer> {
  const { startApiServer } = await import("../../../test/support/api-server.ts");
  const { startRecordingProxy } = await import("../../../test/support/recording-proxy.ts");
  const { companionCrds, ownCrds } = await import("../../../test/support/management-crds.ts");
  const server = await startApiServer();
  await server.install([...ownCrds(), ...companionCrds()]);
  const proxy = await startRecordingProxy(server);
  const must = async (method: string, path: string, ...content: readonly unknown[]) => {
    const { status, json } = await server.request(method, path, ...content);
    if (status > 299) throw new Error(`${method} ${path}: ${JSON.stringify(json).slice(0, 500)}`);
  };
  return {
    what: `a real Kubernetes API server (${server.versions.split("\n")[2]?.replaceAll(/\s+/gu, " ") ?? ""})`,
    origin: proxy.origin,
    put: (path, object) => must("POST", path.slice(0, path.lastIndexOf("/")), object),
    putStatus: (path, status) => must("PATCH", `${path}/status`, { status }, "application/merge-patch+json"),
    get: async (path) => (await server.request("GET", path)).json,
    close: async () => {
      await proxy.close();
      await server.close();
    },
  };
}

async function startPlayed(): Promise<ScenarioServer> {
  const server = await startPlayedApiServer(playedGroups);
  return {
    what: "a played API server, because the real one is not built here (npm run lanes -- test/lanes/management builds it, as root)",
    origin: server.origin,
    put: (path, object) => {
      server.put(path, object);
      return Promise.resolve();
    },
    putStatus: (path, status) => {
      server.put(path, { ...server.get(path), status });
      return Promise.resolve();
    },
    get: async (path) => (await fetch(new URL(path, server.origin))).json(),
    close: () => server.close(),
  };
}

/** What the played server serves. */
export const playedGroups = {
  "cluster.x-k8s.io": { version: "v1beta2", plurals: ["clusters", "machines", "machinedeployments"] },
  "controlplane.cluster.x-k8s.io": { version: "v1beta2", plurals: ["kubeadmcontrolplanes"] },
  "infrastructure.cluster.x-k8s.io": { version: "v1beta1", plurals: ["azuremachines"] },
  "bootstrap.capz.io": { version: "v1alpha1", plurals: ["bootstrapverdicts"] },
  "events.k8s.io": { version: "v1", plurals: ["events"] },
} as const;
