import { TextStream } from "../text/decode-text.ts";
import type { EvidenceOrigin, EvidenceSink } from "./evidence-source.ts";

/** What the logs are logs of, whatever they say. */
export interface Traces {
  /** They come from a machine: its system, its first setup, its services. */
  readonly ofMachine: boolean;
  /** Something on it set out to make it a node. */
  readonly ofBootstrap: boolean;
  /** The bootstrap provider whose programs are named. */
  readonly provider?: string;
  readonly kubernetesVersion?: string;
  readonly runtimeVersion?: string;
}

/** Of two that are named the first wins: RKE2 contains k3s, and images for any of them may hold kubeadm. */
const providers = ["rke2", "microk8s", "k0s", "k3s", "kubeadm"] as const;
const bootstrapWords = [...providers, "snap.k8s", "kubelet", "cluster-api"] as const;
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

/** Watches what streams past for what it is and which versions it names; a bounded cost for each byte. */
export class TraceSink implements EvidenceSink {
  readonly #open = new Set<string>([...machineWords, ...controllerWords]);
  readonly #seen = new Set<string>();
  #stream = new TextStream();
  #kubernetes: string | undefined;
  #runtime: string | undefined;

  feed(origin: EvidenceOrigin, encoded: Uint8Array): void {
    const text = this.#stream.toUtf8(encoded);
    // What we say ourselves of files and services ("file /run/cluster-api/…: absent") is no trace of either.
    if (origin.source === "units" || origin.source === "probe") return;
    const chunk = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    for (const word of [...this.#open]) {
      if (!chunk.includes(word)) continue;
      this.#open.delete(word);
      this.#seen.add(word);
    }
    this.#readVersions(chunk);
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
      ...(provider === undefined ? {} : { provider }),
      ...(this.#kubernetes === undefined ? {} : { kubernetesVersion: this.#kubernetes }),
      ...(this.#runtime === undefined ? {} : { runtimeVersion: this.#runtime }),
    };
  }

  #readVersions(chunk: Buffer): void {
    for (const { word, pattern, of } of versions) {
      if ((of === "kubernetes" ? this.#kubernetes : this.#runtime) !== undefined) continue;
      const at = chunk.indexOf(word);
      if (at === -1) continue;
      const groups = pattern.exec(chunk.subarray(at, at + 300).toString("utf8"))?.groups;
      const version = groups?.["version"];
      if (version === undefined) continue;
      if (of === "kubernetes") this.#kubernetes = version;
      else
        this.#runtime = `${groups?.["name"] ?? (word.includes("CRI-O") ? "cri-o" : "containerd")} ${version.replace(/^v/u, "")}`;
    }
  }
}
