/** What Azure itself says when it is not our extension that failed; seen in the same conditions and activity logs. */
interface AzureError {
  readonly code: string;
  /** Where the code alone says nothing: what must stand beside it. */
  readonly words?: string;
  readonly summary: string;
  readonly nextStep: string;
}

const azureErrors: readonly AzureError[] = [
  {
    code: "OSProvisioningClientError",
    summary: "Azure could not finish the first setup of the operating system, so the bootstrap never began",
    nextStep: "Check that the image was generalised, and read the boot diagnostics of the machine",
  },
  {
    code: "OSProvisioningTimedOut",
    summary: "The first setup of the operating system did not finish in time, so the bootstrap never began",
    nextStep: "Read the boot diagnostics of the machine: it may not boot, or its agent or network may be broken",
  },
  {
    code: "OSProvisioningInternalError",
    summary: "Azure failed internally during the first setup of the operating system, so the bootstrap never began",
    nextStep: "Create the machine again; if it happens again, ask Azure support with the correlation id",
  },
  {
    code: "VMExtensionProvisioningTimeout",
    summary: "An extension did not report in the time that Azure gives it (90 minutes unless set otherwise)",
    nextStep: "Look at the instance view: which extension is not final, and is the guest agent ready",
  },
  {
    code: "VMExtensionHandlerNonTransientError",
    summary: "The guest agent could not download, install or start an extension",
    nextStep:
      "Check that publisher, type and version exist in this region and cloud, and that the node reaches Azure storage",
  },
  {
    code: "ArtifactNotFound",
    summary: "Azure knows no extension of this publisher, type or version in this region and cloud",
    nextStep:
      "Compare publisher, name and version with what was published: az vm extension image list --location REGION --publisher PUBLISHER --output table",
  },
  {
    code: "BadRequest",
    words: "Multiple VMExtensions per handler not supported",
    summary: "The machine has this extension already, under another resource name; one machine takes a type once",
    nextStep:
      "Remove one of the two: vmExtensions of the AzureMachineTemplate, or CAPZ's own one (disableVMBootstrapExtension: true)",
  },
  {
    code: "VMAgentStatusCommunicationError",
    summary: "The guest agent on the machine does not report to Azure, so nothing is known of the bootstrap",
    nextStep: "Check that the agent runs and that 168.63.129.16 is reachable from the machine, ports 80 and 32526",
  },
  {
    code: "OperationNotAllowed",
    summary: "Azure refused the operation, most often because a quota is used up",
    nextStep: "Read the rest of the message; ask for more quota or choose another size or region",
  },
  {
    code: "RequestDisallowedByPolicy",
    summary: "A policy of the subscription forbids the resource or the extension",
    nextStep:
      "Have the policy that the message names allow it; a policy of approved extensions lists them as publisher and type (Example.ClusterApi.CAPZ.Linux.Bootstrapping)",
  },
  {
    code: "GalleryImageNotFound",
    summary: "The image version is not there in this region, so the machine was never made",
    nextStep:
      "Have the version replicated to the region, or name another one: AzureMachineTemplate spec.template.spec.image",
  },
  {
    code: "PlatformImageNotFound",
    summary: "Azure has no such image in this region, so the machine was never made",
    nextStep: "Compare publisher, offer, sku and version: az vm image list --all --publisher PUBLISHER --output table",
  },
  {
    code: "TooManyRequests",
    words: "is being throttled",
    summary: "Azure refuses to answer for now: too many requests of this subscription. Nothing is known of the machine",
    nextStep: "Wait five minutes and ask again; look what asks so often (az monitor activity-log list --offset 1h)",
  },
  {
    code: "SkuNotAvailable",
    summary: "Azure has no such machine size in this region or zone",
    nextStep: "Choose another size, zone or region",
  },
  {
    code: "ZonalAllocationFailed",
    summary: "Azure has no room for a machine of this size in this zone now",
    nextStep: "Try again later, or choose another zone or size",
  },
  {
    code: "AllocationFailed",
    summary: "Azure has no room for a machine of this size now",
    nextStep: "Try again later, or choose another size or region",
  },
];

/** The first of Azure's own error codes that the text names. */
export function findAzureError(text: string): AzureError | undefined {
  return azureErrors.find(({ code, words = code }) => text.includes(words));
}

/** The text of the Custom Script family, which CAPZ's own extension is built from: it ran, and says nothing more. */
export function isPlainScriptFailure(text: string): boolean {
  const marks = [
    "failed to execute command",
    "command terminated with exit status=",
    "Script exited with code",
    "non-zero exit code of:",
  ];
  return marks.some((mark) => text.includes(mark));
}
