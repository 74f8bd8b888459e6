import { basename, dirname, join, win32 } from "node:path";
import { errorText, HandlerError } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import { isJsonObject, type JsonObject } from "../text/parse-json.ts";
import { readAgentJson, type AgentJson } from "./read-agent-json.ts";

export interface HandlerEnvironment {
  readonly name: string;
  /** Of the file's format, not of the handler; "1.0" when the file does not say. */
  readonly version: string;
  readonly logFolder: string;
  readonly configFolder: string;
  readonly statusFolder: string;
  readonly heartbeatFile?: string | undefined;
  /** Absent when the agent collects no telemetry events. */
  readonly eventsFolder?: string | undefined;
  /** Folder that holds HandlerEnvironment.json; `mrseq` lies here too. */
  readonly handlerFolder: string;
}

const fileName = "HandlerEnvironment.json";

/** Finds the file next to the program or one level up. Throws HandlerError environmentUnreadable. */
export async function readHandlerEnvironment(host: Pick<Host, "programFolder" | "sleep">): Promise<HandlerEnvironment> {
  const folders = [host.programFolder, dirname(host.programFolder)];
  for (const folder of folders) {
    const file = await readFileIn(folder, host);
    if (file.kind === "absent") continue;
    if (file.kind === "empty") throw unreadable(folder, "it is empty");
    if (file.kind === "malformed") throw unreadable(folder, file.reason);
    return parseHandlerEnvironment(file.value, folder);
  }
  throw new HandlerError("environmentUnreadable", `${fileName} is in none of the folders ${folders.join(" and ")}`);
}

async function readFileIn(folder: string, host: Pick<Host, "sleep">): Promise<AgentJson> {
  try {
    return await readAgentJson(join(folder, fileName), host);
  } catch (thrown) {
    throw unreadable(folder, errorText(thrown), thrown);
  }
}

/** The agent writes an array of one object; a bare object is accepted too. */
function parseHandlerEnvironment(value: unknown, handlerFolder: string): HandlerEnvironment {
  const item: unknown = Array.isArray(value) ? value[0] : value;
  if (!isJsonObject(item)) throw unreadable(handlerFolder, "it is not a list with one object");
  const fields = item["handlerEnvironment"];
  if (!isJsonObject(fields)) throw unreadable(handlerFolder, "the object handlerEnvironment is missing");
  const required = (key: string): string => {
    const path = absolutePath(fields, key);
    if (path === undefined) throw unreadable(handlerFolder, `${key} is missing or not an absolute path`);
    return path;
  };
  return {
    name: handlerName(item, handlerFolder),
    version: formatVersion(item["version"]),
    logFolder: required("logFolder"),
    configFolder: required("configFolder"),
    statusFolder: required("statusFolder"),
    heartbeatFile: absolutePath(fields, "heartbeatFile"),
    // Agents before the name was settled wrote only the preview key; newer ones write both with the same value.
    eventsFolder: absolutePath(fields, "eventsFolder") ?? absolutePath(fields, "eventsFolder_preview"),
    handlerFolder,
  };
}

/**
 * What the agent usually writes, for the commands that must work without it: the handler's name and folders by their place. On
 * Windows the version is a folder of its own below the name.
 */
export function conventionalEnvironment(handlerFolder: string, logFolder: string): HandlerEnvironment {
  const name = nameOfFolder(handlerFolder);
  const version = versionFolder.test(basename(handlerFolder)) ? [basename(handlerFolder)] : [];
  return {
    name,
    version: "1.0",
    logFolder: join(logFolder, name, ...version),
    configFolder: join(handlerFolder, "config"),
    statusFolder: join(handlerFolder, "status"),
    handlerFolder,
  };
}

/** The folder is <name>-<version> on Linux, <name>\<version> on Windows. */
function handlerName(item: JsonObject, handlerFolder: string): string {
  const name = item["name"];
  if (typeof name === "string" && name.trim() !== "") return name.trim();
  return nameOfFolder(handlerFolder);
}

const versionFolder = /^\d+(?:\.\d+)*$/u;

function nameOfFolder(handlerFolder: string): string {
  const folder = basename(handlerFolder);
  return versionFolder.test(folder) ? basename(dirname(handlerFolder)) : (folder.split(/-(?=\d)/)[0] ?? "");
}

/** A number on Linux (1.0), a number or a text on Windows ("1"). */
function formatVersion(version: unknown): string {
  if (typeof version === "number") return Number.isInteger(version) ? version.toFixed(1) : String(version);
  return typeof version === "string" && version.trim() !== "" ? version.trim() : "1.0";
}

function absolutePath(fields: JsonObject, key: string): string | undefined {
  const path = fields[key];
  // win32.isAbsolute knows both forms: /var/log/… and C:\Packages\….
  return typeof path === "string" && win32.isAbsolute(path) ? path : undefined;
}

function unreadable(folder: string, why: string, cause?: unknown): HandlerError {
  return new HandlerError("environmentUnreadable", `${join(folder, fileName)} cannot be used: ${why}`, { cause });
}
