import { describe, expect, test } from "@jest/globals";
import * as v from "valibot";
import { accountSchema, bounds } from "../../../cluster/verdict/account.ts";
import { boundAccount } from "../../../cluster/verdict/bound-account.ts";
import { readVm } from "../../../cluster/verdict/read-vm.ts";
import type { Diagnosis } from "../../../handler/diagnosis/diagnosis.ts";
import { show, showAll } from "../../../handler/text/shown-text.ts";
import { verdictStatus } from "../../../handler/verdict/verdict-status.ts";
import { waitingStatus } from "../../../handler/verdict/waiting-status.ts";
import { dnsFinding, failedVerdict, passedVerdict } from "../../support/verdict-samples.ts";
import { account as played } from "../support/accounts.ts";
import { azureVm, extensionOf, type PlayedVm } from "../support/azure-vm.ts";

const now = "2026-01-31T12:02:00.000Z";
const id = "/subscriptions/0/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/md-0-x";
const vmId = "5c0ffee0-0000-4000-8000-0123456789ab";

function read(vm: Partial<PlayedVm>) {
  const found = readVm(azureVm({ id, vmId, ...vm }), now);
  if (found === undefined) throw new Error("not a machine");
  expect(v.safeParse(accountSchema, found.account).issues).toBeUndefined();
  return found.account;
}

/** Fields of the verdict that take any text. */
const filled = new Set(["nextStep", "reportFile", "stage", "mode", "blame", "confidence"]);

/** The extension that CAPZ itself attaches: a script, whose words are those of the Custom Script family. */
function plainScript(code: string, message: string): Partial<PlayedVm> {
  return { extension: { name: "CAPZ.Linux.Bootstrapping", type: "X", statuses: [{ code, level: "Error", message }] } };
}

