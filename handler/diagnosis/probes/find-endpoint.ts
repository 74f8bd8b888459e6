import { isIP } from "node:net";
import { readEnd } from "../../files/read-end.ts";

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

/** Files that name the endpoint, the most certain first, each with what reads it there. */
const namingFiles: readonly { readonly path: string; readonly find: (text: string) => string | undefined }[] = [
  { path: "/etc/kubernetes/kubelet.conf", find: (text) => settingIn(text, "server:") },
  { path: "/etc/kubernetes/bootstrap-kubelet.conf", find: (text) => settingIn(text, "server:") },
  { path: "/run/kubeadm/kubeadm-join-config.yaml", find: (text) => settingIn(text, "apiServerEndpoint:") },
  { path: "/run/kubeadm/kubeadm.yaml", find: endpointOfKubeadm },
  { path: "/etc/kubeadm.yml", find: endpointOfKubeadm },
  { path: "/etc/rancher/rke2/config.yaml", find: (text) => settingIn(text, "server:") },
  { path: "/etc/rancher/k3s/config.yaml", find: (text) => settingIn(text, "server:") },
  { path: "/etc/systemd/system/k3s-agent.service.env", find: (text) => settingIn(text, "K3S_URL=") },
  { path: "/var/log/cloud-init-output.log", find: endpointOfDiscovery },
  { path: "/var/log/cloud-init-output.log", find: endpointOfJoin },
];
const configFiles = ["/run/kubeadm/kubeadm-join-config.yaml", "/run/kubeadm/kubeadm.yaml", "/etc/kubeadm.yml"];

export async function findClusterFacts(root: string): Promise<ClusterFacts> {
  const configs = (await Promise.all(configFiles.map((path) => readEnd(root, path)))).join("\n");
  const socket = settingIn(configs, "criSocket:")?.replace(/^unix:\/\//u, "");
  return {
    endpoint: await findEndpoint(root),
    authority: await findAuthority(root),
    imageRepository: settingIn(configs, "imageRepository:"),
    runtimeSocket: socket?.startsWith("/") === true ? socket : undefined,
  };
}

async function findEndpoint(root: string): Promise<Endpoint | undefined> {
  for (const { path, find } of namingFiles) {
    const named = find(await readEnd(root, path));
    const endpoint = named === undefined ? undefined : parseEndpoint(named);
    if (endpoint !== undefined) return { ...endpoint, from: path };
  }
  return undefined;
}

/** The value of the first line that begins with one of these names, without its quotes. */
function settingIn(text: string, ...names: readonly string[]): string | undefined {
  for (const line of text.split("\n")) {
    const begun = line.trimStart();
    const name = names.find((known) => begun.startsWith(known));
    const value = name === undefined ? undefined : begun.slice(name.length).trimStart().replace(/^["']/u, "");
    const [whole = ""] = value?.split(/[\s"']/u, 1) ?? [];
    if (whole !== "") return whole;
  }
  return undefined;
}

function endpointOfKubeadm(text: string): string | undefined {
  return settingIn(text, "apiServerEndpoint:", "controlPlaneEndpoint:");
}

/** kubeadm's own words: `[discovery] … from API Server "https://…"`. */
function endpointOfDiscovery(log: string): string | undefined {
  const lines = log.split("\n").filter((line) => line.includes("[discovery]"));
  const quoted = lines.flatMap((line) => line.slice(line.indexOf("[discovery]")).split('"'));
  return quoted.find((part) => part.startsWith("https://") && !/\s/u.test(part));
}

/** `kubeadm join HOST:PORT`, as a command or as a page of help names it. */
function endpointOfJoin(log: string): string | undefined {
  const places = [...log.matchAll(/\bkubeadm join (?<place>\S{1,300})/gu)].map(({ groups }) => groups?.["place"] ?? "");
  return places.find((place) => /^[\w.:[\]-]+$/u.test(place) && /:\d{2,5}$/u.test(place));
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
    const data = settingIn(await readEnd(root, path), "certificate-authority-data:");
    if (data !== undefined) return Buffer.from(data, "base64").toString("utf8");
  }
  return undefined;
}
