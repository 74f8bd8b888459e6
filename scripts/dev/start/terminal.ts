import { styleText } from "node:util";

/** How the terminal of this run shows text: wrapped to its width and coloured, or plain where there is none. */
export interface Terminal {
  readonly say: (line: string) => void;
  readonly sayColoured: (colour: Colour, line: string) => void;
}

type Colour = "green" | "red" | "yellow" | "bold";

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const narrowest = 40;

export function createTerminal(output: Output): Terminal {
  const width = output.isTTY === true ? Math.max(narrowest, output.columns ?? 80) : undefined;
  const print = (line: string, paint: (text: string) => string) => {
    const lines = width === undefined ? [line] : wrap(line, width);
    for (const text of lines) output.write(`${paint(text)}\n`);
  };
  return {
    say: (line) => {
      print(line, (text) => text);
    },
    sayColoured: (colour, line) => {
      print(line, (text) => (width === undefined ? text : styleText(colour, text, { validateStream: false })));
    },
  };
}

/** Breaks at blanks; what follows stands below the first word of the line, behind the bar that a quoted line begins with. */
export function wrap(line: string, width: number): readonly string[] {
  const indent = /^[\s|]*/u.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = indent;
  for (const word of line.slice(indent.length).split(" ")) {
    const isFirst = current === indent;
    if (!isFirst && current.length + 1 + word.length > width) {
      lines.push(current);
      current = `${indent}${word}`;
    } else current = isFirst ? `${current}${word}` : `${current} ${word}`;
  }
  return [...lines, current];
}
