import type { Evidence } from "./evidence.ts";
import { judgeCanonicalKubernetes } from "./judge-canonical-kubernetes.ts";
import { judgeCustom } from "./judge-custom.ts";
import { judgeK0s } from "./judge-k0s.ts";
import { judgeK3s } from "./judge-k3s.ts";
import { judgeKubeadmIgnition } from "./judge-kubeadm-ignition.ts";
import { judgeKubeadm } from "./judge-kubeadm.ts";
import { judgeMicrok8s } from "./judge-microk8s.ts";
import { judgeNone } from "./judge-none.ts";
import { judgeRke2 } from "./judge-rke2.ts";
import { bootstrapped, failed, waiting, type Judgement } from "./judgement.ts";
import type { Observed } from "./look-parts.ts";
import { sentinelDecides } from "./trust.ts";

const judges: Readonly<Record<string, (evidence: Evidence) => Judgement>> = {
  kubeadm: judgeKubeadm,
  "kubeadm-ignition": judgeKubeadmIgnition,
  rke2: judgeRke2,
  k3s: judgeK3s,
  k0s: judgeK0s,
  microk8s: judgeMicrok8s,
  "canonical-kubernetes": judgeCanonicalKubernetes,
  custom: judgeCustom,
  none: judgeNone,
};

/** What all the evidence comes to. The rules that are not one provider's own stand here, and only here. */
export function combine({ evidence, providers }: Observed): Judgement {
  const { provisioning, sentinel } = evidence;
  if (sentinel.state === "counts" && sentinelDecides(evidence.system, providers))
    return bootstrapped([sentinel.because]);
  if (sentinel.state !== "counts") {
    const early = judgeProvisioning(evidence);
    if (early !== undefined) return early;
  }
  const names = providers.length > 0 ? providers : ["none"];
  const all = names.map((name) => (judges[name] ?? judgeCustom)(evidence));
  return hold(evidence, foremost(all), provisioning.state);
}

/** While the user data is still to run, or runs, nothing else is asked. */
function judgeProvisioning(evidence: Evidence): Judgement | undefined {
  const { provisioning, services } = evidence;
  if (provisioning.state === "pending") return waiting(provisioning.stage);
  if (provisioning.state !== "running") return undefined;
  const final = services["cloud-final.service"];
  if (final?.state === "failed") {
    return failed(
      "CloudInitFailed",
      `cloud-final.service failed (${final.why}) and /run/cloud-init/result.json was never written.`,
    );
  }
  return waiting(provisioning.stage);
}

/** Several providers: one that has bootstrapped decides, then one that still may, then the first failure. */
function foremost(all: readonly Judgement[]): Judgement {
  const order = ["bootstrapped", "waiting", "failed"];
  return (
    all.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind))[0] ??
    waiting("waiting-for-bootstrap-data")
  );
}

/** Whoever runs the user data ended before its end: a restart or a later start may still come, unless the user's commands failed. */
function hold({ provisioning, system }: Evidence, judgement: Judgement, state: string): Judgement {
  if (system !== "windows" || state !== "stopped" || judgement.kind !== "failed") return judgement;
  return provisioning.scriptError === undefined ? waiting("waiting-for-sentinel", judgement.message) : judgement;
}
