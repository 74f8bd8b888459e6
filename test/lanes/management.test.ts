import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { conditionTypes } from "../../cluster/telling/conditions.ts";
import { verdictStatus } from "../../handler/verdict/verdict-status.ts";
import { waitingStatus } from "../../handler/verdict/waiting-status.ts";
import { armActionsOf, azureActions, rightOf, rightWords } from "../../scripts/dev/rights.ts";
import {
  azureMachineObject,
  capzCondition,
  clusterObject,
  machineObject,
  vmId,
  type MachineParts,
} from "../../scripts/dev/start/cluster-objects.ts";
import type { NodeStatus, PlayedVm } from "../cluster/support/azure-vm.ts";
import { startPlayedArm, type PlayedArm } from "../cluster/support/played-arm.ts";
import { runController, type RunningController } from "../cluster/support/run-controller.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";
import { kubectl } from "../support/kubectl.ts";
import { companionCrds, ownCrds, referenceCrds } from "../support/management-crds.ts";
import { unhealthyMachines } from "../support/played-health-check.ts";
import { projectFolder } from "../support/node-root.ts";
import {
  azureMachinePoolMachineObject,
  azureMachinePoolObject,
  instanceId,
  machinePoolObject,
  poolFailure,
  poolMachineObject,
  scaleSetId,
  type PoolMode,
} from "../support/pool-objects.ts";
import { startRecordingProxy, type RecordingProxy } from "../support/recording-proxy.ts";
import { failedVerdict, passedVerdict } from "../support/verdict-samples.ts";
import { waitUntil } from "../support/wait-until.ts";
import { apiServerNeeds, lane } from "./lane.ts";
import { printVersions } from "./print-versions.ts";

const failed = verdictStatus(failedVerdict({ sequence: 0 }));
const passed = verdictStatus(passedVerdict({ sequence: 0 }));
const waiting = waitingStatus({
  stage: "kubeadm-join",
  elapsedSeconds: 3,
  timeoutSeconds: 900,
  lastEvent: undefined,
  warnings: [],
});
const line = failed.message.split("\n")[0] ?? "";

interface Conditions {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly lastTransitionTime: string;
  }[];
}
interface Machine {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: Conditions & { readonly v1beta2?: Conditions };
}

