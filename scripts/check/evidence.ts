import type { BootAnswer, MachineAnswer } from "./questions.ts";

/** What was observed in one look, read and put in order, and the only thing that judges see. Nothing here asks or decides. */
export interface Evidence {
  readonly system: System;
  /** The setting bootstrapProvider. */
  readonly setting: string;
  readonly boot: BootAnswer;
  readonly machine: MachineAnswer;
  readonly provisioning: Provisioning;
  readonly sentinel: Sentinel;
  readonly kubeadm: Kubeadm;
  /** By the name of a layout (node-layouts.ts). */
  readonly nodes: Readonly<Record<string, NodeProof>>;
  /** By name, with ".service" on Linux. */
  readonly services: Readonly<Record<string, ServiceView>>;
  /** Processes that the user data left behind or still runs, without shells. */
  readonly running: readonly string[];
  /** k0s: a controller without a kubelet runs its API server. */
  readonly controllerRuns: boolean;
  /** kubeadm-ignition: /etc/kubeadm.yml waits to be used. */
  readonly kubeadmConfigWaits: boolean;
}

export type System = "linux" | "windows";

/** What cloud-init or cloudbase-init did with this machine's user data. */
export interface Provisioning {
  readonly agent: "cloud-init" | "cloudbase-init";
  /**
   * absent: nothing will run in this boot. pending: it has not begun. stopped: it ended before its end, or never began.
   * finished: it came to its end in this boot.
   */
  readonly state: "absent" | "pending" | "running" | "stopped" | "finished";
  /** Where it is, in a few words with dashes. */
  readonly stage: string;
  /** When the commands of this instance's user data were begun. */
  readonly userData: "never" | "this-boot" | "earlier-boot";
  /** Does this instance's user data run any command? Absent: not known. */
  readonly holdsCommands?: boolean;
  /** What the user's own commands ended with, as a sentence that names the file. */
  readonly scriptError?: string;
  /** There was no metadata, so that no user data was even looked at. */
  readonly foundNoData?: boolean;
  /** Windows: nothing tells that the newest run in the log is of this boot. */
  readonly isOfEarlierBoot?: boolean;
  /** There is a result, as it seems of an earlier boot: /run is on the disk, or the clock was set. */
  readonly hasOldResult?: boolean;
  /** What they ended with in an earlier boot of this instance. */
  readonly earlierError?: string;
  /** Windows: a run of it failed, or was ended by a restart before it had come to an end. */
  readonly hadBadRun?: boolean;
  /** Any other trouble, as a sentence that names the file. */
  readonly otherError?: string;
  /** A restart is on its way, after which the user data goes on or something else does. */
  readonly restartWanted?: string;
  /** Its last stage does not come to an end any more in this boot, as a sentence that names the unit. */
  readonly lastStageLost?: string;
  /** How long ago it finished, in milliseconds; absent when the clock cannot tell. */
  readonly finishedAgoMs?: number;
}

export interface Sentinel {
  readonly path: string;
  readonly state: "absent" | "counts" | "stale";
  readonly ofThisBoot: boolean;
  /** Why it counts, or why it does not. */
  readonly because: string;
}

interface Kubeadm {
  /** Is a process of this name alive anywhere on the machine? */
  readonly runs: boolean;
  readonly outcome: KubeadmOutcome;
  /** It is known to be of this instance's user data, and not of a donor's. */
  readonly outcomeIsOwn: boolean;
  readonly role: "control-plane" | "worker" | "unknown";
  /** There are files of a control plane, of this instance or of one before. */
  readonly mayBeControlPlane: boolean;
  /** kubelet.conf still holds the certificate of `kubeadm init` itself, so its last phases were never reached. */
  readonly isUnfinished: boolean;
  /** Do the user's scripts speak of it? */
  readonly namedByScript: boolean;
  /** Does the user data itself write the sentinel after kubeadm? */
  readonly promisesSentinel: boolean;
}

/** How the newest attempt of kubeadm ended, by its own words. */
export type KubeadmOutcome =
  | { readonly kind: "unknown" }
  /** It began and said no more: it still runs, or was ended with the machine. */
  | { readonly kind: "begun" }
  | { readonly kind: "completed" }
  | { readonly kind: "failed"; readonly line: string; readonly phase: string; readonly source: string };

/** Whether this machine is a node that joined in its own right, and what is missing for it. */
export interface NodeProof {
  readonly kubeconfig: string;
  readonly kubeconfigIsThere: boolean;
  /** kubeadm's kubelet has what it needs to ask for its certificate. */
  readonly mayBootstrap: boolean;
  /** Newer than this instance: something in this instance joins. Older: it is a donor's, or of a disk that came back. */
  readonly kubeconfigAge: InstanceAge;
  /** Of the service's own unit, where it is asked for: an old one was not installed in this instance. */
  readonly unitAge?: InstanceAge;
  readonly certificate: string;
  readonly identity: Identity;
  readonly services: readonly ServiceView[];
  /** Its files lie in a folder that this instance's configuration names, and that is not asked for. */
  readonly isElsewhere?: boolean;
  /** What else this layout needs to be a node of its cluster, and does not have. */
  readonly lacks?: string;
  readonly healthz: "ok" | "failing" | "refused" | "not-told";
}

/** Newer or older than this instance. */
export type InstanceAge = "new" | "old" | "not-told";

export type Identity =
  | { readonly kind: "absent" }
  /** There is a file, but no certificate in it (yet). */
  | { readonly kind: "unreadable" }
  /**
   * `by`: the name alone is weaker than an age, weaker still where user data bootstraps and nothing dates the certificate, and weakest where
   * it also is of an earlier boot and the clock went back.
   */
  | { readonly kind: "own"; readonly why: string; readonly by: "age" | "name" | "undated-name" | "old-name" }
  /** One certificate for all nodes of a cluster (AKS Engine): it names no node, so it cannot be a donor's. */
  | { readonly kind: "shared" }
  /** `sure`: not where its age cannot be told, and a node may be named otherwise than its host. */
  | { readonly kind: "foreign"; readonly why: string; readonly sure: boolean }
  /** `lasting`: seen so long in this boot that no correction of the clock is to be expected. */
  | { readonly kind: "expired"; readonly why: string; readonly lasting: boolean };

export interface ServiceView {
  readonly name: string;
  readonly state: "not-told" | "missing" | "inactive" | "starting" | "restarting" | "active" | "failed";
  /** For a failed one: "result exit-code, exit status 1". */
  readonly why: string;
  /** How often systemd has started it again by itself since somebody started it, where told. */
  readonly restarts?: number;
}

/** Nothing tells of any of them: another program than systemd manages the services. */
export function areUntold(services: readonly ServiceView[]): boolean {
  return services.every(({ state }) => state === "not-told");
}
