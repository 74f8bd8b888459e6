import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorText, HandlerError, systemErrorCode } from "../errors/handler-error.ts";
import { parseSequence } from "./sequence-files.ts";
import { replaceFile, type Sleep } from "../files/replace-file.ts";

export interface LastSequence {
  /** Undefined: nothing was processed yet, or the file says nothing usable (then `warning` tells). */
  readonly sequence: number | undefined;
  readonly warning?: string;
}

/**
 * `mrseq`, "most recent sequence": exactly this name in the handler's folder, because the agent copies it on an update and
 * clears it on a cloned machine (WALinuxAgent: exthandlers, copy_status_files). With multi-config each extension has its own.
 */
export function lastSequenceFile(handlerFolder: string, extensionName?: string): string {
  return join(handlerFolder, extensionName === undefined ? "mrseq" : `${extensionName}.mrseq`);
}

/** Never throws: what cannot be read counts as "not processed", so the next write repairs it. */
export function readLastSequence(handlerFolder: string, extensionName?: string): LastSequence {
  const path = lastSequenceFile(handlerFolder, extensionName);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ENOENT") return { sequence: undefined };
    return { sequence: undefined, warning: `${path} cannot be read: ${errorText(thrown)}` };
  }
  const sequence = parseSequence(text.trim());
  if (sequence === undefined) return { sequence, warning: `${path} holds no sequence number; it is written anew` };
  return { sequence };
}

export interface WriteLastSequence {
  readonly handlerFolder: string;
  readonly sequence: number;
  readonly extensionName?: string | undefined;
  readonly sleep?: Sleep | undefined;
}

/**
 * Plain decimal without a line end, mode 0600, atomic. Not flushed: what a power cut leaves empty is repaired from our state. A disk that
 * fails once is asked once more: nothing else of a wait that can begin stands in its way.
 */
export async function writeLastSequence(request: WriteLastSequence): Promise<void> {
  const path = lastSequenceFile(request.handlerFolder, request.extensionName);
  const write = () =>
    replaceFile({ path, bytes: Buffer.from(String(request.sequence)), sleep: request.sleep, durable: false });
  try {
    await write().catch(write);
  } catch (thrown) {
    throw new HandlerError("stateUnwritable", `${path} cannot be written: ${errorText(thrown)}`, { cause: thrown });
  }
}
