import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { buildClient } from "../../publish/build-client.ts";
import { verdictStatus } from "../../handler/verdict/verdict-status.ts";
import { azureMachineObject, clusterObject, machineObject } from "../../scripts/dev/start/cluster-objects.ts";
import { azureVm } from "../cluster/support/azure-vm.ts";
import { startApiServer, type ApiServer } from "../support/api-server.ts";
import { companionCrds, ownCrds, referenceCrds } from "../support/management-crds.ts";
import { snippetsOf } from "../support/markdown.ts";
import { projectFolder } from "../support/node-root.ts";
import { startRecordingProxy, type RecordingProxy } from "../support/recording-proxy.ts";
import { failedVerdict } from "../support/verdict-samples.ts";
import { apiServerNeeds, lane } from "./lane.ts";

const machines = "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines";

/**
 * The commands of docs/management.md and docs/healing.md that speak to a cluster, as they are printed, against a real API server. It
 * serves custom resources only, so `apply -k` of the controller itself is not among them; `az` gives a written instance view.
 */
const needs = { ...apiServerNeeds, programs: [...apiServerNeeds.programs, "jq"] };

lane("the pages of the management side", needs, () => {
  let server: ApiServer;
  let proxy: RecordingProxy;
  let tools = "";

  beforeAll(async () => {
    server = await startApiServer();
    await server.install([...(referenceCrds() ?? ownCrds()), ...companionCrds()]);
    proxy = await startRecordingProxy(server);
    const folder = machines.slice(0, machines.lastIndexOf("/"));
    await server.request("POST", `${folder}/clusters`, clusterObject("workload", {}));
    const parts = { cluster: "workload", name: "workload-md-0-7xk2p" };
    const infra = "/apis/infrastructure.cluster.x-k8s.io/v1beta1/namespaces/default/azuremachines";
    await server.request("POST", infra, azureMachineObject(parts));
    expect((await server.request("POST", machines, machineObject(parts))).status).toBe(201);
    tools = mkdtempSync(join(tmpdir(), "capz-pages-"));
    const { program } = await buildClient(join(tools, "client"));
    const failed = failedVerdict({});
    // `az` prints the properties beside the name.
    const { properties, ...vm } = azureVm({ id: "vm", vmId: failed.vmId, status: verdictStatus(failed) });
    writeFileSync(join(tools, "view.json"), JSON.stringify({ ...vm, ...Object(properties) }));
    const play = (name: string, text: string) => {
      writeFileSync(join(tools, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    };
    // This API server publishes no OpenAPI, against which kubectl checks what it applies before it sends it.
    const known = `--server ${proxy.origin} --cache-dir /var/tmp/kubectl-cache`;
    const checked = '[ "$1" != apply ] || set -- "$@" --validate=false';
    play("kubectl", `${checked}\nexec /usr/sbin/chroot ${server.root} /usr/bin/kubectl ${known} "$@"`);
    play("az", `cat ${tools}/view.json`);
    play("capz-bootstrap", `exec ${process.execPath} ${program} "$@"`);
    mkdirSync(join(tools, "home"));
  });

  afterAll(async () => {
    await proxy.close();
    await server.close();
    rmSync(tools, { recursive: true });
  });

  /** The shell snippets of a page that hold the words, joined: later ones use what earlier ones set. */
  async function runPage(page: string, ...words: readonly string[]) {
    const text = readFileSync(join(projectFolder, "docs", page), "utf8");
    const shell = snippetsOf(text).filter(({ language }) => language === "sh");
    const chosen = words.map((word) => {
      const found = shell.find((snippet) => snippet.text.includes(word));
      if (found === undefined) throw new Error(`${page} has no command with ${word}`);
      return found.text;
    });
    // Not synchronously: the proxy lives in this process.
    const child = spawn("bash", ["-e", "-o", "pipefail", "-c", chosen.join("\n")], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: [tools, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
        HOME: join(tools, "home"),
        VM_ID: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/workload-md-0-7xk2p",
        MACHINE: "workload-md-0-7xk2p",
        NAMESPACE: "default",
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    return new Promise<{ readonly status: number | null; readonly output: string }>((resolve) => {
      child.once("close", (status) => {
        resolve({ status, output });
      });
    });
  }

  interface MachineSeen {
    readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly reason: string }[] };
  }
  const machine = async () => (await server.request("GET", `${machines}/workload-md-0-7xk2p`)).json as MachineSeen;

  test("a cluster is chosen for watching and for healing, and its verdicts are listed", async () => {
    expect(await runPage("management.md", "bootstrap.capz.io/watch=true")).toMatchObject({ status: 0 });
    expect(await runPage("management.md", "get bootstrapverdicts -o wide")).toMatchObject({ status: 0 });
    expect(await runPage("healing.md", "bootstrap.capz.io/heal=condition")).toMatchObject({ status: 0 });
  });

  test("healing by hand: the annotation, and the condition once however often it is applied", async () => {
    const ran = await runPage("healing.md", "view=$(az vm", "kubectl apply --server-side");
    expect(ran).toMatchObject({ status: 0 });
    expect(await runPage("healing.md", "view=$(az vm", "kubectl apply --server-side")).toMatchObject({ status: 0 });
    const { metadata, status } = await machine();
    expect(Object.keys(metadata.annotations ?? {})).toContain("cluster.x-k8s.io/remediate-machine");
    const told = (status?.conditions ?? []).filter(({ type }) => type === "bootstrap.capz.io/BootstrapSucceeded");
    expect(told).toEqual([expect.objectContaining({ reason: "DnsResolutionFailed" })]);
  });
});
