import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import { causeOf, describeFetchError } from "./http.ts";
import { readEnd } from "../../files/read-end.ts";
import { failed, notRun, passed, type Answer, type Probe } from "./probe.ts";

/** The registry of the cluster's configuration, else the one that the platform's images come from. */
export function registryProbe(host: Host, imageRepository: string | undefined): Probe {
  const fallback = host.platform.name === "windows" ? "mcr.microsoft.com" : "registry.k8s.io";
  const registry = (imageRepository ?? fallback).split("/")[0] ?? fallback;
  return { name: "registry", target: registry, timeoutMs: 5000, ask: (signal) => askRegistry(host, registry, signal) };
}

async function askRegistry(host: Host, registry: string, signal: AbortSignal): Promise<Answer> {
  if (await usesProxy(host.root))
    return notRun("the container runtime uses a proxy; a direct connection would prove nothing");
  try {
    const response = await host.fetch(`https://${registry}/v2/`, { signal, redirect: "manual" });
    await response.body?.cancel();
    return response.status < 500 ? passed(`answers, HTTP ${response.status}`) : failed(`HTTP ${response.status}`);
  } catch (error) {
    const code = systemErrorCode(causeOf(error));
    return code !== undefined && /CERT|SIGNATURE|SELF_SIGNED|ALTNAME/.test(code)
      ? failed(`certificate not trusted (${code}); something between may inspect TLS`)
      : failed(describeFetchError(error));
  }
}

async function usesProxy(root: string): Promise<boolean> {
  const folder = "/etc/systemd/system/containerd.service.d";
  const names = await readdir(join(root, folder)).catch(() => []);
  const texts = await Promise.all(names.map((name) => readEnd(root, `${folder}/${name}`)));
  return texts.some((text) => /HTTPS?_PROXY=./i.test(text));
}
