import { existsSync } from "node:fs";
import { join } from "node:path";
import { handlerVersion } from "../../version.ts";
import type { SequenceContext } from "../context.ts";

/** Mode `report`: what is there, without a judgement and without running anything. */
export function collectFacts(context: SequenceContext): Promise<readonly string[]> {
  const { host, identity } = context;
  const present = (path: string) => (existsSync(join(host.root, path)) ? "present" : "absent");
  const sentinel = existsSync(host.platform.paths(host.root).sentinel) ? "present" : "absent";
  return Promise.resolve([
    `sentinel ${sentinel}`,
    `kubelet.conf ${present("etc/kubernetes/kubelet.conf")}`,
    `kubelet client certificate ${present("var/lib/kubelet/pki/kubelet-client-current.pem")}`,
    `VM ${identity.vmId}`,
    `handler ${handlerVersion}`,
  ]);
}
