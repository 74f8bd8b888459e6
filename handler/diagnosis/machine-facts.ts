import type { Host } from "../host.ts";
import { parseJson, isJsonObject } from "../text/parse-json.ts";
import { askCompute } from "../machine/instance-metadata.ts";
import { askVersion } from "../machine/program-version.ts";
import { readEnd } from "../files/read-end.ts";
import type { Traces } from "./trace-sink.ts";

/** Which machine it is: what a person asks first. What cannot be told is absent. */
export interface MachineFacts {
  readonly hostName?: string;
  readonly os?: string;
  /** Publisher, offer, SKU and version, or the image's resource id. */
  readonly image?: string;
  readonly vmSize?: string;
  readonly kubernetes?: string;
  readonly runtime?: string;
  readonly provider?: string;
}

export interface FactsRequest {
  readonly live: boolean;
  readonly traces: Traces;
  /** Of `readCompute`, which is asked while the logs are read: a metadata service that does not answer costs no verdict its time. */
  readonly compute: Promise<Compute>;
}

/** From the machine's own files and, only where it is the running one, from the metadata service and its programs. Never throws. */
export async function readMachineFacts(
  host: Host,
  { live, traces, compute: asked }: FactsRequest,
): Promise<MachineFacts> {
  const { root } = host;
  const [compute, hostName, os, kubernetes, runtime] = await Promise.all([
    asked,
    firstText(root, ["/etc/hostname", "/proc/sys/kernel/hostname", "/sos_commands/host/hostname"]),
    readOs(root),
    traces.kubernetesVersion ?? askKubelet(host, live),
    traces.runtimeVersion ?? askContainerd(host, live),
  ]);
  return withoutAbsent({
    hostName: hostName ?? compute.name,
    os: os ?? compute.os,
    image: compute.image,
    vmSize: compute.vmSize,
    kubernetes,
    runtime,
    provider: traces.provider,
  });
}

export interface Compute {
  readonly name?: string | undefined;
  readonly os?: string | undefined;
  readonly image?: string | undefined;
  readonly vmSize?: string | undefined;
}

/** What the metadata service says of the VM: cloud-init keeps a copy; without it (Windows, Ignition) it is asked. */
export async function readCompute(host: Host, live: boolean): Promise<Compute> {
  const kept = parse(await readEnd(host.root, "/run/cloud-init/instance-data.json"));
  const compute = objectAt(kept, "ds", "meta_data", "imds", "compute");
  return computeOf(compute ?? (live ? parse(await askCompute(host)) : undefined));
}

function computeOf(compute: unknown): Compute {
  const image = objectAt(compute, "storageProfile", "imageReference");
  const parts = ["publisher", "offer", "sku", "version"]
    .map((name) => textAt(image, name))
    .filter((part) => part !== undefined);
  const os = [textAt(compute, "offer"), textAt(compute, "sku")].filter((part) => part !== undefined);
  return {
    name: textAt(compute, "name"),
    vmSize: textAt(compute, "vmSize"),
    image: textAt(image, "id") ?? (parts.length > 0 ? parts.join(" ") : undefined),
    os: os.length > 0 ? os.join(" ") : textAt(compute, "osType"),
  };
}

async function readOs(root: string): Promise<string | undefined> {
  const release = (await readEnd(root, "/etc/os-release")) || (await readEnd(root, "/usr/lib/os-release"));
  return /^PRETTY_NAME="?(?<name>[^"\n]{1,100})/mu.exec(release)?.groups?.["name"];
}

async function askKubelet(host: Host, live: boolean): Promise<string | undefined> {
  // `kubelet --version` of a collector: "Kubernetes v1.33.1".
  const said = await firstText(host.root, ["/kubelet-version.txt"]);
  if (said === undefined) return live ? await askVersion(host, "kubelet") : undefined;
  const version = /(?:^|\s)v?(?<number>\d+\.\d+\.\d\S{0,36})/u.exec(said)?.groups?.["number"];
  return version === undefined ? undefined : `v${version}`;
}

async function askContainerd(host: Host, live: boolean): Promise<string | undefined> {
  const version = live ? await askVersion(host, "containerd") : undefined;
  return version === undefined ? undefined : `containerd ${version.replace(/^v/u, "")}`;
}

async function firstText(root: string, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = (await readEnd(root, path)).trim().split("\n", 1)[0]?.trim() ?? "";
    if (text !== "") return text.slice(0, 200);
  }
  return undefined;
}

function parse(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.kind === "value" ? parsed.value : undefined;
}

function objectAt(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((found, name) => (isJsonObject(found) ? found[name] : undefined), value);
}

function textAt(value: unknown, name: string): string | undefined {
  const found = isJsonObject(value) ? value[name] : undefined;
  return typeof found === "string" && found !== "" ? found.slice(0, 200) : undefined;
}

function withoutAbsent(facts: { readonly [Name in keyof MachineFacts]-?: string | undefined }): MachineFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
