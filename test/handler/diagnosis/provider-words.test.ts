import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import type { Diagnosis, Finding } from "../../../handler/diagnosis/diagnosis.ts";
import { loadRules } from "../../../handler/diagnosis/load-rules.ts";
import { inProviderWords } from "../../../handler/diagnosis/provider-words.ts";
import type { Traces } from "../../../handler/diagnosis/trace-sink.ts";
import { showAll, showCatalogueText } from "../../../handler/text/shown-text.ts";

const finding = (nextStep: string): Finding => ({
  ruleId: "made-up",
  reason: "MadeUp",
  cause: "made-up",
  stage: "kubeadm-join",
  title: "Made up",
  summary: "Made up",
  explanation: nextStep,
  nextStep,
  references: [],
  retryable: false,
  blame: "configuration",
  confidence: "high",
  evidence: [],
  role: "cause",
});

function said(nextStep: string, provider: string, parts: Partial<Traces> = {}): readonly string[] {
  const primary = {
    ...showAll(finding("")),
    nextStep: showCatalogueText(nextStep),
    explanation: showCatalogueText(nextStep),
  };
  const diagnosis = { kind: "classified", primary, others: [primary], decisive: [] } as const;
  const traces = { ofMachine: true, ofBootstrap: true, ofKubeadm: false, provider, ...parts };
  const found = inProviderWords(diagnosis, traces);
  expect(found.others).toEqual(found.kind === "classified" ? [found.primary] : []);
  return found.kind === "classified" ? [found.primary.nextStep, found.primary.explanation, found.primary.stage] : [];
}

const files = "Correct it (KubeadmConfigTemplate spec.template.spec.files), then run preKubeadmCommands";

test.each([
  ["rke2", "Correct it (RKE2ConfigTemplate spec.template.spec.files), then run preRKE2Commands"],
  ["k3s", "Correct it (KThreesConfigTemplate spec.template.spec.files), then run preK3sCommands"],
  [
    "microk8s",
    "Correct it (MicroK8sConfigTemplate spec.template.spec.initConfiguration.extraWriteFiles), then run initConfiguration.preRunCommands",
  ],
  ["canonical-kubernetes", "Correct it (CK8sConfigTemplate spec.template.spec.files), then run preRunCommands"],
  ["k0s", "Correct it (K0sWorkerConfigTemplate spec.template.spec.files), then run preStartCommands"],
])("what to do on a node of %s names its own template and fields", (provider, words) => {
  expect(said(files, provider)).toEqual([words, words, "distribution"]);
});

test.each([
  [
    "KubeadmConfigTemplate spec.template.spec.joinConfiguration.nodeRegistration.kubeletExtraArgs.",
    "RKE2ConfigTemplate spec.template.spec.agentConfig.kubelet.extraArgs.",
  ],
  [
    "KubeadmConfig spec.joinConfiguration.nodeRegistration.name",
    "RKE2ConfigTemplate spec.template.spec.agentConfig.nodeName",
  ],
  ["KubeadmConfig spec.joinConfiguration.discovery, or", "the configuration in RKE2ConfigTemplate, or"],
  ["KubeadmControlPlane spec.kubeadmConfigSpec.clusterConfiguration;", "the configuration in RKE2ControlPlane;"],
  ["KubeadmControlPlane spec.version and", "RKE2ControlPlane spec.version and"],
  ["KubeadmControlPlane does so", "RKE2ControlPlane does so"],
])("%s of kubeadm is %s of RKE2", (text, words) => {
  expect(said(text, "rke2")[0]).toBe(words);
});

test.each<[string, Partial<Traces>]>([
  ["rke2", { ofKubeadm: true }],
  ["kubeadm", {}],
  ["another", {}],
])("kubeadm's words stay where %s is named with %j", (provider, traces) => {
  expect(said(files, provider, traces)).toEqual([files, files, "kubeadm-join"]);
});

test("a diagnosis without a cause stays one", () => {
  const diagnosis: Diagnosis = { kind: "unclassified", others: [], decisive: [] };
  const traces = { ofMachine: true, ofBootstrap: true, ofKubeadm: false, provider: "rke2" };
  expect(inProviderWords(showAll(diagnosis), traces)).toEqual(diagnosis);
});

test("no next step of the catalogue names a template of kubeadm on a node of RKE2", () => {
  const rules = loadRules(readFileSync("scripts/rules.json", "utf8")).rules.filter((rule) => rule.kind === "failure");
  const words = rules.flatMap(({ nextStep, explanation }) => said(`${nextStep} ${explanation}`, "rke2").slice(0, 1));
  expect(words.length).toBeGreaterThan(100);
  expect(words.filter((text) => /Kubeadm(?:Config|ControlPlane)|kubeadmConfigSpec/u.test(text))).toEqual([]);
});
