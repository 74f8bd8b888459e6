import type { Question, Answer } from "../../scripts/check/questions.ts";
import type { Host } from "../host.ts";
import { askVersion } from "../machine/program-version.ts";

/** Asks the machine as the check does. */
export type Ask = (question: Question) => Promise<Answer>;

export interface Versions {
  readonly kubelet?: string;
  readonly containerd?: string;
  /** Name and version of the operating system. */
  readonly system?: string;
  readonly kernel?: string;
}

const windowsKey = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";

export async function askVersions(host: Pick<Host, "root" | "run" | "platform">, ask: Ask): Promise<Versions> {
  const [kubelet, containerd, system] = await Promise.all([
    askVersion(host, "kubelet"),
    askVersion(host, "containerd"),
    host.platform.name === "linux" ? askLinux(ask) : askWindows(ask),
  ]);
  return {
    ...(kubelet === undefined ? {} : { kubelet }),
    ...(containerd === undefined ? {} : { containerd }),
    ...system,
  };
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
