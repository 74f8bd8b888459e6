/**
 * A history: what a virtual machine is made of and what happens to it, in an order that fast-check draws and shrinks.
 * Nothing here says what a check should answer; test/model/truth.ts says what is true.
 */

export const providers = [
  "kubeadm",
  "kubeadm-ignition",
  "rke2",
  "k3s",
  "k0s",
  "microk8s",
  "canonical-kubernetes",
] as const;
export type Provider = (typeof providers)[number];

export type Role = "init" | "join-control-plane" | "join-worker";

/** What the machine is given as user data. Only the first two bring a node up by a provider's own script. */
export const userDataKinds = [
  "provider",
  "provider-multipart",
  "none",
  "empty",
  "comment-only",
  "own-unrelated",
  "own-fails",
  "own-writes-sentinel",
  "own-joins-without-sentinel",
  "own-joins-in-background",
  "own-joins-by-service",
  "broken",
] as const;
export type UserDataKind = (typeof userDataKinds)[number];

export type CommandOutcome = "none" | "ok" | "fails" | "hangs";

/**
 * How a join or init goes.
 * refused: the API server's answer ends it at once · unreachable: it gives up after its own time · late: it fails after the
 * kubelet has its certificate · certificate-refused: the kubelet never gets one · second-try: the script tries again.
 */
export const joinOutcomes = [
  "ok",
  "slow",
  "refused",
  "unreachable",
  "certificate-refused",
  "late",
  "second-try",
  "hangs",
  "not-installed",
  "killed",
] as const;
export type JoinOutcome = (typeof joinOutcomes)[number];

/** One run of the bootstrap; the second of a life is for the run after a restart, where there is one. */
export interface Attempt {
  readonly before: CommandOutcome;
  readonly join: JoinOutcome;
  readonly after: CommandOutcome;
  /** An error of cloud-init or cloudbase-init that has nothing to do with the node. */
  readonly unrelatedError: boolean;
  /** The script restarts the machine itself: before the join (as for drivers), or as its last command. */
  readonly restarts: "no" | "before-join" | "at-end";
  /** A distribution's service is only queued by the script (--no-block), and starts when cloud-init has finished. */
  readonly queued: boolean;
  /** Windows: the exit code that the script ends with, if it is not that of its last command. */
  readonly exitCode?: number;
}

/** The life of one virtual machine, from its first boot. */
export interface Life {
  readonly provider: Provider;
  readonly role: Role;
  readonly userData: UserDataKind;
  readonly attempts: readonly [Attempt, Attempt];
  /** The node is named as the host, or otherwise by its configuration. */
  readonly nodeName: "host" | "other";
  /** The setting bootstrapProvider. */
  readonly setting: "auto" | "named";
  /** When the first boot finds no instance metadata. */
  readonly metadata: "found" | "missing";
}

export interface Image {
  readonly cloudInit: "old" | "new" | "absent" | "disabled";
  /** Files of these providers that the image carries without having been a node. */
  readonly leftovers: readonly Provider[];
  readonly kubelet: "enabled" | "disabled";
  readonly runIsMemory: boolean;
  /** Traces of the machine on which the image was built: another instance of cloud-init, logs with its errors. */
  readonly builderTraces: boolean;
  /** Clones of it are nodes by themselves: a kubelet with a certificate for all machines. */
  readonly sharedIdentity: boolean;
  /** Windows: a sentinel is in the image; the service of cloudbase-init. */
  readonly sentinel: boolean;
  /** Windows: the run of cloudbase-init in sysprep's specialise pass writes into the log of the service. */
  readonly sharesLog?: boolean;
  readonly clusterAgeDays: number;
  readonly certificateDays: number;
}

export const adminActs = [
  "disable-cloud-init",
  "touch-sentinel",
  "remove-sentinel",
  "touch-certificate",
  "join-by-hand",
  "join-again",
  "stop-kubelet",
  "start-kubelet",
  "clear-logs",
  "unrelated-unit-fails",
  "write-foreign-files",
  "rename-host",
  "clean-cloud-init",
  "schedule-restart",
  "kill-cloud-init",
  "stop-cloudbase-init",
  "disable-cloudbase-init",
  "join-by-hand-slowly",
  "ask-kubeadm",
  "hang-kubeadm",
  "contain-kubeadm",
] as const;
export type AdminAct = (typeof adminActs)[number];

export type Command =
  | { readonly do: "wait"; readonly ms: number }
  /** A look after each thing that happens on the machine within this time, as a watch of its files would wake the check. */
  | { readonly do: "watch"; readonly ms: number }
  | { readonly do: "look"; readonly memory: "kept" | "lost"; readonly silence: number }
  | { readonly do: "reboot"; readonly offMs: number }
  | { readonly do: "power-cut"; readonly offMs: number }
  | {
      readonly do: "clone";
      readonly hostName: "same" | "other";
      readonly prepared: "not" | "prototype" | "deprovisioned" | "cleaned";
      readonly offMs: number;
      readonly life: Life;
    }
  | { readonly do: "step-clock"; readonly ms: number }
  | { readonly do: "set-time-zone"; readonly minutes: number }
  | { readonly do: "admin"; readonly act: AdminAct };

export interface History {
  readonly system: "linux" | "windows";
  readonly image: Image;
  readonly life: Life;
  readonly commands: readonly Command[];
  /** Seed of all that is drawn while the history is played: durations, which questions stay without an answer. */
  readonly seed: number;
}
