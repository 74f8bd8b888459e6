import { describe, expect, test } from "@jest/globals";
import { stringify } from "yaml";
import { serialiseStatus } from "../../../handler/contract/status-file.ts";
import type { Status } from "../../../handler/contract/status.ts";
import { HandlerError } from "../../../handler/errors/handler-error.ts";
import { explain } from "../../../handler/explain/explain.ts";
import type { Answer, Explanation } from "../../../handler/explain/explanation.ts";
import { renderExplanation } from "../../../handler/explain/render-explanation.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { waitingStatus } from "../../../handler/verdict/waiting-status.ts";
import { cloneProof, failedVerdict, passedVerdict } from "../../support/verdict-samples.ts";

const failed = verdictStatus(failedVerdict());
const firstLine = failed.message.split("\n")[0] ?? "";

describe("explain reads what Azure gives back", () => {
  test("the instance view of a VM, with the cause, the evidence, the timeline and the next step", async () => {
    const [answer] = answers(await explain(JSON.stringify(instanceView(failed))));
    expect(answer).toMatchObject({
      outcome: "failed",
      reason: "DnsResolutionFailed",
      code: 10,
      stage: "kubeadm join",
      elapsedSeconds: 74,
      retryable: true,
      blame: "network",
      confidence: "high",
      providers: ["kubeadm"],
      nextStep: "link the private DNS zone to the virtual network of the node",
      from: "instance view, extension CAPZ.Linux.Bootstrapping",
      notes: [],
    });
    expect(answer?.evidence[0]).toMatchObject({ origin: "/var/log/cloud-init-output.log", line: 812 });
    expect(answer?.probes[0]).toMatchObject({ state: "failed", target: "workload-apiserver.internal" });
    expect(answer?.timeline.map(({ seconds }) => seconds)).toEqual([-8, 0, 74]);
    expect(answer?.otherFindings.map(({ reason }) => reason)).toEqual(["KubeletNotRunning"]);
  });

  test("the machine's name, from what az vm get-instance-view prints, as JSON or YAML", async () => {
    const view = { name: "workload-md-0-7xk2p", id: "/subscriptions/0/x", instanceView: instanceView(failed) };
    for (const text of [JSON.stringify(view), stringify(view)]) {
      expect(answers(await explain(text))[0]).toMatchObject({ machine: "workload-md-0-7xk2p", outcome: "failed" });
    }
  });

  test("the instances of a scale set, one answer each", async () => {
    const list = [
      { name: "pool_0", instanceId: "0", instanceView: instanceView(failed) },
      { name: "pool_1", instanceId: "1", properties: { instanceView: instanceView(verdictStatus(passedVerdict())) } },
    ];
    for (const value of [list, { value: list }]) {
      const explanation = await explain(JSON.stringify(value));
      expect(answers(explanation).map(({ machine, outcome }) => [machine, outcome])).toEqual([
        ["pool_0", "failed"],
        ["pool_1", "bootstrapped"],
      ]);
    }
  });

  test("the view of a scale set only counts, and the answer says how to ask for the instances", async () => {
    const view = {
      virtualMachine: { statusesSummary: [{ code: "ProvisioningState/failed", count: 2 }] },
      extensions: [
        {
          name: "CAPZ.Linux.Bootstrapping",
          statusesSummary: [
            { code: "ProvisioningState/failed", count: 2 },
            { code: "ProvisioningState/succeeded", count: 3 },
          ],
        },
      ],
    };
    const [answer] = answers(await explain(JSON.stringify(view)));
    expect(answer?.outcome).toBe("unknown");
    expect(answer?.notes.join(" ")).toContain("2 × failed, 3 × succeeded");
    expect(answer?.nextStep).toContain("az vmss list-instances --expand instanceView");
  });

  test("an extension resource, in the shape of REST and of az", async () => {
    const view = extensionView(failed);
    const id = "/subscriptions/0/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm1/extensions/x";
    const rest = {
      id,
      name: "CAPZ.Linux.Bootstrapping",
      type: "Microsoft.Compute/virtualMachines/extensions",
      properties: { publisher: "P", type: "CAPZ.Linux.Bootstrapping", provisioningState: "Failed", instanceView: view },
    };
    const bare = { id, name: "x", publisher: "P", typeHandlerVersion: "1.0" };
    const az = { ...bare, instanceView: view };
    for (const value of [rest, az]) {
      expect(answers(await explain(JSON.stringify(value)))[0]).toMatchObject({ machine: "vm1", outcome: "failed" });
    }
    const [answer] = answers(await explain(JSON.stringify({ ...bare, provisioningState: "Failed" })));
    expect(answer?.notes[0]).toContain("$expand=instanceView");
  });

  test("a status file, with the code of the status", async () => {
    const text = serialiseStatus({ status: failed, now: new Date("2026-01-31T12:01:14Z"), sequence: 0 });
    expect(answers(await explain(text.toString("utf8")))[0]).toMatchObject({
      from: "status file",
      outcome: "failed",
      code: 10,
    });
  });

  test("the message alone when Azure has cut a substatus, and says so", async () => {
    const view = extensionView(failed);
    const substatuses = view.substatuses.map((entry) => ({
      ...entry,
      message: `${entry.message.slice(0, 40)} ... [TRUNCATED]`,
    }));
    const [answer] = answers(await explain(JSON.stringify({ ...view, substatuses })));
    expect(answer).toMatchObject({
      outcome: "failed",
      reason: "DnsResolutionFailed",
      stage: "kubeadm join",
      confidence: "high",
      blame: "network",
      retryable: true,
    });
    expect(answer?.evidence[0]?.origin).toBe("/var/log/cloud-init-output.log");
    expect(answer?.notes.join(" ")).toContain("BootstrapVerdict could not be read");
  });

  test("a guest agent that could not start the handler", async () => {
    const view = {
      vmAgent: {
        statuses: [],
        extensionHandlers: [
          {
            type: "Example.ClusterApi.CAPZ.Linux.Bootstrapping",
            status: { message: "VMExtensionHandlerNonTransientError: no such version in the manifest" },
          },
        ],
      },
      extensions: [],
    };
    const [answer] = answers(await explain(JSON.stringify(view)));
    expect(answer).toMatchObject({ outcome: "unknown", reason: "VMExtensionHandlerNonTransientError" });
    expect(answer?.notes[0]).toContain("no extension CAPZ.Linux.Bootstrapping");
  });
});

