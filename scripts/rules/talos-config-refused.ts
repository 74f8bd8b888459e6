import type { Rule } from "../../handler/diagnosis/rule.ts";

export const talosConfigRefused = {
  kind: "failure",
  id: "talos-config-refused",
  cause: "machine-config-invalid",
  reason: "MachineConfigInvalid",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [
    /(?<what>unknown keys found during decoding)/u,
    [/talos|rpc error|AcquireController/u, /(?<what>failed to parse config(?:uration)?[^\n"]{0,100})/u],
    [
      /AcquireController/u,
      /(?<what>decode error[^\n"]{0,80}|expected a mapping node|invalid machine configuration[^\n"]{0,80}|failed to validate config[^\n"]{0,80}|yaml: [^\n"]{5,80})/u,
    ],
    /(?<what>configuration validation failed[^\n"]{0,100})/u,
  ],
  specificity: 86,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "The machine configuration is refused",
  summary: "The machine configuration is not valid: {what}",
  explanation:
    "Talos (or another system driven by an API) does not accept its configuration: a field is unknown or a value is not allowed.",
  nextStep: "Run talosctl validate; correct the TalosConfigTemplate or its patches for the version of the image",
  references: ["https://www.talos.dev/latest/reference/configuration/"],
} as const satisfies Rule;
