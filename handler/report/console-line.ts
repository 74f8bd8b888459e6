import { constants, open } from "node:fs/promises";
import { redact } from "../logging/redact.ts";

const mostCharacters = 400;

/**
 * One line to the machine's console, so that Azure's boot diagnostics hold the verdict. True when it was written.
 * Never waits: a console that takes nothing (no reader, flow control) is left alone.
 */
export async function writeConsoleLine(device: string | undefined, line: string): Promise<boolean> {
  if (device === undefined) return false;
  try {
    // Windows has neither of the last two: there they are undefined, which adds nothing.
    const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
    const handle = await open(device, flags);
    try {
      await handle.write(`\r\n${toConsoleText(line)}\r\n`);
      return true;
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}

/** Redacted, one line, printable characters only: a log may hold what would drive a terminal. */
export function toConsoleText(line: string): string {
  const printable = redact(line)
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim();
  const whole = printable.startsWith("capz-bootstrap") ? printable : `capz-bootstrap: ${printable}`;
  return whole.length > mostCharacters ? `${whole.slice(0, mostCharacters - 1)}…` : whole;
}