describe("explain reads what Kubernetes gives back", () => {
  test("an AzureMachine whose condition holds our message inside of CAPZ's and Azure's words", async () => {
    const machine = azureMachine([
      { type: "BootstrapSucceeded", status: "False", reason: "Failed", message: wrapped(failed) },
    ]);
    for (const text of [stringify(machine), JSON.stringify(machine, undefined, 2)]) {
      const [answer] = answers(await explain(text));
      expect(answer).toMatchObject({
        machine: "workload-md-0-7xk2p",
        from: "AzureMachine, condition BootstrapSucceeded",
        outcome: "failed",
        reason: "DnsResolutionFailed",
        stage: "kubeadm join",
        elapsedSeconds: 74,
        nextStep: "link the private DNS zone to the virtual network of the node.",
        retryable: true,
      });
      expect(answer?.notes.join(" ")).toContain("az vm get-instance-view --ids /subscriptions/0/");
    }
  });

  test("an AzureMachine that CAPZ has set back to True, with a warning that this is no proof", async () => {
    const [answer] = answers(await explain(stringify(azureMachine([{ type: "BootstrapSucceeded", status: "True" }]))));
    expect(answer?.outcome).toBe("unknown");
    expect(answer?.notes[0]).toContain("True is no proof");
  });

  test.each([
    ["status.conditions", (conditions: unknown) => ({ conditions })],
    ["status.v1beta2.conditions", (conditions: unknown) => ({ v1beta2: { conditions } })],
    ["status.deprecated.v1beta1.conditions", (conditions: unknown) => ({ deprecated: { v1beta1: { conditions } } })],
  ])("a Machine with the message in %s", async (_, status) => {
    const machine = {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      metadata: { name: "m" },
      status: status([{ type: "InfrastructureReady", status: "False", reason: "Failed", message: wrapped(failed) }]),
    };
    expect(answers(await explain(stringify(machine)))[0]).toMatchObject({
      from: "Machine, condition InfrastructureReady",
      reason: "DnsResolutionFailed",
    });
  });

  test("a list of machines and several YAML documents", async () => {
    const machine = azureMachine([{ type: "BootstrapSucceeded", status: "False", message: firstLine }]);
    const list = { apiVersion: "v1", kind: "List", items: [machine, machine] };
    expect(answers(await explain(stringify(list)))).toHaveLength(2);
    expect(answers(await explain(`${stringify(machine)}---\n${stringify(machine)}`))).toHaveLength(2);
  });

  test("CAPZ's own extension, which says nothing of the cause, is not taken for ours", async () => {
    const message =
      "Enable failed: failed to execute command: command terminated with exit status=1\n[stdout]\n\n[stderr]\n";
    const [answer] = answers(
      await explain(stringify(azureMachine([{ type: "BootstrapSucceeded", status: "False", message }]))),
    );
    expect(answer?.outcome).toBe("unknown");
    expect(answer?.summary).toContain("does not say why");
  });

  test("an operating system that Azure never finished setting up is told apart from a bootstrap", async () => {
    const message = "extension state failed … OSProvisioningTimedOut: OS Provisioning did not finish";
    const [answer] = answers(
      await explain(stringify(azureMachine([{ type: "BootstrapSucceeded", status: "False", message }]))),
    );
    expect(answer).toMatchObject({ outcome: "unknown", reason: "OSProvisioningTimedOut" });
  });
});

