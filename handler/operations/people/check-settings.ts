import { noSignatureCounts, readTrustedKeys } from "../../check/obtain/trust.ts";
import { systemErrorCode, toHandlerError } from "../../errors/handler-error.ts";
import { readPackagedFile } from "../../files/packaged-file.ts";
import type { Host } from "../../host.ts";
import type { SystemName } from "../../settings/check-for-system.ts";
import { defaultBaseUri } from "../../settings/default-base-uri.ts";
import { touchedDifferences } from "../../settings/differences.ts";
import { parseSettings } from "../../settings/parse-settings.ts";
import type { ParsedSettings, Settings, SettingsProblem } from "../../settings/settings.ts";
import { isJsonObject, parseJson } from "../../text/parse-json.ts";
import { show, showAll, shownJson, type ShownText } from "../../text/shown-text.ts";
import { firstExtensionWarning } from "./first-extension.ts";
import { readSettingsFileOf, type GivenSettings } from "./read-settings-argument.ts";
import { print } from "../terminal.ts";

interface CheckSettingsOptions {
  readonly file: string;
  readonly json: boolean;
  /** The node's system, when it is not this machine's. */
  readonly system?: SystemName;
}

interface Checked {
  /** Which extension of the file; absent where the file holds one without a name. */
  readonly name?: string;
  readonly valid: boolean;
  readonly problems: readonly SettingsProblem[];
  readonly warnings: readonly SettingsProblem[];
  /** What the Custom Script handler does otherwise with just these settings. */
  readonly differences: readonly string[];
  /** What could not be looked at. */
  readonly notes: readonly string[];
}

/** `capz-bootstrap settings check FILE`: exit code 0 when the settings can be attached as they are, 3 when not, 64 when there is no such file. */
export async function checkSettings(host: Host, options: CheckSettingsOptions): Promise<number> {
  const { checked, exitCode } = await checkAll(host, options);
  print(options.json ? inJson(checked) : show(inWords(options.file, checked)));
  return exitCode;
}

interface Outcome {
  readonly checked: readonly Checked[];
  readonly exitCode: 0 | 3 | 64;
}

async function checkAll(host: Host, { file, system }: CheckSettingsOptions): Promise<Outcome> {
  try {
    const given = await readSettingsFileOf(host, file);
    const trust = await readTrust(host);
    const checked = given.map((one) => checkOne(one, system ?? one.system ?? host.platform.name, trust));
    return { checked, exitCode: checked.every((one) => one.valid) ? 0 : 3 };
  } catch (thrown) {
    const error = toHandlerError(thrown);
    // As explain and diagnose have it: what was named cannot be opened, so nothing is said of settings.
    const isNoFile = systemErrorCode(error.cause) !== undefined;
    const problem = { key: error.id, message: isNoFile ? `${error.message}. Next: ${error.hint}` : error.message };
    const checked = [{ valid: false, problems: [problem], warnings: [], differences: [], notes: [] }];
    return { checked, exitCode: isNoFile ? 64 : 3 };
  }
}

function checkOne(given: GivenSettings, system: SystemName, trust: PackageTrust): Checked {
  const name = given.name === undefined ? {} : { name: given.name };
  if (given.foreign) {
    const notes = ["these are the settings of another handler; nothing was checked"];
    return { ...name, valid: true, problems: [], warnings: [], differences: [], notes };
  }
  const parsed = parseSettings(given, system);
  const untrusted = parsed.kind === "valid" ? trustProblem(parsed.settings, trust) : undefined;
  const refused = untrusted?.required === true ? [untrusted.problem] : [];
  const warned = untrusted?.required === false ? [untrusted.problem] : [];
  const problems = [...given.entryProblems, ...problemsOf(parsed, given), ...refused];
  return {
    ...name,
    valid: problems.length === 0,
    problems,
    warnings: [...parsed.warnings, ...warned, ...(given.isFirstExtension ? [firstExtension] : [])],
    differences: parsed.kind === "valid" ? touchedDifferences(parsed.settings) : [],
    notes: [
      ...notesOf(given),
      ...(parsed.kind === "valid" && untrusted === undefined ? addressNotes(parsed.settings, trust) : []),
    ],
  };
}

