/** A refusal that a person can act on: printed as one sentence without a stack trace, exit code 1. */
export class PublishError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PublishError";
    this.hint = hint;
  }
}

/** An option or argument that cannot be meant, told before anything is read, asked or sent: exit code 64. */
export class WrongUse extends PublishError {}

/** The text of whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
