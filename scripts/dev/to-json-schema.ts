import * as v from "valibot";
import type { Facets } from "../../handler/contract/substatus-schema.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * JSON Schema (draft-07) of the forms of schema that the substatuses use; what has a name in its facets is put into `definitions`
 * once and named from then on.
 * @throws Error for a form that it does not know
 */
export function toJsonSchema(schema: v.GenericSchema, definitions: Record<string, object>): JsonSchema {
  const { definition, description, integer, ...limits }: Facets = v.getMetadata(schema);
  const noted = {
    ...formOf(schema, definitions),
    ...(integer === true ? { type: "integer" } : {}),
    ...limits,
    ...(description === undefined ? {} : { description }),
  };
  if (definition === undefined) return noted;
  definitions[definition] ??= noted;
  return { $ref: `#/definitions/${definition}` };
}

function formOf(schema: v.GenericSchema, definitions: Record<string, object>): JsonSchema {
  if (isKind<v.LiteralSchema<v.Literal, undefined>>(schema, "literal")) return { const: schema.literal };
  if (isKind<v.PicklistSchema<readonly string[], undefined>>(schema, "picklist")) return { enum: schema.options };
  if (isKind<v.ArraySchema<v.GenericSchema, undefined>>(schema, "array")) {
    return { type: "array", items: toJsonSchema(schema.item, definitions) };
  }
  if (isKind<v.ObjectSchema<v.ObjectEntries, undefined>>(schema, "object"))
    return objectForm(schema.entries, definitions);
  if (["string", "number", "boolean"].includes(schema.type)) return { type: schema.type };
  throw new Error(`A schema of type "${schema.type}" has no form here yet: add it to scripts/dev/to-json-schema.ts`);
}

function objectForm(entries: v.ObjectEntries, definitions: Record<string, object>): JsonSchema {
  const fields = Object.entries(entries);
  return {
    type: "object",
    required: fields.filter(([, field]) => field.type !== "exact_optional").map(([name]) => name),
    properties: Object.fromEntries(
      fields.map(([name, field]) => [name, toJsonSchema(withoutOptional(field), definitions)]),
    ),
  };
}

function withoutOptional(field: v.ObjectEntries[string]): v.GenericSchema {
  if (field.type !== "exact_optional") return field;
  return (field as v.ExactOptionalSchema<v.GenericSchema, undefined>).wrapped;
}

function isKind<Schema extends v.GenericSchema>(schema: v.GenericSchema, type: Schema["type"]): schema is Schema {
  return schema.type === type;
}
