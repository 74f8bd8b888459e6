import { expect, test } from "@jest/globals";
import { parseStatus } from "../../../handler/contract/parse-status.ts";

function item(status: unknown): string {
  return JSON.stringify([{ version: 1, timestampUTC: "2026-01-31T12:00:00Z", status }]);
}

const good = { status: "success", code: 0, formattedMessage: { lang: "en-US", message: "done" } };
const huge = "x".repeat(140_000);
const lonely = item({ ...good, formattedMessage: { lang: "en", message: "LONE" } }).replace("LONE", String.raw`\ud800`);

const rows: readonly (readonly [string, string | Buffer, string])[] = [
  ["empty", "", "error-1012"],
  ["truncated", item(good).slice(0, 50), "error-1012"],
  ["not JSON", "Enable succeeded", "error-1012"],
  ["UTF-8 with a BOM", `\ufeff${item(good)}`, "error-1012"],
  ["object instead of array", item(good).slice(1, -1), "error-1012"],
  ["a list with a text", '["text"]', "error-1012"],
  ["status missing", "[{}]", "error-1012"],
  ["status.status missing", item({ code: 0 }), "error-1012"],
  ["formattedMessage without lang", item({ ...good, formattedMessage: { message: "m" } }), "error-1012"],
  ["formattedMessage a plain text", item({ ...good, formattedMessage: "done" }), "error-1012"],
  ["substatus with another status", item({ ...good, substatus: [{ status: "failed" }] }), "error-1012"],
  ["substatus not a list", item({ ...good, substatus: "none" }), "error-1012"],
  ["[]", "[]", "null-status"],
  ["null", "null", "null-status"],
  // The bytes of UTF-16 without a BOM are valid UTF-8 with NUL characters in it, so only the JSON is wrong.
  ["UTF-16 without a BOM", Buffer.from(item(good), "utf16le"), "error-1012"],
  ["UTF-16 with a BOM", Buffer.from(`\ufeff${item(good)}`, "utf16le"), "machine-lost"],
  ["Latin-1", Buffer.from(item({ ...good, operation: "ü" }), "latin1"), "machine-lost"],
  ["[null]", "[null]", "machine-lost"],
  ["[1]", "[1]", "machine-lost"],
  ["status null", item(null), "machine-lost"],
  [
    "formattedMessage a text with lang and message in it",
    item({ ...good, formattedMessage: "lang message" }),
    "machine-lost",
  ],
  ["message a number", item({ ...good, formattedMessage: { lang: "en", message: 5 } }), "machine-lost"],
  ["message with a lone surrogate", lonely, "machine-lost"],
  [
    "too long and a substatus without a message",
    item({ ...good, substatus: [{ name: huge, status: "error" }] }),
    "machine-lost",
  ],
  ["too long and no message", item({ status: "error", note: huge }), "machine-lost"],
];

test.each(rows)("the agent's answer to a status file: %s", (_case, content, effect) => {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  expect(parseStatus(bytes)).toMatchObject({ kind: "malformed", effect });
});

test("a valid file gives its status, code, message and the names of its substatuses", () => {
  const substatus = [
    null,
    { name: "BootstrapVerdict", status: "success", formattedMessage: null },
    { status: "warning" },
  ];
  expect(parseStatus(Buffer.from(item({ ...good, substatus })))).toEqual({
    kind: "valid",
    status: "success",
    code: 0,
    message: "done",
    substatuses: ["BootstrapVerdict", ""],
  });
});

test("a status value outside the four is an error, as the agent makes of it", () => {
  expect(parseStatus(Buffer.from(item({ ...good, status: "Success" })))).toMatchObject({
    kind: "valid",
    status: "error",
  });
});

test("a file over the size limit with all messages is still valid", () => {
  const long = { ...good, formattedMessage: { lang: "en", message: huge } };
  expect(parseStatus(Buffer.from(item(long))).kind).toBe("valid");
});
