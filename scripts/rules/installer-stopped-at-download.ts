import type { Rule } from "../../handler/diagnosis/rule.ts";

export const installerStoppedAtDownload = {
  kind: "failure",
  id: "installer-stopped-at-download",
  cause: "http-download-failed",
  reason: "HttpDownloadFailed",
  platforms: ["linux"],
  stage: "packages",
  sources: "any",
  any: [
    /\[INFO\]\s{1,3}[Dd]ownloading (?:hash|binary|checksums|tarball|images|airgap tarball)?(?: at)? ?(?<url>https?:\/\/\S{8,300})/u,
    /\[ERROR\]\s{1,3}[Dd]ownload failed/u,
  ],
  recoveredBy: [/\[INFO\]\s{1,3}(?:[Vv]erifying|[Ii]nstalling|[Uu]npacking|[Cc]reating|systemd:)/u],
  specificity: 40,
  confidence: "low",
  explains: ["cloud-init-scripts-failed"],
  retryable: true,
  blame: "network",
  title: "The installer of the distribution stopped at a download",
  summary: "The installer stopped while it downloaded {url|a file}",
  explanation:
    "The install script began a download and never came to its next step. A wrong version in the address answers 404, a closed network gives no answer.",
  nextStep:
    "Check the version and the address: the version in RKE2ControlPlane or KThreesControlPlane spec.version and that the node reaches the download address; or use an image that holds the release (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://docs.k3s.io/installation/configuration"],
} as const satisfies Rule;
