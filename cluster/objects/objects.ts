import type { Condition } from "../telling/conditions.ts";
import type { Account } from "../verdict/account.ts";

/** Of each object only what this program needs is kept: thousands of Machines are held at a time. */
interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface WatchedCluster extends Named {
  readonly apiVersion: string;
  readonly watched: boolean;
  /** A value of the label that means nothing; the cluster is not watched. */
  readonly unknownWatch: string | undefined;
  readonly heal: "none" | "condition" | "annotate";
  /** A value of the label that means nothing; it heals nothing. */
  readonly unknownHeal: string | undefined;
  readonly paused: boolean;
  readonly initialized: boolean;
}

export interface KnownMachine extends Named {
  readonly resourceVersion: string;
  readonly cluster: string;
  readonly controlPlane: boolean;
  readonly owner: { readonly kind: string; readonly name: string };
  readonly deleting: boolean;
  readonly paused: boolean;
  readonly hasNode: boolean;
  readonly providerId: string | undefined;
  readonly infra: { readonly kind: string; readonly name: string };
  /** Those of our types. */
  readonly conditions: readonly Condition[];
  /** Value of the annotation that asks for remediation. */
  readonly remediate: string | undefined;
}

export interface InfraObject extends Named {
  readonly providerId: string | undefined;
  /** Name of the AzureMachinePool it belongs to. */
  readonly pool?: string;
  readonly words?: Account;
  /** Differs whenever CAPZ has turned its condition; undefined where it has none. */
  readonly turn?: string;
}

export interface PoolObject {
  /** providerID of a Flexible scale set; undefined for Uniform, whose instances name it themselves. */
  readonly scaleSetId: string | undefined;
}

export function keyOfNamed({ namespace, name }: Pick<Named, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}
