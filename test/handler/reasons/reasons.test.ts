import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { reasonOfCause } from "../../../handler/diagnosis/causes.ts";
import { loadRules } from "../../../handler/diagnosis/load-rules.ts";
import { errorCodes } from "../../../handler/errors/error-codes.ts";
import { checkReasons } from "../../../handler/reasons/check-reasons.ts";
import { causeReasons, closedReason, describeReason, otherReasons, reasons } from "../../../handler/reasons/reasons.ts";
import { anySchema } from "../../support/schema-validator.ts";

const project = join(import.meta.dirname, "..", "..", "..");
const rules = loadRules(readFileSync(join(project, "scripts/rules.json"), "utf8")).rules.filter(
  (rule) => rule.kind === "failure",
);

describe("the table of reasons", () => {
  test("has every cause of the catalogue, and no cause that the catalogue does not have", () => {
    expect(Object.keys(causeReasons).toSorted()).toEqual(Object.values(reasonOfCause).toSorted());
  });

  test.each(["BootstrapInterrupted", "ForeignNodeIdentity", "NodeCertificateExpired", "BootstrapReportedFailed"])(
    "has what a check says of a machine: %s",
    (reason) => {
      expect(Object.keys(checkReasons)).toContain(reason);
    },
  );

  test("says of a cause what at least one of its rules says: side and whether a new machine may pass", () => {
    const wrong = Object.entries(causeReasons).filter(([reason, { blame, retryable }]) => {
      const own = rules.filter((rule) => rule.reason === reason);
      return own.length > 0 && !(own.some((r) => r.blame === blame) && own.some((r) => r.retryable === retryable));
    });
    expect(wrong.map(([reason]) => reason)).toEqual([]);
  });

  test.each(Object.entries(reasons))("%s is told in words that fit into a sentence", (reason, row) => {
    expect(reason).toMatch(/^[A-Z][A-Za-z0-9]{2,59}$/);
    for (const text of [row.meaning, row.nextStep]) {
      expect(text).toMatch(/^\S.*[^.\s]$/);
      expect(text).not.toMatch(/ {2}|undefined/);
    }
    expect(row.meaning.length).toBeLessThanOrEqual(120);
    for (const page of row.references) expect(page).toMatch(/^https:\/\//);
  });

  test("gives every failure of the handler a side that its number shows: below zero is the platform's", () => {
    const wrong = Object.values(errorCodes).filter(
      ({ number, reason }) => number < 0 !== (describeReason(reason)?.blame === "platform"),
    );
    expect(wrong.map(({ reason }) => reason)).toEqual([]);
  });
});

describe("closedReason()", () => {
  test("leaves a reason of the table", () => {
    expect(closedReason("DnsResolutionFailed")).toBe("DnsResolutionFailed");
    expect(closedReason("KubeadmFailed")).toBe("KubeadmFailed");
  });

  test("puts the prefix before any other, once", () => {
    expect(closedReason("LicenceServerDown")).toBe("CustomLicenceServerDown");
    expect(closedReason("CustomLicenceServerDown")).toBe("CustomLicenceServerDown");
    expect(closedReason("Custom")).toBe("CustomCustom");
    expect(closedReason("toString")).toBe("CustomtoString");
  });

  test("never lets a failure carry the reason of a success", () => {
    expect(otherReasons.map(closedReason)).toEqual([
      "CustomBootstrapped",
      "CustomBootstrapInProgress",
      "CustomReported",
    ]);
  });
});

describe("the published schemas", () => {
  test.each(["status.schema.json", "report.schema.json"])("%s knows these reasons and no others", (name) => {
    const schema: unknown = JSON.parse(readFileSync(join(project, "manifests", name), "utf8"));
    const reason = memberOf(memberOf(schema, name.startsWith("status") ? "definitions" : "$defs"), "Reason");
    const isReason = anySchema(reason);
    for (const known of [...Object.keys(reasons), ...otherReasons, "CustomDown"]) expect(isReason(known)).toEqual([]);
    for (const other of ["Other", "Custom", "custom", "", 7, "CustomNot.Word"]) expect(isReason(other)).not.toEqual([]);
  });
});

function memberOf(value: unknown, key: string): object {
  const found = Object.entries(Object(value) as object).find(([name]) => name === key)?.[1] as unknown;
  if (typeof found === "object" && found !== null) return found;
  throw new Error(`The schema has no ${key}`);
}
