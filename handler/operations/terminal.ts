import { ours, type ShownText } from "../text/shown-text.ts";

/** To standard output: the answer of a command. The only writers to the terminal, and they take what may be shown alone. */
export function print(text: ShownText): void {
  process.stdout.write(withLineEnd(text));
}

/** To standard error: progress and errors. */
export function printAside(text: ShownText): void {
  process.stderr.write(withLineEnd(text));
}

function withLineEnd(text: ShownText): ShownText {
  return text.endsWith("\n") ? text : ours`${text}\n`;
}
