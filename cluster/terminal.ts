import { guardOutput } from "../handler/errors/guard-output.ts";
import { showAgain } from "../handler/text/shown-text.ts";

/** To standard output: the answer of a command. What kubectl, Azure or a node wrote may be in it, so it is shown text like everywhere. */
export function print(text: string): void {
  answers().write(shownOutput(text));
}

/** To standard error: log and errors. */
export function printAside(text: string): void {
  guardOutput(process.stderr).write(shownOutput(text));
}

function answers(): NodeJS.WriteStream {
  return guardOutput(process.stdout, {
    // By the documented exit codes: nothing was told, which must not read as a verdict on a machine.
    exitCode: 3,
    tell: (words) => {
      printAside(`capz-bootstrap-cluster: ${words}`);
    },
  });
}

/** JSON value by value, with the indentation it had; anything else as text. */
function shownOutput(text: string): string {
  const indent = text.startsWith("{\n") ? 2 : undefined;
  return `${showAgain(text.trimEnd(), indent)}\n`;
}
