import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { verdictStatus } from "../../handler/verdict/verdict-status.ts";
import { waitingStatus } from "../../handler/verdict/waiting-status.ts";
import { buildCluster } from "../../publish/build-cluster.ts";
import {
  azureMachineObject,
  capzCondition,
  clusterObject,
  machineObject,
  paths,
  vmId,
} from "../../scripts/dev/start/cluster-objects.ts";
import { playedGroups } from "../../scripts/dev/start/management-servers.ts";
import { startPlayedApiServer, type PlayedApiServer } from "../../scripts/dev/start/played-api-server.ts";
import { startPlayedArm, type PlayedArm } from "../cluster/support/played-arm.ts";
import { failedVerdict, passedVerdict } from "../support/verdict-samples.ts";
import { waitUntil } from "../support/wait-until.ts";
import { inMs, percentile, type Figure } from "./measure.ts";

const passed = verdictStatus(passedVerdict());
const waiting = waitingStatus({
  stage: "kubeadm-join",
  elapsedSeconds: 3,
  timeoutSeconds: 900,
  lastEvent: undefined,
  warnings: [],
});
const failed = verdictStatus(failedVerdict());

/** A minute holds at least one question for each unsettled machine. */
const leastWatchMs = 120_000;

interface Size {
  readonly machines: number;
  readonly unsettled: number;
}

/** The bundled controller beside played servers, with 50, 500 and 5,000 machines: requests, writes, memory, and how long telling takes. */
export async function benchCluster(): Promise<readonly Figure[]> {
  const { program } = await buildCluster();
  const figures: Figure[] = [];
  for (const size of [
    { machines: 50, unsettled: 5 },
    { machines: 500, unsettled: 30 },
    { machines: 5000, unsettled: 300 },
  ]) {
    figures.push(...(await benchSize(program, size)));
  }
  return figures;
}

async function benchSize(program: string, size: Size): Promise<readonly Figure[]> {
  const api = await startPlayedApiServer(playedGroups);
  const arm = await startPlayedArm();
  const named = (what: string) => `${String(size.machines)} machines, ${String(size.unsettled)} unsettled: ${what}`;
  try {
    fill(api, arm, size);
    const first = start(program, { api, arm, perSecond: 1000 });
    await waitUntil("every verdict", () => verdicts(api) === size.machines, { timeoutMs: 300_000 });
    await first.end();
    const started = performance.now();
    const beforeStart = arm.requests.length;
    const second = start(program, { api, arm });
    await waitUntil("the lists", () => second.isReady());
    const readyMs = performance.now() - started;
    // A start asks for every unsettled machine once; the hourly figure is that of the time after it.
    await waitUntil("the first round", () => arm.requests.length - beforeStart >= size.unsettled, {
      timeoutMs: 180_000,
    });
    const before = { asked: arm.requests.length, writes: writesTo(api, "settled") };
    const watchedFrom = performance.now();
    const delays = await failSome(api, arm, size);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, leastWatchMs - (performance.now() - watchedFrom))));
    const seconds = (performance.now() - watchedFrom) / 1000;
    const asked = arm.requests.length - before.asked;
    const memory = second.memoryMiB();
    await second.end();
    const hourly = Math.round((asked / seconds) * 3600);
    const writes = writesTo(api, "settled") - before.writes;
    return [
      // Resource Manager gives one identity 25 requests a second, which is 90,000 an hour.
      figure(named("requests to Azure an hour, the unsettled ones minutes old"), String(hourly), [
        "≤ 36,000",
        hourly <= 36_000,
      ]),
      figure(named("writes for settled machines"), String(writes), ["0", writes === 0]),
      figure(named("resident memory"), `${memory.toFixed(0)} MiB`, ["≤ 256 MiB", memory <= 256]),
      figure(named("start until everything is listed"), inMs(readyMs), ["≤ 10 s", readyMs <= 10_000]),
      ...[50, 99].map((rank) => {
        const ms = percentile(delays, rank);
        const what = named(`visible in Azure until the condition is written, percentile ${String(rank)}`);
        return figure(what, `${(ms / 1000).toFixed(1)} s`, ["≤ 60 s", ms <= 60_000]);
      }),
    ];
  } finally {
    await api.close();
    await arm.close();
  }
}

