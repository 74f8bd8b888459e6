import { askPaths, isThere, type Asking } from "./ask-many.ts";
import type { System } from "./evidence.ts";
import { systemPath } from "./node-layouts.ts";

const bootstrapKubeconfig = "/etc/kubernetes/bootstrap-kubelet.conf";
const joinConfig = "/run/kubeadm/kubeadm-join-config.yaml";

/** Where kubeadm is, by what it has written so far; `otherwise` where it writes no more than that. */
export function* kubeadmStage(system: System, otherwise: string): Asking<string> {
  const [bootstrap, join] = [systemPath(system, bootstrapKubeconfig), systemPath(system, joinConfig)];
  const seen = yield* askPaths([bootstrap, join]);
  if (isThere(seen, bootstrap)) return "kubelet-tls-bootstrap";
  return isThere(seen, join) ? "kubeadm-join" : otherwise;
}

/** What the last stage of cloud-init is busy with, by its processes. */
export function* finalStage(running: readonly string[]): Asking<string> {
  const names = running.map((words) => words.slice(0, words.lastIndexOf(" (")));
  if (names.includes("kubeadm")) return yield* kubeadmStage("linux", "kubeadm-init");
  if (names.some((name) => /^(?:apt|dpkg|dnf|yum|tdnf|zypper)|^snap$/u.test(name))) return "installing-packages";
  if (names.some((name) => name === "curl" || name === "wget")) return "downloading";
  return names.includes("systemctl") ? "starting-service" : "cloud-init-final";
}
