import type { Rule } from "../../handler/diagnosis/rule.ts";

/** systemd passes a line over whose quotes it does not know; what is started has no proxy then. */
export const proxySettingIgnored = {
  kind: "failure",
  id: "proxy-setting-ignored",
  cause: "proxy-misconfigured",
  reason: "ProxyMisconfigured",
  platforms: ["linux"],
  stage: "runtime",
  sources: "any",
  any: [
    /(?<unit>[\w@.-]{3,60}\.service).{0,120}Invalid environment assignment, ignoring: .{0,3}(?:HTTPS?|https?|ALL|all)_(?:PROXY|proxy)/u,
  ],
  all: [
    /i\/o timeout|DeadlineExceeded|[Dd]eadline exceeded|[Cc]onnection timed out|Client\.Timeout|network is unreachable/u,
  ],
  specificity: 84,
  confidence: "medium",
  explains: ["image-pull-timeout", "image-pull-failed", "http-download-failed", "join-timeout-unknown"],
  retryable: false,
  blame: "configuration",
  title: "systemd ignores the proxy setting of a unit, which then has no proxy",
  summary: "systemd ignores the proxy setting of {unit|a unit}, which then asks without a proxy and gets no answer",
  explanation:
    "The line of the drop-in is not an assignment to systemd, mostly because its quotes were copied from a page. The unit starts without the proxy that the network asks for.",
  nextStep:
    'Write the drop-in with plain quotes: Environment="HTTPS_PROXY=…" in KubeadmConfigTemplate spec.template.spec.files, then daemon-reload and restart the unit in preKubeadmCommands',
  references: ["https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html#Environment="],
} as const satisfies Rule;
