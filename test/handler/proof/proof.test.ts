import { describe, expect, test } from "@jest/globals";
import type { ProofMessage } from "../../../handler/contract/verdict-substatus.ts";
import { certificatePaths } from "../../../handler/proof/ask-certificates.ts";
import { askImage, imageOf } from "../../../handler/proof/ask-image.ts";
import { findOrigin } from "../../../handler/proof/find-origin.ts";
import { proofWords } from "../../../handler/proof/proof-words.ts";
import { readLook } from "../../../handler/proof/read-look.ts";
import type { LookRecord, Observation } from "../../../scripts/check/look.ts";
import { layoutsOf } from "../../../scripts/check/node-layouts.ts";
import type { Answer, Question } from "../../../scripts/check/questions.ts";
import { startHttpServer, ok } from "../../support/http-server.ts";
import { cloneProof } from "../../support/verdict-samples.ts";

const now = new Date("2026-01-31T12:00:00Z");
const usual = "/run/cluster-api/bootstrap-success.complete";

test("the certificates that a proof names are those by which the check proves a node", () => {
  const providers = ["auto", "kubeadm", "rke2", "k3s", "k0s", "microk8s", "canonical-kubernetes"];
  const paths = providers.flatMap((name) => layoutsOf("linux", name)).map(({ certificate }) => certificate);
  expect(certificatePaths.toSorted()).toEqual([...new Set(paths)].sort());
});

describe("readLook", () => {
  const record = (observations: readonly Observation[]): LookRecord => ({
    protocol: 2,
    context: { system: "linux", provider: "auto", elapsedMs: 0, timeoutMs: 1000, memory: {} },
    observations,
    result: {
      verdict: "bootstrapped",
      stage: "bootstrapped",
      providers: [],
      running: [],
      remarks: [],
      facts: {},
      nextLookMs: 1000,
      decidedBy: ["it was there"],
      memory: {},
    },
  });
  const pathSeen = (path: string, value: Extract<Answer<"path">, { kind: "known" }>["value"]): Observation => ({
    question: { ask: "path", path },
    answer: { kind: "known", value },
  });
  const file = (modifiedMs: number) => ({ kind: "file", size: 8, modifiedMs, changedMs: modifiedMs }) as const;

  test("tells how old the sentinel is, of several places that of the one where it is", () => {
    const other = "/etc/cluster-api/bootstrap-success.complete";
    const seen = readLook(
      record([pathSeen(usual, { kind: "absent" }), pathSeen(other, file(now.getTime() - 90_000))]),
      usual,
      now,
    );
    expect(seen.sentinel).toEqual({
      path: other,
      state: "present",
      writtenAt: "2026-01-31T11:58:30.000Z",
      ageSeconds: 90,
    });
    expect(seen.check).toEqual({ says: "bootstrapped", stage: "bootstrapped", decidedBy: ["it was there"] });
  });

  test("a clock that was set back makes no negative age", () => {
    expect(readLook(record([pathSeen(usual, file(now.getTime() + 60_000))]), usual, now).sentinel).toMatchObject({
      state: "present",
      ageSeconds: 0,
    });
  });

  test("what was never asked is not told, and is not called absent", () => {
    expect(readLook(record([]), usual, now).sentinel).toEqual({ path: usual, state: "not-told" });
    expect(readLook(undefined, usual, now)).toMatchObject({ check: { says: "nothing" }, health: undefined });
  });
});

describe("findOrigin", () => {
  const answering =
    (answers: Partial<Record<Question["ask"], Answer>>) =>
    ({ ask }: Question): Promise<Answer> =>
      Promise.resolve(answers[ask] ?? { kind: "cannot-tell", why: "not asked for in this test" });
  const linux = (own: string, ...instances: string[]) =>
    findOrigin(
      "linux",
      undefined,
      answering({
        text: { kind: "known", value: { kind: "text", text: `${own}\n`, cut: false } },
        names: { kind: "known", value: { kind: "names", names: instances } },
      }),
    );
  const id = "5c0ffee0-1234-4567-89ab-0123456789ab";

  test("an instance of cloud-init's that is not this one shows another machine", async () => {
    expect(await linux(id, id)).toEqual({ kind: "no-trace" });
    expect(await linux(id, id, "1d0c0a0e-0000-4000-8000-0123456789ab")).toMatchObject({ kind: "another-machine" });
  });

  test("the same id in the other byte order is the same instance", async () => {
    expect(await linux(id, id, "e0fe0f5c-3412-6745-89ab-0123456789ab")).toEqual({ kind: "no-trace" });
  });

  test("Windows: more than one key of cloudbase-init's shows another machine", async () => {
    const windows = (subkeys: readonly string[]) =>
      findOrigin(
        "windows",
        undefined,
        answering({ registry: { kind: "known", value: { kind: "values", values: {}, subkeys } } }),
      );
    expect(await windows(["one"])).toEqual({ kind: "no-trace" });
    expect(await windows(["one", "two"])).toMatchObject({ kind: "another-machine" });
  });

  test("where nothing can be told, it claims nothing", async () => {
    expect(await findOrigin("linux", undefined, answering({}))).toEqual({ kind: "no-trace" });
  });
});

describe("the image", () => {
  test.each([
    [
      "a gallery",
      { id: "/subscriptions/s/x/galleries/g/images/i/versions/1.0.0", publisher: "" },
      "/subscriptions/s/x/galleries/g/images/i/versions/1.0.0",
    ],
    [
      "the marketplace",
      { id: "", publisher: "cncf-upstream", offer: "capi", sku: "k8s", version: "1.34.1" },
      "cncf-upstream:capi:k8s:1.34.1",
    ],
    ["nothing", {}, undefined],
  ])("of %s", (_, imageReference, expected) => {
    expect(imageOf(JSON.stringify({ storageProfile: { imageReference } }))).toBe(expected);
  });

  test("is asked with the header that the service demands, and what is no JSON is no image", async () => {
    const server = await startHttpServer();
    const { signal } = new AbortController();
    const host = { root: "/scratch", env: { CAPZ_BOOTSTRAP_METADATA_ENDPOINT: `${server.origin}/compute` } };
    try {
      server.answer("/compute", ok('{"storageProfile":{"imageReference":{"id":"/images/i"}}}'), ok("<html>"));
      expect(await askImage(host, signal)).toBe("/images/i");
      expect(await askImage(host, signal)).toBeUndefined();
      expect(server.requests.map(({ headers }) => headers["metadata"])).toEqual(["true", "true"]);
    } finally {
      await server.close();
    }
    expect(await askImage(host, signal)).toBeUndefined();
  });
});

describe("proofWords", () => {
  test("name the image without subscription and group, also where the group is called like a key", () => {
    expect(proofWords(cloneProof)).toContain("image nodes/capi-ubuntu-2404/1.34.1");
  });

  test.each<readonly [Partial<ProofMessage>, string]>([
    [{ check: { says: "failed", reason: "KubeadmFailed", decidedBy: [] } }, "the check says failed (KubeadmFailed)"],
    [
      { check: { says: "not-yet", stage: "waiting-for-sentinel", decidedBy: [] } },
      "the check says not yet (waiting for sentinel)",
    ],
    [{ check: { says: "nothing", decidedBy: [] } }, "the check could not look"],
    [{ kubelet: { health: "refused" } }, "kubelet does not run"],
    [{ sentinel: { path: usual, state: "absent" } }, "sentinel absent"],
  ])("%j", (parts, words) => {
    expect(proofWords({ ...cloneProof, ...parts })).toContain(words);
  });
});