lane("management", apiServerNeeds, () => {
  let server: ApiServer;
  let proxy: RecordingProxy;
  let arm: PlayedArm;
  let version = "v1beta2";
  const running: RunningController[] = [];

  const open = async (crds: readonly unknown[], clusterApi = "v1beta2") => {
    version = clusterApi;
    server = await startApiServer();
    await server.install([...crds, ...companionCrds()]);
    proxy = await startRecordingProxy(server);
    arm = await startPlayedArm();
  };
  const close = async () => {
    for (const one of running.splice(0)) await one.stop();
    await arm.close();
    await proxy.close();
    await server.close();
  };
  const start = async (parts: Parameters<typeof runController>[1] = {}, withArm = true) => {
    const one = await runController({ api: proxy.origin, ...(withArm ? { arm: arm.origin } : {}) }, parts);
    running.push(one);
    await waitUntil("the first lists", () => one.controller.ready());
    return one;
  };
  const apis = () => `/apis/cluster.x-k8s.io/${version}/namespaces/default`;
  const infra = "/apis/infrastructure.cluster.x-k8s.io/v1beta1/namespaces/default/azuremachines";
  const post = async (path: string, body: unknown) => {
    const text = JSON.stringify(body).replaceAll("cluster.x-k8s.io/v1beta2", `cluster.x-k8s.io/${version}`);
    const answer = await server.request("POST", path, JSON.parse(text));
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.json).slice(0, 1000)}`);
    return answer.json;
  };
  const machine = async (parts: Omit<MachineParts, "cluster"> & { readonly vm?: Partial<PlayedVm> }) => {
    const all = { cluster: "c1", ...parts };
    await post(infra, azureMachineObject(all));
    const made = (await post(`${apis()}/machines`, machineObject(all))) as Machine;
    const id = vmId(parts.name);
    if (parts.vm !== undefined) arm.vms.set(id.toLowerCase(), { id, ...parts.vm });
    return made;
  };
  /** A MachinePool with its instances, in the cluster and in Azure. */
  const pool = async (name: string, mode: PoolMode, statuses: readonly NodeStatus[]) => {
    const folder = infra.slice(0, infra.lastIndexOf("/"));
    await post(`${apis()}/machinepools`, machinePoolObject("c1", name));
    await post(`${folder}/azuremachinepools`, azureMachinePoolObject("c1", name, mode));
    for (const [n, status] of statuses.entries()) {
      await post(`${folder}/azuremachinepoolmachines`, azureMachinePoolMachineObject("c1", { pool: name, mode, n }));
      await post(`${apis()}/machines`, poolMachineObject("c1", name, n));
      const id = instanceId(name, mode, n);
      const type = mode === "Flexible" ? { type: scaleSetId(name).toLowerCase() } : {};
      arm.vms.set(id.toLowerCase(), { id, status, ...type });
    }
    return `${folder}/azuremachinepoolmachines`;
  };
  const readMachine = async (name: string) =>
    (await server.request("GET", `${apis()}/machines/${name}`)).json as Machine;
  const conditionIn = (holder: Conditions | undefined, type: string = conditionTypes.succeeded) =>
    holder?.conditions?.find((one) => one.type === type);
  const told = (name: string, reason: string) =>
    waitUntil(`${reason} on ${name}`, async () => conditionIn((await readMachine(name)).status)?.reason === reason);
  const verdictObjects = async () =>
    (
      (await server.request("GET", "/apis/bootstrap.capz.io/v1alpha1/bootstrapverdicts")).json as {
        readonly items: readonly Record<string, unknown>[];
      }
    ).items;
  const eventObjects = async () =>
    (
      (await server.request("GET", "/apis/events.k8s.io/v1/events")).json as {
        readonly items: readonly { readonly reason: string; readonly metadata: { readonly name: string } }[];
      }
    ).items;

  describe("on the definitions of Cluster API v1beta2 and CAPZ", () => {
    beforeEach(async () => {
      await open(referenceCrds() ?? ownCrds());
      await post(`${apis()}/clusters`, clusterObject("c1", { heal: "condition" }));
    });
    afterEach(close);

    test("our condition never flips while CAPZ turns its own 1,000 times and another manager writes the whole list", async () => {
      printVersions("management", server.versions);
      const { metadata } = await machine({ name: "md-0-a", vm: { status: failed } });
      await start();
      await told("md-0-a", "DnsResolutionFailed");
      const before = conditionIn((await readMachine("md-0-a")).status);
      let flips = 0;
      for (let n = 0; n < 1000; n += 1) {
        // CAPZ owns the AzureMachine; at random the words of the failure, the wait or its True stand there.
        const message = [line, undefined, "extension still provisioning"][Math.floor(Math.random() * 3)];
        const conditions = [capzCondition(message, new Date().toISOString())];
        const { status } = await server.request(
          "PATCH",
          `${infra}/md-0-a/status`,
          { status: { conditions } },
          "application/merge-patch+json",
        );
        expect(status).toBe(200);
        if (n % 50 !== 0) continue;
        // A Cluster API controller writes the Machine's list as it read it, with its own condition changed (util/patch).
        const now = await readMachine("md-0-a");
        const others = (now.status?.conditions ?? []).filter(({ type }) => type !== "Ready");
        const ready = {
          type: "Ready",
          status: n % 100 === 0 ? "True" : "False",
          reason: "Played",
          message: "",
          lastTransitionTime: new Date().toISOString().replace(/\.\d+Z/u, "Z"),
        };
        const body = {
          metadata: { resourceVersion: now.metadata.resourceVersion },
          status: { conditions: [...others, ready] },
        };
        await server.request(
          "PATCH",
          `${apis()}/machines/md-0-a/status?fieldManager=capi-machine`,
          body,
          "application/merge-patch+json",
        );
        if (conditionIn((await readMachine("md-0-a")).status)?.status !== "False") flips += 1;
      }
      expect(flips).toBe(0);
      const after = await readMachine("md-0-a");
      expect(conditionIn(after.status)).toEqual(before);
      expect(conditionIn(after.status, "Ready")).toBeDefined();
      expect(after.metadata.uid).toBe(metadata.uid);
    });

    test("gives way to a field manager that takes the condition over, and does not fight it", async () => {
      await machine({ name: "md-0-a", vm: { status: waiting } });
      await start();
      await told("md-0-a", "BootstrapInProgress");
      const theirs = {
        type: conditionTypes.succeeded,
        status: "True",
        reason: "ByHand",
        message: "x",
        lastTransitionTime: "2026-11-22T10:00:00Z",
      };
      const body = {
        apiVersion: `cluster.x-k8s.io/${version}`,
        kind: "Machine",
        metadata: { name: "md-0-a", namespace: "default" },
        status: { conditions: [theirs] },
      };
      await server.request(
        "PATCH",
        `${apis()}/machines/md-0-a/status?fieldManager=someone&force=true`,
        body,
        "application/apply-patch+yaml",
      );
      arm.vms.set(vmId("md-0-a").toLowerCase(), { id: vmId("md-0-a"), status: failed });
      await waitUntil(
        "the verdict object",
        async () => JSON.stringify(await verdictObjects()).includes("DnsResolutionFailed"),
        { timeoutMs: 90_000 },
      );
      await waitUntil(
        "the refusal",
        () => running[0]?.lines.some((text) => text.includes("belongs to another field manager")) === true,
      );
      const writes = proxy.requests.filter(({ method, path }) => method === "PATCH" && path.endsWith("/status")).length;
      await new Promise((resolve) => setTimeout(resolve, 2000));
      expect(
        proxy.requests.filter(({ method, path }) => method === "PATCH" && path.endsWith("/status")).length,
      ).toBeLessThanOrEqual(writes + 1);
      expect(conditionIn((await readMachine("md-0-a")).status)?.reason).toBe("ByHand");
    });

    test("loses nothing and writes nothing twice when it dies at 200 random requests", async () => {
      const names = Array.from({ length: 6 }, (_, n) => `md-0-${String(n)}`);
      for (const name of names) await machine({ name, vm: { status: failed } });
      for (let round = 0; round < 200; round += 1) {
        let left = Math.floor(Math.random() * 40);
        // Dead for the API server: nothing that it sends after this moment arrives, and nothing of it is waited for.
        proxy.cut = () => (left -= 1) < 0;
        const one = await runController(
          { api: proxy.origin, arm: arm.origin },
          {
            policy: {
              maxMarked: 2,
              windowMs: 3_600_000,
              coolDownMs: 0,
              sameReasonLimit: 9,
              unknownRetryability: "hold",
            },
          },
        );
        await waitUntil("its death", () => left < 0 || one.controller.ready(), { everyMs: 5 });
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
        await one.stop();
      }
      proxy.cut = undefined;
      await start({
        policy: { maxMarked: 2, windowMs: 3_600_000, coolDownMs: 0, sameReasonLimit: 9, unknownRetryability: "hold" },
      });
      for (const name of names) await told(name, "DnsResolutionFailed");
      const remediation = async (name: string) =>
        conditionIn((await readMachine(name)).status, conditionTypes.remediation)?.status;
      const marked = async () =>
        (await Promise.all(names.map(remediation))).filter((status) => status === "True").length;
      await waitUntil("every decision", async () =>
        (await Promise.all(names.map(remediation))).every((status) => status !== undefined),
      );
      expect(await marked()).toBe(2);
      await waitUntil("the Events", async () => (await eventObjects()).length === 12, { describe: eventObjects });
      const events = await eventObjects();
      expect(events.filter(({ reason }) => reason === "DnsResolutionFailed")).toHaveLength(6);
      expect(events.filter(({ reason }) => reason === "RemediationRequested")).toHaveLength(2);
      expect(await verdictObjects()).toHaveLength(6);
    });

    test("goes on after a real process was killed by SIGKILL while it worked", async () => {
      for (let n = 0; n < 5; n += 1) {
        await machine({ name: `md-0-${String(n)}`, vm: { status: failed } });
        const child = spawn(
          process.execPath,
          [
            join(projectFolder, "cluster/main.ts"),
            "watch",
            "--server",
            proxy.origin,
            "--arm-origin",
            arm.origin,
            "--listen",
            "127.0.0.1:0",
          ],
          { stdio: "ignore" },
        );
        await waitUntil("its first request", () => proxy.requests.length > 0);
        await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 1500));
        child.kill("SIGKILL");
        await new Promise((resolve) => child.once("exit", resolve));
      }
      await start();
      for (let n = 0; n < 5; n += 1) await told(`md-0-${String(n)}`, "DnsResolutionFailed");
      expect(await verdictObjects()).toHaveLength(5);
    });

    test("a health check that names our condition sees what is marked, and never the failure that is held back", async () => {
      const check = {
        spec: {
          checks: {
            unhealthyMachineConditions: [{ type: conditionTypes.remediation, status: "True", timeoutSeconds: 0 }],
          },
        },
      };
      const object = {
        apiVersion: "cluster.x-k8s.io/v1beta2",
        kind: "MachineHealthCheck",
        metadata: { name: "workers", namespace: "default" },
        spec: {
          clusterName: "c1",
          selector: { matchLabels: { "cluster.x-k8s.io/deployment-name": "md-0" } },
          ...check.spec,
        },
      };
      await post(`${apis()}/machinehealthchecks`, object);
      await machine({ name: "md-0-a", vm: { status: failed } });
      await machine({
        name: "md-0-b",
        vm: {
          status: verdictStatus(
            failedVerdict({
              sequence: 0,
              mode: "observe",
            }),
          ),
        },
      });
      await start();
      await told("md-0-a", "DnsResolutionFailed");
      await waitUntil(
        "the refusal",
        async () =>
          conditionIn((await readMachine("md-0-b")).status, conditionTypes.remediation)?.reason === "ObserveOnly",
      );
      const machines = await Promise.all(["md-0-a", "md-0-b"].map(readMachine));
      expect(unhealthyMachines(check, machines, Date.now() + 1000)).toEqual(["md-0-a"]);
    });

    test.each<[PoolMode]>([["Uniform"], ["Flexible"]])(
      "tells the instances of a MachinePool of the mode %s by one question for all, and holds them back from healing",
      async (mode) => {
        const instances = await pool("mp", mode, [failed, passed, waiting]);
        // CAPZ says the same words of every failed instance of a Uniform set, and nothing at all of a Flexible one.
        if (mode === "Uniform")
          await server.request(
            "PATCH",
            `${instances}/mp-0/status`,
            { status: { conditions: [poolFailure(new Date().toISOString())] } },
            "application/merge-patch+json",
          );
        await start();
        await told("mp-0", "DnsResolutionFailed");
        await told("mp-1", "Bootstrapped");
        await told("mp-2", "BootstrapInProgress");
        const held = () =>
          readMachine("mp-0").then(({ status }) => conditionIn(status, conditionTypes.remediation)?.reason);
        await waitUntil("the refusal", async () => (await held()) === "OwnerDoesNotHeal");
        const lists = arm.requests.filter(({ path }) => path.endsWith("/virtualmachines"));
        expect(lists.length).toBe(arm.requests.length);
        expect(lists.every(({ query }) => (mode === "Flexible") === query.has("$filter"))).toBe(true);
        const [event] = (await eventObjects()).filter(({ reason }) => reason === "DnsResolutionFailed");
        expect(event).toMatchObject({ regarding: { kind: "MachinePool", name: "mp" } });
        // An instance that fails later, beside those that have settled.
        const id = instanceId("mp", mode, 2);
        arm.vms.set(id.toLowerCase(), { ...arm.vms.get(id.toLowerCase()), id, status: failed });
        await told("mp-2", "DnsResolutionFailed");
      },
    );

    test("opens the kinds of machine pools that are installed after the start", async () => {
      await machine({ name: "md-0-a", vm: { status: failed } });
      const late = "azuremachinepoolmachines.infrastructure.cluster.x-k8s.io";
      await server.request("DELETE", `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${late}`);
      await waitUntil("its end", async () => {
        const served = await server.request("GET", "/apis/infrastructure.cluster.x-k8s.io/v1beta1");
        return !JSON.stringify(served.json).includes('"azuremachinepoolmachines"');
      });
      const { lines } = await start({ kindsEveryMs: 500 });
      await told("md-0-a", "DnsResolutionFailed");
      await server.install(
        (referenceCrds() ?? ownCrds()).filter((crd) => JSON.stringify(crd).includes(`"name":"${late}"`)),
      );
      await waitUntil("the news", () => lines.some((text) => text.includes("listed anew")));
      await pool("mp", "Uniform", [failed]);
      await told("mp-0", "DnsResolutionFailed");
    });

    test("begins anew with newer settings, as the wait of the node tells them", async () => {
      const wait = waitingStatus({
        stage: "kubeadm-join",
        elapsedSeconds: 3,
        timeoutSeconds: 900,
        lastEvent: undefined,
        warnings: [],
        of: { vmId: failedVerdict().vmId, sequence: 1, mode: "enforce", time: new Date() },
      });
      await machine({ name: "md-0-a", vm: { status: failed } });
      const one = await start();
      await told("md-0-a", "DnsResolutionFailed");
      await one.stop();
      running.splice(0);
      const id = vmId("md-0-a");
      arm.vms.set(id.toLowerCase(), { id, status: wait });
      // A failure is asked for again every two minutes, and at a start.
      await start();
      await told("md-0-a", "BootstrapInProgress");
      const [object] = await verdictObjects();
      expect(object).toMatchObject({ verdict: { outcome: "waiting", sequence: 1 } });
    });

    test("shows a person what kubectl prints: the list of verdicts and the Machine", async () => {
      await machine({ name: "md-0-failed", vm: { status: failed } });
      await machine({ name: "md-0-late", vm: { status: passed } });
      await machine({ name: "md-0-hanging", vm: { status: waiting } });
      await start();
      await told("md-0-failed", "DnsResolutionFailed");
      await told("md-0-late", "Bootstrapped");
      await told("md-0-hanging", "BootstrapInProgress");
      await waitUntil("the objects", async () => (await verdictObjects()).length === 3);
      const list = await kubectl(server, proxy.origin, "get", "bootstrapverdicts", "--all-namespaces");
      const wide = await kubectl(server, proxy.origin, "get", "bootstrapverdicts", "--output", "wide");
      const described = await kubectl(server, proxy.origin, "describe", "machine", "md-0-failed");
      expectGolden(
        "kubectl-verdicts",
        `$ kubectl get bootstrapverdicts -A\n${stable(list)}\n$ kubectl get bootstrapverdicts -o wide\n${stable(wide)}`,
      );
      expectGolden(
        "kubectl-machine",
        `$ kubectl describe machine md-0-failed\n${stable(described.slice(described.indexOf("Status:")))}`,
      );
    });

    test("asks for nothing that the roles do not give, uses every right of them, and deletes nothing of Cluster API", async () => {
      const made = await machine({ name: "md-0-a", vm: { status: failed } });
      await post(`${apis()}/clusters`, clusterObject("c2", { heal: "annotate" }));
      await machine({ name: "md-0-b", vm: { status: waiting } });
      await machine({ name: "cp-0", controlPlane: true, vm: { status: failed } });
      await pool("uni", "Uniform", [failed]);
      await pool("flex", "Flexible", [failed]);
      // A Machine of a MachineSet that no MachineDeployment has made.
      const bare = machineObject({ cluster: "c1", name: "ms-0", owner: "ms" });
      const metadata = { ...(bare["metadata"] as object), labels: { "cluster.x-k8s.io/cluster-name": "c1" } };
      await post(infra, azureMachineObject({ cluster: "c1", name: "ms-0" }));
      await post(`${apis()}/machines`, { ...bare, metadata });
      arm.vms.set(vmId("ms-0").toLowerCase(), { id: vmId("ms-0"), status: failed });
      const one = await start();
      for (const name of ["md-0-a", "cp-0", "uni-0", "flex-0", "ms-0"]) await told(name, "DnsResolutionFailed");
      await server.request(
        "PATCH",
        `${apis()}/clusters/c1`,
        { metadata: { labels: { "bootstrap.capz.io/heal": "annotate" } } },
        "application/merge-patch+json",
      );
      await waitUntil(
        "the annotation",
        async () =>
          (await readMachine("md-0-a")).metadata.annotations?.["cluster.x-k8s.io/remediate-machine"] !== undefined,
      );
      await one.stop();
      running.splice(0);
      await server.request("DELETE", `${apis()}/machines/md-0-a`);
      await start({ keep: { keepMs: 0, keptPerOwner: 0 } });
      await waitUntil(
        "the sweep",
        async () => !(await verdictObjects()).some((object) => JSON.stringify(object).includes(made.metadata.uid)),
      );
      const asked = new Set(proxy.requests.flatMap(rightOf));
      const given = rightWords();
      expect([...asked].filter((right) => !given.has(right))).toEqual([]);
      expect([...given].filter((right) => !asked.has(right))).toEqual([]);
      const actions = new Set(arm.requests.flatMap(armActionsOf));
      expect(actions).toEqual(new Set(azureActions.map(({ action }) => action)));
      const foreign = proxy.requests.filter(
        ({ method, path }) => method === "DELETE" && !path.includes("/bootstrap.capz.io/"),
      );
      expect(foreign).toEqual([]);
    });

    test("refuses a verdict object that calls CAPZ's word a success, or that moves to another machine", async () => {
      await machine({ name: "md-0-a", vm: { status: failed } });
      await start();
      await told("md-0-a", "DnsResolutionFailed");
      const [object] = await verdictObjects();
      const name = (object?.["metadata"] as { readonly name: string }).name;
      const path = `/apis/bootstrap.capz.io/v1alpha1/namespaces/default/bootstrapverdicts/${name}`;
      const lie = { verdict: { outcome: "bootstrapped", source: "capzCondition" } };
      expect((await server.request("PATCH", path, lie, "application/merge-patch+json")).status).toBe(422);
      expect(
        (await server.request("PATCH", path, { machine: { uid: "another" } }, "application/merge-patch+json")).status,
      ).toBe(422);
    });
  });

  describe("on older Cluster API", () => {
    afterEach(close);

    test("writes status.v1beta2.conditions of version 1.9 and 1.10, and leaves the old list as it is", async () => {
      await open(referenceCrds("old") ?? ownCrds("old"), "v1beta1");
      await post(`/apis/cluster.x-k8s.io/v1beta1/namespaces/default/clusters`, clusterObject("c1"));
      await machine({ name: "md-0-a", vm: { status: failed } });
      const theirs = {
        type: "Ready",
        status: "False",
        severity: "Info",
        reason: "Played",
        lastTransitionTime: "2026-11-22T10:00:00Z",
      };
      await server.request(
        "PATCH",
        `${apis()}/machines/md-0-a/status`,
        { status: { conditions: [theirs] } },
        "application/merge-patch+json",
      );
      await start({}, true);
      await waitUntil(
        "our condition",
        async () => conditionIn((await readMachine("md-0-a")).status?.v1beta2)?.status === "False",
      );
      expect((await readMachine("md-0-a")).status?.conditions).toEqual([theirs]);
    });

    test("before version 1.9 there is no safe place for a condition: only the verdict object and the annotation", async () => {
      await open(ownCrds("oldest"), "v1beta1");
      await post(
        `/apis/cluster.x-k8s.io/v1beta1/namespaces/default/clusters`,
        clusterObject("c1", { heal: "annotate" }),
      );
      await machine({ name: "md-0-a", vm: { status: failed } });
      await start();
      await waitUntil("the annotation", async () => (await readMachine("md-0-a")).metadata.annotations !== undefined);
      expect((await readMachine("md-0-a")).status?.conditions).toBeUndefined();
      expect(await verdictObjects()).toHaveLength(1);
    });
  });
});

/** Without what differs from run to run: ages, times, uids, versions and the digest in names. */
function stable(text: string): string {
  return text
    .split("\n")
    .map((one) => one.trimEnd())
    .join("\n")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/gu, "<time>")
    .replaceAll(/-[0-9a-f]{8}\b/gu, "-<digest>")
    .replaceAll(/ +\d+(?:[smhd]|m\d+s|h\d+m|d\d+h)\b(?: +(?=\S))?/gu, "   <age>   ")
    .replaceAll(/ +$/gmu, "");
}

function expectGolden(name: string, text: string): void {
  const file = join(projectFolder, `test/golden/${name}.golden.txt`);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, "utf8"));
}
