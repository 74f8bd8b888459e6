import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { stdin } from "node:process";
import { buffer } from "node:stream/consumers";
import { HandlerError, errorText } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import { openProtectedSettings } from "../../settings/protected-settings.ts";
import { decodeText } from "../../text/decode-text.ts";
import { parseJson } from "../../text/parse-json.ts";
import { placeOfUnexpectedToken } from "../../text/unexpected-token.ts";
import { expandPatches } from "./expand-patches.ts";
import { findSettings, isParametersFile, type FoundSettings } from "./find-settings.ts";

/** Settings that a person named, as far as they can be read here. */
export interface GivenSettings extends Omit<FoundSettings, "hidden"> {
  /** Why the protected settings are not among them; undefined when they are, or there are none. */
  readonly notRead: string | undefined;
}

/** Every extension in a file of a person, or in standard input where `-` is named: JSON or YAML (docs/settings.md). Throws HandlerError settingsUnreadable. */
export async function readSettingsFileOf(
  host: Pick<Host, "platform" | "run">,
  file: string,
): Promise<readonly GivenSettings[]> {
  const text = await readText(file);
  if (text.trim() === "") throw unreadable(file, "is empty; settings without a key are written {}");
  const documents = await parse(file, text);
  const found = (await withPatches(text, documents)).flatMap(findSettings);
  if (found.length > 0) return await Promise.all(found.map((one) => open(host, file, one)));
  if (documents.some(isParametersFile)) {
    throw unreadable(
      file,
      "holds the parameters of an ARM deployment, and none of them carries settings of an extension: they stand in the template. Check the template",
    );
  }
  // To YAML a short one is a sentence.
  if (isSourceOfTemplate(text)) throw unreadable(file, madeFirst);
  throw unreadable(
    file,
    "holds no settings of an extension: neither the settings themselves (no key of it is a setting), nor an ARM resource, nor an N.settings of the agent, nor vmExtensions",
  );
}

/** The one extension that `run` shall take. What cannot be read here must not silently become another check. */
export async function readSettingsArgument(host: Pick<Host, "platform" | "run">, file: string): Promise<GivenSettings> {
  const all = await readSettingsFileOf(host, file);
  const usable = all.filter(({ foreign }) => !foreign);
  const [only] = usable;
  if (only === undefined || usable.length > 1) {
    const names = (usable.length === 0 ? all : usable).map(({ name }) => name ?? "without a name").join("; ");
    throw unreadable(
      file,
      `holds ${String(usable.length)} extensions that this command can run (${names}); allowed: 1`,
    );
  }
  if (only.notRead !== undefined) throw unreadable(file, `cannot be run here: ${only.notRead}`);
  if (only.unresolved.length > 0) {
    throw unreadable(
      file,
      `cannot be run: a template makes the value of ${only.unresolved.join(", ")}; write the value`,
    );
  }
  return only;
}

async function open(
  host: Pick<Host, "platform" | "run">,
  file: string,
  { hidden, ...found }: FoundSettings,
): Promise<GivenSettings> {
  switch (hidden?.kind) {
    case undefined:
      return { ...found, notRead: undefined };
    case "elsewhere":
      return { ...found, notRead: `the protected settings ${hidden.where}` };
    case "encrypted": {
      const { protectedText, thumbprint } = hidden;
      try {
        const protectedSettings = await openProtectedSettings({
          file: { protectedText, ...(thumbprint === undefined ? {} : { thumbprint }) },
          configFolder: dirname(resolve(file)),
          platform: host.platform,
          run: host.run,
        });
        return { ...found, protectedSettings, notRead: undefined };
      } catch (error) {
        return {
          ...found,
          notRead: `the protected settings are encrypted for the machine they belong to (${errorText(error)})`,
        };
      }
    }
  }
}

async function parse(file: string, text: string): Promise<readonly unknown[]> {
  const json = parseJson(text);
  if (json.kind === "value") return [json.value];
  // A broken JSON file is told as such: as YAML it would only be broken elsewhere.
  if (/^\s*[[{]/u.test(text)) throw unreadable(file, `cannot be read as JSON: ${placeOf(text) ?? json.reason}`);
  // Our own file, not the package: what is loaded lazily from there has no names in the packaged program.
  const { parseYamlDocuments } = await import("../../explain/parse-yaml.ts");
  const yaml = parseYamlDocuments(text);
  switch (yaml.kind) {
    case "documents":
      return yaml.documents;
    case "not-yaml":
      throw unreadable(file, isSourceOfTemplate(text) ? madeFirst : `is neither JSON nor YAML: ${yaml.reason}`);
    case "too-large":
      throw unreadable(file, "is YAML that unfolds into more than any settings hold");
  }
}

function placeOf(text: string): string | undefined {
  const place = placeOfUnexpectedToken(text);
  return place === undefined ? undefined : `it is not JSON from character ${String(place + 1)} on`;
}

const madeFirst =
  "looks like Bicep or Terraform; give what is made of it: `az bicep build --file FILE --stdout`, `az bicep build-params`, or `terraform show -json PLAN`";

/** No key of YAML is followed by another word before its colon in such files, and a longer one (`resources:`) is another word. */
function isSourceOfTemplate(text: string): boolean {
  return /^(?:resource|module|using|param|variable|provider|locals|terraform|targetScope)(?: \w| ?["'={])/mu.test(text);
}

async function withPatches(text: string, documents: readonly unknown[]): Promise<readonly unknown[]> {
  if (!text.includes("/vmExtensions")) return documents;
  const { parseYamlDocuments } = await import("../../explain/parse-yaml.ts");
  return documents.map((document) =>
    expandPatches(document, (template) => {
      const yaml = parseYamlDocuments(template);
      const list = yaml.kind === "documents" ? yaml.documents[0] : undefined;
      return Array.isArray(list) ? list : undefined;
    }),
  );
}

async function readText(file: string): Promise<string> {
  try {
    // What PowerShell redirects into a file is UTF-16.
    return decodeText(file === "-" ? await buffer(stdin) : await readFile(file));
  } catch (error) {
    throw new HandlerError("settingsUnreadable", `Cannot read "${file}": ${errorText(error)}`, {
      cause: error,
      hint: "Name a JSON or YAML file with the extension's settings",
    });
  }
}

function unreadable(file: string, why: string): HandlerError {
  return new HandlerError("settingsUnreadable", `${file === "-" ? "Standard input" : `"${file}"`} ${why}`, {
    hint: "Check the file with capz-bootstrap settings check",
  });
}
