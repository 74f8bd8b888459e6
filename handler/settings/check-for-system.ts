import type { Platform } from "../platform/platform.ts";
import type { TogetherResult } from "./check-together.ts";
import { longestWindowsCommand } from "./schema.ts";
import type { SettingsProblem } from "./settings.ts";
import type { SettingValues } from "./setting-values.ts";

export type SystemName = Platform["name"];

/** What one system cannot do, although the other can. */
export function checkForSystem(values: SettingValues, system: SystemName | undefined): TogetherResult {
  if (system !== "windows") return { problems: [], warnings: [] };
  return { problems: [...commandFits(values), ...noOtherUser(values)], warnings: graceIsUnknown(values) };
}

function noOtherUser(values: SettingValues): readonly SettingsProblem[] {
  if (!values.isSet("runAsUser")) return [];
  const message =
    "runAsUser does not exist on Windows; remove it there (the command runs as SYSTEM), or start the program with a scheduled task";
  return [{ key: "runAsUser", message }];
}

function commandFits(values: SettingValues): readonly SettingsProblem[] {
  const length = values.text("commandToExecute")?.length ?? 0;
  if (length <= longestWindowsCommand) return [];
  const message = `commandToExecute has ${length} characters; allowed on Windows: at most ${longestWindowsCommand}, because cmd.exe takes no longer line; put the commands into script, or into a file of fileUris`;
  return [{ key: "commandToExecute", message }];
}

function graceIsUnknown(values: SettingValues): readonly SettingsProblem[] {
  if (!values.isSet("graceSeconds") || values.number("graceSeconds") === 0) return [];
  const message =
    "graceSeconds has no effect on Windows, where a program cannot be asked to end: the check is ended at once";
  return [{ key: "graceSeconds", message }];
}
