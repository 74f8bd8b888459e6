import { describe, expect, test } from "@jest/globals";
import * as v from "valibot";
import { explain } from "../../handler/explain/explain.ts";
import { verdictStatus } from "../../handler/verdict/verdict-status.ts";
import { outputs } from "../../scripts/dev/generate-status-schema.ts";
import { toJsonSchema } from "../../scripts/dev/to-json-schema.ts";
import { anySchema } from "../support/schema-validator.ts";
import { cloneProof, failedVerdict, passedVerdict } from "../support/verdict-samples.ts";

describe("the published schema of the substatuses", () => {
  test.each([
    ["failed", failedVerdict()],
    ["passed", passedVerdict()],
    ["passed, with its proof", passedVerdict({ proof: cloneProof })],
    ["reported", passedVerdict({ mode: "report", end: { kind: "reported", proof: cloneProof } })],
  ])("accepts what is written of a verdict and names no field of it wrongly: %s", async (_, verdict) => {
    const [file] = await outputs();
    const schema: unknown = JSON.parse(file?.content ?? "");
    if (typeof schema !== "object" || schema === null) throw new Error("the schema is an object");
    const status = verdictStatus(verdict);
    const written = Object.fromEntries(
      status.substatuses
        .filter(({ name }) => name.startsWith("Bootstrap"))
        .map(({ name, message }): [string, unknown] => [name, JSON.parse(message)]),
    );
    expect(anySchema(closed(schema))(written)).toEqual([]);
  });
});

test("explain reads a verdict of a later version whose modes, sides and stages it does not know", async () => {
  const status = verdictStatus(failedVerdict());
  const substatuses = status.substatuses.map(({ name, message }) => ({
    code: `ComponentStatus/${name}/succeeded`,
    message: message
      .replaceAll('"blame":"network"', name === "BootstrapVerdict" ? '"blame":"the moon"' : '"blame":"network"')
      .replace('"mode":"enforce"', '"mode":"rehearse"')
      .replace('"confidence":"high"', '"confidence":"certain"'),
  }));
  const view = {
    extensions: [{ name: "CAPZ.Linux.Bootstrapping", statuses: [{ message: status.message }], substatuses }],
  };
  const explanation = await explain(JSON.stringify(view));
  const answer = explanation.kind === "explained" ? explanation.answers[0] : undefined;
  expect(answer).toMatchObject({
    mode: "rehearse",
    confidence: "certain",
    blame: "the moon",
    reason: "DnsResolutionFailed",
  });
});

describe("toJsonSchema", () => {
  test("requires what is not optional, and puts what has a name aside once", () => {
    const definitions = {};
    const named = v.pipe(v.string(), v.metadata({ definition: "Name", minLength: 1 }));
    const schema = v.object({ one: named, two: v.exactOptional(named), many: v.array(named) });
    expect(toJsonSchema(schema, definitions)).toEqual({
      type: "object",
      required: ["one", "many"],
      properties: {
        one: { $ref: "#/definitions/Name" },
        two: { $ref: "#/definitions/Name" },
        many: { type: "array", items: { $ref: "#/definitions/Name" } },
      },
    });
    expect(definitions).toEqual({ Name: { type: "string", minLength: 1 } });
  });

  test("refuses a form that it does not know instead of letting everything through", () => {
    expect(() => toJsonSchema(v.date(), {})).toThrow('A schema of type "date" has no form here yet');
  });
});

/** The same schema without room for fields that it does not name. */
function closed(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_, value: unknown) =>
    typeof value === "object" && value !== null && "required" in value && "properties" in value
      ? { ...value, additionalProperties: false }
      : value,
  ) as object;
}
