import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../host.ts";

/**
 * Where the programs of the providers lie, the usual place first; each prints its version and ends. Only in folders that nobody but an
 * administrator can make: on Windows every user may create C:\k, and what lies there must not run as SYSTEM for us.
 */
const places = {
  linux: {
    kubelet: [
      "/usr/bin/kubelet",
      "/usr/local/bin/kubelet",
      "/opt/bin/kubelet",
      "/var/lib/rancher/rke2/bin/kubelet",
      "/var/lib/k0s/bin/kubelet",
      "/snap/k8s/current/bin/kubelet",
    ],
    containerd: [
      "/usr/bin/containerd",
      "/usr/local/bin/containerd",
      "/opt/bin/containerd",
      "/var/lib/rancher/rke2/bin/containerd",
    ],
  },
  windows: {
    kubelet: [],
    containerd: ["/Program Files/containerd/containerd.exe", "/Program Files/containerd/bin/containerd.exe"],
  },
} as const;

/** A program that does not know the option, or hangs, costs its line and no more. */
const limitMs = 3000;

/**
 * Version that a program of this machine prints, as it prints it ("v1.34.1", "2.1.4"): the first word of "Kubernetes v1.34.1" or "containerd
 * github.com/containerd/containerd/v2 v2.1.4 75cb2b7" that is one. Undefined where it is not there, or does not say so.
 */
export async function askVersion(
  { root, run, platform }: Pick<Host, "root" | "run" | "platform">,
  program: "kubelet" | "containerd",
): Promise<string | undefined> {
  const path = places[platform.name][program].map((place) => join(root, place)).find((place) => existsSync(place));
  if (path === undefined) return undefined;
  const result = await run(path, ["--version"], { timeoutMs: limitMs, maxBytes: 4096 }).catch(() => undefined);
  if (result?.kind !== "exited" || result.code !== 0) return undefined;
  return /(?:^|\s)(?<version>v?\d{1,4}\.\d{1,4}\.\d{1,4}[\w.+~-]{0,40})/u.exec(result.stdout.toString("utf8"))
    ?.groups?.["version"];
}
