/** What a person named cannot be read as the logs of a machine; the message says why and what to name instead. */
export class CopyError extends Error {
  override readonly name = "CopyError";
}
