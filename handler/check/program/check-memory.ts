import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Memory } from "../../../scripts/check/look.ts";
import { removeLink } from "../../files/remove-link.ts";
import { isJsonObject } from "../../text/parse-json.ts";
import { memoryOf } from "./parse-look-result.ts";

const maxFileBytes = 8192;

/** What a check asked to find again at its next look, also after a restart of the supervisor or of the machine. */
export interface CheckMemory {
  current(): Memory;
  /** Never throws: on a full disk it is kept for this process alone. */
  keep(memory: Memory): void;
}

/** `folder`: the check's own; undefined when none could be made. What another machine remembered on this disk is forgotten. */
export function openCheckMemory(folder: string | undefined, vmId: string): CheckMemory {
  const path = folder === undefined ? undefined : join(folder, "memory.json");
  let memory = path === undefined ? {} : read(path, vmId);
  return {
    current: () => memory,
    keep(next) {
      if (JSON.stringify(next) === JSON.stringify(memory)) return;
      memory = next;
      if (path !== undefined) write(path, { vmId, memory: next });
    },
  };
}

/** A damaged memory is as good as none. */
function read(path: string, vmId: string): Memory {
  try {
    const text = readFileSync(path, "utf8");
    const kept: unknown = JSON.parse(text.length > maxFileBytes ? "" : text);
    return isJsonObject(kept) && kept["vmId"] === vmId ? memoryOf(kept["memory"]) : {};
  } catch {
    return {};
  }
}

function write(path: string, kept: { readonly vmId: string; readonly memory: Memory }): void {
  const temporary = `${path}.new`;
  try {
    removeLink(temporary);
    writeFileSync(temporary, JSON.stringify(kept), { mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    // The check looks again without it; it must do with what the machine shows.
  }
}
