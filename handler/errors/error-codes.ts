/**
 * The whole vocabulary of numeric codes that the handler itself can report (status code and ErrorClarification).
 * Sign rule (Azure's compute provider): > 0 is the user's or the cluster's side, < 0 is ours or the platform's, 0 is success.
 * Numbers are never reused; test/handler/errors/error-codes.test.ts keeps the golden list. Documented in docs/codes.md (generated).
 */
export interface ErrorCode {
  readonly number: number;
  /** CamelCase, stable; stands in parentheses in the first line of the status. */
  readonly reason: string;
  readonly title: string;
  /** What to do next, when the place that fails knows nothing better. */
  readonly hint: string;
}

export const errorCodes = {
  commandFailed: {
    number: 2,
    reason: "CommandFailed",
    title: "The check command exited with an error",
    hint: "Read the command's output below and correct what it names",
  },
  commandNotStarted: {
    number: 1,
    reason: "CommandNotStarted",
    title: "The check command could not be started",
    hint: "Check that the interpreter and the working folder exist on the image",
  },
  bootstrapFailed: {
    number: 10,
    reason: "BootstrapFailed",
    title: "The node failed to bootstrap",
    hint: "Read the diagnosis below",
  },
  deadlineExceeded: {
    number: 11,
    reason: "DeadlineExceeded",
    title: "The node had not bootstrapped when the deadline ran out",
    hint: "Read the stages below; raise timeoutSeconds only if the node was making progress",
  },
  bootstrapFailedByPlatform: {
    number: -20,
    reason: "BootstrapFailedByPlatform",
    title: "The node failed to bootstrap, and the cause lies with Azure",
    hint: "Read the diagnosis below",
  },
  deadlineExceededByPlatform: {
    number: -21,
    reason: "DeadlineExceededByPlatform",
    title: "The deadline ran out, and the cause lies with Azure",
    hint: "Read the diagnosis below",
  },
  settingsInvalid: {
    number: 21,
    reason: "SettingsInvalid",
    title: "The settings are not valid",
    hint: "Correct the named fields and apply the extension again",
  },
  settingsUnreadable: {
    number: 22,
    reason: "SettingsUnreadable",
    title: "The settings file cannot be read",
    hint: "Apply the extension again with a new forceUpdateTag",
  },
  commandMissing: {
    number: 23,
    reason: "CommandMissing",
    title: "The settings name files but no command",
    hint: "Set commandToExecute or script, or remove fileUris",
  },
  protectedSettingsUndecryptable: {
    number: 24,
    reason: "ProtectedSettingsUndecryptable",
    title: "The protected settings cannot be decrypted",
    hint: "Apply the extension again so that Azure encrypts the settings with the machine's present certificate",
  },
  scriptInvalid: {
    number: 25,
    reason: "ScriptInvalid",
    title: "The setting script cannot be decoded",
    hint: "Encode the script as base64 (optionally gzip first) within the size limit",
  },
  downloadDenied: {
    number: 52,
    reason: "DownloadDenied",
    title: "A download was refused",
    hint: "Check the SAS token's expiry and permissions, or the managed identity's role on the storage account",
  },
  downloadNotFound: {
    number: 53,
    reason: "DownloadNotFound",
    title: "A download does not exist at that address",
    hint: "Correct the URL",
  },
  downloadFailed: {
    number: 54,
    reason: "DownloadFailed",
    title: "A download failed",
    hint: "Check that the node can reach the address, and its proxy and firewall rules",
  },
  downloadTimedOut: {
    number: 56,
    reason: "DownloadTimedOut",
    title: "A download did not finish in time",
    hint: "Check that the node can reach the address, and its proxy and firewall rules",
  },
  downloadTooLarge: {
    number: 57,
    reason: "DownloadTooLarge",
    title: "A download is larger than allowed",
    hint: "Publish a smaller file",
  },
  downloadUrlInvalid: {
    number: 58,
    reason: "DownloadUrlInvalid",
    title: "A download address is not usable",
    hint: "Use an https URL that ends in a file name",
  },
  checkUntrusted: {
    number: 60,
    reason: "CheckUntrusted",
    title: "The check bundle is not the expected one",
    hint: "Correct checkSha256, or publish the bundle with a signature of a trusted key",
  },
  checkUnavailable: {
    number: 61,
    reason: "CheckUnavailable",
    title: "The required check bundle cannot be had",
    hint: "Set checkBaseUris to an address that the node reaches and where the bundle lies, or set checkRequired to false",
  },
  checkIncompatible: {
    number: 62,
    reason: "CheckIncompatible",
    title: "The check bundle needs a newer handler",
    hint: "Update the extension, or choose an older checkVersion",
  },
  identityNotFound: {
    number: 70,
    reason: "ManagedIdentityNotFound",
    title: "The machine has no such managed identity",
    hint: "Assign the identity to the machine, or correct managedIdentity",
  },
  identityDenied: {
    number: 71,
    reason: "ManagedIdentityDenied",
    title: "The managed identity has no access",
    hint: "Give the identity the role Storage Blob Data Reader on the container",
  },
  identityFailed: {
    number: 72,
    reason: "ManagedIdentityFailed",
    title: "The identity endpoint gave no token",
    hint: "Check that the node reaches 169.254.169.254 directly, not through a proxy",
  },
  environmentUnreadable: {
    number: -10,
    reason: "HandlerEnvironmentUnreadable",
    title: "The guest agent's HandlerEnvironment.json cannot be read",
    hint: "Restart the guest agent; it rewrites the file at start",
  },
  sequenceUnknown: {
    number: -11,
    reason: "SequenceNumberUnknown",
    title: "The sequence number of the settings is not known",
    hint: "Restart the guest agent so that it calls the handler again",
  },
  stateUnwritable: {
    number: -12,
    reason: "StateUnwritable",
    title: "The handler cannot write its state",
    hint: "Free space on the disk that holds the named folder and make it writable",
  },
  interrupted: {
    number: -13,
    reason: "Interrupted",
    title: "The handler was stopped before it had a verdict",
    hint: "Nothing, if the machine was shut down on purpose; the handler resumes at the next start",
  },
  platformUnsupported: {
    number: 26,
    reason: "PlatformUnsupported",
    title: "This operating system or processor is not supported",
    hint: "Use Linux on x64 or arm64, or Windows on x64",
  },
  checkOutputInvalid: {
    number: -15,
    reason: "CheckOutputInvalid",
    title: "The check wrote something that is not its protocol",
    hint: "Report this with the handler log; a provider's own check must follow docs/check-protocol.md",
  },
  internal: {
    number: -9,
    reason: "InternalError",
    title: "The handler failed unexpectedly",
    hint: "Attach the handler log to a bug report",
  },
} as const satisfies Record<string, ErrorCode>;

export type ErrorId = keyof typeof errorCodes;
