import type { FoundSituation, ObjectSituation, Subject } from "./situation.ts";

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export interface ReadObject {
  readonly kind: string;
  readonly conditions: readonly Condition[];
  /** The condition that says most. */
  readonly told: Condition | undefined;
  readonly subject: Subject;
  /** `status.vmState` of an AzureMachine. */
  readonly vmState: string | undefined;
}

/** What CAPZ's reasons stand for (CAPZ: api/v1beta1/conditions_consts.go). */
const reasonWords: Readonly<Record<string, ObjectSituation | "machine-gone">> = {
  WaitingForBootstrapData: "waiting-for-bootstrap-data",
  WaitingForClusterInfrastructure: "waiting-for-bootstrap-data",
  Creating: "waiting-for-machine",
  VMCreating: "waiting-for-machine",
  VMUpdating: "waiting-for-machine",
  VMDeleting: "machine-gone",
  VMNotFound: "machine-gone",
  BootstrapInProgress: "condition-in-progress",
};

/** What the object says where no condition holds a verdict. */
export function objectSituation({ kind, conditions, told, subject, vmState }: ReadObject): FoundSituation {
  const detail = told === undefined || told.message === "" ? {} : { detail: firstLineOf(told.message) };
  const bootstrap = conditions.find(({ type }) => type === "BootstrapSucceeded");
  const machine = conditions.find(({ type, status }) => type === "VMRunning" && status !== "True");
  const gone = vmState === "Deleting" || vmState === "Deleted";
  if (gone)
    return { kind: "machine-gone", subject: { ...subject, ...askable(subject) }, detail: `VM state ${vmState}` };
  if (bootstrap?.status === "True" && kind !== "BootstrapVerdict") return { kind: "condition-reset", subject };
  if (bootstrap !== undefined) return { kind: bootstrapKind(bootstrap), subject, ...detail };
  const known = reasonWords[(machine ?? told)?.reason ?? ""];
  return { kind: known ?? "condition-absent", subject, ...detail };
}

function bootstrapKind({ reason }: Condition): FoundSituation["kind"] {
  if (reason === "Creating" || reason === "BootstrapInProgress" || reason === "Updating")
    return "condition-in-progress";
  if (reason === "Failed" || reason === "BootstrapFailed") return "condition-without-cause";
  return reasonWords[reason] ?? "condition-absent";
}

/** The object that the text shows is known already: what tells of it is what owns it. */
function askable({ kind }: Subject): Pick<Subject, "kind"> {
  return { kind: kind === "machine" ? "azuremachine" : "machine" };
}

const longestDetail = 160;

function firstLineOf(message: string): string {
  const line = message.trim().split("\n")[0] ?? "";
  return line.length > longestDetail ? `${line.slice(0, longestDetail - 1)}…` : line;
}
