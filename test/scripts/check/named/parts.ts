import { active, certificateFor, type FileShape, type MachineShape } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";

const bootClock = Date.UTC(2026, 0, 10, 8, 0, 0);

export type Files = Readonly<Record<string, FileShape | string>>;
type Look = NamedScenario["looks"][number];

export const day = 86_400;
export const instance = "/var/lib/cloud/instance";

/** A machine by its name, provider and state, what is the matter with it, and what each look at it must say. */
export function scenario(
  [name, provider, state]: readonly [name: string, provider: string, state: string],
  what: string,
  ...looks: readonly Look[]
): NamedScenario {
  return { name, what, provider, state, looks };
}

/** A machine, but for its files, and what else a look at it must say. */
type About = MachineShape & Omit<Look, "machine" | "verdict">;

/** One look at a machine with all of these files, of which the last of a name counts. */
export function told(verdict: Look["verdict"], about: About, ...files: readonly Files[]): Look {
  const { reason, stage, says, remarks, providers, ...machine } = about;
  const expected = { reason, stage, says, remarks, providers };
  return {
    machine: files.length === 0 ? machine : { ...machine, files: all(machine.files ?? {}, ...files) },
    verdict,
    ...Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== undefined)),
  };
}

export const passes = (about: About, ...files: readonly Files[]): Look => told("success", about, ...files);
export const waits = (about: About, ...files: readonly Files[]): Look => told("waiting", about, ...files);
export const fails = (about: About, ...files: readonly Files[]): Look => told("failed", about, ...files);

/** One file, by its path, its text and its time in seconds after the boot. */
export const file = (path: string, text = "", at?: number): Files => ({
  [path]: { text, ...(at !== undefined && { at }) },
});

export const all = (...files: readonly Files[]): Files => files.reduce((before, more) => ({ ...before, ...more }), {});

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

export const sentinel: Files = file("/run/cluster-api/bootstrap-success.complete", "success\n", 90);
export const userData = `${instance}/user-data.txt`;
/** As cloud-init keeps it where the machine got none. */
export const emptyUserData: Files = { [userData]: { text: "", size: 0, at: 20 } };
/** cloud-init's mark of the user's scripts, which it sets where there are none, too. */
export const scriptsMark = (at = 60): Files => file(`${instance}/sem/config_scripts_user`, "", at);

/** User data that joined, or tried to, in this boot. */
export const joins = (errors: readonly string[] = []): Files =>
  all(cloudInitDone({ errors }), userCommands(joinCommands), joinData);

/** User data with these commands that ended well in this boot. */
export const ran = (commands: string): Files => all(cloudInitDone(), userCommands(commands));

/** cloud-init has finished in this boot; its instance and the commands of its user data are some days older. */
export const earlier = (days = 9, commands = joinCommands): Files =>
  all(cloudInitDone({ instanceAt: -days * day }), userCommands(commands, -days * day + 20));

/** A node that was rebooted some days after it had joined. */
export const rebooted = (days = 9, commands = joinCommands, name = "node-1"): Files =>
  all(earlier(days, commands), joinedNode(name, -days * day + 60));

/** A service of a distribution installed by its user data, and what k3s and RKE2 keep of a node. */
export const k3sCommands = `curl -sfL https://get.k3s.io | sh -s - agent && ${sentinelCommand}`;
export const rke2Commands = (which: "agent" | "server" = "agent"): string =>
  `systemctl enable rke2-${which}.service\nsystemctl start rke2-${which}.service\n${sentinelCommand}`;
export const rancherNode = (which: "k3s" | "rke2", at = 70): Files => ({
  [`/var/lib/rancher/${which}/agent/kubelet.kubeconfig`]: { text: "kind: Config\n", at },
  [`/var/lib/rancher/${which}/agent/client-kubelet.crt`]: { ...certificateFor("node-1"), at },
});

export const runs = (unit: string): Readonly<Record<string, typeof active>> => ({ [unit]: active });
export const kubeletIdle = { "kubelet.service": {} };
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
