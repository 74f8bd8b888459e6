import { describe, expect, test } from "@jest/globals";
import type { ArmAnswer } from "../../../cluster/arm/arm-client.ts";
import { runLogs, type LogsOptions } from "../../../cluster/commands/logs.ts";
import { createWorld } from "../../../cluster/create-world.ts";
import { verdictObject } from "../../../cluster/verdict/verdict-object.ts";
import { azureMachineObject, machineObject, vmId } from "../../../scripts/dev/start/cluster-objects.ts";
import { account, at } from "../support/accounts.ts";

const parts = { cluster: "c1", name: "md-0-a" };
const machine = { ...machineObject(parts), metadata: { name: "md-0-a", namespace: "default", uid: "uid-1" } };
const container = "https://store.blob.core.windows.net/reports";
const infra = azureMachineObject(parts);
const withSettings = (settings: object) => ({
  ...infra,
  spec: { ...(infra["spec"] as object), vmExtensions: [{ settings }] },
});
const withContainer = withSettings({ reportUploadUri: container });
const record = {
  cluster: "c1",
  machine: { name: "md-0-a", uid: "uid-1" },
  owner: { kind: "MachineDeployment", name: "md-0" },
  verdict: account({ vmId: "vm-1", evidence: [{ origin: "cloud-init", text: "no such host" }] }),
  firstSeen: at(0),
  lastSeen: at(1),
};
const verdict = verdictObject({ namespace: "default", name: "x" }, record, { apiVersion: "v", name: "c1", uid: "u" });

async function logs(
  change: Partial<LogsOptions> = {},
  answer: ArmAnswer = { kind: "found", value: { serialConsoleLogBlobUri: "https://blob.example/x?sig=s3cret" } },
  {
    object = withContainer,
    told = verdict,
    owner = machine,
    refused = [],
  }: {
    readonly object?: unknown;
    readonly told?: unknown;
    readonly owner?: unknown;
    readonly refused?: readonly string[];
  } = {},
) {
  let out = "";
  let error = "";
  const posted: string[] = [];
  const answers: Readonly<Record<string, unknown>> = {
    "machines.cluster.x-k8s.io": owner,
    "azuremachines.infrastructure.cluster.x-k8s.io": object,
    "bootstrapverdicts.bootstrap.capz.io": { items: [told] },
  };
  const code = await runLogs({
    machine: "md-0-a",
    lines: 2,
    kubectl: ["kubectl"],
    run: ([, , what = ""]) =>
      Promise.resolve(
        refused.includes(what)
          ? { kind: "ended", code: 1, stdout: "", stderr: `Error from server (Forbidden): ${what} is forbidden\n` }
          : { kind: "ended", code: 0, stdout: JSON.stringify(answers[what]), stderr: "" },
      ),
    client: {
      get: () => Promise.resolve({ kind: "not-found" }),
      post: (path) => {
        posted.push(path);
        return Promise.resolve(answer);
      },
    },
    fetchText: () => Promise.resolve("one\n\u001b[31mtwo\u001b[0m\nthree --token abcdef.0123456789abcdef\n"),
    readReport: (place) =>
      Promise.resolve(
        place.kind === "blob" ? `report at ${place.address}` : `report of ${place.vmId} in ${place.container}`,
      ),
    world: createWorld(),
    print: (text) => (out += text),
    printError: (text) => (error += text),
    signal: new AbortController().signal,
    ...change,
  });
  return { code, out, error, posted };
}

function withReport(reportUri: string): unknown {
  const place = { namespace: "default", name: "x" };
  const told = { ...record, verdict: { ...record.verdict, reportUri } };
  return verdictObject(place, told, { apiVersion: "v", name: "c1", uid: "u" });
}

const refuse: LogsOptions["readReport"] = () => Promise.reject(new Error("the login was sent"));

const notFound = 'Error from server (NotFound): machines.cluster.x-k8s.io "md-0-a" not found\n';

