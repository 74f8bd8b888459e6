import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { noSignatureCounts, readTrustedKeys } from "../check/trust.ts";
import { toHandlerError } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import type { SystemName } from "../settings/check-for-system.ts";
import { parseSettings } from "../settings/parse-settings.ts";
import type { ParsedSettings, Settings, SettingsProblem } from "../settings/settings.ts";
import { isJsonObject, parseJson } from "../text/parse-json.ts";
import { readSettingsArgument } from "./read-settings-argument.ts";

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
  const trust = parsed.kind === "valid" ? await trustFindings(host, parsed.settings) : nothing;
  const problems = [...(parsed.kind === "invalid" ? parsed.problems : []), ...trust.problems];
  const warnings = [...parsed.warnings, ...trust.warnings];
  process.stdout.write(
    json
      ? `${JSON.stringify({ valid: problems.length === 0, problems, warnings }, undefined, 2)}\n`
      : inWords(file, problems, warnings),
  );
  return problems.length === 0 ? 0 : 3;
}

interface Findings {
  readonly problems: readonly SettingsProblem[];
  readonly warnings: readonly SettingsProblem[];
}

const nothing: Findings = { problems: [], warnings: [] };

/** A bundle that no package of this kind can accept: the node would not even ask for it. */
async function trustFindings(host: Host, { check }: Settings): Promise<Findings> {
  if (check.kind !== "probe" || check.sha256 !== undefined) return nothing;
  if (check.version === undefined || check.version === (await embeddedVersion(host))) return nothing;
  if ((await readTrustedKeys(host.programFolder)).length > 0) return nothing;
  const { message, hint } = noSignatureCounts(check.version);
  const found = { key: "checkSha256", message: `${message}. ${hint}` };
  if (check.required) return { problems: [found], warnings: [] };
  return { problems: [], warnings: [{ ...found, message: `${found.message}. The check of the package runs instead` }] };
}

/** Undefined where the program does not lie in a package. */
async function embeddedVersion({ programFolder }: Host): Promise<string | undefined> {
  const text = await readFile(join(programFolder, "bundle", "bundle.json"), "utf8").catch(() => "");
  const parsed = parseJson(text);
  const version = parsed.kind === "value" && isJsonObject(parsed.value) ? parsed.value["version"] : undefined;
  return typeof version === "string" ? version : undefined;
}

function inWords(file: string, problems: readonly SettingsProblem[], warnings: readonly SettingsProblem[]): string {
  const lines = [
    problems.length === 0 ? `${file}: the settings are valid` : `${file}: ${String(problems.length)} problem(s)`,
    ...problems.map(({ message }) => `  error    ${message}`),
    ...warnings.map(({ message }) => `  warning  ${message}`),
  ];
  return `${lines.join("\n")}\n`;
}
