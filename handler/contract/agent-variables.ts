/** Environment variables that the guest agent sets for a handler command (WALinuxAgent: ga/exthandlers, ExtCommandEnvVariable). */
export const agentVariables = {
  sequenceNumber: "ConfigSequenceNumber",
  /** Only for handlers with several extensions (multi-config). */
  extensionName: "ConfigExtensionName",
  handlerFolder: "AZURE_GUEST_AGENT_EXTENSION_PATH",
  handlerVersion: "AZURE_GUEST_AGENT_EXTENSION_VERSION",
  wireServer: "AZURE_GUEST_AGENT_WIRE_PROTOCOL_ADDRESS",
  supportedFeatures: "AZURE_GUEST_AGENT_EXTENSION_SUPPORTED_FEATURES",
  /** `NOT_RUN`, or during an update the exit code of the old version's uninstall. */
  uninstallExitCode: "AZURE_GUEST_AGENT_UNINSTALL_CMD_EXIT_CODE",
  /** `update` only: the version that the agent updates to. */
  updatingTo: "VERSION",
  /** `update` only: the version that is being replaced; on a downgrade it is the newer one. */
  updatingFrom: "AZURE_GUEST_AGENT_UPDATING_FROM_VERSION",
  /** `update` only; the text `None` when disable was not run. */
  disableExitCode: "AZURE_GUEST_AGENT_DISABLE_CMD_EXIT_CODE",
} as const;
