import type { CheckSettings, Settings } from "./settings.ts";

export type CommandSettings = Extract<CheckSettings, { kind: "command" }>;

/** One thing in which a Custom Script user meets something else here: a row of docs/custom-script.md. */
export interface Difference {
  readonly topic: string;
  /** How we know what `upstream` says: tried with version 2.1.19, or in Microsoft's documentation; absent: read in its sources. */
  readonly known?: "measured" | "documentation";
  /** What the Custom Script handler for Linux does, unless it says Windows. */
  readonly upstream: string;
  readonly here: string;
  readonly why: string;
  /** True where the settings are such that it matters; without it no settings can tell. */
  readonly touches?: (command: CommandSettings, settings: Settings) => boolean;
}
