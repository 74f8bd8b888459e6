import { active, certificateFor, type FileShape, type MachineShape } from "../machine-of.ts";

const bootClock = Date.UTC(2026, 0, 10, 8, 0, 0);

type Files = Readonly<Record<string, FileShape | string>>;

const instance = "/var/lib/cloud/instance";

/** cloud-init has finished in this boot, and began for this instance 20 s after it. */
export function cloudInitDone(
  parts: { readonly errors?: readonly string[]; readonly instanceAt?: number } = {},
): Files {
  const at = parts.instanceAt ?? 20;
  return {
    "/etc/cloud/cloud.cfg": "users: [default]\n",
    "/run/cloud-init/enabled": { text: "", at: 5 },
    "/run/cloud-init/result.json": { text: JSON.stringify({ v1: { errors: parts.errors ?? [] } }), at: 100 },
    [`${instance}/sem/config_write_files`]: { text: "", at },
    [`${instance}/sem/config_users_groups`]: { text: "", at: at + 1 },
  };
}

export function cloudInitRuns(stage: string): Files {
  return {
    "/etc/cloud/cloud.cfg": "users: [default]\n",
    "/run/cloud-init/enabled": { text: "", at: 5 },
    "/run/cloud-init/status.json": { text: JSON.stringify({ v1: { stage } }), at: 30 },
    [`${instance}/sem/config_write_files`]: { text: "", at: 20 },
  };
}

/** The user's commands, begun this many seconds after the boot. */
export function userCommands(script: string, at = 40): Files {
  return {
    [`${instance}/scripts/runcmd`]: { text: `#!/bin/sh\n${script}\n`, at: at - 10 },
    [`${instance}/user-data.txt`]: { text: "#cloud-config\nruncmd: []\n", at: 20 },
    [`${instance}/sem/config_scripts_user`]: { text: "", at },
  };
}

export const sentinelCommand = "echo success > /run/cluster-api/bootstrap-success.complete";
export const joinCommands = `kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml && ${sentinelCommand}`;
export const initCommands = `kubeadm init --config /run/kubeadm/kubeadm.yaml && ${sentinelCommand}`;

/** What kubeadm and its kubelet leave on a node of this name. */
export function joinedNode(
  name = "node-1",
  at = 70,
  days: { readonly from?: number; readonly to?: number } = {},
): Files {
  return {
    "/etc/kubernetes/kubelet.conf": { text: "kind: Config\n", at },
    "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor(name, days), at },
    "/var/lib/kubelet/kubeadm-flags.env": { text: "", at },
  };
}

export const joinData: Files = {
  "/run/kubeadm/kubeadm-join-config.yaml": { text: "", at: 25 },
  "/run/cluster-api/placeholder": { text: "", at: 25 },
};

export function outputLog(...lines: readonly string[]): Files {
  const head = "Cloud-init v. 24.4 running 'modules:final' at Sat, 10 Jan 2026 08:00:38 +0000. Up 38.02 seconds.";
  return { "/var/log/cloud-init-output.log": { text: `${[head, ...lines].join("\n")}\n`, at: 90 } };
}

/** Runs of the user's commands in cloud-init's output: when each began, in seconds after the boot, and what it said. */
export function outputLogAt(...runs: readonly (readonly [number, ...string[]])[]): Files {
  return { "/var/log/cloud-init-output.log": { text: runs.map(logText).join(""), at: 90 } };
}

export function logText([at, ...lines]: readonly [number, ...string[]]): string {
  const date = new Date(bootClock + at * 1000).toUTCString().replace("GMT", "+0000");
  return `${[`Cloud-init v. 24.4 running 'modules:final' at ${date}. Up 38.02 seconds.`, ...lines].join("\n")}\n`;
}

export const kubeletActive = { "kubelet.service": active };
export const scriptsError = "('scripts_user', RuntimeError('Runparts: 1 failures (runcmd) in 1 attempted commands'))";

// ---- Windows ---------------------------------------------------------------------------------------------------------

const home = "C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init";
const registryKey = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";

/** A line as cloudbase-init stamps it, in a zone this many hours east of UTC. */
export function line(at: number, text: string, hours = 0): string {
  const stamp = new Date(bootClock + at * 1000 + hours * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
  return `${stamp}.120 1840 INFO cloudbaseinit.init [-] ${text}`;
}

/** One run of cloudbase-init from its version to "done", with what the user data said in between. */
export function cloudbaseRun(
  at: number,
  parts: {
    readonly instance?: string;
    readonly lines?: readonly string[];
    readonly hours?: number;
    readonly end?: string;
  } = {},
): string {
  const { instance = "vm-1", lines = [], hours = 0, end = "Plugins execution done" } = parts;
  return [
    line(at, "Cloudbase-Init version: 1.1.6", hours),
    ...(instance === "" ? [] : [line(at + 2, `Instance id: ${instance} configure_host`, hours)]),
    ...lines,
    ...(end === "" ? [] : [line(at + 90, end, hours)]),
    "",
  ].join("\r\n");
}

export const executes = (at: number, hours = 0): string => line(at, "Executing plugin 'UserDataPlugin'", hours);
export const runsCommands = (at: number, hours = 0): string => line(at, "Running cloud-config runcmd entries.", hours);
export const ends = (at: number, code: number | string, hours = 0): string =>
  line(at, `User_data script ended with return code: ${code}`, hours);

export interface WindowsParts {
  readonly log?: string;
  /** When the newest line of the log was written. */
  readonly logAt?: number;
  readonly logPath?: string;
  readonly files?: Files;
  readonly service?: string;
  readonly start?: "automatic" | "disabled";
  readonly kubelet?: string;
  readonly plugins?: Readonly<Record<string, string>>;
  readonly installAt?: number;
}

export function windows(parts: WindowsParts, more: MachineShape = {}): MachineShape {
  const plugins = Object.fromEntries(
    Object.entries(parts.plugins ?? {}).map(([id, state]) => [
      `${registryKey}\\${id}\\Plugins`,
      { UserDataPlugin: state },
    ]),
  );
  const { service = "stopped", start = "automatic" } = parts;
  return {
    system: "windows",
    uptime: 900,
    files: {
      ...(parts.log !== undefined && {
        [parts.logPath ?? `${home}\\log\\cloudbase-init.log`]: { text: parts.log, at: parts.logAt ?? 100 },
      }),
      ...parts.files,
    },
    services: {
      ...(service !== "" && { "cloudbase-init": { kind: "service", state: service, start } }),
      ...(parts.kubelet !== undefined && { kubelet: parts.kubelet }),
    },
    registry: {
      ...plugins,
      "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion": {
        InstallDate: String(bootClock / 1000 + (parts.installAt ?? -100)),
      },
    },
    ...more,
  };
}

export const configPath = `${home}\\conf\\cloudbase-init.conf`;
export const windowsSentinel = "C:\\run\\cluster-api\\bootstrap-success.complete";
export const windowsJoinData: Files = { "C:\\run\\kubeadm\\kubeadm-join-config.yaml": { text: "", at: 18 } };

export function windowsNode(
  name = "node-1",
  at = 60,
  days: { readonly from?: number; readonly to?: number } = {},
): Files {
  return {
    "C:\\etc\\kubernetes\\kubelet.conf": { text: "kind: Config\n", at },
    "C:\\var\\lib\\kubelet\\pki\\kubelet-client-current.pem": { ...certificateFor(name, days), at },
  };
}
