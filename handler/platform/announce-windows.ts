import type { RunProcess } from "../host.ts";
import { cutShown } from "../text/shown-text.ts";
import type { Announcement } from "./platform.ts";
import type { WindowsPrograms } from "./powershell-windows.ts";

const mostCharacters = 400;
const limitMs = 5000;
/** eventcreate.exe takes numbers from 1 to 1000. */
const eventIds = { failed: 2, passed: 1 } as const;

/**
 * The verdict to the first serial port, which Azure's boot diagnostics record, and to the Application event log. Each by a program of
 * its own: a port that another program holds, or that takes nothing, hangs and fails there and not here.
 */
export async function announceWindows(
  { cmd, eventcreate }: Pick<WindowsPrograms, "cmd" | "eventcreate">,
  { line, failed }: Announcement,
  run: RunProcess,
): Promise<void> {
  const text = toPlainCharacters(cutShown.text(cutShown.oneLine(line), mostCharacters, "..."));
  const kind = failed
    ? ["/T", "WARNING", "/ID", String(eventIds.failed)]
    : ["/T", "INFORMATION", "/ID", String(eventIds.passed)];
  await Promise.all([
    // From a variable, with delayed expansion: whatever the text holds, the command processor does not read it as a command.
    run(cmd, ["/d", "/v:on", "/c", "echo(capz-bootstrap: !CAPZ_ANNOUNCED!>\\\\.\\COM1"], {
      env: { CAPZ_ANNOUNCED: text },
      timeoutMs: limitMs,
    }),
    run(eventcreate, ["/L", "APPLICATION", "/SO", "capz-bootstrap", ...kind, "/D", text], { timeoutMs: limitMs }),
  ]);
}

/** The port and the command processor have a code page that we do not know; a quotation mark would end eventcreate's argument. */
function toPlainCharacters(text: string): string {
  return text.replaceAll('"', "'").replaceAll(/[^\x20-\x7e]/gu, "?");
}
