import type { System } from "./evidence.ts";

/**
 * Providers whose sentinel is written by a command of its own, whatever came of those before it (RKE2, k0s, Canonical
 * Kubernetes), or before the node has joined (k3s): there the service has to agree. kubeadm's is written only after its success.
 */
const toCorroborate = ["rke2", "k3s", "k0s", "canonical-kubernetes"];

/** Is a counting sentinel enough? Yes if any provider that speaks writes it only after a success: that one has succeeded. */
export function sentinelDecides(system: System, providers: readonly string[]): boolean {
  if (system === "windows" || providers.length === 0) return true;
  return providers.some((name) => !toCorroborate.includes(name));
}
