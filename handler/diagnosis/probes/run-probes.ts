import type { Host } from "../../host.ts";
import type { ProbeResult } from "../diagnosis.ts";
import { azureAddresses, azureProbes, type AzureAddresses } from "./azure-services.ts";
import { dnsProbes } from "./dns.ts";
import { findClusterFacts, isAddress, type ClusterFacts } from "./find-endpoint.ts";
import { askHttp } from "./http.ts";
import { kernelProbes } from "./kernel.ts";
import { portProbes } from "./ports.ts";
import { askProbe, type Probe } from "./probe.ts";
import { registryProbe } from "./registry.ts";
import { resourceProbes, windowsResourceProbes } from "./resources.ts";
import { runtimeProbe } from "./runtime-socket.ts";
import { tcpProbe } from "./tcp.ts";
import { tlsProbe } from "./tls.ts";

export interface RunProbes {
  readonly host: Host;
  /** Other addresses than the real ones, in tests. */
  readonly azure?: AzureAddresses;
  readonly dnsPort?: number;
  readonly kubelet?: string;
  /** Ends the wait: what has not answered yet is "not-run". */
  readonly stop?: AbortSignal;
}

/** Asks everything at once; the slowest question's own time-out (5 s) bounds the whole. Never throws. */
export async function runProbes({
  host,
  azure = azureAddresses,
  kubelet = "127.0.0.1:10248",
  dnsPort = 53,
  stop,
}: RunProbes): Promise<readonly ProbeResult[]> {
  const facts = await findClusterFacts(host.root);
  const probes = [
    ...(await endpointProbes(host, facts, dnsPort)),
    ...azureProbes(host, azure),
    registryProbe(host, facts.imageRepository),
    ...machineProbes(host),
    runtimeProbe(host, facts.runtimeSocket),
    kubeletProbe(kubelet),
  ];
  return Promise.all(probes.map((probe) => askProbe(probe, host, stop)));
}

async function endpointProbes(
  host: Host,
  { endpoint, authority }: ClusterFacts,
  dnsPort: number,
): Promise<readonly Probe[]> {
  if (endpoint === undefined) return [];
  const address = { host: endpoint.host, port: endpoint.port };
  const dns = isAddress(endpoint.host) ? [] : await dnsProbes(host.root, endpoint.host, dnsPort);
  return [...dns, tcpProbe("tcp", address), tlsProbe({ address, authority }, host)];
}

/** Of kernel and ports /proc tells, which Windows does not have. */
function machineProbes({ root, platform }: Host): readonly Probe[] {
  if (platform.name === "windows") return windowsResourceProbes(root);
  return [...resourceProbes(root), ...kernelProbes(root), ...portProbes(root)];
}

/** Healthy only late in a bootstrap; a kubelet that does not answer says how far it came. */
function kubeletProbe(address: string): Probe {
  const url = `http://${address}/healthz`;
  return { name: "kubelet", target: address, ask: (signal) => askHttp({ url, headers: {}, signal }) };
}
