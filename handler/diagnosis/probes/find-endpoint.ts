/* eslint-disable redos-detector/no-unsafe-regex -- Searches without an anchor; each begins with a fixed word and cannot backtrack over it. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { isIP } from "node:net";
import { resolveBelow } from "../../files/resolve-below.ts";

interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** File that names it. */
  readonly from: string;
}

/** What the node's own files say of the cluster that it should join. Tokens and keys in them are never copied. */
export interface ClusterFacts {
  readonly endpoint: Endpoint | undefined;
  /** PEM of the cluster's authority, where the node has it already. */
  readonly authority: string | undefined;
  readonly imageRepository: string | undefined;
  readonly runtimeSocket: string | undefined;
}

const mostBytes = 1024 * 1024;

/** Files that name the endpoint, the most certain first, each with the expression whose group 1 is it. */
const namingFiles: readonly { readonly path: string; readonly pattern: RegExp }[] = [
  { path: "/etc/kubernetes/kubelet.conf", pattern: /^\s*server:\s*"?([^\s"]+)/m },
  { path: "/etc/kubernetes/bootstrap-kubelet.conf", pattern: /^\s*server:\s*"?([^\s"]+)/m },
  { path: "/run/kubeadm/kubeadm-join-config.yaml", pattern: /^\s*apiServerEndpoint:\s*"?([^\s"]+)/m },
  { path: "/run/kubeadm/kubeadm.yaml", pattern: /^\s*(?:apiServerEndpoint|controlPlaneEndpoint):\s*"?([^\s"]+)/m },
  { path: "/etc/kubeadm.yml", pattern: /^\s*(?:apiServerEndpoint|controlPlaneEndpoint):\s*"?([^\s"]+)/m },
  { path: "/etc/rancher/rke2/config.yaml", pattern: /^\s*server:\s*"?([^\s"]+)/m },
  { path: "/etc/rancher/k3s/config.yaml", pattern: /^\s*server:\s*"?([^\s"]+)/m },
  { path: "/etc/systemd/system/k3s-agent.service.env", pattern: /^\s*K3S_URL=["']?([^\s"']+)/m },
  { path: "/var/log/cloud-init-output.log", pattern: /\[discovery\][^\n]{0,200}"(https:\/\/[^"\s]+)"/ },
  { path: "/var/log/cloud-init-output.log", pattern: /\bkubeadm join ([\w.:[\]-]+:\d{2,5})\b/ },
];
const configFiles = ["/run/kubeadm/kubeadm-join-config.yaml", "/run/kubeadm/kubeadm.yaml", "/etc/kubeadm.yml"];

export async function findClusterFacts(root: string): Promise<ClusterFacts> {
  const configs = (await Promise.all(configFiles.map((path) => readEnd(root, path)))).join("\n");
  return {
    endpoint: await findEndpoint(root),
    authority: await findAuthority(root),
    imageRepository: /^\s*imageRepository:\s*"?([\w.:/-]+)/m.exec(configs)?.[1],
    runtimeSocket: /^\s*criSocket:\s*"?(?:unix:\/\/)?(\/[^\s"]+)/m.exec(configs)?.[1],
  };
}

async function findEndpoint(root: string): Promise<Endpoint | undefined> {
  for (const { path, pattern } of namingFiles) {
    const named = pattern.exec(await readEnd(root, path))?.[1];
    const endpoint = named === undefined ? undefined : parseEndpoint(named);
    if (endpoint !== undefined) return { ...endpoint, from: path };
  }
  return undefined;
}

/** `https://host:port`, `host:port`, `[address]:port`; 6443 where none is given. Undefined for what is neither. */
export function parseEndpoint(text: string): { readonly host: string; readonly port: number } | undefined {
  try {
    const url = new URL(text.includes("://") ? text : `https://${text}`);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // URL drops a port that is the scheme's own.
    const given = /:(\d{1,5})(?:\/|$)/.exec(text)?.[1];
    const port = given === undefined ? (text.includes("://") ? 443 : 6443) : Number(given);
    return host === "" || host === "localhost" || host.startsWith("127.") ? undefined : { host, port };
  } catch {
    return undefined;
  }
}

export function isAddress(host: string): boolean {
  return isIP(host) !== 0;
}

async function findAuthority(root: string): Promise<string | undefined> {
  const direct = await readEnd(root, "/etc/kubernetes/pki/ca.crt");
  if (direct.includes("BEGIN CERTIFICATE")) return direct;
  for (const path of ["/etc/kubernetes/kubelet.conf", "/etc/kubernetes/bootstrap-kubelet.conf"]) {
    const data = /certificate-authority-data:\s*([A-Za-z0-9+/=]+)/.exec(await readEnd(root, path))?.[1];
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
  }
  return undefined;
}

/** The last mebibyte of a file as text; empty where there is none. */
export async function readEnd(root: string, path: string): Promise<string> {
  try {
    const place = resolveBelow(root, join(root, path));
    if (place === undefined) return "";
    const handle = await open(place, "r");
    try {
      const found = await handle.stat();
      if (!found.isFile()) return "";
      // Files of /proc say that they are empty.
      if (found.size === 0) return (await handle.readFile()).toString("utf8");
      const length = Math.min(found.size, mostBytes);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, found.size - length);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return "";
  }
}
