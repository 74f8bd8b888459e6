/** What of a bootstrapped machine does not belong into an image. */
export interface ImagePart {
  readonly name: ImagePartName;
  /** In words, as the answer says it. */
  readonly what: string;
  /** `always`: ours, or of no use to anybody. `asked`: the owner of the image decides, each by a flag of its own. */
  readonly when: "always" | "asked";
  readonly targets: readonly ImageTarget[];
  /** Services that would write it anew while it is removed; they are stopped first. */
  readonly services: readonly string[];
}

/** What both systems call alike; where it lies is a row of each one's own table. */
export const sharedParts = {
  ownState: {
    name: "own-state",
    what: "state of this extension: verdicts, downloads, settings in use",
    when: "always",
  },
  handlerFolders: {
    name: "handler-folders",
    what: "what the guest agent and this extension keep for this machine: sequence, settings, statuses",
    when: "always",
  },
  sentinels: {
    name: "sentinels",
    what: "proofs of a bootstrap that was this machine's, not its clones'",
    when: "always",
  },
  nodeIdentity: {
    name: "node-identity",
    what: "the identity of this node: client certificates, kubeconfigs of its kubelet, node passwords",
    when: "asked",
  },
  shellHistory: { name: "shell-history", what: "what people typed", when: "asked" },
} as const;

export const askedParts = [
  "node-identity",
  "kubeadm-leftovers",
  "instance-data",
  "machine-id",
  "journals",
  "shell-history",
] as const;

/** Each is the name of a flag, too: `--node-identity`. */
export type AskedPart = (typeof askedParts)[number];

export type ImagePartName = "own-state" | "handler-folders" | "sentinels" | AskedPart;

export type ImageTarget =
  /** A file, or a folder with all that is in it. A `*` stands for any characters of one name. */
  | { readonly kind: "remove"; readonly path: string }
  /** What is in a folder; the folder itself stays, for it may be a mount or be expected by its program. */
  | { readonly kind: "clear"; readonly folder: string }
  /** The kubelet's certificate and key that a kubeconfig names, wherever they lie; what else it names stays. */
  | { readonly kind: "named-by"; readonly kubeconfig: string }
  /** A file that must be there, and empty. */
  | { readonly kind: "empty"; readonly path: string }
  /** A registry key with all below it (Windows). */
  | { readonly kind: "registry"; readonly key: string }
  /** An event log (Windows). */
  | { readonly kind: "event-log"; readonly log: string };

export const remove = (...paths: readonly string[]): readonly ImageTarget[] =>
  paths.map((path) => ({ kind: "remove", path }));

export const clear = (...folders: readonly string[]): readonly ImageTarget[] =>
  folders.map((folder) => ({ kind: "clear", folder }));
