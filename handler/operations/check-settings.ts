import { toHandlerError } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import type { SystemName } from "../settings/check-for-system.ts";
import { parseSettings } from "../settings/parse-settings.ts";
import type { ParsedSettings, SettingsProblem } from "../settings/settings.ts";
import { show, showAll, shownJson } from "../text/shown-text.ts";
import { readSettingsArgument } from "./read-settings-argument.ts";
import { print } from "./terminal.ts";

interface CheckSettingsOptions {
  readonly file: string;
  readonly json: boolean;
  /** The node's system, when it is not this machine's. */
  readonly system?: SystemName;
}

/** `capz-bootstrap settings check FILE`: exit code 0 when the settings can be attached as they are, 3 when not. */
export async function checkSettings(host: Host, { file, json, system }: CheckSettingsOptions): Promise<number> {
  let parsed: ParsedSettings;
  try {
    parsed = parseSettings(await readSettingsArgument(file), system ?? host.platform.name);
  } catch (thrown) {
    const error = toHandlerError(thrown);
    parsed = { kind: "invalid", problems: [{ key: error.id, message: error.message }], warnings: [] };
  }
  const problems = parsed.kind === "invalid" ? parsed.problems : [];
  print(
    json
      ? shownJson(showAll({ valid: problems.length === 0, problems, warnings: parsed.warnings }), 2)
      : show(inWords(file, problems, parsed.warnings)),
  );
  return problems.length === 0 ? 0 : 3;
}

function inWords(file: string, problems: readonly SettingsProblem[], warnings: readonly SettingsProblem[]): string {
  const lines = [
    problems.length === 0 ? `${file}: the settings are valid` : `${file}: ${String(problems.length)} problem(s)`,
    ...problems.map(({ message }) => `  error    ${message}`),
    ...warnings.map(({ message }) => `  warning  ${message}`),
  ];
  return `${lines.join("\n")}\n`;
}
