import { withoutEnd } from "../text/cut-text.ts";
import { showCatalogueText, type Shown, type ShownText } from "../text/shown-text.ts";
import type { Diagnosis, Finding, Stage } from "./diagnosis.ts";
import type { Traces } from "./trace-sink.ts";

/** What a bootstrap provider calls the things that the catalogue names in kubeadm's words. */
interface ProviderWords {
  readonly worker: string;
  readonly controlPlane: string;
  /** Fields below spec.template.spec by kubeadm's name of them; what is not here has no counterpart that is sure. */
  readonly fields: Readonly<Record<string, string>>;
}

const kubeletArgs = "joinConfiguration.nodeRegistration.kubeletExtraArgs";
const nodeName = "joinConfiguration.nodeRegistration.name";

/** From the API types of each provider: CAPRKE2 v1beta2, CAPI k3s v1beta2, MicroK8s v1beta1, Canonical Kubernetes v1beta2, k0smotron v1beta1. */
const providers: Readonly<Partial<Record<string, ProviderWords>>> = {
  rke2: {
    worker: "RKE2ConfigTemplate",
    controlPlane: "RKE2ControlPlane",
    fields: {
      files: "files",
      preKubeadmCommands: "preRKE2Commands",
      postKubeadmCommands: "postRKE2Commands",
      ntp: "agentConfig.ntp",
      [kubeletArgs]: "agentConfig.kubelet.extraArgs",
      [nodeName]: "agentConfig.nodeName",
    },
  },
  k3s: {
    worker: "KThreesConfigTemplate",
    controlPlane: "KThreesControlPlane",
    fields: {
      files: "files",
      preKubeadmCommands: "preK3sCommands",
      postKubeadmCommands: "postK3sCommands",
      [kubeletArgs]: "agentConfig.kubeletArgs",
      [nodeName]: "agentConfig.nodeName",
    },
  },
  microk8s: {
    worker: "MicroK8sConfigTemplate",
    controlPlane: "MicroK8sControlPlane",
    fields: {
      files: "initConfiguration.extraWriteFiles",
      preKubeadmCommands: "initConfiguration.preRunCommands",
      postKubeadmCommands: "initConfiguration.postRunCommands",
      [kubeletArgs]: "initConfiguration.extraKubeletArgs",
    },
  },
  "canonical-kubernetes": {
    worker: "CK8sConfigTemplate",
    controlPlane: "CK8sControlPlane",
    fields: {
      files: "files",
      preKubeadmCommands: "preRunCommands",
      postKubeadmCommands: "postRunCommands",
      [kubeletArgs]: "extraKubeletArgs",
      [nodeName]: "nodeName",
    },
  },
  k0s: {
    worker: "K0sWorkerConfigTemplate",
    controlPlane: "K0sControlPlane",
    fields: { files: "files", preKubeadmCommands: "preStartCommands", postKubeadmCommands: "postStartCommands" },
  },
};

/**
 * The catalogue speaks of kubeadm's templates and steps, which most nodes have. Where the logs are those of another provider and name
 * kubeadm nowhere, its own templates, fields and step stand in their place.
 */
export function inProviderWords(diagnosis: Shown<Diagnosis>, traces: Traces): Shown<Diagnosis> {
  const words = traces.ofKubeadm ? undefined : providers[traces.provider ?? ""];
  if (words === undefined) return diagnosis;
  const others = diagnosis.others.map((finding) => findingIn(finding, words));
  if (diagnosis.kind !== "classified") return { ...diagnosis, others };
  return { ...diagnosis, others, primary: findingIn(diagnosis.primary, words) };
}

function findingIn(finding: Shown<Finding>, words: ProviderWords): Shown<Finding> {
  return {
    ...finding,
    stage: stageIn(finding.stage),
    explanation: textIn(finding.explanation, words),
    nextStep: textIn(finding.nextStep, words),
  };
}

function stageIn(stage: Stage): Stage {
  return stage.startsWith("kubeadm-") ? "distribution" : stage;
}

/** "KubeadmConfigTemplate spec.template.spec.files" → "RKE2ConfigTemplate spec.template.spec.files"; also a field's name alone. */
function textIn(text: ShownText, words: ProviderWords): ShownText {
  const parts = text.split(" ");
  const said = parts.map((part, index) => {
    const before = parts[index - 1] ?? "";
    if (isPathOf(before, part)) return undefined;
    const next = parts[index + 1] ?? "";
    return isPathOf(part, next) ? fieldIn(part, next, words) : wordIn(part, words);
  });
  return showCatalogueText(said.filter((part) => part !== undefined).join(" "));
}

const kind = /Kubeadm(?:ConfigTemplate|ControlPlane|Config)$/u;

function isPathOf(word: string, next: string): boolean {
  return kind.test(word) && next.startsWith("spec.");
}

/** What stands around a field's name is kept: "(KubeadmConfigTemplate spec.template.spec.files)," has both. */
function fieldIn(word: string, path: string, { worker, controlPlane, fields }: ProviderWords): string {
  const [front = ""] = word.split("Kubeadm");
  const name = withoutEnd(path, ".,;:)");
  const end = path.slice(name.length);
  const isControlPlane = word.endsWith("ControlPlane");
  if (isControlPlane && !name.startsWith("spec.kubeadmConfigSpec")) return `${front}${controlPlane} ${path}`;
  const field = isControlPlane ? undefined : fields[name.replace(/^spec\.(?:template\.spec\.)?/u, "")];
  const template = isControlPlane ? controlPlane : worker;
  if (field === undefined) return `${front}the configuration in ${template}${end}`;
  return `${front}${template} spec.template.spec.${field}${end}`;
}

function wordIn(word: string, { worker, controlPlane, fields }: ProviderWords): string {
  return word
    .replace("KubeadmControlPlane", controlPlane)
    .replace("KubeadmConfigTemplate", worker)
    .replace("KubeadmConfig", worker)
    .replace(/(?:pre|post)KubeadmCommands/u, (name) => fields[name] ?? name);
}
