const escape = "\u001b";
/** What may follow the escape character: a control sequence (colours, cursor), an operating system command (titles), a short one. */
const sequences = [
  /^\[[\u0030-\u003f]*[\u0020-\u002f]*[\u0040-\u007e]/,
  /^\][^\u0007]*\u0007?/,
  /^[\u0020-\u002f]*[\u0030-\u005a\u005c\u005e-\u007e]/,
] as const;
const controlCharacter = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g;

/**
 * Text that any reader can take: no terminal sequences, no control characters but tab and line feed, no lone surrogates
 * (WALinuxAgent decodes the status strictly; one lone surrogate loses the status of the whole machine).
 */
export function cleanText(text: string): string {
  return withoutTerminalSequences(text).replace(/\r\n?/g, "\n").replace(controlCharacter, "").toWellFormed();
}

function withoutTerminalSequences(text: string): string {
  const [first = "", ...rest] = text.split(escape);
  return first + rest.map(withoutLeadingSequence).join("");
}

function withoutLeadingSequence(part: string): string {
  for (const sequence of sequences) {
    const found = sequence.exec(part);
    if (found !== null) return part.slice(found[0].length);
  }
  return part;
}
