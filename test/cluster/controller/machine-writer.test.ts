import { describe, expect, test } from "@jest/globals";
import { createMachineWriter } from "../../../cluster/controller/machine-writer.ts";
import { KubeError } from "../../../cluster/kube/kube-error.ts";
import type { Writer, Writing } from "../../../cluster/kube/write.ts";
import type { KnownMachine } from "../../../cluster/objects/objects.ts";
import { readMachine } from "../../../cluster/objects/read-objects.ts";
import { machineObject } from "../../../scripts/dev/start/cluster-objects.ts";

const condition = {
  type: "bootstrap.capz.io/BootstrapSucceeded",
  status: "False",
  reason: "DnsResolutionFailed",
  message: "m",
  lastTransitionTime: "2026-11-22T10:00:00Z",
} as const;

function known(): KnownMachine {
  const object = machineObject({ cluster: "c1", name: "md-0-a" });
  const machine = readMachine({ ...object, metadata: { ...(object["metadata"] as object), resourceVersion: "7" } });
  if (machine === undefined) throw new Error("a Machine can be read");
  return machine;
}

/** Answers every write with `answer`, and keeps what was written. */
function recording(answer: unknown) {
  const written: Writing[] = [];
  const take = (writing: Writing): Promise<unknown> => {
    written.push(writing);
    return answer instanceof KubeError ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const writer: Writer = {
    apply: take,
    merge: take,
    create: () => Promise.resolve(true),
    remove: () => Promise.resolve(true),
  };
  return { writer, written };
}

const resource = (version: string) => ({ group: "cluster.x-k8s.io", version, plural: "machines", kind: "Machine" });
const answered = (resourceVersion: string, status: unknown) => ({ metadata: { resourceVersion }, status });

describe("createMachineWriter", () => {
  test.each<[string, object]>([
    ["v1beta2", { conditions: [condition] }],
    ["v1beta1", { v1beta2: { conditions: [condition] } }],
  ])(
    "applies conditions of %s where they are a map, bound to the version that they were made from",
    async (version, status) => {
      const { writer, written } = recording(answered("8", status));
      expect(await createMachineWriter(writer, resource(version)).applyConditions(known(), [condition])).toBe(
        "written",
      );
      expect(written[0]).toMatchObject({ subresource: "status", place: { namespace: "default", name: "md-0-a" } });
      expect(written[0]?.body).toEqual({
        apiVersion: `cluster.x-k8s.io/${version}`,
        kind: "Machine",
        metadata: { name: "md-0-a", namespace: "default", resourceVersion: "7" },
        status,
      });
    },
  );

  test("tells a write that changed nothing from one that did", async () => {
    const { writer } = recording(answered("7", { conditions: [condition] }));
    const machines = createMachineWriter(writer, resource("v1beta2"));
    expect(await machines.applyConditions(known(), [condition])).toBe("unchanged");
    expect(await machines.annotate(known(), true)).toBe(false);
  });

  test.each<[string, unknown]>([
    ["drops the field without a word", answered("7", {})],
    ["has no status at all", answered("7", undefined)],
    ["refuses the field", new KubeError("field not declared in schema", { status: 400 })],
  ])("writes no condition any more where a Cluster API before 1.9 %s", async (_, answer) => {
    const { writer, written } = recording(answer);
    const machines = createMachineWriter(writer, resource("v1beta1"));
    expect(await machines.applyConditions(known(), [condition])).toBe("no-place");
    expect(await machines.applyConditions(known(), [condition])).toBe("no-place");
    expect(written).toHaveLength(1);
  });

  test("binds the annotation to the version that it was made from, and writes nothing but it", async () => {
    const { writer, written } = recording(answered("8", {}));
    const machines = createMachineWriter(writer, resource("v1beta2"));
    expect([await machines.annotate(known(), true), await machines.annotate(known(), false)]).toEqual([true, true]);
    const key = "cluster.x-k8s.io/remediate-machine";
    expect(written.map(({ body }) => body)).toEqual([
      { metadata: { resourceVersion: "7", annotations: { [key]: "capz-bootstrap-cluster" } } },
      { metadata: { resourceVersion: "7", annotations: { [key]: null } } },
    ]);
  });
});
