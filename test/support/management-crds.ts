import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { withoutConversion } from "./api-server.ts";
import { projectFolder } from "./node-root.ts";
import { referenceFolder } from "./reference-folder.ts";

type Schema = Readonly<Record<string, unknown>>;
interface Parts {
  readonly kinds: readonly { readonly group: string; readonly plural: string; readonly kind: string }[];
  readonly conditions: Schema;
  readonly atomicConditions: Schema;
  readonly capzConditions: Schema;
}

/** `new`: Cluster API 1.11 and later. `old`: 1.9 and 1.10, which have only v1beta1. `oldest`: before 1.9. */
export type ClusterApiAge = "new" | "old" | "oldest";

/** Our own definitions of what the management side reads and writes. */
export function ownCrds(age: ClusterApiAge = "new"): readonly unknown[] {
  const parts = parse(readFileSync(join(projectFolder, "test/schemas/management-crds.yaml"), "utf8")) as Parts;
  return parts.kinds.map(({ group, plural, kind }) => {
    const isCapz = group.startsWith("infrastructure");
    const version = isCapz || age !== "new" ? "v1beta1" : "v1beta2";
    return crd({ group, plural, kind, version, status: statusOf(parts, isCapz ? "capz" : age) });
  });
}

/** The originals where they are found, those of version 1.10 where they are asked for. */
export function referenceCrds(age: "new" | "old" = "new"): readonly unknown[] | undefined {
  const folder = referenceFolder();
  if (folder === undefined) return undefined;
  const read = (part: string) =>
    readdirSync(join(folder, "crds", part)).map((name) => ({
      name,
      crd: withoutConversion(readFileSync(join(folder, "crds", part, name), "utf8")),
    }));
  if (age === "new") return [...read("capi"), ...read("capz")].map(({ crd }) => crd);
  // Of the old version only three kinds are at hand; the others are ours, so that no kind brings the new version along.
  const older = [...read("capi-v1.10"), ...read("capz")];
  const there = new Set(older.map(({ name }) => name.slice(name.lastIndexOf("_") + 1, -".yaml".length)));
  const rest = ownCrds("old").filter(
    (crd) => ![...there].some((plural) => JSON.stringify(crd).includes(`"plural":"${plural}"`)),
  );
  return [...older.map(({ crd }) => crd), ...rest];
}

/** Our custom resource, and Events, which this API server has not by itself. */
export function companionCrds(): readonly unknown[] {
  const event = crd({ group: "events.k8s.io", plural: "events", kind: "Event", version: "v1", status: {} });
  return [parse(readFileSync(join(projectFolder, "manifests/management/crd/bootstrapverdicts.yaml"), "utf8")), event];
}

function statusOf(parts: Parts, age: ClusterApiAge | "capz"): Schema {
  const open = { "x-kubernetes-preserve-unknown-fields": true };
  switch (age) {
    case "capz":
      return { ...open, properties: { conditions: parts.capzConditions } };
    case "new":
      return { ...open, properties: { conditions: parts.conditions } };
    case "old":
      return {
        ...open,
        properties: {
          conditions: parts.atomicConditions,
          v1beta2: { type: "object", properties: { conditions: parts.conditions } },
        },
      };
    case "oldest":
      return { properties: { conditions: parts.atomicConditions, nodeRef: { type: "object", ...open } } };
  }
}

function crd({
  group,
  plural,
  kind,
  version,
  status,
}: Parts["kinds"][number] & { readonly version: string; readonly status: Schema }): unknown {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const properties = {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec: open,
    status: { type: "object", ...status },
  };
  const isEvent = kind === "Event";
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${group}`,
      annotations:
        group.endsWith(".k8s.io") && !group.includes("x-k8s")
          ? { "api-approved.kubernetes.io": "unapproved, test only" }
          : {},
    },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(isEvent ? {} : { subresources: { status: {} } }),
          schema: { openAPIV3Schema: isEvent ? open : { type: "object", properties } },
        },
      ],
    },
  };
}
