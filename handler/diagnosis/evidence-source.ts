import type { SourceId } from "./diagnosis.ts";

/** One row of the evidence catalogue: what to read, how, and how much of it at most. */
export interface EvidenceSource {
  readonly source: SourceId;
  /** Further sources whose rules apply to these lines. */
  readonly also?: readonly SourceId[];
  /** As a person would look it up; a file's own path replaces it. */
  readonly origin: string;
  readonly read: EvidenceReader;
  /** Default 16 MiB of a file, 3 MiB of a command's output. */
  readonly maxBytes?: number;
  /** Default 4000. */
  readonly timeoutMs?: number;
}

type EvidenceReader =
  /** The first path that exists; `*` stands for any part of a name, then the newest few files are read, oldest first. */
  | {
      readonly kind: "file";
      readonly paths: readonly string[];
      readonly newest?: number;
      /** True: read only where no journal could be read, which holds the same lines. */
      readonly insteadOfJournal?: boolean;
    }
  /** journalctl with these matches, this boot only. */
  | { readonly kind: "journal"; readonly matches: readonly string[] }
  /** Run on the live machine only, never over a copied root. */
  | {
      readonly kind: "command";
      readonly command: readonly [string, ...string[]];
      readonly show?: (output: string) => string;
      /** Without this file the command has nothing to tell, and is not run. */
      readonly of?: string;
    }
  /** One line per path: `file /etc/kubernetes/kubelet.conf: present`. Contents are never read: they hold secrets. */
  | { readonly kind: "presence"; readonly paths: readonly string[] }
  /** Text that the caller has already, such as a command's output. */
  | { readonly kind: "text"; readonly text: string };

/** The row of one file. */
export function file(source: SourceId, path: string): EvidenceSource {
  return { source, origin: path, read: { kind: "file", paths: [path] } };
}

/** The row of what a bootstrap leaves behind, which tells by being there how far it came. */
export function presence(paths: readonly string[]): EvidenceSource {
  return { source: "units", origin: "files of the bootstrap", read: { kind: "presence", paths } };
}

/** Takes what is read, chunk by chunk; the chunk may be used again afterwards. A matcher is one. */
export interface EvidenceSink {
  feed(origin: EvidenceOrigin, chunk: Uint8Array): void;
  endSource(): void;
}

export interface EvidenceOrigin {
  readonly source: SourceId;
  readonly origin: string;
  readonly also?: readonly SourceId[];
}
