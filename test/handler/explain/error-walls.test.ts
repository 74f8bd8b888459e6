import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { explain } from "../../../handler/explain/explain.ts";
import type { Answer } from "../../../handler/explain/explanation.ts";
import { expectAnswer, readTexts, rules, type Expected } from "./expect-answer.ts";

/**
 * What tools lay around an answer of Azure or CAPZ: errors nested three deep, Terraform and Pulumi, tables of events, the controller's
 * log, the portal, activity logs. Each was written for this test from the published shape.
 */
const texts = readTexts(join(import.meta.dirname, "../../fixtures/error-walls"), "walls.yaml");

const vm = "workload-md-0-7xk2p";
const machine = { machine: vm };
const failed = (reason: string): Partial<Answer> => ({ outcome: "failed", reason });
const instanceView = "az vm get-instance-view";

const walls: Readonly<Record<string, Expected>> = {
  "view-flexible-instance.json": {
    answer: { machine: "workload-mp-0000a3", ...failed("ImagePullUnauthorized"), stage: "kubeadm init" },
    says: "registry.prod.internal/pause:3.10 was refused",
    next: "Give the machine's identity the role AcrPull.",
    gave: instanceView,
  },
  "vmss-instances-list.json": {
    answer: { machine: "workload-mp-0_3", ...failed("ApiServerUnreachable") },
    says: "https://10.0.0.4:6443 does not answer",
    next: "Look at the control plane.",
    gave: "az vmss list-instances",
  },
  "portal-extension-blade.txt": {
    answer: failed("DnsResolutionFailed"),
    says: "api.prod.internal cannot be resolved",
    next: "Correct the DNS of the virtual network.",
    gave: "az",
  },
  "portal-notification.txt": {
    answer: { ...machine, ...failed("ContainerdNotRunning") },
    says: "containerd is not running",
    next: "Read journalctl -u containerd.",
    gave: "az",
  },
  "portal-windows.txt": {
    answer: { ...failed("CloudbaseInitFailed"), stage: "user data" },
    says: "the user data script ended with 1",
    next: String.raw`Read C:\Program Files\Cloudbase Solutions\Cloudbase-Init\log\cloudbase-init.log.`,
    gave: "az",
  },
  "events-table.txt": {
    answer: { ...machine, outcome: "failed", situation: "condition-without-cause" },
    says: "this text never holds the cause",
    next: `${instanceView} --resource-group GROUP --name ${vm}`,
    gave: "kubectl get events",
  },
  "events-table-quota.txt": {
    answer: { ...machine, ...failed("AzureQuotaExceeded") },
    says: "standardDSv5Family Cores quota",
    next: "Ask for more quota",
    gave: "kubectl get events",
  },
  "vm-describe-machine.txt": {
    answer: { ...machine, outcome: "unknown", situation: "condition-absent" },
    says: "No condition of the object is about the bootstrap",
    next: `${instanceView} --resource-group GROUP --name ${vm}`,
    gave: "kubectl describe",
  },
  "capz-controller-log.txt": {
    answer: { ...machine, outcome: "failed", situation: "condition-without-cause" },
    says: "this text never holds the cause",
    next: `${instanceView} --resource-group GROUP --name ${vm}`,
    gave: "kubectl logs",
  },
  "capz-controller-log-waits.txt": {
    answer: { ...machine, outcome: "waiting", situation: "condition-in-progress" },
    says: "CAPZ waits for an extension",
    next: `${instanceView} --resource-group GROUP --name ${vm}`,
    gave: "kubectl logs",
  },
  "capz-controller-log-sku.txt": {
    answer: { ...machine, ...failed("AzureCapacityUnavailable") },
    says: "Following SKUs have failed for Capacity Restrictions",
    next: "Choose another size or zone",
    gave: "kubectl logs",
  },
  "capz-controller-log-image.txt": {
    answer: { ...machine, outcome: "unknown", reason: "GalleryImageNotFound" },
    says: "The image version is not there in this region",
    next: "Have the version replicated to the region",
    gave: "kubectl logs",
  },
  "capz-identity.txt": {
    answer: { ...machine, ...failed("CloudProviderAuthFailed") },
    says: "AADSTS7000222: The provided client secret keys",
    next: "AzureClusterIdentity",
    gave: "kubectl logs",
  },
  "arm-nested-three.json": {
    answer: { ...failed("TokenExpired"), stage: "kubeadm join", elapsedSeconds: 52 },
    says: "the bootstrap token abcdef has expired.",
    next: "Make the machine again.",
    gave: "az deployment",
  },
  "arm-nested-allocation.json": {
    answer: failed("AzureCapacityUnavailable"),
    says: "sufficient capacity",
    next: "Choose another size or zone",
    gave: "az deployment",
  },
  "policy-denied.json": {
    answer: { outcome: "unknown", reason: "RequestDisallowedByPolicy" },
    says: "A policy of the subscription forbids",
    next: "Have the policy that the message names allow it",
    gave: "az deployment",
  },
  "arm-cse-124.json": {
    answer: failed("VmExtensionTimeout"),
    says: "did not end in time: ExitCode: 124",
    next: "Read the end of cluster-provision.log",
    gave: "az",
  },
  "arm-cse-34.txt": {
    answer: failed("KubeletNotRunning"),
    says: "could not start the kubelet: ExitCode: 34",
    next: "Read journalctl -u kubelet",
    gave: "az",
  },
  "aks-cse-windows-json.txt": {
    answer: failed("HttpDownloadFailed"),
    says: "WINDOWS_CSE_ERROR_DOWNLOAD_CSE_PACKAGE",
    next: "Let the node reach the package addresses",
    gave: "az",
  },
  "terraform-azurerm.txt": {
    answer: { ...machine, ...failed("DnsResolutionFailed"), nextStep: "Correct the DNS of the virtual network." },
    says: "api.prod.internal cannot be resolved",
    next: "Correct the DNS of the virtual network.",
    gave: "terraform",
  },
  "terraform-wrapped.txt": {
    answer: { ...machine, ...failed("OsProvisioningTimeout") },
    says: "OS provisioning did not finish in time",
    next: "Read the boot diagnostics",
    gave: "terraform",
  },
  "pulumi.txt": {
    answer: { outcome: "unknown", situation: "extension-cannot-start" },
    says: "it needs glibc 2.28 or later",
    next: "Use an image with glibc 2.28 or later",
    gave: "pulumi",
  },
  "activity-log-extension.json": {
    answer: { ...machine, ...failed("VmExtensionTimeout") },
    says: "CAPZ.Linux.Bootstrapping has timed out",
    next: "Read waagent.log",
    gave: "az monitor activity-log list",
  },
  "activity-log-spot.json": {
    answer: { ...machine, outcome: "unknown", situation: "machine-evicted" },
    says: "it is a Spot machine",
    next: `kubectl describe azuremachine ${vm}`,
    gave: "az monitor activity-log list",
  },
  "az-rest-throttled.txt": {
    answer: { outcome: "unknown", reason: "TooManyRequests" },
    says: "too many requests of this subscription",
    next: "Wait five minutes and ask again",
    gave: "az rest",
  },
};

test("every wall of text is expected, and every expectation has its text", () => {
  expect([...texts.keys()].toSorted()).toEqual(Object.keys(walls).toSorted());
});

test.each(Object.entries(walls))("%s", async (name, expected) => {
  await expectAnswer(texts.get(name) ?? "", expected);
});

test("a line of the program that the launcher starts is none of a launcher that could not start it", async () => {
  const said = await explain("capz-bootstrap: the answer could not be written to standard output: EPIPE", rules);
  expect(JSON.stringify(said)).not.toContain("could not be started");
});