describe("explain reads plain words", () => {
  const statuses: readonly (readonly [string, Status, Partial<Answer>])[] = [
    [
      "a failure",
      failed,
      { outcome: "failed", reason: "DnsResolutionFailed", elapsedSeconds: 74, stage: "kubeadm join" },
    ],
    [
      "a success",
      verdictStatus(passedVerdict()),
      { outcome: "bootstrapped", elapsedSeconds: 61, providers: ["kubeadm"] },
    ],
    [
      "a wait",
      waitingStatus({
        stage: "kubeadm-join",
        elapsedSeconds: 15,
        timeoutSeconds: 900,
        lastEvent: undefined,
        warnings: [],
      }),
      { outcome: "waiting", stage: "kubeadm join", elapsedSeconds: 15 },
    ],
    [
      "a wrong setting",
      verdictStatus(
        passedVerdict({
          end: {
            kind: "not-checked",
            error: new HandlerError("settingsInvalid", 'mode is "strict"; allowed: enforce'),
          },
        }),
      ),
      { outcome: "not-checked", reason: "SettingsInvalid", summary: 'mode is "strict"; allowed: enforce.' },
    ],
    [
      "a report",
      verdictStatus(passedVerdict({ end: { kind: "reported", proof: cloneProof } })),
      { outcome: "not-checked", reason: "Reported" },
    ],
  ];

  test.each(statuses)("%s, from its first line only", async (_, status, expected) => {
    const [answer] = answers(await explain(status.message.split("\n")[0] ?? ""));
    expect(answer).toMatchObject(expected);
  });

  test.each(statuses)("%s, from the whole message", async (_, status, expected) => {
    expect(answers(await explain(status.message))[0]).toMatchObject(expected);
  });

  test("the text that CAPZ puts into its condition, its event and its log", async () => {
    const [answer] = answers(await explain(wrapped(failed)));
    expect(answer).toMatchObject({ outcome: "failed", reason: "DnsResolutionFailed" });
    expect(JSON.stringify(answer)).not.toContain("aka.ms");
    expect(JSON.stringify(answer)).not.toContain("ClusterApi");
  });

  test("an error of ARM in its own JSON, also when it is quoted twice", async () => {
    const error = { error: { code: "VMExtensionProvisioningError", message: armMessage(failed) } };
    for (const value of [error, { statusMessage: JSON.stringify(error) }]) {
      const [answer] = answers(await explain(JSON.stringify(value)));
      expect(answer).toMatchObject({ outcome: "failed", reason: "DnsResolutionFailed", stage: "kubeadm join" });
    }
  });

  test("a Windows path in the message is not taken for an escape", async () => {
    const line =
      "Bootstrap failed (SentinelMissing) in cloudbase-init after 5 s: C:\\run\\cluster-api is empty. Next: Read C:\\log.";
    const [answer] = answers(await explain(line));
    expect(answer?.summary).toContain("C:\\run\\cluster-api is empty");
  });
});

