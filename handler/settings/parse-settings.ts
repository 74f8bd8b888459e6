import { checkForSystem, type SystemName } from "./check-for-system.ts";
import { checkTogether } from "./check-together.ts";
import { commandHints } from "./command-hints.ts";
import { decodeScript } from "./decode-script.ts";
import { parseFileUri } from "./file-uri.ts";
import { readSettingsObjects, type SettingsInput } from "./read-settings-object.ts";
import { Secret } from "./secret.ts";
import { bootstrapProviders, logLevels, modes, restarts, uploadMethods } from "./settings.ts";
import type {
  CheckSettings,
  CommandText,
  ParsedSettings,
  Settings,
  SettingsProblem,
  StorageAccess,
} from "./settings.ts";
import { SettingValues } from "./setting-values.ts";

/**
 * Validates public and protected settings together and tells every problem at once. No settings at all are valid: the
 * check of the embedded bundle with all defaults. `system`: where they will be used, if that is known.
 */
export function parseSettings(input: SettingsInput, system?: SystemName): ParsedSettings {
  const read = readSettingsObjects(input);
  const values = new SettingValues(read.values);
  const together = checkTogether(values, system);
  const onSystem = checkForSystem(values, system);
  const check = readCheck(values);
  const hints = check.kind === "read" && check.check.kind === "command" ? commandHints(check.check.command) : [];
  const warnings = [...read.warnings, ...together.warnings, ...onSystem.warnings, ...hints];
  const found = [...read.problems, ...together.problems, ...onSystem.problems];
  const problems = [...found, ...(check.kind === "refused" ? [check.problem] : [])];
  if (check.kind === "refused" || problems.length > 0) return { kind: "invalid", problems, warnings };
  return { kind: "valid", settings: assemble(values, check.check), warnings };
}

function assemble(values: SettingValues, check: CheckSettings): Settings {
  return {
    check,
    timeoutSeconds: values.number("timeoutSeconds"),
    pollSeconds: values.number("pollSeconds"),
    graceSeconds: values.number("graceSeconds"),
    aftercareSeconds: values.number("aftercareSeconds"),
    mode: modes.find((mode) => mode === values.choice("mode")) ?? "enforce",
    bootstrapProvider: bootstrapProviders.find((name) => name === values.choice("bootstrapProvider")) ?? "auto",
    proxy: secretOf(values.text("proxy")),
    echoToConsole: values.flag("echoToConsole"),
    reportUploadUri: secretOf(values.text("reportUploadUri")),
    reportUploadMethod: uploadMethods.find((method) => method === values.choice("reportUploadMethod")) ?? "PUT",
    reportUploadAuthorization: secretOf(values.text("reportUploadAuthorization")),
    logLevel: logLevels.find((level) => level === values.choice("logLevel")) ?? "info",
    storage: readStorage(values),
  };
}

type ReadCheck =
  | { readonly kind: "read"; readonly check: CheckSettings }
  | { readonly kind: "refused"; readonly problem: SettingsProblem };

function readCheck(values: SettingValues): ReadCheck {
  const line = values.text("commandToExecute");
  const script = values.text("script");
  if (line !== undefined) {
    return { kind: "read", check: commandCheck(values, { kind: "line", line: new Secret(line) }) };
  }
  if (script === undefined) return { kind: "read", check: readBundleCheck(values) };
  const decoded = decodeScript(script);
  if (decoded.kind === "refused") {
    const message = `script is a text of ${script.length} characters (${decoded.reason}); allowed: base64, optionally of a gzip file`;
    return { kind: "refused", problem: { key: "script", message, errorId: "scriptInvalid" } };
  }
  return { kind: "read", check: commandCheck(values, { kind: "script", bytes: decoded.bytes }) };
}

function commandCheck(values: SettingValues, command: CommandText): CheckSettings {
  return {
    kind: "command",
    command,
    fileUris: values.list("fileUris").map(parseFileUri),
    skipDos2Unix: values.flag("skipDos2Unix"),
    restart: restarts.find((restart) => restart === values.choice("restart")) ?? "never",
    runAsUser: values.text("runAsUser"),
    removeFiles: values.flag("removeFiles"),
    lookBeside: values.flag("lookBeside"),
  };
}

function readBundleCheck(values: SettingValues): CheckSettings {
  return {
    kind: "bundle",
    version: values.text("checkVersion"),
    sha256: values.text("checkSha256")?.toLowerCase(),
    baseUris: values.list("checkBaseUris").map(toSecret),
    required: values.flag("checkRequired"),
  };
}

function readStorage(values: SettingValues): StorageAccess {
  const account = values.text("storageAccountName");
  const key = values.text("storageAccountKey");
  if (account !== undefined && key !== undefined) return { kind: "account-key", account, key: new Secret(key) };
  const identity = values.identity();
  if (identity === undefined) return { kind: "anonymous" };
  const { clientId, objectId } = identity;
  return {
    kind: "managed-identity",
    ...(clientId === undefined ? {} : { clientId }),
    ...(objectId === undefined ? {} : { objectId }),
  };
}

function toSecret(text: string): Secret {
  return new Secret(text);
}

function secretOf(text: string | undefined): Secret | undefined {
  return text === undefined ? undefined : new Secret(text);
}
