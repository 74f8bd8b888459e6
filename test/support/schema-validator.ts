import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { parse } from "yaml";

const folder = join(import.meta.dirname, "..", "schemas");

/** Says what is wrong with a value; empty when nothing is. */
export type Validate = (value: unknown) => readonly string[];

/** A definition of test/schemas: `capz#/definitions/AzureCluster~1v1beta1`. */
export function ownSchema(file: "common" | "capz" | "capi" | "arm", definition: string): Validate {
  const ajv = new Ajv({ strict: false, allErrors: true });
  for (const name of new Set(["common", file])) {
    const schema: unknown = parse(readFileSync(join(folder, `${name}.yaml`), "utf8"));
    if (!isSchema(schema)) throw new Error(`test/schemas/${name}.yaml is not a schema`);
    ajv.addSchema(schema);
  }
  return compile(ajv, { $ref: `${file}#/definitions/${definition.replaceAll("/", "~1")}` });
}

/** A schema as an object, for example the original of a resource definition. */
export function anySchema(schema: object): Validate {
  return compile(new Ajv({ strict: false, allErrors: true, validateFormats: false, logger: false }), schema);
}

function compile(ajv: Ajv, schema: object): Validate {
  const validate = ajv.compile(schema);
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message ?? ""} ${JSON.stringify(params)}`,
    );
  };
}

function isSchema(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