describe("readVm", () => {
  test("reads the whole verdict of a failed node: outcome, reason, cause, evidence, sequence", () => {
    const account = read({ status: verdictStatus(failedVerdict({ sequence: 4 })) });
    expect(account).toMatchObject({
      source: "instanceView",
      outcome: "failed",
      reason: "DnsResolutionFailed",
      stage: "kubeadm join",
      blame: "network",
      retryable: true,
      sequence: 4,
      vmId,
      vmCreated: "2026-01-31T11:58:00.123Z",
      time: "2026-01-31T12:01:14.000Z",
    });
    expect(account.firstLine).toMatch(/^Bootstrap failed \(DnsResolutionFailed\) in kubeadm join after 74 s: /);
    expect(account.evidence[0]?.text).toContain("no such host");
    expect(account.timeline.length).toBeGreaterThan(0);
  });

  test("does not guess whether a new machine passes a script of which only the failure is known", () => {
    const cause = { ...dnsFinding, reason: "CloudInitScriptsFailed" };
    Reflect.deleteProperty(cause, "retryable");
    const diagnosis = showAll<Diagnosis>({ kind: "classified", primary: cause, others: [], decisive: [] });
    const account = read({
      status: verdictStatus(failedVerdict({ diagnosis: { diagnosis, evidence: [], probes: [] } })),
    });
    expect(account).toMatchObject({ outcome: "failed", reason: "CloudInitScriptsFailed" });
    expect(account).not.toHaveProperty("retryable");
  });

  test.each([
    ["as the node sent it", "", "https://reports.example/capz/x.zip"],
    [
      "without a query that a node leaves in it",
      "?X-Amz-Signature=S3cret&token=S3cret",
      "https://reports.example/capz/x.zip",
    ],
    ["not at all where it is too long to be whole", "/a-b.c".repeat(80), undefined],
  ])("names the place of the uploaded report %s", (_, more, shown) => {
    const verdict = { ...failedVerdict(), reportUri: `https://user:S3cret@reports.example/capz/x.zip${more}` };
    const account = read({ status: verdictStatus(verdict) });
    expect(account.reportUri).toBe(shown);
    expect(JSON.stringify(account)).not.toContain("S3cret");
  });

  test.each(["javascript:alert(1)", "http://reports.example/x.zip", "no address"])("names no place %s", (reportUri) => {
    expect(read({ status: verdictStatus({ ...failedVerdict(), reportUri }) }).reportUri).toBeUndefined();
  });

  test.each([
    ["letters of a byte", "x"],
    ["letters of three bytes", "日"],
    ["signs that JSON writes with two", "\\"],
  ])("keeps an object with two accounts below 16 KiB, whatever a node sends: %s", (_, sign) => {
    const long = (length: number) => `${sign.repeat(7)} `.repeat(length / 8);
    const lists: Readonly<Record<string, unknown>> = {
      lines: Array.from({ length: 30 }, (__, n) => ({ origin: long(200), line: n, text: `${String(n)} ${long(900)}` })),
      entries: Array.from({ length: 30 }, () => ({ time: long(200), seconds: 1, stage: long(200), event: long(900) })),
    };
    const sent = verdictStatus(failedVerdict({ sequence: 4 }));
    const fill = (key: string, value: unknown) => lists[key] ?? (filled.has(key) ? long(900) : value);
    const substatuses = sent.substatuses.map((one) =>
      one.message.startsWith("{") ? { ...one, message: show(JSON.stringify(JSON.parse(one.message), fill)) } : one,
    );
    const account = read({ status: { ...sent, substatuses } });
    expect(Buffer.byteLength(JSON.stringify(account))).toBeLessThanOrEqual(bounds.bytes);
    expect(account).toMatchObject({ outcome: "failed", reason: "DnsResolutionFailed", sequence: 4 });
    expect(account.evidence.length + account.timeline.length).toBeLessThan(bounds.lines + bounds.entries);
  });

  test("keeps the first evidence and the newest of the timeline", () => {
    const text = "日".repeat(300);
    const evidence = Array.from({ length: 8 }, (_, line) => ({ origin: "a", line, text }));
    const timeline = Array.from({ length: 16 }, (_, seconds) => ({ time: "t", seconds, event: "e".repeat(100) }));
    const bound = boundAccount({ ...played(), evidence, timeline });
    expect(bound.evidence.map(({ line }) => line)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    const short = boundAccount({ ...played(), evidence: evidence.slice(0, 6), timeline });
    expect(short.timeline.at(-1)?.seconds).toBe(15);
    expect(short.timeline.length).toBeLessThan(16);
    expect(boundAccount({ ...played(), timeline }).timeline).toEqual(timeline);
  });

  test("reads a success, and a wait with its stage", () => {
    expect(read({ status: verdictStatus(passedVerdict()) })).toMatchObject({
      outcome: "bootstrapped",
      reason: "Bootstrapped",
    });
    const waiting = waitingStatus({
      stage: "kubeadm-join",
      elapsedSeconds: 30,
      timeoutSeconds: 900,
      lastEvent: undefined,
      warnings: [],
    });
    expect(read({ status: waiting })).toMatchObject({
      outcome: "waiting",
      reason: "BootstrapInProgress",
      stage: "kubeadm join",
    });
  });

  test("takes the failure of mode observe for a failure, and says the mode", () => {
    expect(read({ status: verdictStatus(failedVerdict({ mode: "observe" })) })).toMatchObject({
      outcome: "failed",
      mode: "observe",
    });
  });

  test("judges CAPZ's plain command by the state of its extension", () => {
    const words =
      "Enable failed: failed to execute command: command terminated with exit status=1\n[stdout]\n\n[stderr]\n";
    expect(read(plainScript("ProvisioningState/failed/1", words))).toMatchObject({
      outcome: "failed",
      reason: "CommandFailed",
    });
    expect(read(plainScript("ProvisioningState/succeeded", "Enable succeeded:"))).toMatchObject({
      outcome: "bootstrapped",
    });
    expect(read(plainScript("ProvisioningState/transitioning", "running"))).toMatchObject({ outcome: "waiting" });
  });

  test.each<[string, Partial<PlayedVm>, string]>([
    [
      "an agent that is silent during the wait",
      { agentReady: false, ...plainScript("ProvisioningState/transitioning", "") },
      "AgentSilent",
    ],
    ["an agent that is silent before the extension", { agentReady: false }, "AgentSilent"],
    ["no extension of ours", {}, "ExtensionAbsent"],
    [
      "an extension with no status yet",
      { extension: { name: "CAPZ.Linux.Bootstrapping", statuses: [] } },
      "ExtensionAbsent",
    ],
    [
      "the status of the machine that the image was made of",
      { vmId: "11111111-2222-3333-4444-555555555555", status: verdictStatus(failedVerdict()) },
      "ForeignStatus",
    ],
  ])("learns nothing from %s", (_, vm, reason) => {
    expect(read(vm)).toMatchObject({ outcome: "unknown", reason });
  });

  const waits = (of: string) =>
    waitingStatus({
      stage: "kubeadm-join",
      elapsedSeconds: 15,
      timeoutSeconds: 900,
      lastEvent: undefined,
      warnings: [],
      of: { vmId: of, sequence: 2, mode: "enforce", time: new Date("2026-01-31T12:01:00Z") },
    });

  test("reads of a wait whose it is, where it stands and since when", () => {
    expect(read({ status: waits(vmId) })).toMatchObject({
      outcome: "waiting",
      reason: "BootstrapInProgress",
      stage: "kubeadm join",
      sequence: 2,
      elapsedSeconds: 15,
      mode: "enforce",
    });
  });

  test("takes the wait of the machine that an image was made of for no word of this one", () => {
    expect(read({ status: waits("0b5e55ed-0000-4000-8000-000000000000") })).toMatchObject({ reason: "ForeignStatus" });
  });

  test.each([
    ["in the other byte order, as older firmware gives it", "e0fe0f5c-0000-0040-8000-0123456789ab"],
    ["by its machine-id, where it has no DMI", "0123456789abcdef0123456789abcdef"],
    ["not at all", "unknown"],
  ])("believes a node that names itself %s", (_, named) => {
    expect(read({ status: verdictStatus(failedVerdict({ vmId: named })) })).toMatchObject({ outcome: "failed", vmId });
    expect(read({ status: waits(named) })).toMatchObject({ outcome: "waiting", vmId });
  });

  test("keeps a verdict that stands although the agent has fallen silent since", () => {
    expect(read({ agentReady: false, status: verdictStatus(failedVerdict()) }).outcome).toBe("failed");
  });

  test("names Azure's own failure without calling it one of the node", () => {
    const message = "The code VMExtensionHandlerNonTransientError: the handler could not be downloaded";
    expect(read(plainScript("ProvisioningState/failed/1007", message))).toMatchObject({
      outcome: "unknown",
      reason: "VMExtensionHandlerNonTransientError",
    });
  });

  test("cleans, redacts and cuts whatever a node writes, and keeps an unknown reason as Custom", () => {
    const token = "abcdef.0123456789abcdef";
    const status = verdictStatus(failedVerdict());
    const nasty = `Bootstrap failed (my own-reason) after 3 s: \u001b[31mred ${"x".repeat(9000)} --token ${token}. Next: look.`;
    const account = read({ extension: extensionOf({ ...status, message: nasty, substatuses: [] }) });
    expect(account.reason).toBe("CustomMyOwnReason");
    expect(account.firstLine).not.toContain("\u001b");
    expect(account.firstLine.length).toBeLessThanOrEqual(400);
    expect(
      JSON.stringify(
        read({
          extension: extensionOf({
            ...status,
            message: `Bootstrap failed (X): --token ${token}. Next: y.`,
            substatuses: [],
          }),
        }),
      ),
    ).not.toContain(token);
  });

  test.each([[undefined], [null], ["text"], [{}], [{ id: 3 }], [[]]])(
    "gives nothing for %p, which is no machine",
    (value) => {
      expect(readVm(value, now)).toBeUndefined();
    },
  );

  test("learns nothing from a half-filled view", () => {
    expect(readVm({ id, properties: {} }, now)?.account.reason).toBe("NoAnswer");
    expect(
      readVm({ id, properties: { instanceView: { extensions: [null, 7], vmAgent: "?" } } }, now)?.account.outcome,
    ).toBe("unknown");
  });
});
