import type { Cause } from "../causes.ts";
import type { Kind } from "./kinds.ts";
import type { Program } from "./programs.ts";
import type { Subject } from "./subjects.ts";

/** Which cause a kind of failure of a subject is. The first row that fits counts; a list left out fits everything. */
export interface Meaning {
  readonly cause: Cause;
  readonly kinds?: readonly Kind[];
  readonly subjects?: readonly Subject[];
  readonly programs?: readonly Program[];
  /** What says this has no other reason behind it: it goes before what others say. */
  readonly boost?: number;
  /** Counts even where another row would say more of a part of the line. */
  readonly final?: true;
  /** Holds only where the program says that this was its end; what it says in passing needs a kind. */
  readonly atEnd?: true;
  /** Says only which step failed: every other row, of any line, goes before it. */
  readonly general?: true;
}

export const silent: readonly Kind[] = [
  "refused",
  "reset",
  "eof",
  "no-route",
  "timed-out",
  "server-error",
  "request-cut",
];
export const distrust: readonly Kind[] = ["unknown-authority", "wrong-name", "expired", "tls-failed"];
export const rejected: readonly Kind[] = ["unauthorized", "forbidden", "expired"];
export const malformed: readonly Kind[] = [
  "unknown-option",
  "cannot-parse",
  "invalid-value",
  "version-differs",
  "not-supported",
];
export const absent: readonly Kind[] = ["missing-file", "not-found"];
export const unreadable: readonly Kind[] = [
  ...absent,
  "wrong-file-type",
  "denied",
  "cannot-parse",
  "mismatch",
  "corrupt",
  "invalid-value",
  "expired",
  "tls-failed",
  "unknown-authority",
];
export const distributions: readonly Program[] = ["k3s", "rke2", "rancher", "k0s", "microk8s", "k8s-snap"];
export const networkAgents: readonly Program[] = ["azure-cni", "calico", "cilium", "cni-plugin", "kube-proxy"];
/** Where a program that is not there is missing from the machine, and not a file of the program's own. */
export const preparing: readonly Program[] = ["kubeadm", "kubelet", "systemd", "runc", ...distributions];
export const runtimes: readonly Program[] = ["containerd", "crio", "docker", "runc"];
