/** What one provider's evidence comes to. Only "bootstrapped" and "failed" are final. */
export type Judgement =
  | { readonly kind: "bootstrapped"; readonly because: readonly string[]; readonly remarks: readonly string[] }
  | { readonly kind: "waiting"; readonly stage: string; readonly message?: string }
  | { readonly kind: "failed"; readonly reason: Reason; readonly message: string; readonly because: readonly string[] };

/** The reasons that the check itself gives; a program on the machine may report others (failure-report.ts). */
export const reasons = [
  "CloudInitFailed",
  "CloudbaseInitFailed",
  "KubeadmFailed",
  "KubeletFailed",
  "BootstrapInterrupted",
  "NoBootstrapData",
  "ForeignNodeIdentity",
  "NodeCertificateExpired",
  "BootstrapServiceFailed",
  "BootstrapServiceNotStarted",
  "BootstrapReportedFailed",
] as const;

export type Reason = (typeof reasons)[number];

export function bootstrapped(because: readonly string[], remarks: readonly string[] = []): Judgement {
  return { kind: "bootstrapped", because, remarks };
}

export function waiting(stage: string, message?: string): Judgement {
  return { kind: "waiting", stage, ...(message !== undefined && message !== "" && { message }) };
}

/** A failure for good. `message` names what was seen; it is also what decided, unless `because` tells it in more words. */
export function failed(reason: Reason, message: string, because: readonly string[] = [message]): Judgement {
  return { kind: "failed", reason, message, because };
}
