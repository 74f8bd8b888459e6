import { expect, jest, test } from "@jest/globals";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../../../handler/cli.ts";
import { checkHost } from "../../support/check-host.ts";

async function check(settings: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const file = join(await mkdtemp(join(tmpdir(), "settings-")), "settings.json");
  await writeFile(file, JSON.stringify(settings));
  const written: string[] = [];
  const output = jest.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    return { code: await runCli(["settings", "check", file, ...options], checkHost()), text: written.join("") };
  } finally {
    output.mockRestore();
  }
}

test("settings check looks at the settings with the eyes of the node's system", async () => {
  const settings = { commandToExecute: "x".repeat(9000), graceSeconds: "30" };
  expect(await check(settings)).toMatchObject({ code: 0, text: expect.stringContaining("the settings are valid") });
  const windows = await check(settings, "--system", "windows");
  expect(windows.code).toBe(3);
  expect(windows.text).toContain("error    commandToExecute has 9000 characters; allowed on Windows: at most 8152");
  expect(windows.text).toContain("warning  graceSeconds has no effect on Windows");
});
