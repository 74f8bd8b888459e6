/** What Azure's text says of a machine whose verdict it does not hold. */
export type MachineSituation =
  /** The machine reports, and this extension is not attached to it. */
  | "extension-absent"
  /** Attached, and the handler has not written a status yet. */
  | "extension-starting"
  /** Attached and at work, without words of ours in the status. */
  | "extension-working"
  /** Azure says that it ended well, without words of ours. */
  | "extension-without-words"
  /** The guest agent has never reported. */
  | "agent-silent"
  /** The guest agent has reported once, and does not now. */
  | "agent-not-ready"
  | "machine-provisioning"
  | "machine-stopped"
  /** Azure has no such machine. */
  | "machine-gone"
  /** Who asked may not ask, or is not signed in. */
  | "not-permitted"
  /** az or curl failed on the machine of who asked. */
  | "azure-not-reached"
  /** Only counts of states: the view of a scale set. */
  | "only-counts"
  /** Only a state: an extension resource that was asked for without its instance view. */
  | "only-state"
  /** CAPZ's first extension, versions 1.0 and 1.1: another program. */
  | "old-extension-failed"
  | "old-extension-succeeded"
  /** The program of this extension could not be started on the machine; its launcher says why. */
  | "extension-cannot-start"
  /** Azure has taken a Spot machine back. */
  | "machine-evicted"
  /** Another extension failed, in words that no rule knows. */
  | "extension-failed"
  /** A Run Command ended well, and printed neither a verdict nor a failure. */
  | "command-told-nothing"
  /** It printed a log that ends in success. */
  | "command-log-ends-well"
  /** It ended with an error, and printed neither. */
  | "command-failed";

/** What an object of Kubernetes says of a machine whose verdict it does not hold. */
export type ObjectSituation =
  /** kubectl failed on the machine of who asked, or got no answer. */
  | "cluster-not-reached"
  /** Who asked may not ask Kubernetes. */
  | "cluster-refused"
  /** Kubernetes has no such object. */
  | "object-gone"
  /** CAPZ waits for the bootstrap data of the Machine. */
  | "waiting-for-bootstrap-data"
  /** CAPZ waits until Azure has made the machine. */
  | "waiting-for-machine"
  /** CAPZ waits for an extension. */
  | "condition-in-progress"
  /** CAPZ says True, which it also says after a failure. */
  | "condition-reset"
  /** CAPZ's fixed text for an instance of a scale set, which holds no cause. */
  | "condition-without-cause"
  /** No condition of the object is about the bootstrap. */
  | "condition-absent";

/** Which machine a text is about, as far as it tells. */
export interface Subject {
  readonly machine?: string;
  /** Resource id of the VM in Azure. */
  readonly id?: string;
  /** Of an object of Kubernetes: its kind in lower case, as kubectl takes it. */
  readonly kind?: string;
  readonly namespace?: string;
  readonly windows?: boolean;
}

export interface FoundSituation {
  readonly kind: MachineSituation | ObjectSituation;
  readonly subject: Subject;
  /** What the text itself adds: the agent's words, the state, the names of other extensions. */
  readonly detail?: string;
}

/** A situation in words. The next step is never the command that gave the text. */
export interface SituationWords {
  readonly outcome: "unknown" | "waiting" | "failed";
  readonly summary: string;
  readonly explanation?: string;
  readonly nextStep: string;
}

/** ` ("the agent's words")`, or nothing. */
export function quoted(detail: string | undefined): string {
  return detail === undefined || detail === "" ? "" : ` ("${detail}")`;
}
