import { guardOutput } from "../errors/guard-output.ts";
import { exitCodeOfPackageNotWhole, isPackageNotWhole, toHandlerError } from "../errors/handler-error.ts";
import { ours, show, type ShownText } from "../text/shown-text.ts";

/** To standard output: the answer of a command. The only writers to the terminal, and they take what may be shown alone. */
export function print(text: ShownText): void {
  answers().write(withLineEnd(text));
}

/** To standard error: progress and errors. */
export function printAside(text: ShownText): void {
  guardOutput(process.stderr).write(withLineEnd(text));
}

/**
 * A package that is not whole may have lost what makes text shown; this text is our own. Gives the exit code; undefined for every other error.
 */
export function tellPackageNotWhole(error: unknown): number | undefined {
  if (!isPackageNotWhole(error)) return undefined;
  const { message, hint } = toHandlerError(error);
  guardOutput(process.stderr).write(`capz-bootstrap: ${message}. Next: ${hint}.\n`);
  return exitCodeOfPackageNotWhole;
}

/** Where the log of a command for people tells of its progress (logging/create-logger.ts), which takes shown text alone, too. */
export function asideStream(): NodeJS.WritableStream {
  return guardOutput(process.stderr);
}

function answers(): NodeJS.WriteStream {
  return guardOutput(process.stdout, {
    // By the documented exit codes: nothing was told, which must not read as a verdict on the node.
    exitCode: 3,
    tell: (words) => {
      printAside(show(`capz-bootstrap: ${words}`));
    },
  });
}

function withLineEnd(text: ShownText): ShownText {
  return text.endsWith("\n") ? text : ours`${text}\n`;
}
