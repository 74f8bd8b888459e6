/** Whose side it is. */
export const blames = ["configuration", "network", "image", "platform", "control-plane", "cluster"] as const;
export type Blame = (typeof blames)[number];

/** What is known of a failure by its reason alone. A rule of the catalogue that finds the reason knows more, and leads. */
export interface ReasonRow {
  /** What it means, in one clause without a full stop. */
  readonly meaning: string;
  /** What to do next; names the field of the CAPZ or Cluster API object where there is one. No full stop. */
  readonly nextStep: string;
  /** False: the same machine made again would fail in the same way. */
  readonly retryable: boolean;
  readonly blame: Blame;
  /** Pages of others, https. */
  readonly references: readonly string[];
}