describe("explain refuses what it cannot read, and says what it accepts", () => {
  test.each([
    ["nothing", "", "empty"],
    ["blanks", " \n\t\n", "empty"],
    ["a binary file", "\u007fELF\u0000\u0001", "binary"],
    ["unrelated JSON", '{"apiGroups": ["a"], "b": 1}', "neither"],
    ["a JSON number", "42", "without a message"],
    ["unrelated words", "hello world", "without a message"],
    ["damaged JSON", '{"instanceView": {', "without a message"],
    ["damaged YAML", "kind: [\nmetadata: }", "without a message"],
    ["a log of half a gigabyte in spirit", "x".repeat(9 * 1024 * 1024), "limit"],
  ])("%s", async (_, text, why) => {
    const explanation = await explain(text);
    expect(explanation.kind).toBe("not-understood");
    const problem = explanation.kind === "not-understood" ? explanation.problem : "";
    expect(problem).toContain(why);
    expect(problem).toContain("Accepted:");
  });

  test.each([
    ["[", "]"],
    ['{"instanceView":', "}"],
    ['{"value":[', "]}"],
  ])("a tree of ten thousand times %s", async (opening, closing) => {
    const explanation = await explain(`${opening.repeat(10_000)}1${closing.repeat(10_000)}`);
    expect(explanation.kind === "not-understood" && explanation.problem).toContain("nested deeper");
  });

  test("a YAML bomb does not expand", async () => {
    const lines = ["a: &a [x,x,x,x,x,x,x,x,x]", "kind: x"];
    for (const [from, to] of ["ab", "bc", "cd", "de", "ef", "fg", "gh"]) {
      lines.push(
        `${to ?? ""}: &${to ?? ""} [${Array(9)
          .fill(`*${from ?? ""}`)
          .join(",")}]`,
      );
    }
    expect((await explain(lines.join("\n"))).kind).toBe("not-understood");
  });
});

describe("renderExplanation", () => {
  test("shows a person the verdict, the cause, the evidence, the timeline and the next step", async () => {
    const text = renderExplanation(await explain(JSON.stringify(instanceView(failed))));
    expect(text).toBe(`instance view, extension CAPZ.Linux.Bootstrapping
  Verdict:    failed (DnsResolutionFailed) in kubeadm join after 74 s
  Cause:      the name workload-apiserver.internal does not resolve: 10.0.0.10 answered NXDOMAIN
              kubeadm could not look up the control plane endpoint, so it never reached the API server.
              [high confidence; side: network; a new machine may pass]
  Next step:  link the private DNS zone to the virtual network of the node
  Evidence:
    /var/log/cloud-init-output.log:812: error execution phase preflight: Get "https://workload-apiserver.internal:6443/api/v1": lookup workload-apiserver.internal: no such host
  Probes:
    failed: dns workload-apiserver.internal: 10.0.0.10 answered NXDOMAIN
  Timeline:
        -8 s  the machine booted
        +0 s  cloud-init: the wait began
       +74 s  kubeadm join: cloud-init finished with errors
  Also seen:
    The kubelet does not run (KubeletNotRunning, symptom)
  Report:     /var/log/azure/capz-bootstrap/0/report.txt (on the machine)
`);
  });

  test("says in mode observe that the failure was reported as a success", async () => {
    const observed = verdictStatus(failedVerdict({ mode: "observe" }));
    expect(renderExplanation(await explain(JSON.stringify(instanceView(observed))))).toContain(
      "failed (DnsResolutionFailed) in kubeadm join after 74 s; mode observe reports it as a success",
    );
  });

  test("gives a program the same as JSON", async () => {
    const json: unknown = JSON.parse(JSON.stringify(await explain(firstLine)));
    expect(json).toMatchObject({ kind: "explained", schemaVersion: 1, answers: [{ reason: "DnsResolutionFailed" }] });
  });
});

