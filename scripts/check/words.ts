import type { Evidence, Provisioning, ServiceView } from "./evidence.ts";
import { failed, type Judgement } from "./judgement.ts";

/** "kubelet.service is failed (result exit-code, exit status 1)". */
export function serviceWords({ name, state, why }: ServiceView): string {
  if (state === "not-told") return `nothing tells how ${name} is`;
  if (!name.endsWith(".service")) return `the service ${name} is ${why}`;
  return state === "failed" ? `${name} is failed (${why})` : `${name} is ${state}`;
}

/** "cloud-init" as a person calls what ran the user data of this system. */
export function finishedWords({ agent, stage }: Provisioning): string {
  return stage === "waiting-for-bootstrap-data" ? `${agent} does not run in this boot` : `${agent} finished`;
}

/** The user's own commands failed, by the word of whoever ran them; kubeadm's words stand beside it where it said any. */
export function failProvisioning(evidence: Evidence, words: string): Judgement {
  const { outcome } = evidence.kubeadm;
  const said = outcome.kind === "failed" ? `; kubeadm said: ${outcome.line}` : "";
  return failed(
    evidence.provisioning.agent === "cloud-init" ? "CloudInitFailed" : "CloudbaseInitFailed",
    `${words}${said}`,
  );
}
