import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { takePrivateFolder } from "../files/private-folder.ts";
import { isJsonObject, parseJson } from "../text/parse-json.ts";
import { textIfThere } from "../files/text-if-there.ts";

/**
 * Left in our own folder when a machine was prepared: a second run finds no node to prove any more and must not refuse for
 * that. It names the VM, so on a clone it means nothing but where the disk comes from.
 */
const markName = "prepared-image.json";

export function preparedMark(stateFolder: string): string {
  return join(stateFolder, markName);
}

export function markPrepared(stateFolder: string, mark: { readonly vmId: string; readonly preparedAt: string }): void {
  takePrivateFolder(stateFolder);
  // Anew, never through a link that lies in its place.
  rmSync(preparedMark(stateFolder), { force: true, recursive: true });
  writeFileSync(preparedMark(stateFolder), `${JSON.stringify(mark)}\n`, { mode: 0o600 });
}

export function isPrepared(stateFolder: string, vmId: string): boolean {
  return vmId !== "unknown" && readPreparedMark(stateFolder)?.vmId === vmId;
}

/** On a clone it still names the donor: where this disk comes from. */
export function readPreparedMark(
  stateFolder: string,
): { readonly vmId: string; readonly preparedAt: string } | undefined {
  const parsed = parseJson(textIfThere(preparedMark(stateFolder)) ?? "");
  if (parsed.kind !== "value" || !isJsonObject(parsed.value)) return undefined;
  const { vmId, preparedAt } = parsed.value;
  return typeof vmId === "string" && typeof preparedAt === "string" ? { vmId, preparedAt } : undefined;
}
