import { askOne, type Asking } from "./ask-many.ts";
import { findCommandError } from "./cloud-init.ts";
import type { System } from "./evidence.ts";
import type { Judgement } from "./judgement.ts";
import type { Observed } from "./look-parts.ts";
import { systemPath } from "./node-layouts.ts";

/** Sentences that stand beside the verdict and change nothing in it. */
export function* observeRemarks({ evidence, providers }: Observed, judgement: Judgement): Asking<readonly string[]> {
  const { sentinel, provisioning } = evidence;
  const remarks = judgement.kind === "bootstrapped" ? [...judgement.remarks] : [];
  if (sentinel.state === "stale") remarks.push(sentinel.because);
  if (judgement.kind !== "bootstrapped" || sentinel.state !== "counts") return remarks;
  const error = provisioning.scriptError ?? provisioning.otherError;
  if (error !== undefined) remarks.push(besideSentinel(error));
  if (providers.some((name) => name.startsWith("kubeadm"))) remarks.push(...(yield* besideKubeadm(evidence.system)));
  return remarks;
}

function* besideKubeadm(system: System): Asking<readonly string[]> {
  const path = systemPath(system, "/etc/kubernetes/kubelet.conf");
  const kubeconfig = yield* askOne({ ask: "path", path });
  const remarks = kubeconfig?.kind === "absent" ? [`the sentinel exists but ${path} does not`] : [];
  if (system === "windows") return remarks;
  const log = yield* askOne({ ask: "log", path: "/var/log/cloud-init-output.log" });
  const command = log?.kind === "text" ? findCommandError(log.text) : "";
  if (command === "") return remarks;
  return [...remarks, `a command before kubeadm failed, /var/log/cloud-init-output.log says: ${command}`];
}

function besideSentinel(error: string): string {
  const cloudInit = "/run/cloud-init/result.json has errors";
  if (error.startsWith(cloudInit)) return error.replace(cloudInit, "cloud-init reports errors beside the sentinel");
  return error.replace("says:", "says beside the sentinel:");
}
