import { guardOutput } from "../handler/text/guard-output.ts";
import { showAgain } from "../handler/text/shown-text.ts";

/** To standard output: the answer of a command. What kubectl, Azure or a node wrote may be in it, so it is shown text like everywhere. */
export function print(text: string): void {
  guarded(process.stdout).write(shownOutput(text));
}

/** To standard error: log and errors. */
export function printAside(text: string): void {
  guarded(process.stderr).write(shownOutput(text));
}

function guarded(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return guardOutput(stream, (why) => {
    printAside(`capz-bootstrap-cluster: ${why}`);
  });
}

/** JSON value by value, with the indentation it had; anything else as text. */
function shownOutput(text: string): string {
  const indent = text.startsWith("{\n") ? 2 : undefined;
  return `${showAgain(text.trimEnd(), indent)}\n`;
}
