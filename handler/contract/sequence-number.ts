import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { HandlerError, systemErrorCode } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import { cleanText } from "../text/clean-text.ts";
import { cutText } from "../text/cut-text.ts";
import { agentVariables } from "./agent-variables.ts";
import { parseSequence, sequenceOfSettingsFile, type SequenceFile } from "./sequence-files.ts";

export interface AskedSequence extends SequenceFile {
  readonly source: "environment" | "settings-file";
  /** What was wrong with the better source; for the log. */
  readonly warnings: readonly string[];
}

/**
 * Which settings the agent asks for: the number in the environment, else the settings file that changed last (not the
 * highest: numbers can go down). Throws HandlerError sequenceUnknown when neither says.
 */
export async function findSequence(env: Host["env"], configFolder: string): Promise<AskedSequence> {
  const name = findExtensionName(env);
  const text = env[agentVariables.sequenceNumber]?.trim();
  const asked = text === undefined ? undefined : parseSequence(text);
  if (asked !== undefined) {
    return { sequence: asked, extensionName: name.extensionName, source: "environment", warnings: name.warnings };
  }
  const why = environmentProblem(text);
  const newest = await newestSettings(configFolder, name.extensionName);
  if (newest === undefined) {
    throw new HandlerError("sequenceUnknown", `${why}, and ${configFolder} holds no file <number>.settings`);
  }
  const warning = `${why}; the newest settings file says ${newest}`;
  return {
    sequence: newest,
    extensionName: name.extensionName,
    source: "settings-file",
    warnings: [...name.warnings, warning],
  };
}

function environmentProblem(text: string | undefined): string {
  if (text === undefined || text === "") return `The variable ${agentVariables.sequenceNumber} is not set`;
  return `The variable ${agentVariables.sequenceNumber} is "${shown(text)}", not a whole number`;
}

export interface AskedExtension {
  /** Absent for a handler with one extension, which is the usual case. */
  readonly extensionName?: string | undefined;
  readonly warnings: readonly string[];
}

/** The extension that the agent names (multi-config), the same for every command: state and lock hang on it. */
export function findExtensionName(env: Host["env"]): AskedExtension {
  const text = env[agentVariables.extensionName]?.trim();
  if (text === undefined || text === "") return { warnings: [] };
  // The name becomes part of file names, so it must not lead out of the folder.
  if (/^\w[\w.-]{0,127}$/.test(text)) return { extensionName: text, warnings: [] };
  return { warnings: [`The variable ${agentVariables.extensionName} is "${shown(text)}", not a file name; ignored`] };
}

function shown(text: string): string {
  return cutText(cleanText(text), 60);
}

async function newestSettings(configFolder: string, extensionName: string | undefined): Promise<number | undefined> {
  const found: { readonly sequence: number; readonly changedMs: number }[] = [];
  for (const name of await listFolder(configFolder)) {
    const sequence = sequenceOfSettingsFile(name, extensionName);
    if (sequence === undefined) continue;
    const changedMs = await changedAt(join(configFolder, name));
    if (changedMs !== undefined) found.push({ sequence, changedMs });
  }
  found.sort((a, b) => b.changedMs - a.changedMs || b.sequence - a.sequence);
  return found[0]?.sequence;
}

async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(thrown) ?? "")) return [];
    throw new HandlerError("sequenceUnknown", `The folder ${folder} cannot be listed`, { cause: thrown });
  }
}

async function changedAt(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.mtimeMs : undefined;
  } catch {
    return undefined; // gone since the folder was listed
  }
}
