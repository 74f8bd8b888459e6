import { describe, expect, test } from "@jest/globals";
import { runStatus, type StatusOptions } from "../../../cluster/commands/status.ts";
import { dryRunWriter } from "../../../cluster/commands/dry-run.ts";
import { parseDuration } from "../../../cluster/commands/parse-duration.ts";
import { createWorld } from "../../../cluster/create-world.ts";
import { verdictObject, verdictResource } from "../../../cluster/verdict/verdict-object.ts";
import { createArmClient } from "../../../cluster/arm/arm-client.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import {
  azureMachineObject,
  capzCondition,
  machineObject,
  subscription,
  vmId,
} from "../../../scripts/dev/start/cluster-objects.ts";
import { failedVerdict, passedVerdict } from "../../support/verdict-samples.ts";
import { account, at } from "../support/accounts.ts";
import { startPlayedArm } from "../support/played-arm.ts";

function stored(name: string, verdict = account(), namespace = "default"): unknown {
  const record = {
    cluster: "c1",
    machine: { name, uid: `${namespace === "default" ? "" : `${namespace}-`}uid-${name}` },
    owner: { kind: "MachineDeployment", name: "md-0" },
    verdict,
    firstSeen: at(0),
    lastSeen: at(1),
  };
  return verdictObject({ namespace, name }, record, {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    name: "c1",
    uid: "u",
  });
}

const good = account({ outcome: "bootstrapped", reason: "Bootstrapped", firstLine: "Bootstrapped in 61 s" });
const list = (...items: readonly unknown[]) => JSON.stringify({ kind: "List", items });

/** What kubectl writes to standard error. */
interface Refusal {
  readonly refusal: string;
}

function forbidden(what: string): Refusal {
  return {
    refusal: `E1122 memcache.go\nError from server (Forbidden): ${what} is forbidden: User "x" cannot list resource`,
  };
}

/** As kubectl answers: what is not among the answers is no resource type of the cluster. */
async function status(answers: Readonly<Record<string, string | Refusal>>, parts: Partial<StatusOptions> = {}) {
  let out = "";
  let error = "";
  const commands: string[] = [];
  const code = await runStatus({
    allNamespaces: true,
    json: false,
    watch: false,
    kubectl: ["kubectl"],
    run: (command) => {
      commands.push(command.join(" "));
      const what = command[2] ?? "";
      const answer = answers[what] ?? {
        refusal: `error: the server doesn't have a resource type "${what.split(".")[0] ?? ""}"`,
      };
      return Promise.resolve(
        typeof answer === "string"
          ? { kind: "ended", code: 0, stdout: answer, stderr: "" }
          : { kind: "ended", code: 1, stdout: "", stderr: `${answer.refusal}\n` },
      );
    },
    world: { ...createWorld(), now: () => at(600) },
    print: (text) => (out += text),
    printError: (text) => (error += text),
    width: 0,
    signal: new AbortController().signal,
    ...parts,
  });
  return { code, out, error, commands };
}

const verdicts = "bootstrapverdicts.bootstrap.capz.io";
const machines = "machines.cluster.x-k8s.io";
const azureMachines = "azuremachines.infrastructure.cluster.x-k8s.io";

