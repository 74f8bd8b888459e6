import { expect, test } from "@jest/globals";
import { namesFirstExtension } from "../../../../handler/operations/people/first-extension.ts";
import { findSettings } from "../../../../handler/operations/people/find-settings.ts";

const entry = { name: "CAPZ.Linux.Bootstrapping", publisher: "Example.ClusterApi", version: "2.0", settings: {} };

test.each([
  ["Microsoft's publisher", { publisher: "Microsoft.Azure.ContainerUpstream" }],
  ["version 1.0", { version: "1.0" }],
  ["version 1.1, as for Arm64", { version: "1.1" }],
  ["version 1.1.1 of ARM", { version: undefined, typeHandlerVersion: "1.1.1" }],
])("%s under CAPZ's names is CAPZ's first extension", (_, change) => {
  expect(namesFirstExtension({ ...entry, ...change })).toBe(true);
});

test.each([
  ["this extension", {}],
  ["version 10.0 of it", { version: "10.0" }],
  ["version 1.0 of another extension", { name: "CustomScript", version: "1.0" }],
])("%s is not", (_, change) => {
  expect(namesFirstExtension({ ...entry, ...change })).toBe(false);
});

test("it is seen in CAPZ's YAML and in an ARM resource", () => {
  const capz = { kind: "AzureMachine", apiVersion: "v1", spec: { vmExtensions: [{ ...entry, version: "1.0" }] } };
  const properties = { publisher: "Microsoft.Azure.ContainerUpstream", type: "CAPZ.Linux.Bootstrapping", settings: {} };
  for (const document of [capz, { name: "vm/x", properties }])
    expect(findSettings(document).map(({ isFirstExtension }) => isFirstExtension)).toEqual([true]);
});
