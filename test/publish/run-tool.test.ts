import { expect, test } from "@jest/globals";
import { programOf, runTool } from "../../publish/run-tool.ts";

const windows = { platform: "win32", execPath: "/node/node.exe", env: {} } as const;

test("npm is a batch file on Windows, which Node does not start: its script is run by this Node", () => {
  expect(programOf("npm", windows)).toEqual(["/node/node.exe", "/node/node_modules/npm/bin/npm-cli.js"]);
  const env = { npm_execpath: "/npm/bin/npm-cli.js" };
  expect(programOf("npm", { ...windows, env })).toEqual(["/node/node.exe", "/npm/bin/npm-cli.js"]);
  expect(programOf("tar", windows)).toEqual(["tar"]);
  expect(programOf("npm", { ...windows, platform: "linux" })).toEqual(["npm"]);
});

test("a tool is run by its own name elsewhere", async () => {
  expect(await runTool("npm", ["--version"])).toMatchObject({ code: 0 });
});
