import { AutomatonWalk, buildAutomaton } from "../text/automaton.ts";
import { TextStream } from "../text/decode-text.ts";
import type { EvidenceOrigin, EvidenceSink } from "./evidence-source.ts";

/** What the logs are logs of, whatever they say. */
export interface Traces {
  /** They come from a machine: its system, its first setup, its services. */
  readonly ofMachine: boolean;
  /** Something on it set out to make it a node. */
  readonly ofBootstrap: boolean;
  /** kubeadm is among what is named. */
  readonly ofKubeadm: boolean;
  /** The bootstrap provider whose programs are named. */
  readonly provider?: string;
  readonly kubernetesVersion?: string;
  readonly runtimeVersion?: string;
}

/** Of two that are named the first wins: RKE2 contains k3s, and images for any of them may hold kubeadm. */
const providers = ["rke2", "microk8s", "k0s", "k3s", "kubeadm"] as const;
const bootstrapWords = [...providers, "snap.k8s", "kubelet", "cluster-api", "[preflight]"] as const;
const machineWords = [
  ...bootstrapWords,
  ..."cloud-init,Cloud-init,cloudbase,containerd,systemd[,systemd:,waagent,WaAppAgent,ignition[,Linux version".split(
    ",",
  ),
  ..."kernel:,dpkg,provision.json,Service Control Manager,Hyper-V".split(","),
];
/** Logs of a controller name machines, clusters and their providers, and are no machine's. */
const controllerWords = ["controllerGroup=", '"controllerGroup":'] as const;

const versions: readonly { readonly word: string; readonly pattern: RegExp; readonly of: "kubernetes" | "runtime" }[] =
  [
    { word: "kubeletVersion", of: "kubernetes", pattern: /kubeletVersion="?(?<version>v\d[\w.+-]{1,40})/u },
    {
      word: "Using Kubernetes version",
      of: "kubernetes",
      pattern: /Using Kubernetes version: (?<version>v\d[\w.+-]{1,40})/u,
    },
    {
      word: "Starting rke2",
      of: "kubernetes",
      pattern: /Starting rke2 (?:agent |server )?(?<version>v\d[\w.+-]{1,40})/u,
    },
    {
      word: "Starting k3s",
      of: "kubernetes",
      pattern: /Starting k3s (?:agent |server )?(?<version>v\d[\w.+-]{1,40})/u,
    },
    {
      word: "Container runtime initialized",
      of: "runtime",
      pattern:
        /Container runtime initialized"? containerRuntime="?(?<name>[\w-]{1,20})"? version="?(?<version>v?\d[\w.+~-]{0,40})/u,
    },
    {
      word: "starting containerd",
      of: "runtime",
      pattern: /starting containerd"? revision=\S{0,80} version=v?(?<version>\d[\w.+~-]{0,40})/u,
    },
    { word: "Starting CRI-O", of: "runtime", pattern: /Starting CRI-O, version: (?<version>\d[\w.+~-]{0,40})/u },
  ];

const versionWords: ReadonlySet<string> = new Set(versions.map(({ word }) => word));
/** By the text that is searched for. */
const words = Map.groupBy(new Set([...machineWords, ...controllerWords, ...versionWords]), (word) =>
  word.toLowerCase(),
);
const texts = [...words.keys()];

interface Noted {
  readonly chunk: Buffer;
  readonly places: Map<string, number>;
}

/** Watches what streams past for what it is and which versions it names; a bounded cost for each byte. */
export class TraceSink implements EvidenceSink {
  readonly #open = new Set<string>([...machineWords, ...controllerWords]);
  readonly #seen = new Set<string>();
  readonly #walk = new AutomatonWalk(buildAutomaton(texts));
  #stream = new TextStream();
  #kubernetes: string | undefined;
  #runtime: string | undefined;

  feed(origin: EvidenceOrigin, encoded: Uint8Array): void {
    const text = this.#stream.toUtf8(encoded);
    // What we say ourselves of files and services ("file /run/cluster-api/…: absent") is no trace of either.
    if (origin.source === "units" || origin.source === "probe") return;
    const chunk = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    this.#readVersions(chunk, this.#wordsIn(chunk));
  }

  /** Where each of the words for a version stands first. */
  #wordsIn(chunk: Buffer): ReadonlyMap<string, number> {
    const places = new Map<string, number>();
    this.#walk.restart();
    for (let at = this.#walk.next(chunk, 0); at < chunk.length; at = this.#walk.next(chunk, at + 1)) {
      for (const text of this.#walk.texts) this.#note(text, at + 1, { chunk, places });
    }
    return places;
  }

  /** The automaton folds case, and these words do not. */
  #note(text: number, end: number, { chunk, places }: Noted): void {
    for (const word of words.get(texts[text] ?? "") ?? []) {
      const isNew = this.#open.has(word) || (versionWords.has(word) && !places.has(word));
      if (!isNew || chunk.toString("latin1", end - word.length, end) !== word) continue;
      this.#open.delete(word);
      this.#seen.add(word);
      if (versionWords.has(word)) places.set(word, end - word.length);
    }
  }

  endSource(): void {
    this.#stream = new TextStream();
  }

  traces(): Traces {
    const provider =
      providers.find((name) => this.#seen.has(name)) ??
      (this.#seen.has("snap.k8s") ? "canonical-kubernetes" : undefined);
    const isController = controllerWords.some((word) => this.#seen.has(word));
    return {
      ofMachine: !isController && machineWords.some((word) => this.#seen.has(word)),
      ofBootstrap: !isController && bootstrapWords.some((word) => this.#seen.has(word)),
      ofKubeadm: ["kubeadm", "[preflight]"].some((word) => this.#seen.has(word)),
      ...(provider === undefined ? {} : { provider }),
      ...(this.#kubernetes === undefined ? {} : { kubernetesVersion: this.#kubernetes }),
      ...(this.#runtime === undefined ? {} : { runtimeVersion: this.#runtime }),
    };
  }

  #readVersions(chunk: Buffer, places: ReadonlyMap<string, number>): void {
    for (const { word, pattern, of } of versions) {
      if ((of === "kubernetes" ? this.#kubernetes : this.#runtime) !== undefined) continue;
      const at = places.get(word);
      if (at === undefined) continue;
      const groups = pattern.exec(chunk.subarray(at, at + 300).toString("utf8"))?.groups;
      const version = groups?.["version"];
      if (version === undefined) continue;
      if (of === "kubernetes") this.#kubernetes = version;
      else
        this.#runtime = `${groups?.["name"] ?? (word.includes("CRI-O") ? "cri-o" : "containerd")} ${version.replace(/^v/u, "")}`;
    }
  }
}
