import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { customPrefix, otherReasons, reasons } from "../../handler/reasons/reasons.ts";

const repository = join(import.meta.dirname, "..", "..");
const schemas = ["manifests/report.schema.json"];

/** Writes the closed set of reasons into the report's schema; everything else in it is written by hand. */
export async function outputs(): Promise<readonly { readonly path: string; readonly content: string }[]> {
  return Promise.all(
    schemas.map(async (path) => {
      const file = join(repository, path);
      const schema: unknown = JSON.parse(await readFile(file, "utf8"), (key, value: unknown) =>
        key === "Reason" && isObject(value) ? reasonSchema() : value,
      );
      const options = (await resolveConfig(file)) ?? {};
      return { path, content: await format(JSON.stringify(schema, null, 2), { ...options, parser: "json" }) };
    }),
  );
}

export function reasonSchema(): object {
  return {
    description: `Stable; may be used in alerts. The set is closed; what begins with ${customPrefix} is the reason of an own check or hook, or of a rule that is newer than the handler. docs/codes.md.`,
    anyOf: [
      { enum: [...Object.keys(reasons), ...otherReasons].toSorted() },
      { type: "string", pattern: `^${customPrefix}[A-Za-z0-9]+$` },
    ],
  };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
