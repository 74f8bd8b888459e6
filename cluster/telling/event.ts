import { createHash } from "node:crypto";
import { cutToJsonBytes } from "../../handler/text/cut-text.ts";
import type { Resource } from "../kube/resource.ts";

export const eventResource: Resource = { group: "events.k8s.io", version: "v1", plural: "events", kind: "Event" };

/** Kubernetes: pkg/apis/core/validation/events.go, NoteLengthLimit. */
const noteBytes = 1024;

export interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface Notice {
  readonly type: "Normal" | "Warning";
  readonly regarding: Regarding;
  readonly reason: string;
  readonly action: "Bootstrap" | "Remediate" | "ReadVerdict";
  readonly note: string;
  /** What makes two notices the same one: repeated, also after a restart, it is not told again. */
  readonly identity: string;
}

/** The body of an Event and its name, which is the same for the same notice. */
export function eventOf(
  notice: Notice,
  now: string,
): { readonly name: string; readonly body: Readonly<Record<string, unknown>> } {
  const digest = createHash("sha256").update(`${notice.reason} ${notice.identity}`).digest("hex").slice(0, 16);
  const name = `${notice.regarding.name.slice(0, 200)}.${digest}`;
  return {
    name,
    body: {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name, namespace: notice.regarding.namespace },
      // MicroTime needs exactly six decimals.
      eventTime: now.replace(/\.(\d{3})Z$/u, ".$1000Z"),
      type: notice.type,
      reason: notice.reason,
      action: notice.action,
      note: cutToJsonBytes(notice.note, noteBytes),
      reportingController: "bootstrap.capz.io/capz-bootstrap-cluster",
      reportingInstance: "capz-bootstrap-cluster",
      regarding: notice.regarding,
    },
  };
}
