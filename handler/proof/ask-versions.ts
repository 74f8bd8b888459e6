import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Question, Answer } from "../../scripts/check/questions.ts";
import type { Host } from "../host.ts";

/** Asks the machine as the check does. */
export type Ask = (question: Question) => Promise<Answer>;

export interface Versions {
  readonly kubelet?: string;
  readonly containerd?: string;
  /** Name and version of the operating system. */
  readonly system?: string;
  readonly kernel?: string;
}

/**
 * Where the kubelets of the providers lie, the usual place first; each prints its version and ends. Only in folders that nobody but an
 * administrator can make: on Windows every user may create C:\k, and what lies there must not run as SYSTEM for us.
 */
const programs = {
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
const windowsKey = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";

export async function askVersions(host: Pick<Host, "root" | "run" | "platform">, ask: Ask): Promise<Versions> {
  const paths = programs[host.platform.name];
  const [kubelet, containerd, system] = await Promise.all([
    versionOf(host, paths.kubelet),
    versionOf(host, paths.containerd),
    host.platform.name === "linux" ? askLinux(ask) : askWindows(ask),
  ]);
  return {
    ...(kubelet === undefined ? {} : { kubelet }),
    ...(containerd === undefined ? {} : { containerd }),
    ...system,
  };
}

/** "Kubernetes v1.34.1", "containerd github.com/containerd/containerd/v2 v2.1.4 75cb2b7": the first word that is a version. */
async function versionOf(
  { root, run }: Pick<Host, "root" | "run">,
  paths: readonly string[],
): Promise<string | undefined> {
  const program = paths.map((path) => join(root, path)).find((path) => existsSync(path));
  if (program === undefined) return undefined;
  const result = await run(program, ["--version"], { timeoutMs: limitMs, maxBytes: 4096 });
  if (result.kind !== "exited" || result.code !== 0) return undefined;
  return /(?:^|\s)(?<version>v?\d{1,4}\.\d{1,4}\.\d{1,4}[\w.+~-]{0,40})/u.exec(result.stdout.toString("utf8"))
    ?.groups?.["version"];
}

async function askLinux(ask: Ask): Promise<Pick<Versions, "system" | "kernel">> {
  const release = await readText(ask, "/etc/os-release");
  const system = /^PRETTY_NAME=(?<name>.{1,120})$/mu
    .exec(release ?? "")
    ?.groups?.["name"]?.replaceAll(/^["']|["']$/gu, "");
  const kernel = (await readText(ask, "/proc/sys/kernel/osrelease"))?.trim();
  return { ...(system === undefined ? {} : { system }), ...(kernel === undefined || kernel === "" ? {} : { kernel }) };
}

async function askWindows(ask: Ask): Promise<Pick<Versions, "system" | "kernel">> {
  const answer = (await ask({ ask: "registry", key: windowsKey })) as Answer<"registry">;
  if (answer.kind !== "known" || answer.value.kind !== "values") return {};
  const { ProductName: system, CurrentBuildNumber: build, UBR: revision } = answer.value.values;
  const kernel = build === undefined ? undefined : `10.0.${build}${revision === undefined ? "" : `.${revision}`}`;
  return { ...(system === undefined ? {} : { system }), ...(kernel === undefined ? {} : { kernel }) };
}

async function readText(ask: Ask, path: string): Promise<string | undefined> {
  const answer = (await ask({ ask: "text", path, maxBytes: 8192 })) as Answer<"text">;
  return answer.kind === "known" && answer.value.kind === "text" ? answer.value.text : undefined;
}
