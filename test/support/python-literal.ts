/** Which quotes Python takes: double ones where the text holds a single quote and no double one. */
export type Quote = "'" | '"';

/**
 * A text as Python's repr() writes its bytes, with Windows line ends: how cloudbase-init logs all that the user data printed.
 * With double quotes Python would escape none of the text's single quotes; texts that hold double quotes never get them.
 */
export function pythonLiteral(text: string, quote: Quote = "'"): string {
  const bytes = Buffer.from(text.replaceAll(/\r?\n/gu, "\r\n"), "utf8");
  let out = "";
  for (const byte of bytes) out += escapeByte(byte, quote);
  return `b${quote}${out}${quote}`;
}

const named: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escapeByte(byte: number, quote: Quote): string {
  const character = String.fromCharCode(byte);
  if (character === quote) return `\\${quote}`;
  const short = named[character];
  if (short !== undefined) return short;
  return byte < 0x20 || byte > 0x7e ? `\\x${byte.toString(16).padStart(2, "0")}` : character;
}

/** The record of cloudbase-init that holds it. */
export function cloudbaseRecord(literal: string): string {
  return `2026-01-31 12:01:12.345 1840 INFO cloudbaseinit.plugins.common.userdataplugins.shellscript [-] User_data output: ${literal}`;
}