function answers(explanation: Explanation): readonly Answer[] {
  if (explanation.kind === "not-understood") throw new Error(explanation.problem);
  return explanation.answers;
}

function instanceView(status: Status): object {
  return { vmAgent: { vmAgentVersion: "2.15.0.1", statuses: [] }, extensions: [extensionView(status)] };
}

interface ExtensionView {
  readonly statuses: readonly object[];
  readonly substatuses: readonly { readonly code: string; readonly message: string }[];
}

function extensionView(status: Status): ExtensionView {
  const state = status.kind === "error" ? "failed" : "succeeded";
  const view = {
    name: "CAPZ.Linux.Bootstrapping",
    type: "Example.ClusterApi.CAPZ.Linux.Bootstrapping",
    typeHandlerVersion: "1.0.0",
    statuses: [
      {
        code: `ProvisioningState/${state}/${String(status.code)}`,
        level: status.kind === "error" ? "Error" : "Info",
        displayStatus: `Provisioning ${state}`,
        message: status.message,
      },
    ],
    substatuses: status.substatuses.map((substatus) => ({
      code: `ComponentStatus/${substatus.name}/succeeded`,
      level: "Info",
      message: substatus.message,
    })),
  };
  return view;
}

/** What ARM makes of a failed extension. */
function armMessage(status: Status): string {
  const what = "'CAPZ.Linux.Bootstrapping' (publisher 'Example.ClusterApi' and type 'CAPZ.Linux.Bootstrapping')";
  return `VM has reported a failure when processing extension ${what}. Error message: '${status.message}'. More information on troubleshooting is available at https://aka.ms/vmextensionlinuxtroubleshoot. `;
}

/** What CAPZ puts into the condition: its own words, then the SDK's picture of the HTTP answer. */
function wrapped(status: Status): string {
  const body = JSON.stringify(
    { status: "Failed", error: { code: "VMExtensionProvisioningError", message: armMessage(status) } },
    undefined,
    2,
  );
  const line = "-".repeat(80);
  return `failed to create or update resource rg/CAPZ.Linux.Bootstrapping (service: vmextensions): extension state failed. This likely means the Kubernetes node bootstrapping process failed or timed out. Check VM boot diagnostics logs to learn more: GET https://management.azure.com/subscriptions/0/operations/1\n${line}\nRESPONSE 200: 200 OK\nERROR CODE: VMExtensionProvisioningError\n${line}\n${body}\n${line}\n`;
}

function azureMachine(conditions: readonly object[]): object {
  return {
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachine",
    metadata: { name: "workload-md-0-7xk2p", namespace: "default" },
    spec: {
      vmSize: "Standard_D2s_v5",
      providerID:
        "azure:///subscriptions/0/resourceGroups/workload/providers/Microsoft.Compute/virtualMachines/workload-md-0-7xk2p",
    },
    status: { vmState: "Failed", ready: true, conditions },
  };
}

test("the next step for a Uniform instance asks for it as one, since it is no VM resource", async () => {
  const list = [
    {
      name: "workload-mp-0_12",
      instanceId: "12",
      instanceView: {
        extensions: [
          {
            name: "CAPZ.Linux.Bootstrapping",
            type: "Example.ClusterApi.CAPZ.Linux.Bootstrapping",
            statuses: [{ code: "ProvisioningState/transitioning", message: "" }],
          },
        ],
      },
    },
  ];
  const explained = await explain(JSON.stringify(list));
  expect(explained.kind === "explained" ? explained.answers[0]?.nextStep : "").toContain(
    "az vmss run-command invoke --resource-group GROUP --name workload-mp-0 --instance-id 12",
  );
});
