import { constants, open } from "node:fs/promises";
import { cutShown, ours, type ShownText } from "../text/shown-text.ts";

const mostCharacters = 400;

/**
 * One line to the machine's console, so that Azure's boot diagnostics hold the verdict. True when it was written.
 * Never waits: a console that takes nothing (no reader, flow control) is left alone.
 */
export async function writeConsoleLine(device: string | undefined, line: ShownText): Promise<boolean> {
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

/** One line that says who speaks. */
export function toConsoleText(line: ShownText): ShownText {
  const single = cutShown.oneLine(line);
  const whole = single.startsWith("capz-bootstrap") ? single : ours`capz-bootstrap: ${single}`;
  return cutShown.text(whole, mostCharacters, "…");
}
