import type { Rule } from "../../handler/diagnosis/rule.ts";

/** How kOps' nodeup, OpenShift's daemon for machines and its installer say that they are through, whatever they had to ask again. */
export const successInstallerEnded = {
  kind: "success",
  id: "success-installer-ended",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [
    /\bTasks: (?<done>[1-9]\d{0,3}) done \/ \k<done> total/u,
    /initiating reboot: Completing firstboot provisioning/u,
    /"Install complete!\\*"/u,
    /"API v1\.\S{2,20} up\\*"/u,
  ],
  title: "The installer of the distribution came to its end",
  covers: [],
  settles: [
    "dns-resolution-failed",
    "api-server-unreachable",
    "http-download-failed",
    "apt-lock-held",
    "image-pull-timeout",
  ],
  final: false,
} as const satisfies Rule;
