import type { Answer } from "../../scripts/check/questions.ts";
import type { ProofMessage } from "../contract/verdict-substatus.ts";
import type { Ask } from "./ask-versions.ts";
import { certificateOf } from "./read-look.ts";

/** The kubelet's client certificate of every provider: the same places as in scripts/check/node-layouts.ts, held equal by a test. */
export const certificatePaths: readonly string[] = [
  "/var/lib/kubelet/pki/kubelet-client-current.pem",
  "/etc/kubernetes/certs/client.crt",
  "/var/lib/rancher/rke2/agent/client-kubelet.crt",
  "/var/lib/rancher/k3s/agent/client-kubelet.crt",
  "/var/lib/k0s/kubelet/pki/kubelet-client-current.pem",
  "/var/snap/microk8s/current/certs/kubelet.crt",
  "/etc/kubernetes/pki/kubelet-client.crt",
];

/** Those that are there. A look asks only for what it needs to judge, which a sentinel that counts makes needless. */
export async function askCertificates(system: "linux" | "windows", ask: Ask): Promise<ProofMessage["certificates"]> {
  const paths =
    system === "linux" ? certificatePaths : certificatePaths.map((path) => `C:${path.replaceAll("/", "\\")}`);
  const found = await Promise.all(paths.map((path) => askOne(path, ask)));
  return found.flat();
}

async function askOne(path: string, ask: Ask): Promise<ProofMessage["certificates"]> {
  const answer = (await ask({ ask: "certificate", path })) as Answer<"certificate">;
  return answer.kind === "known" && answer.value.kind === "certificate" ? [certificateOf(path, answer.value)] : [];
}
