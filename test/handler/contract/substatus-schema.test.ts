import { expect, test } from "@jest/globals";
import * as v from "valibot";
import {
  diagnosisMessageSchema,
  evidenceMessageSchema,
  proofMessageSchema,
  timelineMessageSchema,
  verdictMessageSchema,
} from "../../../handler/contract/substatus-schema.ts";

test.each([
  ["verdict", verdictMessageSchema],
  ["diagnosis", diagnosisMessageSchema],
  ["timeline", timelineMessageSchema],
  ["evidence", evidenceMessageSchema],
  ["proof", proofMessageSchema],
] as const)("a reader of the %s refuses another version of it, and what is none of it", (_name, schema) => {
  for (const value of [{}, null, { schemaVersion: 2 }]) expect(v.is(schema, value)).toBe(false);
});

test("a reader takes a diagnosis of each kind and refuses others", () => {
  const of = (kind: string) => v.is(diagnosisMessageSchema, { schemaVersion: 1, kind, others: [] });
  expect(["classified", "unclassified", "healthy", "other"].map(of)).toEqual([true, true, true, false]);
});
