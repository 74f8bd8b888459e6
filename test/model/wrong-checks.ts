import type { LookResult } from "../../scripts/check/look.ts";
import { ask, type Check } from "../support/drive-look.ts";

/** Checks that are wrong on purpose: a model that does not catch them judges nothing. */
const result = (verdict: LookResult["verdict"]): LookResult => ({
  verdict,
  stage: "unknown",
  ...(verdict === "failed" ? { reason: "KubeadmFailed", message: "It failed." } : {}),
  providers: [],
  running: [],
  remarks: [],
  facts: {},
  nextLookMs: 1_000,
  decidedBy: [],
  memory: {},
});

export const alwaysBootstrapped: Check = function* () {
  yield* ask({ ask: "time" });
  return result("bootstrapped");
};

export const alwaysFailed: Check = function* () {
  yield* ask({ ask: "time" });
  return result("failed");
};

export const neverDecides: Check = function* () {
  yield* ask({ ask: "time" });
  return result("not-yet");
};

/** What the published extension does. */
export const onlySentinel: Check = function* ({ system }) {
  const path =
    system === "windows"
      ? "C:\\run\\cluster-api\\bootstrap-success.complete"
      : "/run/cluster-api/bootstrap-success.complete";
  const seen = yield* ask({ ask: "path", path });
  return result(seen.kind === "known" && seen.value.kind === "file" ? "bootstrapped" : "not-yet");
};

/** The sentinel, and cloud-init's errors: the first thought of everybody. */
export const sentinelOrErrors: Check = function* (context) {
  const bySentinel = yield* onlySentinel(context);
  if (bySentinel.verdict === "bootstrapped") return bySentinel;
  const text = yield* ask({ ask: "text", path: "/run/cloud-init/result.json" });
  const failed = text.kind === "known" && text.value.kind === "text" && !text.value.text.includes('"errors": []');
  return result(failed ? "failed" : "not-yet");
};
