import type { System } from "./evidence.ts";

/**
 * Providers whose sentinel is written by a command of its own, whatever came of those before it (RKE2, k0s, Canonical
 * Kubernetes), or before the node has joined (k3s): there the service has to agree. kubeadm's is written only after its success.
 */
const toCorroborate = ["rke2", "k3s", "k0s", "canonical-kubernetes"];

/** Is a counting sentinel enough? Only if every provider that speaks writes it after a success: files of two may lie about. */
export function sentinelDecides(system: System, providers: readonly string[]): boolean {
  if (system === "windows") return true;
  return providers.every((name) => !toCorroborate.includes(name));
}
