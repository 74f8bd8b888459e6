import { lstatSync, truncateSync, utimesSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { errorText, HandlerError } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import { readAgentJson, type AgentJson } from "./read-agent-json.ts";
import { sequenceOfSettingsFile, settingsFileName, type SequenceFile } from "./sequence-files.ts";

export type SettingsFile =
  /** No settings were given: an empty file, or the three nulls that the agent writes. */
  | {
      readonly kind: "none";
      /** Set when the file should hold settings by its form and does not: defaults are used, and that must be said. */
      readonly warning?: string;
    }
  | {
      readonly kind: "present";
      readonly publicSettings: unknown;
      /** Base64 of a CMS envelope. */
      readonly protectedText?: string;
      readonly thumbprint?: string;
    };

/** Reads the settings of one sequence. Throws HandlerError settingsUnreadable. */
export async function readSettingsFile(
  configFolder: string,
  file: SequenceFile,
  host: Pick<Host, "sleep">,
): Promise<SettingsFile> {
  const path = join(configFolder, settingsFileName(file));
  const json = await readJson(path, host);
  switch (json.kind) {
    case "absent":
      throw unreadable(path, "it does not exist");
    case "empty":
      return { kind: "none", warning: `The settings file ${path} is empty; every setting has its default` };
    case "malformed":
      throw unreadable(path, json.reason);
    case "value":
      return parseSettingsFile(json.value, path);
  }
}

async function readJson(path: string, host: Pick<Host, "sleep">): Promise<AgentJson> {
  try {
    return await readAgentJson(path, host);
  } catch (thrown) {
    throw unreadable(path, errorText(thrown), thrown);
  }
}

/** The shape that the agent always writes (WALinuxAgent: exthandlers, update_settings). */
export function parseSettingsFile(value: unknown, path: string): SettingsFile {
  const handlerSettings = findHandlerSettings(value, path);
  const publicSettings = handlerSettings["publicSettings"] ?? undefined;
  const protectedText = optionalText(handlerSettings, "protectedSettings", path);
  const thumbprint = optionalText(handlerSettings, "protectedSettingsCertThumbprint", path);
  if (publicSettings === undefined && protectedText === undefined) {
    // The agent writes all three keys, with nulls where nothing was given.
    if ("publicSettings" in handlerSettings || "protectedSettings" in handlerSettings) return { kind: "none" };
    return { kind: "none", warning: `The settings file ${path} holds no settings; every setting has its default` };
  }
  return {
    kind: "present",
    publicSettings,
    ...(protectedText === undefined ? {} : { protectedText }),
    ...(thumbprint === undefined ? {} : { thumbprint }),
  };
}

function findHandlerSettings(value: unknown, path: string): JsonObject {
  if (!isJsonObject(value)) throw unreadable(path, "it is not an object");
  const items = value["runtimeSettings"] ?? [];
  if (!Array.isArray(items)) throw unreadable(path, "runtimeSettings is not a list");
  if (items.length > 1) throw unreadable(path, `runtimeSettings has ${items.length} entries; exactly 1 is expected`);
  const item: unknown = items[0] ?? {};
  const handlerSettings = isJsonObject(item) ? (item["handlerSettings"] ?? {}) : undefined;
  if (!isJsonObject(handlerSettings)) throw unreadable(path, "handlerSettings is not an object");
  return handlerSettings;
}

function optionalText(fields: JsonObject, key: string, path: string): string | undefined {
  const text = fields[key] ?? undefined;
  if (text === undefined) return undefined;
  if (typeof text !== "string") throw unreadable(path, `${key} is not a text`);
  return text.trim() === "" ? undefined : text.trim();
}

function unreadable(path: string, why: string, cause?: unknown): HandlerError {
  return new HandlerError("settingsUnreadable", `The settings file ${path} cannot be used: ${why}`, { cause });
}

/**
 * Empties the settings files of this extension that are older than the current one, as the Custom Script handler does after a
 * run: they hold commands and secrets that nobody needs any more. "Older" by the time of change, because numbers can go down;
 * a file that the agent has just written for the next run is never touched. Returns the names that it emptied; never throws.
 */
export async function emptyOlderSettings(configFolder: string, current: SequenceFile): Promise<readonly string[]> {
  const emptied: string[] = [];
  const currentChangedMs = await changedAt(join(configFolder, settingsFileName(current)));
  if (currentChangedMs === undefined) return emptied;
  for (const name of await readdir(configFolder).catch(() => [])) {
    const sequence = sequenceOfSettingsFile(name, current.extensionName);
    if (sequence === undefined || sequence === current.sequence) continue;
    if (emptyFileOlderThan(join(configFolder, name), currentChangedMs)) emptied.push(name);
  }
  return emptied.sort();
}

async function changedAt(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.mtimeMs;
}

/** Its age and its end are one step: the agent may write it for the next run at any moment. */
function emptyFileOlderThan(path: string, limitMs: number): boolean {
  try {
    const found = lstatSync(path);
    // A second name means that the bytes are somebody else's, too.
    if (!found.isFile() || found.nlink > 1 || found.size === 0 || found.mtimeMs >= limitMs) return false;
    truncateSync(path);
    // The time of change decides which sequence is the newest when the environment does not say.
    utimesSync(path, found.atime, found.mtime);
    return true;
  } catch {
    return false; // gone, or read-only: the agent's file is the agent's matter
  }
}
