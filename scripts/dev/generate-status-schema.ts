import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import type { GenericSchema } from "valibot";
import * as shapes from "../../handler/contract/substatus-schema.ts";
import { substatusNames } from "../../handler/contract/verdict-substatus.ts";
import { reasonSchema } from "./generate-reason-schema.ts";
import { toJsonSchema } from "./to-json-schema.ts";

const path = "manifests/status.schema.json";

const messages: Readonly<Record<string, GenericSchema>> = {
  [substatusNames.verdict]: shapes.verdictMessageSchema,
  [substatusNames.diagnosis]: shapes.diagnosisMessageSchema,
  [substatusNames.timeline]: shapes.timelineMessageSchema,
  [substatusNames.evidence]: shapes.evidenceMessageSchema,
  [substatusNames.proof]: shapes.proofMessageSchema,
};

/** What a type cannot say: there is a primary finding if and only if the diagnosis is `classified`. */
const primaryWhenClassified = {
  if: { properties: { kind: { const: "classified" } } },
  then: { required: ["primary"] },
  else: { not: { required: ["primary"] } },
};

/** Writes the published schema of our substatuses from their shapes in handler/contract/substatus-schema.ts. */
export async function outputs(): Promise<readonly { readonly path: string; readonly content: string }[]> {
  const options = (await resolveConfig(join(import.meta.dirname, "..", "..", path))) ?? {};
  const content = await format(JSON.stringify(statusSchema(), null, 2), { ...options, parser: "json" });
  return [{ path, content }];
}

function statusSchema(): object {
  const definitions: Record<string, object> = { Reason: reasonSchema() };
  for (const [name, message] of Object.entries(messages)) {
    const schema = toJsonSchema(message, definitions);
    definitions[name] = name === substatusNames.diagnosis ? { ...schema, ...primaryWhenClassified } : schema;
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Substatuses of the CAPZ bootstrapping extension",
    description:
      "The message of each substatus is a JSON text. This schema describes an object that holds them under the names of the substatuses. Readers must ignore keys that they do not know; a change that breaks readers raises schemaVersion. Azure or the size limit can cut a message, so a reader must expect text that is not whole JSON.",
    type: "object",
    properties: Object.fromEntries(Object.keys(messages).map((name) => [name, { $ref: `#/definitions/${name}` }])),
    definitions,
  };
}