describe("logs", () => {
  test("shows the verdict, the uploaded report and the last lines of the console, cleaned and redacted", async () => {
    const { code, out, posted } = await logs();
    expect(code).toBe(0);
    expect(out).toContain(`${record.verdict.firstLine}\n  cloud-init: no such host`);
    expect(out).toContain(`report of vm-1 in ${container}`);
    expect(out).toContain("two\nthree");
    expect(out).not.toContain("one\n");
    expect(out).not.toMatch(/abcdef\.0123456789abcdef|\u001b/u);
    expect(posted).toEqual([`${vmId("md-0-a").toLowerCase()}/retrieveBootDiagnosticsData?api-version=2024-07-01`]);
  });

  test("says what is missing, and shows the rest", async () => {
    const { code, out } = await logs({}, { kind: "refused", status: 403 }, { object: infra });
    expect(code).toBe(0);
    expect(out).toContain("reportUploadUri does not stand in the open settings");
    expect(out).toContain("retrieveBootDiagnosticsData/action");
  });

  test("reads the report at the address that the verdict names, also where the settings do not show it", async () => {
    const address = "https://store.blob.core.windows.net/reports/capz-bootstrap/vm-1/x.zip";
    const { out } = await logs({}, undefined, { object: infra, told: withReport(address) });
    expect(out).toContain(`== Report\n${address}\nreport at ${address}\n`);
  });

  test("names the address of a report on another server, and sends no login there", async () => {
    const address = "https://artifacts.example/reports/x.zip";
    const { out } = await logs({ readReport: refuse }, undefined, { told: withReport(address) });
    expect(out).toContain(`== Report\n${address}\nIt is not in Azure storage`);
  });

  test.each([
    ["another server", "https://artifacts.example/reports/"],
    ["a server that looks like Azure storage", "https://store.blob.core.windows.net.example/reports"],
    ["an account behind a user", "https://store.blob.core.windows.net@example.org/reports"],
    ["plain http", "http://store.blob.core.windows.net/reports"],
  ])("sends no login to %s that the settings name", async (_, reportUploadUri) => {
    const object = withSettings({ reportUploadUri });
    const { out } = await logs({ readReport: refuse }, undefined, { object });
    expect(out).toContain("names no container of Azure storage");
  });

  test("asks for the container with the login, and not with a SAS of the settings", async () => {
    const object = withSettings({ reportUploadUri: `${container}/?sig=S3cret` });
    const { out } = await logs({}, undefined, { object });
    expect(out).toContain(`report of vm-1 in ${container}\n`);
    expect(out).not.toContain("S3cret");
  });

  test("shows no signature of a link that cannot be read", async () => {
    const { out } = await logs({ fetchText: (url) => Promise.reject(new Error(`cannot read ${url}`)) });
    expect(out).toContain("It cannot be downloaded: Error");
    expect(out).not.toContain("s3cret");
  });

  test.each<[string, LogsOptions["run"], string]>([
    [
      "a cluster that cannot be reached",
      () =>
        Promise.resolve({
          kind: "ended",
          code: 1,
          stdout: "",
          stderr: "E1122 memcache\nThe connection to the server was refused\n",
        }),
      "Machine md-0-a cannot be read: kubectl cannot read machines.cluster.x-k8s.io: The connection to the server was refused\n",
    ],
    [
      "a kubectl that is not there",
      () => Promise.reject(new Error("spawn kubectl ENOENT")),
      "Machine md-0-a cannot be read: kubectl cannot be started (Error: spawn kubectl ENOENT). Install kubectl, or name it with --kubectl.\n",
    ],
  ])("does not say of %s that there is no such Machine", async (_, run, line) => {
    const { code, error } = await logs({ run });
    expect([code, error]).toEqual([3, line]);
  });

  test("ends with 3 for a Machine that is not there", async () => {
    const { code, error } = await logs({
      run: () => Promise.resolve({ kind: "ended", code: 1, stdout: "", stderr: notFound }),
    });
    expect([code, error]).toEqual([3, "There is no Machine md-0-a in this namespace; name it with --namespace\n"]);
  });

  test("names verdict objects that cannot be read, and ends with 3", async () => {
    const what = "bootstrapverdicts.bootstrap.capz.io";
    const { code, out, error } = await logs({}, undefined, { object: infra, refused: [what] });
    expect([code, error]).toEqual([
      3,
      `The verdict cannot be read: kubectl cannot read ${what}: Error from server (Forbidden): ${what} is forbidden\n`,
    ]);
    expect(out).toContain("== Report\nWhere it is would stand in what could not be read in the cluster.\n");
    expect(out).toContain("two\nthree");
  });

  test("does not say that a machine has no VM where its AzureMachine cannot be read", async () => {
    const what = "azuremachines.infrastructure.cluster.x-k8s.io";
    const { code, out, error } = await logs({}, undefined, { refused: [what] });
    expect([code, out]).toEqual([3, ""]);
    expect(error).toMatch(/^Its AzureMachine md-0-a cannot be read: kubectl cannot read azuremachines.*Forbidden/u);
    const spec = { ...(machine as { readonly spec?: object }).spec, providerID: `azure://${vmId("md-0-a")}` };
    const placed = await logs({}, undefined, { refused: [what], owner: { ...machine, spec } });
    expect([placed.code, placed.error]).toEqual([3, error]);
    expect(placed.out).toContain(`${record.verdict.firstLine}\n`);
  });

  test("says of a Machine that nobody has judged yet that there is no verdict", async () => {
    const { code, out } = await logs({}, undefined, { object: infra, told: {} });
    expect([code, out]).toEqual([0, expect.stringContaining("There is no verdict yet, and the setting")]);
  });
});
