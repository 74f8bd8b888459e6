import type { Rule } from "../../handler/diagnosis/rule.ts";

export const diskSetupFailed = {
  kind: "failure",
  id: "disk-setup-failed",
  cause: "disk-mount-failed",
  reason: "DiskMountFailed",
  platforms: ["linux"],
  stage: "cloud-init",
  sources: "any",
  any: [
    /(?<what>Failed partitioning operation|Failed during filesystem operation)/u,
    /(?<what>ephemeral device \S{0,80} did not appear|Device \S{1,80} did not exist)/u,
    [
      /cc_(?:disk_setup|mounts)|disk_setup|mount -a|mount:/u,
      /(?<what>failed to (?:partition|format|mount)|wrong fs type|special device \S{1,80} does not exist|can't find in|mount point does not exist|unknown filesystem type)/iu,
    ],
    /(?<what>Dependency failed for \/[\w/-]{1,80}|Failed to mount \/[\w/-]{1,80})/u,
    /(?<what>Activating mounts via .{3,30} failed|Activate mounts: FAIL)/u,
    /Timed out waiting for device (?<what>\/dev\/[\w/-]{1,80})/u,
  ],
  // Growing the root file system tries devices that some machines have not: said at debug level, and harmless.
  // What depends on the disk is told as well when another unit failed before it.
  // The kernel's own file systems stand on no disk.
  except: [
    // There is no swap, or no temporary disk of Azure's.
    /Dependency failed for (?:Swaps?|\/mnt)\b(?!\/)|\.swap\b|imed out waiting [^\n]{0,60}azure_resource|mount: \/mnt: [^\n]{0,40}azure_resource|\bmnt\.mount: Job mnt\.mount\//u,
    /^\[?DEPEND\]? /u,
    /(?:mount|onto|on) \W{0,3}(?:cgroup2?|\/sys|\/proc|\/dev\/(?:mqueue|hugepages|pts|shm|console))\b/iu,
    /cc_(?:resizefs|growpart)\.py/u,
    /\brelabel/u,
    /filesystem type '(?:overlay|aufs|bpf|cgroup2?|squashfs)'/u,
    /\bsnapd?\b/u,
    // A folder of the host, which Vagrant shares by itself once the machine is up.
    /\/vagrant/u,
    /\bdvd\b|\/dev\/sr\d|provisioning media/iu,
  ],
  specificity: 78,
  confidence: "high",
  retryable: false,
  blame: "configuration",
  title: "A data, temporary or etcd disk could not be prepared",
  summary: "A disk could not be partitioned, formatted or mounted ({what|see the evidence})",
  explanation:
    "The bootstrap data asks for a disk, and the step failed: the disk is not attached under that name, the VM size has none, or it carries something else.",
  nextStep:
    "Check the disk definitions: KubeadmConfigTemplate spec.template.spec.diskSetup and mounts against AzureMachineTemplate spec.template.spec.dataDisks (lun, nameSuffix) and the VM size",
  references: ["https://cloudinit.readthedocs.io/en/latest/reference/modules.html#disk-setup"],
} as const satisfies Rule;
