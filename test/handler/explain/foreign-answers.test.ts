import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { explain } from "../../../handler/explain/explain.ts";
import type { Answer } from "../../../handler/explain/explanation.ts";
import { expectAnswer, readTexts, rules, type Expected } from "./expect-answer.ts";

/** Forms in which Azure, CAPZ and kubectl answer, each written for this test from the published shape. */
const texts = readTexts(join(import.meta.dirname, "../../fixtures/answers"), "messages.yaml");

const instanceView = "az vm get-instance-view";
const log = "az vm run-command invoke --ids /subscriptions/";
const console = "az vm boot-diagnostics get-boot-log --ids /subscriptions/";
const vm = "workload-md-0-7xk2p";

const reason = (name: string): Partial<Answer> => ({ outcome: "failed", reason: name });
const machine = { machine: vm };

const forms: Readonly<Record<string, Expected>> = {
  "view-verdict-beside-agent.json": {
    answer: { ...machine, ...reason("DnsResolutionFailed"), elapsedSeconds: 74 },
    says: "api.prod.internal cannot be resolved",
    next: "Correct the DNS of the virtual network",
    gave: instanceView,
  },
  "view-waiting-agent-gone.json": {
    answer: { ...machine, outcome: "waiting", stage: "kubeadm join" },
    says: "Waiting for bootstrap: kubeadm join",
    next: console,
    gave: instanceView,
  },
  "view-absent.json": {
    answer: { ...machine, outcome: "unknown", situation: "extension-absent" },
    says: "not attached to it; attached: AzureMonitorLinuxAgent",
    next: log,
    gave: instanceView,
  },
  "view-other-extension-failed.json": {
    answer: { ...machine, ...reason("DnsResolutionFailed") },
    says: "packages.aks.azure.com cannot be resolved",
    next: "Correct the DNS of the virtual network",
    gave: instanceView,
  },
  "view-agent-silent.json": {
    answer: { ...machine, outcome: "unknown", situation: "agent-silent" },
    says: "has never reported to Azure",
    next: console,
    gave: instanceView,
  },
  "view-agent-not-ready.json": {
    answer: { ...machine, outcome: "unknown", situation: "agent-not-ready" },
    says: "has reported once and does not now",
    next: console,
    gave: instanceView,
  },
  "view-starting.json": {
    answer: { ...machine, outcome: "waiting", situation: "extension-starting" },
    says: "attached and has not reported yet",
    next: "az monitor activity-log list --resource-id /subscriptions/",
    gave: instanceView,
  },
  "view-handler-not-found.json": {
    answer: { ...machine, outcome: "unknown", reason: "VMExtensionHandlerNonTransientError" },
    says: "could not download, install or start",
    next: "Check that publisher, type and version exist",
    gave: instanceView,
  },
  "view-stopped.json": {
    answer: { ...machine, outcome: "unknown", situation: "machine-stopped" },
    says: "VM deallocated",
    next: "az monitor activity-log list",
    gave: instanceView,
  },
  "view-creating.json": {
    answer: { outcome: "waiting", situation: "machine-provisioning" },
    says: "Azure is still creating the machine",
    next: "az monitor activity-log list",
    gave: instanceView,
  },
  "view-os-provisioning.json": {
    answer: { ...machine, ...reason("OsProvisioningTimeout") },
    says: "OS provisioning did not finish in time",
    next: "Read the boot diagnostics",
    gave: instanceView,
  },
  "view-old-failed.json": {
    answer: { ...machine, outcome: "failed", situation: "old-extension-failed" },
    says: "version 1.0 or 1.1, another program",
    next: log,
    gave: instanceView,
  },
  "view-old-succeeded.json": {
    answer: { ...machine, outcome: "unknown", situation: "old-extension-succeeded" },
    says: "version 1.0 or 1.1, another program",
    next: `kubectl get node ${vm}`,
    gave: instanceView,
  },
  "arm-cse-50.json": {
    answer: reason("OutboundConnectivityBlocked"),
    says: "Outbound traffic is blocked",
    next: "Give the subnet a way out",
    gave: "az deployment",
  },
  "arm-cse-51.txt": {
    answer: reason("ApiServerUnreachable"),
    says: "The API server cannot be reached",
    next: "Open 443 or 6443",
    gave: "az",
  },
  "arm-cse-52.txt": {
    answer: reason("DnsResolutionFailed"),
    says: "Names cannot be resolved",
    next: "Correct the DNS servers",
    gave: "az",
  },
  "arm-cse-dns-words.txt": {
    answer: reason("DnsResolutionFailed"),
    says: "azure.archive.ubuntu.com cannot be resolved",
    next: "Correct the DNS",
    gave: "az",
  },
  "arm-cse-windows.txt": {
    answer: reason("ApiServerUnreachable"),
    says: "WINDOWS_CSE_ERROR_CHECK_API_SERVER_CONNECTIVITY",
    next: "Open 443 or 6443",
    gave: "az",
  },
  "arm-custom-script-404.txt": {
    answer: reason("HttpDownloadFailed"),
    says: "actual=404 expected=200, URL=https://files.example.com/setup.sh.",
    next: "correct the URL",
    gave: "az",
  },
  "arm-custom-script-dns.txt": {
    answer: reason("DnsResolutionFailed"),
    says: "files.prod.internal cannot be resolved",
    next: "Correct the DNS",
    gave: "az",
  },
  "arm-our-verdict.json": {
    answer: { ...reason("DnsResolutionFailed"), stage: "kubeadm join", elapsedSeconds: 74 },
    says: "api.prod.internal cannot be resolved",
    next: "Correct the DNS of the virtual network.",
    gave: "az",
  },
  "arm-old-extension.txt": {
    answer: { outcome: "failed", situation: "old-extension-failed" },
    says: "version 1.0 or 1.1, another program",
    next: "az vm run-command invoke --resource-group GROUP --name MACHINE",
    gave: "az deployment",
  },
  "arm-no-such-extension.txt": {
    answer: { outcome: "unknown", reason: "ArtifactNotFound" },
    says: "knows no extension of this publisher, type or version",
    next: "az vm extension image list",
    gave: "az vm extension set",
  },
  "arm-two-extensions.txt": {
    answer: { outcome: "unknown", reason: "BadRequest" },
    says: "under another resource name",
    next: "Remove one of the two",
    gave: "az vm extension set",
  },
  "arm-timeout.txt": {
    answer: reason("VmExtensionTimeout"),
    says: "CAPZ.Linux.Bootstrapping has timed out",
    next: "Read waagent.log",
    gave: "az vm extension set",
  },
  "az-machine-gone.txt": {
    answer: { ...machine, outcome: "unknown", situation: "machine-gone" },
    says: "Azure has no such machine",
    next: `kubectl describe azuremachine ${vm}`,
    gave: instanceView,
  },
  "az-extension-gone.txt": {
    answer: { ...machine, outcome: "unknown", situation: "extension-absent" },
    says: "not attached to it",
    next: "az vm run-command invoke",
    gave: "az vm extension show",
  },
  "az-not-allowed.json": {
    answer: { outcome: "unknown", situation: "not-permitted" },
    says: "Microsoft.Compute/virtualMachines/instanceView/read",
    next: "the role Reader",
    gave: instanceView,
  },
  "activity-log-quota.json": {
    answer: reason("AzureQuotaExceeded"),
    says: "standardDSv5Family Cores quota",
    next: "Ask for more quota",
    gave: "az monitor activity-log list",
  },
  "run-command-cloud-init.json": {
    answer: reason("DnsResolutionFailed"),
    says: "api.prod.internal cannot be resolved (no such host, resolver 10.0.0.10)",
    next: "Correct the DNS",
    gave: "az vm run-command",
  },
  "vmss-view.json": {
    answer: { outcome: "unknown", situation: "only-counts" },
    says: "2 × failed, 1 × succeeded",
    next: "az vmss list-instances --expand instanceView",
    gave: "az vmss get-instance-view",
  },
  "extension-resource-state.json": {
    answer: { ...machine, outcome: "unknown", situation: "only-state" },
    says: "tells its state only",
    next: `${instanceView} --ids /subscriptions/`,
    gave: "az vm extension show",
  },
  "azuremachine-verdict.yaml": {
    answer: { ...machine, ...reason("DnsResolutionFailed"), stage: "kubeadm join" },
    says: "api.prod.internal cannot be resolved",
    next: "Correct the DNS of the virtual network.",
    gave: "kubectl get azuremachine",
  },
  "azuremachine-reset.yaml": {
    answer: { ...machine, outcome: "unknown", situation: "condition-reset" },
    says: "True, which is no proof",
    next: `${instanceView} --ids /subscriptions/`,
    gave: "kubectl get azuremachine",
  },
  "azuremachine-in-progress.yaml": {
    answer: { ...machine, outcome: "waiting", situation: "condition-in-progress" },
    says: "CAPZ waits for an extension",
    next: `${instanceView} --ids /subscriptions/`,
    gave: "kubectl get azuremachine",
  },
  "azuremachine-os-provisioning.yaml": {
    answer: { ...machine, ...reason("OsProvisioningTimeout") },
    says: "OSProvisioningClientError",
    next: "Read the boot diagnostics",
    gave: "kubectl get azuremachine",
  },
  "azuremachine-quota.yaml": {
    answer: { ...machine, ...reason("AzureQuotaExceeded") },
    says: "Total Regional Cores quota",
    next: "Ask for more quota",
    gave: "kubectl get azuremachine",
  },
  "azuremachine-waiting-for-data.yaml": {
    answer: { ...machine, outcome: "waiting", situation: "waiting-for-bootstrap-data" },
    says: "CAPZ waits for its bootstrap data",
    next: "kubectl get kubeadmconfigs --namespace default",
    gave: "kubectl get azuremachine",
  },
  "poolmachine-failed.yaml": {
    answer: { machine: "workload-mp-0-12", outcome: "failed", situation: "condition-without-cause" },
    says: "never holds the cause",
    next: "az vmss get-instance-view --resource-group workload --name workload-mp-0 --instance-id 12",
    gave: "kubectl get azuremachinepoolmachine",
  },
  "describe-azuremachine-verdict.txt": {
    answer: { ...machine, ...reason("DnsResolutionFailed"), stage: "kubeadm join" },
    says: "api.prod.internal cannot be resolved",
    next: "Correct the DNS of the virtual network.",
    gave: "kubectl describe",
  },
  "describe-azuremachine-reset.txt": {
    answer: { ...machine, outcome: "unknown", situation: "condition-reset" },
    says: "True, which is no proof",
    next: `${instanceView} --ids /subscriptions/`,
    gave: "kubectl describe",
  },
  "describe-azuremachine-event.txt": {
    answer: { ...machine, ...reason("DnsResolutionFailed"), nextStep: "Correct the DNS of the virtual network." },
    says: "api.prod.internal cannot be resolved",
    next: "Correct the DNS of the virtual network.",
    gave: "kubectl describe",
  },
  "describe-bootstrapverdict.txt": {
    answer: {
      ...machine,
      ...reason("DnsResolutionFailed"),
      stage: "kubeadm join",
      elapsedSeconds: 74,
      retryable: false,
      blame: "network",
      confidence: "high",
      sequence: 0,
      nextStep: "Correct the DNS of the virtual network: its DNS servers and the link of the private DNS zone.",
      evidence: [
        {
          origin: "/var/log/cloud-init-output.log",
          line: 212,
          text: "dial tcp: lookup api.prod.internal on 10.0.0.10:53: no such host",
        },
        { origin: "journalctl -u kubelet", line: 4, text: "kubelet.service: Failed with result 'exit-code'." },
      ],
      timeline: [
        { time: "2026-11-21T09:14:00Z", seconds: 0, stage: "cloud-init", event: "the wait began" },
        { time: "2026-11-21T09:15:14Z", seconds: 74, event: "kubeadm join failed" },
      ],
      reportFile: "/var/log/azure/Example.ClusterApi.CAPZ.Linux.Bootstrapping/report.txt",
    },
    says: "api.prod.internal cannot be resolved",
    next: "the link of the private DNS zone",
    gave: "kubectl describe",
  },
  "events.yaml": {
    answer: { ...machine, ...reason("DnsResolutionFailed") },
    says: "api.prod.internal cannot be resolved",
    next: "Correct the DNS of the virtual network.",
    gave: "kubectl get events",
  },
  "kubectl-gone.txt": {
    answer: { ...machine, outcome: "unknown", situation: "object-gone" },
    says: "The cluster has no such object",
    next: "kubectl get events --all-namespaces",
    gave: "kubectl get azuremachine",
  },
};

describe("explain understands what Azure and Kubernetes give back without our message in it", () => {
  test("every form is expected, and every expectation has its form", () => {
    expect([...texts.keys()].toSorted()).toEqual(Object.keys(forms).toSorted());
  });

  test.each(Object.entries(forms))("%s", async (name, expected) => {
    await expectAnswer(texts.get(name) ?? "", expected);
  });

  test("each situation has words that no other has", async () => {
    const told = new Map<string, string>();
    for (const name of Object.keys(forms)) {
      const explanation = await explain(texts.get(name) ?? "", rules);
      const [first] = explanation.kind === "explained" ? explanation.answers : [];
      if (first?.situation !== undefined) told.set(first.situation, first.summary);
    }
    expect(new Set(told.values()).size).toBe(told.size);
    expect(told.size).toBeGreaterThanOrEqual(16);
  });
});