function figure(name: string, value: string, [target, met]: readonly [string, boolean]): Figure {
  return { name, value, target, met };
}

function fill(api: PlayedApiServer, arm: PlayedArm, { machines, unsettled }: Size): void {
  api.put(paths.cluster("workload"), clusterObject("workload"));
  api.put(paths.deployment("md-0"), {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachineDeployment",
    metadata: { name: "md-0", namespace: "default" },
  });
  for (let n = 0; n < machines; n += 1) {
    const name = n < unsettled ? `open-${String(n)}` : `settled-${String(n)}`;
    arm.vms.set(vmId(name).toLowerCase(), { id: vmId(name), status: n < unsettled ? waiting : passed });
    api.put(paths.azureMachine(name), toldMachine(name, n < unsettled ? creating : capzCondition(undefined, longAgo)));
    api.put(paths.machine(name), machineObject({ cluster: "workload", name }));
  }
}

/** CAPZ takes a long operation up again after 15 s (cluster-api-provider-azure: util/reconciler/defaults.go), and turns its condition then. */
const capzRequeueMs = 15_000;
const longAgo = "2026-11-22T10:00:00Z";
const creating = {
  type: "BootstrapSucceeded",
  status: "False",
  severity: "Info",
  reason: "Creating",
  lastTransitionTime: longAgo,
};

function toldMachine(name: string, condition: object): Record<string, unknown> {
  return { ...azureMachineObject({ cluster: "workload", name }), status: { conditions: [condition] } };
}

/** Up to 100 of the unsettled machines fail, one each 300 ms; milliseconds until the condition of each says so. */
async function failSome(api: PlayedApiServer, arm: PlayedArm, { unsettled }: Size): Promise<readonly number[]> {
  const delays: Promise<number>[] = [];
  for (let n = 0; n < Math.min(100, unsettled); n += 1) {
    const name = `open-${String(n)}`;
    arm.vms.set(vmId(name).toLowerCase(), { id: vmId(name), status: failed });
    const from = performance.now();
    const turned = capzCondition(failed.message.split("\n")[0], new Date().toISOString());
    setTimeout(() => api.put(paths.azureMachine(name), toldMachine(name, turned)), Math.random() * capzRequeueMs);
    const told = waitUntil(`the failure of ${name}`, () => isFalse(api, name), { everyMs: 20, timeoutMs: 180_000 });
    delays.push(told.then(() => performance.now() - from));
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return Promise.all(delays);
}

function isFalse(api: PlayedApiServer, name: string): boolean {
  const status = api.get(paths.machine(name))?.["status"] as
    { readonly conditions?: readonly { readonly status: string }[] } | undefined;
  return status?.conditions?.some((one) => one.status === "False") === true;
}

function verdicts(api: PlayedApiServer): number {
  return api.list("/apis/bootstrap.capz.io/v1alpha1/bootstrapverdicts").length;
}

function writesTo(api: PlayedApiServer, name: string): number {
  return api.requests.filter(({ method, path }) => method !== "GET" && path.includes(`/${name}-`)).length;
}

interface Servers {
  readonly api: PlayedApiServer;
  readonly arm: PlayedArm;
  readonly perSecond?: number;
}

function start(program: string, { api, arm, perSecond }: Servers) {
  const limit = perSecond === undefined ? [] : ["--arm-per-second", String(perSecond)];
  const child = spawn(
    process.execPath,
    [
      "--max-old-space-size=384",
      program,
      "watch",
      "--server",
      api.origin,
      "--arm-origin",
      arm.origin,
      "--listen",
      "127.0.0.1:0",
      ...limit,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  return {
    isReady: async () => {
      const port = /port (\d+)/u.exec(log)?.[1];
      if (port === undefined) return false;
      return (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
    },
    memoryMiB: () =>
      Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${String(child.pid)}/status`, "utf8"))?.[1]) / 1024,
    end: () =>
      new Promise<void>((resolve) => {
        child.once("exit", () => {
          resolve();
        });
        child.kill("SIGTERM");
      }),
  };
}
