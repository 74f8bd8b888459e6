import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { readEnd } from "../../files/read-end.ts";
import { failed, notRun, passed, type Answer, type Probe } from "./probe.ts";

/** Ports that Kubernetes needs, and the programs that may hold them. */
const ports: readonly { readonly port: number; readonly owners: RegExp }[] = [
  { port: 6443, owners: /^(?:kube-apiserver|k3s|rke2|k0s|kubelite)/ },
  { port: 10250, owners: /^(?:kubelet|k3s|rke2|k0s|kubelite)/ },
  { port: 10257, owners: /^(?:kube-controller|k3s|rke2|k0s|kubelite)/ },
  { port: 10259, owners: /^(?:kube-scheduler|k3s|rke2|k0s|kubelite)/ },
  { port: 2379, owners: /^(?:etcd|k3s|rke2|k0s|k8s-dqlite)/ },
  { port: 2380, owners: /^(?:etcd|k3s|rke2|k0s|k8s-dqlite)/ },
  { port: 9345, owners: /^rke2/ },
];
const listening = "0A";

export function portProbes(root: string): readonly Probe[] {
  const table = once(() => readListeners(root));
  return ports.map(({ port, owners }) => ({
    name: "port",
    target: `${port}`,
    ask: async () => judgePort(await table(), port, owners),
  }));
}

interface Listener {
  readonly port: number;
  readonly owner: string | undefined;
}

function judgePort(listeners: readonly Listener[] | undefined, port: number, owners: RegExp): Answer {
  if (listeners === undefined) return notRun("no /proc/net/tcp");
  const listener = listeners.find((one) => one.port === port);
  if (listener === undefined) return passed("free");
  const { owner } = listener;
  if (owner === undefined) return passed("in use by a process that is not known");
  return owners.test(owner)
    ? passed(`in use by ${owner}`)
    : failed(`in use by ${owner}, which is not part of Kubernetes`);
}

/** Listening sockets of our ports with the name of their process (proc_net_tcp.rst, proc(5)). */
async function readListeners(root: string): Promise<readonly Listener[] | undefined> {
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readEnd(root, path)));
  if (tables.join("") === "") return undefined;
  const wanted = new Map<string, number>();
  for (const line of tables.flatMap((table) => table.split("\n").slice(1))) {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    const port = Number.parseInt(local.split(":")[1] ?? "", 16);
    if (state === listening && ports.some((one) => one.port === port)) wanted.set(inode, port);
  }
  const names = wanted.size === 0 ? new Map<string, string>() : await findOwners(root, new Set(wanted.keys()));
  return [...wanted].map(([inode, port]) => ({ port, owner: names.get(inode) }));
}

async function findOwners(root: string, inodes: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const processes = (await readdir(join(root, "proc"))).filter((name) => /^\d+$/.test(name));
  for (const pid of processes) {
    if (found.size === inodes.size) break;
    const folder = join(root, "proc", pid, "fd");
    const descriptors = await readdir(folder).catch(() => []);
    const targets = await Promise.all(descriptors.map((name) => readlink(join(folder, name)).catch(() => "")));
    const held = targets
      .map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? "")
      .filter((inode) => inodes.has(inode));
    if (held.length === 0) continue;
    const name = (await readEnd(root, `/proc/${pid}/comm`)).trim();
    for (const inode of held) found.set(inode, `${name} (pid ${pid})`);
  }
  return found;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
