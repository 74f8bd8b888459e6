import { settingRows } from "../../handler/settings/schema.ts";
import { unknownName, type ChoiceRow, type SettingRow, type UrlSchemes } from "../../handler/settings/setting-row.ts";

type Schema = Readonly<Record<string, unknown>>;

/** JSON Schema (draft-07) of a settings document as ARM knows it: `settings` and `protectedSettings`. */
export function settingsJsonSchema(): Schema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Settings of the CAPZ bootstrapping extension",
    description:
      "Every value may also be given as a text, because Cluster API's Azure provider can carry only texts. Unknown keys are a warning; those that look like a key that decides what runs are an error.",
    type: "object",
    additionalProperties: false,
    properties: {
      settings: { $ref: "#/definitions/publicSettings" },
      protectedSettings: { $ref: "#/definitions/protectedSettings" },
    },
    definitions: { publicSettings: objectSchema("public"), protectedSettings: objectSchema("protected") },
  };
}

function objectSchema(place: "public" | "protected"): Schema {
  const rows: [string, SettingRow][] = Object.entries(settingRows);
  const properties: Record<string, unknown> = {};
  for (const [key, row] of rows) {
    if (place === "protected" || row.place === "either") properties[key] = rowSchema(row);
    else properties[key] = { description: "Only in protectedSettings.", type: "null" };
  }
  return { type: ["object", "null"], properties };
}

function rowSchema(row: SettingRow): Schema {
  const shared = {
    description: row.description,
    ...("default" in row ? { default: row.default } : {}),
    examples: row.examples,
  };
  return { ...shared, anyOf: [...typeSchemas(row), { type: "null" }] };
}

function typeSchemas(row: SettingRow): readonly Schema[] {
  switch (row.type) {
    case "whole-number":
      // A schema cannot compare a number that is written as a text; the handler does.
      return [
        { type: "integer", minimum: row.minimum, maximum: row.maximum },
        { type: "string", pattern: String.raw`^\s*${row.minimum < 0 ? "-?" : ""}[0-9]{1,19}\s*$` },
      ];
    case "boolean":
      return [
        { type: "boolean" },
        { type: "string", pattern: String.raw`^\s*([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])\s*$` },
      ];
    case "choice":
      return choiceSchemas(row);
    case "text":
      return [
        {
          type: "string",
          ...(row.emptyIsUnset === true ? {} : { minLength: 1 }),
          ...(row.maximumLength === undefined ? {} : { maxLength: row.maximumLength }),
          ...(row.pattern === undefined ? {} : { pattern: row.pattern }),
        },
      ];
    case "url":
      return [{ type: "string", pattern: urlPattern(row.schemes) }];
    case "url-list":
      return [{ type: "array", items: { type: "string", pattern: urlPattern(row.schemes) } }, { type: "string" }];
    case "identity":
      return [identitySchema(), { type: "string", pattern: String.raw`^\s*\{` }];
  }
}

function urlPattern(schemes: UrlSchemes): string {
  const http = String.raw`[Hh][Tt][Tt][Pp]`;
  const loopback = String.raw`localhost|127(\.[0-9]{1,3}){3}|\[::1\]`;
  const own = schemes === "http" ? String.raw`${http}://[^\s/]` : String.raw`${http}://(${loopback})([:/?#]|\s*$)`;
  return String.raw`^\s*(${http}[Ss]://[^\s/]|${own})`;
}

function identitySchema(): Schema {
  const guid = { type: ["string", "null"], pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$" };
  const isSet = (key: string): Schema => ({ required: [key], properties: { [key]: { type: "string" } } });
  return {
    type: "object",
    properties: { clientId: guid, objectId: guid },
    not: { allOf: [isSet("clientId"), isSet("objectId")] },
  };
}

function choiceSchemas({ values, unknownIs }: ChoiceRow): readonly Schema[] {
  const known = { type: "string", enum: values };
  return unknownIs === undefined ? [known] : [known, { type: "string", pattern: unknownName.source }];
}
