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

const longest = 131_072;

/** A status file of just this many characters. */
function ofLength(length: number, status: Readonly<Record<string, unknown>>): Buffer {
  const empty = item({ ...status, note: "" });
  return Buffer.from(item({ ...status, note: "x".repeat(length - empty.length) }));
}

test.each([
  ["no message", { status: "error" }],
  ["a substatus without a message", { ...good, substatus: [{ name: "A", status: "error" }] }],
  [
    "a substatus without a name",
    { ...good, substatus: [{ status: "error", formattedMessage: good.formattedMessage }] },
  ],
])("what an agent forgives in a file up to its limit costs the whole machine above it: %s", (_case, status) => {
  expect(parseStatus(ofLength(longest, status)).kind).toBe("valid");
  expect(parseStatus(ofLength(longest + 1, status))).toMatchObject({ kind: "malformed", effect: "machine-lost" });
});

test("a long file whose substatuses have names and messages is valid", () => {
  const substatus = [{ name: "A", status: "error", formattedMessage: good.formattedMessage }];
  expect(parseStatus(ofLength(longest + 1, { ...good, substatus }))).toMatchObject({
    kind: "valid",
    substatuses: ["A"],
  });
});

test("a code that is no number counts as 0, a name that is no text as none, a message that is missing as empty", () => {
  const odd = { status: "error", code: "7", substatus: [{ name: 5, status: "error" }] };
  expect(parseStatus(Buffer.from(item(odd)))).toEqual({
    kind: "valid",
    status: "error",
    code: 0,
    message: "",
    substatuses: [""],
  });
  expect(parseStatus(Buffer.from(item({ ...good, code: -7 })))).toMatchObject({ code: -7 });
});

test("a substatus whose message cannot be encoded loses the machine", () => {
  const substatus = [{ name: "A", status: "error", formattedMessage: { lang: "en", message: 5 } }];
  expect(parseStatus(Buffer.from(item({ ...good, substatus })))).toMatchObject({ effect: "machine-lost" });
});

test.each([
  ["[1", /^it ends too early/u],
  ["", /^it is empty$/u],
  ["{}", /^it is not a list$/u],
])("the reason says what is wrong with %j", (text, reason) => {
  expect(parseStatus(Buffer.from(text))).toMatchObject({ reason: expect.stringMatching(reason) });
});
