import {
  errorText,
  exitCodeOfPackageNotWhole,
  isPackageNotWhole,
  systemErrorCode,
  toHandlerError,
} from "../errors/handler-error.ts";
import { ours, show, type ShownText } from "../text/shown-text.ts";

/** To standard output: the answer of a command. The only writers to the terminal, and they take what may be shown alone. */
export function print(text: ShownText): void {
  guarded(process.stdout).write(withLineEnd(text));
}

/** To standard error: progress and errors. */
export function printAside(text: ShownText): void {
  guarded(process.stderr).write(withLineEnd(text));
}

/**
 * A package that is not whole may have lost what makes text shown; this text is our own. Gives the exit code; undefined for every other error.
 */
export function tellPackageNotWhole(error: unknown): number | undefined {
  if (!isPackageNotWhole(error)) return undefined;
  const { message, hint } = toHandlerError(error);
  guarded(process.stderr).write(`capz-bootstrap: ${message}. Next: ${hint}.\n`);
  return exitCodeOfPackageNotWhole;
}

/** Where the log of a command for people tells of its progress (logging/create-logger.ts), which takes shown text alone, too. */
export function asideStream(): NodeJS.WritableStream {
  return guarded(process.stderr);
}

/** By the documented exit codes: nothing was told, which must not read as a verdict on the node. */
const exitCodeOfLostOutput = 3;
const watched = new Set<NodeJS.WriteStream>();

/**
 * A reader that has seen enough (`| head`) closes the pipe: no failure, and the exit code still tells the verdict. An answer that
 * could not be written for another reason (a full disk) was not given. Node would end with 1, "the node failed to bootstrap".
 */
function guarded(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (watched.has(stream)) return stream;
  watched.add(stream);
  stream.on("error", (error) => {
    if (stream === process.stderr || systemErrorCode(error) === "EPIPE") return;
    process.once("exit", () => {
      process.exitCode = exitCodeOfLostOutput;
    });
    printAside(show(`capz-bootstrap: the answer could not be written to standard output: ${errorText(error)}`));
  });
  return stream;
}

function withLineEnd(text: ShownText): ShownText {
  return text.endsWith("\n") ? text : ours`${text}\n`;
}