/** The one address that is asked although nobody wrote it. */
function addressNotes({ check }: Settings, { embeddedVersion }: PackageTrust): readonly string[] {
  if (check.kind !== "bundle" || check.baseUris.length > 0) return [];
  if (check.version === undefined || check.version === embeddedVersion) return [];
  const address = defaultBaseUri.replace("{version}", check.version);
  return [`checkBaseUris is not set: the check bundle ${check.version} is looked for at ${address}`];
}

const firstExtension: SettingsProblem = { key: "version", message: firstExtensionWarning };

/** What the package that this program lies in accepts. */
interface PackageTrust {
  /** Undefined where the program does not lie in a package. */
  readonly embeddedVersion: string | undefined;
  readonly hasKeys: boolean;
}

async function readTrust({ programFolder }: Host): Promise<PackageTrust> {
  const text = await readPackagedFile(programFolder, "bundle.json").catch(() => "");
  const parsed = parseJson(text);
  const version = parsed.kind === "value" && isJsonObject(parsed.value) ? parsed.value["version"] : undefined;
  const hasKeys = (await readTrustedKeys(programFolder)).length > 0;
  return { embeddedVersion: typeof version === "string" ? version : undefined, hasKeys };
}

/** A bundle that no package of this kind can accept: the node would not even ask for it. */
function trustProblem(
  { check }: Settings,
  { embeddedVersion, hasKeys }: PackageTrust,
): { readonly required: boolean; readonly problem: SettingsProblem } | undefined {
  if (check.kind !== "bundle" || check.sha256 !== undefined || hasKeys) return undefined;
  if (check.version === undefined || check.version === embeddedVersion) return undefined;
  const { message, hint } = noSignatureCounts(check.version);
  const instead = check.required ? "" : ". The check of the package runs instead";
  return { required: check.required, problem: { key: "checkSha256", message: `${message}. ${hint}${instead}` } };
}

/** A command may stand in what could not be read. */
function problemsOf(parsed: ParsedSettings, { notRead }: GivenSettings): readonly SettingsProblem[] {
  if (parsed.kind === "valid") return [];
  return notRead === undefined
    ? parsed.problems
    : parsed.problems.filter(({ errorId }) => errorId !== "commandMissing");
}

function notesOf({ notRead, unresolved }: GivenSettings): readonly string[] {
  return [
    ...(notRead === undefined ? [] : [`only the public settings were checked: ${notRead}`]),
    ...unresolved.map((key) => `${key} is made by a template; its value was not checked`),
  ];
}

/** One extension as ever; several with their names, and the whole in the same fields. */
function inJson(checked: readonly Checked[]): ShownText {
  const [only] = checked;
  if (only !== undefined && checked.length === 1) return shownJson(showAll(only), 2);
  const all = {
    valid: checked.every(({ valid }) => valid),
    problems: checked.flatMap(({ problems }) => problems),
    warnings: checked.flatMap(({ warnings }) => warnings),
    extensions: checked,
  };
  return shownJson(showAll(all), 2);
}

function inWords(file: string, checked: readonly Checked[]): string {
  return checked.map((one) => `${linesOf(file, one).join("\n")}\n`).join("");
}

function linesOf(file: string, { name, problems, warnings, differences, notes }: Checked): readonly string[] {
  const source = file === "-" ? "standard input" : file;
  const what = name === undefined ? source : `${source}: ${name}`;
  return [
    problems.length === 0 ? `${what}: the settings are valid` : `${what}: ${String(problems.length)} problem(s)`,
    ...problems.map(({ message }) => `  error    ${message}`),
    ...warnings.map(({ message }) => `  warning  ${message}`),
    ...notes.map((note) => `  note     ${note}`),
    ...differences.map((difference) => `  differs  ${difference}`),
  ];
}
