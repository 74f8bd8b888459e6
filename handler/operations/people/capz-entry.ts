import type { SettingsProblem } from "../../settings/settings.ts";
import { isJsonObject, type JsonObject } from "../../text/parse-json.ts";

const fields = ["name", "publisher", "version", "settings", "protectedSettings"];
const names = ["CAPZ.Linux.Bootstrapping", "CAPZ.Windows.Bootstrapping"];

/**
 * What is wrong with an entry of `vmExtensions` beside its settings: what the API server refuses (CAPZ: v1beta1, VMExtension: three texts
 * and two maps of texts), and what it takes and Azure or CAPZ do not find. `machine` is the object that holds the list.
 */
export function problemsOfCapzEntry(entry: JsonObject, machine: JsonObject): readonly SettingsProblem[] {
  const unknown = Object.keys(entry).filter((key) => !fields.includes(key));
  return [
    ...unknown.map((key) => problem(key, `is no field of vmExtensions; allowed: ${fields.join(", ")}`)),
    ...["name", "publisher", "version"].flatMap((key) => problemsOfText(key, entry[key])),
    ...(isCustomScript(entry) ? [] : [...problemsOfName(entry["name"], machine), ...problemsOfVersion(entry)]),
    ...["settings", "protectedSettings"].flatMap((key) => problemsOfMap(key, entry[key])),
    ...(machine["disableExtensionOperations"] === true
      ? [
          problem(
            "disableExtensionOperations",
            "is true beside vmExtensions: CAPZ refuses the two together; leave it out",
          ),
        ]
      : []),
  ];
}

/** Another handler, whose settings this one takes as they are (docs/custom-script.md); it has a name and versions of its own. */
function isCustomScript({ name }: JsonObject): boolean {
  return typeof name === "string" && /custom-?script/iu.test(name);
}

function problemsOfText(key: string, value: unknown): readonly SettingsProblem[] {
  if (value === undefined || value === null || value === "") return [problem(key, "is missing; CAPZ needs it")];
  if (typeof value === "string") return [];
  // `version: 2.0` is the number 2 to YAML.
  const instead = key === "version" ? 'such as "2.0"' : `such as "${String(names[0])}"`;
  return [
    problem(
      key,
      `is ${typeOf(value)}; CAPZ takes a text in quotation marks${key === "publisher" ? "" : `, ${instead}`}`,
    ),
  ];
}

function problemsOfName(name: unknown, machine: JsonObject): readonly SettingsProblem[] {
  if (typeof name !== "string" || name === "" || isMadeLater(name)) return [];
  if (!names.includes(name)) {
    const allowed = `allowed: ${names.join(", ")}, because CAPZ makes it the type that Azure looks for`;
    return [problem("name", `is "${name}"; ${allowed}`)];
  }
  const osDisk = machine["osDisk"];
  const system = isJsonObject(osDisk) ? osDisk["osType"] : undefined;
  if (typeof system !== "string" || isMadeLater(system)) return [];
  const own = name.split(".")[1] ?? "";
  if (own.toLowerCase() === system.toLowerCase()) return [];
  return [problem("name", `is "${name}", and osDisk.osType is "${system}": the extension does not run there`)];
}

function problemsOfVersion({ version }: JsonObject): readonly SettingsProblem[] {
  if (typeof version !== "string" || version === "" || isMadeLater(version)) return [];
  if (/^\d{1,9}\.\d{1,9}$/u.test(version)) return [];
  return [
    problem("version", `is "${version}"; allowed: two numbers, such as "2.0", of which Azure takes the newest patch`),
  ];
}

/** Nothing of a value is quoted: it may be a secret. */
function problemsOfMap(key: string, value: unknown): readonly SettingsProblem[] {
  if (value === undefined || value === null) return [];
  if (!isJsonObject(value)) return [problem(key, `is ${typeOf(value)}; CAPZ takes a mapping of names to texts`)];
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === "string"
      ? []
      : [problem(`${key}.${name}`, `is ${typeOf(item)}; CAPZ takes texts alone: ${asText(item)}`)],
  );
}

function asText(value: unknown): string {
  return typeof value === "object" && value !== null
    ? "write its JSON in quotation marks"
    : "put the value in quotation marks";
}

function typeOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a mapping" : `a ${typeof value}`;
}

/** A variable of clusterctl, or of the patch of a ClusterClass. */
function isMadeLater(text: string): boolean {
  return text.includes("${") || text.includes("{{");
}

function problem(key: string, what: string): SettingsProblem {
  return { key, message: `${key} ${what}` };
}