describe("status", () => {
  test("counts the causes first, then lists what failed before what did not", async () => {
    const names = Array.from({ length: 7 }, (_, n) => stored(`md-0-${String(n)}`));
    const { code, out } = await status({ [verdicts]: list(stored("a-good", good), ...names), [machines]: list() });
    expect(code).toBe(1);
    expect(out.split("\n")[0]).toBe("7 machines of MachineDeployment/md-0 in default: DnsResolutionFailed");
    expect(out.split("\n")[2]).toMatch(/^NAMESPACE +CLUSTER +OWNER +MACHINE +OUTCOME +REASON +STAGE +SINCE +MESSAGE$/);
    expect(out.split("\n")[3]).toMatch(
      /^default +c1 +md-0 +md-0-0 +failed +DnsResolutionFailed +- +10m +Bootstrap failed/,
    );
    expect(out.trimEnd().split("\n").at(-3)).toMatch(/a-good +bootstrapped/);
    expect(out.trimEnd().split("\n").at(-1)).toBe("Read from the verdict objects of capz-bootstrap-cluster watch.");
  });

  test("judges at once what CAPZ says, where the controller has written nothing", async () => {
    const words = {
      ...azureMachineObject({ cluster: "c1", name: "md-0-a" }),
      status: { conditions: [capzCondition(account().firstLine, at(0))] },
    };
    const { code, out, commands } = await status({
      [verdicts]: list(),
      [machines]: list(
        machineObject({ cluster: "c1", name: "md-0-a" }),
        machineObject({ cluster: "c1", name: "md-0-b" }),
      ),
      [azureMachines]: list(words),
    });
    expect(code).toBe(1);
    expect(out).toMatch(/md-0-a +failed +DnsResolutionFailed/);
    expect(out).toMatch(/md-0-b +unknown +NoAnswer/);
    expect(out.trimEnd().split("\n").at(-1)).toMatch(/^Read from CAPZ's conditions alone, .*--arm asks Azure too\.$/);
    expect(commands[0]).toBe(`kubectl get ${verdicts} --all-namespaces --output json`);
  });

  test("judges the machines of a pool by the object of their own kind, not by a namesake's", async () => {
    const machine = machineObject({ cluster: "c1", name: "pool-0" });
    const spec = {
      ...(machine["spec"] as object),
      infrastructureRef: { kind: "AzureMachinePoolMachine", name: "pool-0" },
    };
    const words = (kind: string, message: string | undefined) => ({
      ...azureMachineObject({ cluster: "c1", name: "pool-0" }),
      kind,
      status: { conditions: [capzCondition(message, at(0))] },
    });
    const { out } = await status({
      [verdicts]: list(),
      [machines]: list({ ...machine, spec }),
      [azureMachines]: list(words("AzureMachine", "extension still provisioning")),
      ["azuremachinepoolmachines.infrastructure.cluster.x-k8s.io"]: list(
        words("AzureMachinePoolMachine", account().firstLine),
      ),
    });
    expect(out).toMatch(/pool-0 +failed +DnsResolutionFailed/);
  });

  test("asks Azure with --arm, believes it over CAPZ's True, and says what it could not ask", async () => {
    const arm = await startPlayedArm();
    const ids = { a: vmId("md-0-a"), c: vmId("md-0-c") };
    arm.vms.set(ids.a.toLowerCase(), { id: ids.a, status: verdictStatus(failedVerdict()) });
    arm.vms.set(ids.c.toLowerCase(), { id: ids.c, status: verdictStatus(passedVerdict()) });
    const names = ["md-0-a", "md-0-b", "md-0-c"];
    const turned = (name: string) => ({
      ...azureMachineObject({ cluster: "c1", name }),
      status: { conditions: [capzCondition(undefined, at(0))] },
    });
    const client = createArmClient({ origin: arm.origin, token: () => Promise.resolve("t") });
    const answers = {
      [verdicts]: list(stored("an-older-one")),
      [machines]: list(...names.map((name) => machineObject({ cluster: "c1", name }))),
      [azureMachines]: list(...names.map(turned)),
    };
    const { code, out } = await status(answers, { client });
    expect(code).toBe(1);
    expect(out).toMatch(/md-0-a +failed +DnsResolutionFailed/);
    expect(out).toMatch(/md-0-c +bootstrapped/);
    expect(out).toMatch(/md-0-b +unknown +NoAnswer/);
    expect(out).toContain("Azure did not answer for some machines: it knows no such machine\n");
    expect(out.trimEnd().split("\n").at(-1)).toBe("Read from Azure and CAPZ's conditions at this moment.");
    expect(JSON.parse((await status(answers, { client, json: true })).out)).toMatchObject({ readFrom: "azure" });
    await arm.close();
  });

  test("asks Azure once for a whole scale set, Uniform and Flexible", async () => {
    const arm = await startPlayedArm();
    const compute = `/subscriptions/${subscription}/resourceGroups/workload/providers/Microsoft.Compute`;
    const flexible = `${compute}/virtualMachineScaleSets/flex`;
    const uniform = `${compute}/virtualMachineScaleSets/uni`;
    const members = [
      ...[0, 1].map((n) => ({ pool: "uni", id: `${uniform}/virtualMachines/${String(n)}` })),
      ...[0, 1].map((n) => ({ pool: "flex", id: `${compute}/virtualMachines/flex_${String(n)}` })),
    ].map((one, n) => ({ ...one, name: `${one.pool}-${String(n)}` }));
    for (const { id, pool } of members)
      arm.vms.set(id.toLowerCase(), {
        id,
        status: verdictStatus(failedVerdict()),
        ...(pool === "flex" ? { type: flexible.toLowerCase() } : {}),
      });
    const client = createArmClient({ origin: arm.origin, token: () => Promise.resolve("t") });
    const pool = (name: string, mode: string, id: string) => ({
      kind: "AzureMachinePool",
      metadata: { name, namespace: "default" },
      spec: { orchestrationMode: mode, providerID: `azure://${id}` },
    });
    const { out } = await status(
      {
        [verdicts]: list(),
        [machines]: list(
          ...members.map(({ name }) => ({
            ...machineObject({ cluster: "c1", name }),
            spec: { clusterName: "c1", infrastructureRef: { kind: "AzureMachinePoolMachine", name } },
          })),
        ),
        ["azuremachinepoolmachines.infrastructure.cluster.x-k8s.io"]: list(
          ...members.map((one) => ({
            kind: "AzureMachinePoolMachine",
            metadata: {
              name: one.name,
              namespace: "default",
              ownerReferences: [{ kind: "AzureMachinePool", name: one.pool }],
            },
            spec: { providerID: `azure://${one.id}` },
          })),
        ),
        ["azuremachinepools.infrastructure.cluster.x-k8s.io"]: list(
          pool("uni", "Uniform", uniform),
          pool("flex", "Flexible", flexible),
        ),
      },
      { client },
    );
    expect(out.match(/failed +DnsResolutionFailed/gu)).toHaveLength(4);
    expect(arm.requests).toHaveLength(2);
    await arm.close();
  });

  test("shows the age by who heard of it, where the clock of the node cannot be right", async () => {
    const early = account({ time: "1970-01-01T00:00:00.000Z", heard: at(300), vmCreated: at(0) });
    const late = account({ time: "2099-01-01T00:00:00.000Z", heard: at(480) });
    const { out } = await status({
      [verdicts]: list(stored("a", early), stored("b", late), stored("c")),
      [machines]: list(),
    });
    expect(out).toMatch(/ a .* 5m /u);
    expect(out).toMatch(/ b .* 2m /u);
    expect(out).toMatch(/ c .* 10m /u);
  });

  test("says where the report of a machine was uploaded", async () => {
    const reportUri = "https://store.blob.core.windows.net/reports/x.zip";
    const { out } = await status(
      { [verdicts]: list(stored("a", account({ reportUri }))), [machines]: list() },
      { json: true },
    );
    expect(JSON.parse(out)).toMatchObject({ machines: [{ machine: "a", reportUri }] });
  });

  test("gives programs the same as JSON, and 0 where nothing has failed", async () => {
    const { code, out } = await status({ [verdicts]: list(stored("a", good)), [machines]: list() }, { json: true });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      schemaVersion: 1,
      causes: [],
      machines: [{ machine: "a", outcome: "bootstrapped", gone: false }],
    });
  });

  test("shows only the cluster that is asked for", async () => {
    const { out } = await status({ [verdicts]: list(stored("a")) }, { cluster: "other" });
    expect(out).toContain("No machines");
    expect(out).toContain(`There are machines of other Clusters than "other": `);
  });

  test("says what kubectl said when the cluster cannot be read", async () => {
    const { code, error } = await status({});
    expect(code).toBe(3);
    expect(error).toBe(`kubectl cannot read ${machines}: error: the server doesn't have a resource type "machines"\n`);
  });

  test("is not quiet about verdict objects that are refused, and does not say that there are none", async () => {
    const words = { ...azureMachineObject({ cluster: "c1", name: "md-0-a" }), status: { conditions: [] } };
    const answers = {
      [verdicts]: forbidden(verdicts),
      [machines]: list(machineObject({ cluster: "c1", name: "md-0-a" })),
      [azureMachines]: list(words),
    };
    const { code, out } = await status(answers);
    expect(code).toBe(3);
    expect(out).toContain(
      `Not all could be read: kubectl cannot read ${verdicts}: Error from server (Forbidden): ${verdicts} is forbidden`,
    );
    expect(out).not.toContain("has written nothing");
    const asJson = await status(answers, { json: true });
    expect([asJson.code, JSON.parse(asJson.out)]).toMatchObject([3, { notes: [expect.stringContaining("Forbidden")] }]);
  });

  test("does not say that CAPZ says nothing where its objects are refused", async () => {
    const { code, out } = await status({
      [verdicts]: list(),
      [machines]: list(machineObject({ cluster: "c1", name: "md-0-a" })),
      [azureMachines]: forbidden(azureMachines),
    });
    expect(code).toBe(3);
    expect(out).toContain("Its AzureMachine could not be read");
    expect(out).not.toContain("CAPZ says nothing");
    expect(out).toContain(`Not all could be read: kubectl cannot read ${azureMachines}`);
  });

  test("takes a group that the server could not list for one that is not known", async () => {
    const log = "E1122 memcache.go:287] couldn't get resource list for bootstrap.capz.io/v1alpha1: unavailable";
    const refusal = `${log}\nerror: the server doesn't have a resource type "bootstrapverdicts"`;
    expect((await status({ [verdicts]: { refusal }, [machines]: list() })).code).toBe(3);
    const metrics = refusal.replace("bootstrap.capz.io/v1alpha1", "metrics.k8s.io/v1beta1");
    expect((await status({ [verdicts]: { refusal: metrics }, [machines]: list() })).code).toBe(0);
  });

  test("tells a failure that it knows although not all could be read", async () => {
    const { code, out } = await status({ [verdicts]: list(stored("a")), [machines]: forbidden(machines) });
    expect(code).toBe(1);
    expect(out).toContain(`Not all could be read: kubectl cannot read ${machines}`);
  });

  test("judges the machines without a verdict object beside those with one, and says how many they are", async () => {
    const machine = (cluster: string, name: string) => ({
      ...machineObject({ cluster, name }),
      metadata: { ...(machineObject({ cluster, name })["metadata"] as object), uid: `uid-${name}` },
    });
    const words = {
      ...azureMachineObject({ cluster: "other", name: "b" }),
      status: { conditions: [capzCondition(account().firstLine, at(0))] },
    };
    const answers = {
      [verdicts]: list(stored("a", good)),
      [machines]: list(machine("c1", "a"), machine("other", "b")),
      [azureMachines]: list(words),
    };
    const { code, out } = await status(answers);
    expect(code).toBe(1);
    expect(out).toMatch(/ c1 +md-0 +a +bootstrapped/u);
    expect(out).toMatch(/ other +md-0 +b +failed +DnsResolutionFailed/u);
    expect(out.match(/ bootstrapped /gu)).toHaveLength(1);
    expect(out.trimEnd().split("\n").at(-1)).toMatch(
      /; one machine has none, and is read from CAPZ's conditions alone/u,
    );
    expect((await status(answers, { cluster: "other" })).out).toMatch(/ b +failed/u);
    const ofOne = await status(answers, { cluster: "c1" });
    expect([ofOne.code, ofOne.out.trimEnd().split("\n").at(-1)]).toEqual([
      0,
      "Read from the verdict objects of capz-bootstrap-cluster watch.",
    ]);
  });

  test("tells owners of one name in two namespaces apart", async () => {
    const answers = { [verdicts]: list(stored("a"), stored("a", account(), "team-b")), [machines]: list() };
    const { out } = await status(answers);
    expect(out.split("\n").slice(0, 2)).toEqual([
      "1 machine of MachineDeployment/md-0 in default: DnsResolutionFailed",
      "1 machine of MachineDeployment/md-0 in team-b: DnsResolutionFailed",
    ]);
    expect(out).toMatch(/^team-b +c1 +md-0 +a +failed/mu);
    expect(JSON.parse((await status(answers, { json: true })).out)).toMatchObject({
      causes: [{ namespace: "default" }, { namespace: "team-b" }],
    });
    const inOne = await status(answers, { allNamespaces: false, namespace: "default" });
    expect(inOne.out).toMatch(/^1 machine of MachineDeployment\/md-0: DnsResolutionFailed$/mu);
    expect(inOne.out).toMatch(/^CLUSTER /mu);
  });

  test("advises --arm to nobody who has just asked with it", async () => {
    const arm = await startPlayedArm();
    const client = createArmClient({ origin: arm.origin, token: () => Promise.resolve("t") });
    const withoutVm = { ...machineObject({ cluster: "c1", name: "b" }) };
    const { out } = await status(
      {
        [machines]: list(machineObject({ cluster: "c1", name: "a" }), withoutVm),
        [azureMachines]: list(azureMachineObject({ cluster: "c1", name: "a" })),
      },
      { client },
    );
    await arm.close();
    expect(out).toMatch(/ a .*CAPZ says nothing of the bootstrap, and Azure gave no answer of the machine$/mu);
    expect(out).not.toContain("--arm");
  });

  test("cuts lines at the width of the terminal", async () => {
    const { out } = await status({ [verdicts]: list(stored("a")), [machines]: list() }, { width: 80 });
    expect(
      Math.max(
        ...out
          .split("\n")
          .slice(2)
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);
  });
});

describe("a dry run", () => {
  test("prints each write once, with its path and body", async () => {
    const lines: string[] = [];
    const writer = dryRunWriter((line) => lines.push(line));
    const writing = { resource: verdictResource, place: { namespace: "default", name: "a" }, body: { x: 1 } };
    await writer.apply(writing);
    await writer.apply(writing);
    await writer.remove(verdictResource, { namespace: "default", name: "a" }, "uid");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        would: "apply",
        path: "/apis/bootstrap.capz.io/v1alpha1/namespaces/default/bootstrapverdicts/a",
        body: { x: 1 },
      },
      { would: "remove", path: "/apis/bootstrap.capz.io/v1alpha1/namespaces/default/bootstrapverdicts/a" },
    ]);
  });
});

describe("parseDuration", () => {
  test("reads seconds, minutes, hours and days", () => {
    expect(["90s", "5m", "1h", "7d"].map(parseDuration)).toEqual([90_000, 300_000, 3_600_000, 604_800_000]);
  });
  test.each(["", "5", "m5", "-1h", "1.5h", "1w"])("refuses %p and says what is allowed", (text) => {
    expect(() => parseDuration(text)).toThrow("for example 90s or 7d");
  });
});
