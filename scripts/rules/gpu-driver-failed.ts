import type { Rule } from "../../handler/diagnosis/rule.ts";

export const gpuDriverFailed = {
  kind: "failure",
  id: "gpu-driver-failed",
  cause: "gpu-driver-install-failed",
  reason: "GpuDriverInstallFailed",
  platforms: ["linux", "windows"],
  stage: "packages",
  sources: "any",
  any: [
    /(?<what>[Ff]ailed to install GPU driver|NVIDIA-SMI has failed[^\n]{0,80})/u,
    /(?<what>nvidia-modprobe: [^\n]{5,80}|modprobe: ERROR: could not insert 'nvidia[^\n]{0,80})/u,
    [
      /(?:vmssCSE|cse-agent|CustomScript|VMExtensionProvisioningError|[eE]xitCode|command terminated)/u,
      /(?<what>[eE]xit(?: status=|Code\\*": ?\\*")(?:8[4-7]|22[47])\b)/u,
    ],
    /(?<what>WINDOWS_CSE_ERROR_GPU_\w{5,60})/u,
    /(?<what>Unable to load the kernel module 'nvidia[\w-]{0,20}\.ko')/u,
    [/nvidia-installer\.log/u, /(?<what>Installation has failed)/u],
    /(?<what>NVRM: .{0,80}(?:RmInitAdapter failed|API mismatch|No NVIDIA GPU found)|Failed to initialize NVML: [^\n]{5,80}|nvml error: [^\n]{5,60})/u,
    /(?<what>Bad return status for module build on kernel: \S{3,60})/u,
  ],
  specificity: 82,
  confidence: "high",
  explains: ["cloud-init-scripts-failed", "vm-extension-failed"],
  retryable: false,
  blame: "image",
  title: "The GPU driver could not be installed or loaded",
  summary: "The GPU driver failed: {what}",
  explanation:
    "The driver does not build for the kernel, is not allowed to load, or does not answer. The bootstrap script stops there.",
  nextStep:
    "Match driver and kernel; check secure boot (AzureMachineTemplate spec.template.spec.securityProfile), or use an image with the driver (AzureMachineTemplate spec.template.spec.image)",
  references: ["https://learn.microsoft.com/azure/virtual-machines/linux/n-series-driver-setup"],
} as const satisfies Rule;
