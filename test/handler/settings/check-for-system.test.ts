import { expect, test } from "@jest/globals";
import type { SystemName } from "../../../handler/settings/check-for-system.ts";
import { parseSettings } from "../../../handler/settings/parse-settings.ts";

function parse(publicSettings: Readonly<Record<string, string>>, system?: SystemName) {
  return parseSettings({ publicSettings, protectedSettings: undefined }, system);
}

test("parseSettings() takes a command on Windows up to what cmd.exe takes, and names length, limit and way out beyond it", () => {
  expect(parse({ commandToExecute: "x".repeat(8152) }, "windows")).toMatchObject({ kind: "valid" });
  expect(parse({ commandToExecute: `s3cret ${"x".repeat(8146)}` }, "windows")).toMatchObject({
    kind: "invalid",
    problems: [
      {
        key: "commandToExecute",
        message:
          "commandToExecute has 8153 characters; allowed on Windows: at most 8152, because cmd.exe takes no longer line; put the commands into script, or into a file of fileUris",
      },
    ],
  });
});

test.each(["linux", undefined] as const)("a long command is no problem for %s", (system) => {
  expect(parse({ commandToExecute: "x".repeat(100_000) }, system)).toMatchObject({ kind: "valid", warnings: [] });
});

test("a grace on Windows is warned of, unless it is none", () => {
  expect(parse({ graceSeconds: "30" }, "windows").warnings).toEqual([
    {
      key: "graceSeconds",
      message:
        "graceSeconds has no effect on Windows, where a program cannot be asked to end: the check is ended at once",
    },
  ]);
  expect(parse({ graceSeconds: "0" }, "windows").warnings).toEqual([]);
  expect(parse({}, "windows").warnings).toEqual([]);
  expect(parse({ graceSeconds: "30" }, "linux").warnings).toEqual([]);
});
