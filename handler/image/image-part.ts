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
