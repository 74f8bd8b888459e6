import { readFile } from "node:fs/promises";
import { HandlerError, errorText } from "../errors/handler-error.ts";
import { isJsonObject, parseJson, type JsonObject } from "../text/parse-json.ts";

export interface PlainSettings {
  readonly publicSettings: unknown;
  readonly protectedSettings: unknown;
}

/**
 * A settings file that a person wrote: either the settings themselves, or an object with `settings` or `publicSettings` and
 * `protectedSettings` as in an ARM template. Protected settings stand here in the clear: nothing is encrypted.
 */
export async function readSettingsArgument(file: string): Promise<PlainSettings> {
  const json = parseJson((await readText(file)).replace(/^\uFEFF/u, ""));
  if (json.kind === "malformed") throw new HandlerError("settingsUnreadable", `"${file}" is not JSON: ${json.reason}`);
  if (!isJsonObject(json.value)) throw new HandlerError("settingsUnreadable", `"${file}" holds no JSON object`);
  return splitSettings(json.value);
}

function splitSettings(value: JsonObject): PlainSettings {
  const wrapped = ["settings", "publicSettings", "protectedSettings"].some((key) => key in value);
  if (!wrapped) return { publicSettings: value, protectedSettings: undefined };
  return {
    publicSettings: value["publicSettings"] ?? value["settings"] ?? undefined,
    protectedSettings: value["protectedSettings"] ?? undefined,
  };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new HandlerError("settingsUnreadable", `Cannot read "${file}": ${errorText(error)}`, {
      cause: error,
      hint: "Name a JSON file with the extension's settings",
    });
  }
}
