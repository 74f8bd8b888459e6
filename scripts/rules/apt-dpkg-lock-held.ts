import type { Rule } from "../../handler/diagnosis/rule.ts";

export const aptDpkgLockHeld = {
  kind: "failure",
  id: "apt-dpkg-lock-held",
  cause: "apt-lock-held",
  reason: "AptLockHeld",
  platforms: ["linux"],
  stage: "packages",
  sources: "any",
  any: [
    /E: Could not get lock (?<lock>\/var\/\S{4,80}?)[.\s]/u,
    /E: Unable to (?:acquire the dpkg frontend lock|lock (?:the administration )?directory)(?: \(?(?<lock>\/var\/[^\s,)]{4,80}))?/u,
    // apt in the machine's language, by the error's number or by who holds the lock.
    /(?<lock>\/var\/(?:lib|cache)\/(?:dpkg|apt)[\w/.-]{0,40}\/lock(?:-frontend)?)\b[^\n]{0,60}\(11: /u,
    /(?<lock>\/var\/(?:lib|cache)\/(?:dpkg|apt)[\w/.-]{0,40}\/lock(?:-frontend)?)\b[^\n]{0,80}\((?:unattended-upgr|apt|apt-get|aptd|dpkg|packagekitd)\)/u,
    /dpkg: error: dpkg frontend (?:lock )?(?:was|is) locked by another process/u,
    /System management is locked by the application with pid \d{1,8}/u,
    /Existing lock \S{4,80}: another copy is running as pid/u,
  ],
  // Who waits for it, and has not waited for minutes.
  except: [/Waiting for cache lock: [^\n]{1,400}\.{3} ?(?:\d{1,2}|1[01]\d)s$/u],
  recoveredBy: [
    /Setting up (?:kubeadm|kubelet|containerd|cri-o|docker)/u,
    // yum waits as long as it takes, and goes on with these.
    /^(?:Resolving Dependencies|--> Running transaction check|(?: --> |---> Package )\S|Nothing to do$|Complete!$|No packages? (?:marked|needed))/u,
  ],
  specificity: 82,
  confidence: "high",
  explains: ["cloud-init-scripts-failed", "package-not-found", "preflight-binary-missing", "vm-extension-failed"],
  retryable: true,
  blame: "image",
  title: "Another package process holds the apt or dpkg lock",
  summary: "The lock {lock|of the package system} is held by another process",
  explanation:
    "apt-get gives up because unattended-upgrades or another apt process holds the lock. The packages are not installed.",
  nextStep:
    "Let apt-get wait for the lock: -o DPkg::Lock::Timeout=300 in KubeadmConfigTemplate spec.template.spec.preKubeadmCommands, or switch unattended-upgrades off in the image (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://manpages.ubuntu.com/manpages/jammy/man8/apt-get.8.html"],
} as const satisfies Rule;
