import { describe, expect, test } from "@jest/globals";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { conditionTypes } from "../../cluster/telling/conditions.ts";
import { rightWords, rights } from "../../scripts/dev/rights.ts";
import { readCrdSchemas } from "../support/crd-schema.ts";
import { referenceFolder } from "../support/reference-folder.ts";
import { anySchema } from "../support/schema-validator.ts";

const folder = join(import.meta.dirname, "../../manifests/management");
const read = (path: string): unknown => parse(readFileSync(join(folder, path), "utf8"));

interface Pod {
  readonly securityContext: unknown;
  readonly containers: readonly {
    readonly securityContext: unknown;
    readonly resources: { readonly requests: unknown; readonly limits: unknown };
    readonly env: readonly { readonly name: string }[];
    readonly volumeMounts: readonly { readonly readOnly: boolean }[];
  }[];
  readonly volumes: readonly unknown[];
}

describe("manifests/management", () => {
  test.each(["kustomization.yaml", "annotate/kustomization.yaml"])("%s names only what is there", (path) => {
    const { resources } = read(path) as { readonly resources: readonly string[] };
    const missing = resources.filter((name) => !existsSync(join(folder, path, "..", name)));
    expect(missing).toEqual([]);
    // kubectl refuses it as a circle.
    expect(resources.filter((name) => /^(?:\.\.?\/)*\.\.?\/?$/u.test(name))).toEqual([]);
  });

  test("the default set gives no right to write Machines but their status, and no delete on Cluster API", () => {
    const told = rightWords(rights.filter(({ role }) => role === "tell"));
    const writes = [...told].filter((right) => !/ (?:get|list|watch)$/u.test(right));
    expect(writes.filter((right) => right.includes("cluster.x-k8s.io"))).toEqual([
      "cluster.x-k8s.io/machines/status patch",
    ]);
    expect([...rightWords()].filter((right) => right.includes("cluster.x-k8s.io") && right.endsWith("delete"))).toEqual(
      [],
    );
    expect(JSON.stringify(read("kustomization.yaml"))).not.toContain("annotate");
  });

  test("the role in Azure only reads", () => {
    const { Actions } = JSON.parse(readFileSync(join(folder, "azure/role.json"), "utf8")) as {
      readonly Actions: readonly string[];
    };
    expect(Actions.filter((action) => !action.endsWith("/read"))).toEqual([]);
  });

  test("the Pod fits the restricted profile, has a read-only root and limits, and one replica at a time", () => {
    const { spec } = read("manager/deployment.yaml") as {
      readonly spec: {
        readonly replicas: number;
        readonly strategy: unknown;
        readonly template: { readonly spec: Pod };
      };
    };
    const pod = spec.template.spec;
    expect([spec.replicas, spec.strategy]).toEqual([1, { type: "Recreate" }]);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(pod.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod.containers[0]?.resources).toMatchObject({
      requests: { memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
    expect(pod.containers[0]?.volumeMounts.every(({ readOnly }) => readOnly)).toBe(true);
    expect(pod.containers[0]?.env.map(({ name }) => name)).toEqual([
      "AZURE_CLIENT_ID",
      "AZURE_TENANT_ID",
      "AZURE_FEDERATED_TOKEN_FILE",
    ]);
  });

  test("the image stands on a base that is pinned by digest, and does not run as root", () => {
    const text = readFileSync(join(folder, "Dockerfile"), "utf8");
    expect(text).toMatch(/^FROM \S+@sha256:[0-9a-f]{64}$/mu);
    expect(text).toMatch(/^USER 65532:65532$/mu);
  });

  const samples = readdirSync(join(folder, "samples"));
  test.each(samples)("%s heals by the mark, never by the verdict alone", (name) => {
    const text = readFileSync(join(folder, "samples", name), "utf8");
    expect(text).toContain(conditionTypes.remediation);
    expect(text).not.toContain(`type: ${conditionTypes.succeeded}`);
  });

  const reference = referenceFolder();
  const whereReferenceIs = reference === undefined ? test.skip : test;
  whereReferenceIs("every sample fits the definitions of Cluster API", () => {
    const schemas = readCrdSchemas(join(reference ?? "", "crds", "capi"));
    for (const name of samples) {
      for (const document of parseAllDocuments(readFileSync(join(folder, "samples", name), "utf8"))) {
        const body = document.toJS() as { readonly apiVersion: string; readonly kind: string };
        if (!body.apiVersion.startsWith("cluster.x-k8s.io/")) continue;
        const found = schemas.get(`${body.apiVersion}/${body.kind}`);
        expect([name, found === undefined ? "no definition" : anySchema(found)(body)]).toEqual([name, []]);
      }
    }
  });
});
