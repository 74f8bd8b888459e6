/** How a check of a bundle looks at the node; the path is absolute, in a folder of ours (0700). */
export type CheckEntry =
  /** `check.cjs`: runs inside the supervisor and asks it questions (protocol 2). */
  | { readonly kind: "program"; readonly path: string }
  /** `check.sh` or `check.ps1`: a process for each look (protocol 1). */
  | { readonly kind: "script"; readonly path: string };

/** A check that is on disk, verified, and ready to run. */
export type ObtainedCheck =
  | {
      readonly kind: "bundle";
      readonly entry: CheckEntry;
      /** Absolute path of rules.json of the same bundle. */
      readonly rules: string;
      readonly version: string;
      /** Further folders whose changes wake the check, as bundle.json names them: below the root of the machine. */
      readonly watch: readonly string[];
      readonly origin: "embedded" | "downloaded" | "cached";
      /** Sentences for the warning substatus: a wanted version that could not be had, a downgrade … */
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: "command";
      readonly argv: readonly [string, ...string[]];
      readonly workingFolder: string;
      /** Downloaded files and the script, which may hold the user's secrets and which background work may still read. */
      readonly files: readonly string[];
      /** The file from which the shell reads the command line: of no use to anybody once the command has ended, so it goes then. */
      readonly lineFile?: string;
      /** The settings want them gone as soon as the command has ended. */
      readonly removeFiles: boolean;
      /** Only waits for the sentinel, as CAPZ's own command does: may be ended as soon as the outcome is certain, and run again. */
      readonly waitsForSentinel: boolean;
      /** Variables that go with the user that the command runs as. */
      readonly env: Readonly<Record<string, string>>;
      readonly warnings: readonly string[];
    };
