import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "../text/parse-json.ts";

/**
 * Left in our own folder when a machine was prepared: a second run finds no node to prove any more and must not refuse for
 * that. It names the VM, so on a clone it means nothing.
 */
const markName = "prepared-image.json";

export function markPrepared(stateFolder: string, mark: { readonly vmId: string; readonly preparedAt: string }): void {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  writeFileSync(join(stateFolder, markName), `${JSON.stringify(mark)}\n`, { mode: 0o600 });
}

export function isPrepared(stateFolder: string, vmId: string): boolean {
  if (vmId === "unknown") return false;
  const parsed = parseJson(readText(join(stateFolder, markName)));
  if (parsed.kind !== "value" || typeof parsed.value !== "object" || parsed.value === null) return false;
  return "vmId" in parsed.value && parsed.value.vmId === vmId;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
