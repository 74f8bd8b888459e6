import { expect, test } from "@jest/globals";
import { Ajv } from "ajv";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSettings } from "../../../handler/settings/parse-settings.ts";
import { rowOf, settingRows } from "../../../handler/settings/schema.ts";
import type { SettingRow } from "../../../handler/settings/setting-row.ts";
import { settingsFiles } from "../../../scripts/dev/generate-settings-schema.ts";
import { settingsJsonSchema } from "../../../scripts/dev/settings-json-schema.ts";

const repository = join(import.meta.dirname, "..", "..", "..");
const accepts = new Ajv({ allErrors: true, strictTypes: false }).compile(settingsJsonSchema());
const rows: readonly (readonly [string, SettingRow])[] = Object.entries(settingRows);
/** What a key needs beside it, so that only its own value decides. */
const companions: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  fileUris: { commandToExecute: "date" },
  storageAccountName: { storageAccountKey: "YQ==" },
  storageAccountKey: { storageAccountName: "examplestorage" },
};

function verdicts(key: string, value: unknown): { readonly schema: boolean; readonly parser: boolean } {
  const settings = { ...(value === null ? {} : companions[key]), [key]: value };
  return {
    schema: accepts({ protectedSettings: settings }),
    parser: parseSettings({ publicSettings: {}, protectedSettings: settings }).kind === "valid",
  };
}

test("the committed schema and page are those of the table: run `node scripts/dev/generate-settings-schema.ts`", async () => {
  for (const { path, text } of await settingsFiles()) {
    expect({ path, text: await readFile(join(repository, path), "utf8") }).toEqual({ path, text });
  }
});

test.each(rows)("the examples and the default of %s are valid, in their type and as a text", (key, row) => {
  const values: readonly unknown[] = [...row.examples, ...("default" in row ? [row.default] : [])];
  for (const value of values) {
    expect(verdicts(key, value)).toEqual({ schema: true, parser: true });
    expect(verdicts(key, typeof value === "string" ? value : JSON.stringify(value))).toEqual({
      schema: true,
      parser: true,
    });
  }
});

test.each(rows)("schema and parser give the same answer for odd values of %s", (key, row) => {
  const odd: unknown[] = [
    null,
    true,
    false,
    -1,
    0.5,
    1e9,
    {},
    { clientId: 5 },
    [5],
    ["x"],
    ["ftp://x.example/a"],
    "x y",
    "\t",
  ];
  odd.push(
    "TRUE",
    "ftp://x.example/a",
    "http://x.example/a",
    "http://localhost:1/a",
    "https://x.example/a",
    "1.5",
    "abc",
  );
  if (row.type === "whole-number") odd.push(row.minimum, row.maximum, row.minimum - 1, "seven", "-7");
  for (const value of odd) {
    if (onlyParserKnows(row, value)) continue;
    const { schema, parser } = verdicts(key, value);
    expect({ value, accepted: schema }).toEqual({ value, accepted: parser });
  }
});

/** A schema cannot decode base64 or JSON in a text, split a list, or trim; there the parser is stricter. */
function onlyParserKnows(row: SettingRow, value: unknown): boolean {
  if (typeof value !== "string") return false;
  return row.type === "url-list" || row === settingRows.script || value.trim() === "";
}

test("the schema refuses secrets in the public settings and unknown top-level keys", () => {
  expect(accepts({ settings: { storageAccountKey: "YQ==" } })).toBe(false);
  expect(accepts({ settings: { mode: "observe" }, protectedSettings: null })).toBe(true);
  expect(accepts({ publicSettings: {} })).toBe(false);
});

test("the page documents every key with its place and its default", async () => {
  const page = await readFile(join(repository, "docs", "settings.md"), "utf8");
  for (const [key] of rows) expect(page).toContain(`### \`${key}\``);
  expect(rowOf("timeoutSeconds")).toMatchObject({ default: 1200 });
  expect(rowOf("toString")).toBeUndefined();
});
