import { checkFiles } from "./check-files.ts";
import type { Platform } from "../platform/platform.ts";
import type { SettingKey } from "./schema.ts";
import type { SettingsProblem } from "./settings.ts";
import type { SettingValues } from "./setting-values.ts";

export interface TogetherResult {
  readonly problems: readonly SettingsProblem[];
  readonly warnings: readonly SettingsProblem[];
}

/** The rules over several keys: those of the Custom Script handler, and what contradicts itself. */
export function checkTogether(values: SettingValues, system: Platform["name"] | undefined): TogetherResult {
  const problems = [commandOnce(values), filesHaveCommand(values), storagePair(values), oneCredential(values)];
  const warnings = [
    ...unusedWithCommand(values),
    ...unusedWithoutCommand(values),
    ...unusedWithoutUpload(values),
    pollWithinTimeout(values),
  ];
  const files = checkFiles(values, system);
  return {
    problems: [...present(problems), ...files.problems],
    warnings: [...present(warnings), ...files.warnings],
  };
}

function present(items: readonly (SettingsProblem | undefined)[]): readonly SettingsProblem[] {
  return items.filter((item) => item !== undefined);
}

function commandOnce(values: SettingValues): SettingsProblem | undefined {
  if (!values.isSet("commandToExecute") || !values.isSet("script")) return undefined;
  return { key: "script", message: "commandToExecute and script are both set; keep one of them" };
}

function filesHaveCommand(values: SettingValues): SettingsProblem | undefined {
  const hasCommand = values.isSet("commandToExecute") || values.isSet("script");
  if (!values.isSet("fileUris") || hasCommand) return undefined;
  const count = values.list("fileUris").length;
  return {
    key: "fileUris",
    message: `fileUris has ${count} ${count === 1 ? "entry" : "entries"}, but neither commandToExecute nor script is set; set one, or remove fileUris`,
    errorId: "commandMissing",
  };
}

function storagePair(values: SettingValues): SettingsProblem | undefined {
  if (values.isSet("storageAccountName") === values.isSet("storageAccountKey")) return undefined;
  const [set, missing]: readonly [SettingKey, SettingKey] = values.isSet("storageAccountName")
    ? ["storageAccountName", "storageAccountKey"]
    : ["storageAccountKey", "storageAccountName"];
  return { key: missing, message: `${set} is set, but ${missing} is not; set both or neither` };
}

function oneCredential(values: SettingValues): SettingsProblem | undefined {
  const hasKey = values.isSet("storageAccountName") || values.isSet("storageAccountKey");
  if (!hasKey || !values.isSet("managedIdentity")) return undefined;
  return {
    key: "managedIdentity",
    message: "managedIdentity and a storage account key are both set; keep one of them",
  };
}

function unusedWithCommand(values: SettingValues): readonly SettingsProblem[] {
  if (!values.isSet("commandToExecute") && !values.isSet("script")) return [];
  const bundleKeys = ["checkVersion", "checkSha256", "checkBaseUris", "checkRequired"] as const;
  return bundleKeys
    .filter((key) => values.isSet(key))
    .map((key) => ({
      key,
      message: `${key} has no effect, because a command of your own takes the place of the check`,
    }));
}

function unusedWithoutCommand(values: SettingValues): readonly SettingsProblem[] {
  if (values.isSet("commandToExecute") || values.isSet("script") || values.isSet("fileUris")) return [];
  const commandKeys = ["restart", "runAsUser", "removeFiles", "lookBeside", "skipDos2Unix"] as const;
  return commandKeys
    .filter((key) => values.isSet(key))
    .map((key) => ({ key, message: `${key} has no effect without a command of your own` }));
}

function unusedWithoutUpload(values: SettingValues): readonly SettingsProblem[] {
  if (values.isSet("reportUploadUri")) return [];
  return (["reportUploadMethod", "reportUploadAuthorization"] as const)
    .filter((key) => values.isSet(key))
    .map((key) => ({ key, message: `${key} has no effect without reportUploadUri` }));
}

function pollWithinTimeout(values: SettingValues): SettingsProblem | undefined {
  const [poll, timeout] = [values.number("pollSeconds"), values.number("timeoutSeconds")];
  if (poll < timeout) return undefined;
  return { key: "pollSeconds", message: `pollSeconds is ${poll}, not below timeoutSeconds, which is ${timeout}` };
}
