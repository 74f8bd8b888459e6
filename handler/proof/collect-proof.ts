import type { LookRecord } from "../../scripts/check/look.ts";
import type { Answer } from "../../scripts/check/questions.ts";
import type { ProofMessage } from "../contract/verdict-substatus.ts";
import type { Host } from "../host.ts";
import { handlerVersion } from "../version.ts";
import { askCertificates } from "./ask-certificates.ts";
import { askImage } from "./ask-image.ts";
import { askVersions, type Ask } from "./ask-versions.ts";
import { findOrigin, type PreparedBefore } from "./find-origin.ts";
import { healthOf, readLook } from "./read-look.ts";

export interface ProofRequest {
  readonly host: Pick<Host, "root" | "env" | "run" | "platform" | "now">;
  readonly vmId: string;
  /** Of one look of the packaged check a moment ago; undefined when it came to no result. */
  readonly record: LookRecord | undefined;
  readonly ask: Ask;
  /** Version of the check that gave the verdict. */
  readonly checkVersion?: string;
  readonly prepared: PreparedBefore | undefined;
  readonly signal: AbortSignal;
}

const kubeletPort = 10_248;
const sentinels = {
  linux: "/run/cluster-api/bootstrap-success.complete",
  windows: "C:\\run\\cluster-api\\bootstrap-success.complete",
} as const;

/** What can be said of this node now: read-only, each question bounded, none of them judged. */
export async function collectProof(request: ProofRequest): Promise<ProofMessage> {
  const { host, vmId, record, ask, checkVersion, prepared, signal } = request;
  const now = host.now();
  const system = host.platform.name;
  const { health, ...seen } = readLook(record, sentinels[system], now);
  const [versions, certificates, image, origin, askedHealth] = await Promise.all([
    askVersions(host, ask),
    askCertificates(system, ask),
    askImage(host, signal),
    findOrigin(system, prepared, ask),
    health ?? askHealth(ask),
  ]);
  const { kubelet, ...others } = versions;
  return {
    schemaVersion: 1,
    verifiedAt: now.toISOString(),
    vmId,
    ...seen,
    certificates,
    kubelet: { health: askedHealth, ...(kubelet === undefined ? {} : { version: kubelet }) },
    versions: { handler: handlerVersion, ...(checkVersion === undefined ? {} : { check: checkVersion }), ...others },
    ...(image === undefined ? {} : { image }),
    origin,
  };
}

async function askHealth(ask: Ask): Promise<ProofMessage["kubelet"]["health"]> {
  const answer = (await ask({ ask: "healthz", port: kubeletPort })) as Answer<"healthz">;
  return answer.kind === "known" ? healthOf(answer.value) : "no-answer";
}
