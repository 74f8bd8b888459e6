import { readSettingsFile } from "../contract/settings-file.ts";
import { openProtectedSettings } from "../settings/protected-settings.ts";
import { parseSettings } from "../settings/parse-settings.ts";
import { settingsError } from "../settings/settings-error.ts";
import type { ParsedSettings, Settings } from "../settings/settings.ts";
import type { SequenceContext } from "./context.ts";

export interface ReadSettings {
  readonly settings: Settings;
  readonly warnings: readonly string[];
}

/** The settings of this sequence, opened and validated; throws a HandlerError that names every problem at once. */
export async function readSettings(context: SequenceContext): Promise<ReadSettings> {
  const read = await readAll(context);
  context.log.keepFrom(read.settings.logLevel);
  return read;
}

async function readAll(context: SequenceContext): Promise<ReadSettings> {
  const { host, environment } = context;
  const { configFolder } = environment;
  const file = await readSettingsFile(configFolder, context, host);
  if (file.kind === "none") {
    const { settings, warnings } = acceptSettings(
      parseSettings({ publicSettings: undefined, protectedSettings: undefined }),
    );
    return { settings, warnings: [...(file.warning === undefined ? [] : [file.warning]), ...warnings] };
  }
  const protectedSettings = await openProtectedSettings({ file, configFolder, platform: host.platform, run: host.run });
  return acceptSettings(parseSettings({ publicSettings: file.publicSettings, protectedSettings }, host.platform.name));
}

/** Throws one HandlerError that names all problems. */
export function acceptSettings(parsed: ParsedSettings): ReadSettings {
  switch (parsed.kind) {
    case "valid":
      return { settings: parsed.settings, warnings: parsed.warnings.map(({ message }) => message) };
    case "invalid":
      throw settingsError(parsed.problems);
  }
}
