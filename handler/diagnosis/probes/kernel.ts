import { existsSync } from "node:fs";
import { join } from "node:path";
import { readEnd } from "../../files/read-end.ts";
import { failed, notRun, passed, type Answer, type Probe } from "./probe.ts";

export function kernelProbes(root: string): readonly Probe[] {
  return [
    { name: "cgroup", target: "this machine", ask: () => askCgroup(root) },
    { name: "kernel-module", target: "overlay", ask: () => askModule(root, "overlay") },
    { name: "kernel-module", target: "br_netfilter", ask: () => askModule(root, "br_netfilter") },
    { name: "sysctl", target: "net.ipv4.ip_forward", ask: () => askSysctl(root, "net/ipv4/ip_forward") },
    {
      name: "sysctl",
      target: "net.bridge.bridge-nf-call-iptables",
      ask: () => askSysctl(root, "net/bridge/bridge-nf-call-iptables"),
    },
  ];
}

/** The kubelet and the runtime must agree who writes cgroups (kubernetes.io: Container runtimes, cgroup drivers). */
async function askCgroup(root: string): Promise<Answer> {
  if (!existsSync(join(root, "/sys/fs/cgroup"))) return notRun("no /sys/fs/cgroup");
  const version = existsSync(join(root, "/sys/fs/cgroup/cgroup.controllers")) ? "v2" : "v1";
  const kubelet = /^\s*cgroupDriver:\s*(\w+)/m.exec(await readEnd(root, "/var/lib/kubelet/config.yaml"))?.[1];
  const systemd = /^\s*SystemdCgroup\s*=\s*(true|false)/m.exec(await readEnd(root, "/etc/containerd/config.toml"))?.[1];
  const runtime = systemd === undefined ? undefined : systemd === "true" ? "systemd" : "cgroupfs";
  const message = `${version}, kubelet ${kubelet ?? "unknown"}, containerd ${runtime ?? "unknown"}`;
  return kubelet !== undefined && runtime !== undefined && kubelet !== runtime
    ? failed(`driver mismatch, ${message}`)
    : passed(message);
}

async function askModule(root: string, name: string): Promise<Answer> {
  if (!existsSync(join(root, "/proc/modules"))) return notRun("no /proc/modules");
  if (existsSync(join(root, "/sys/module", name))) return passed("loaded");
  const [modules, filesystems] = await Promise.all([
    readEnd(root, "/proc/modules"),
    readEnd(root, "/proc/filesystems"),
  ]);
  if (modules.split("\n").some((line) => line.startsWith(`${name} `)) || filesystems.split(/\s+/).includes(name))
    return passed("loaded");
  // Needed by bridge-based network plugins alone; kubeadm 1.31 and later no longer ask for it.
  return name === "br_netfilter"
    ? passed("not loaded; only bridge-based network plugins need it")
    : failed("not loaded");
}

async function askSysctl(root: string, path: string): Promise<Answer> {
  const value = (await readEnd(root, `/proc/sys/${path}`)).trim();
  if (value === "") return notRun("no such setting");
  return value === "1" ? passed("1") : failed(`${value}, Kubernetes needs 1`);
}
