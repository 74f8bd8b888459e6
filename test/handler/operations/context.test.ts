import { expect, test } from "@jest/globals";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { loadAgentContext, loadSequenceContext } from "../../../handler/operations/context.ts";
import type { Host } from "../../../handler/host.ts";
import { checkHost } from "../../support/check-host.ts";

/** A handler folder as the agent lays it out, below the scratch root. */
function handlerHost(env: Host["env"]): Host {
  const host = checkHost();
  const folders = Object.fromEntries(
    ["logFolder", "configFolder", "statusFolder"].map((name) => [name, join(host.root, name)]),
  );
  for (const folder of [...Object.values(folders), host.programFolder]) mkdirSync(folder, { recursive: true });
  const environment = [{ name: "CAPZ", version: 1, handlerEnvironment: folders }];
  writeFileSync(join(host.programFolder, "HandlerEnvironment.json"), JSON.stringify(environment));
  return { ...host, env: { ConfigSequenceNumber: "3", ...env } };
}

test.each([
  ["a plain name", "pool-a", "CAPZ+pool-a"],
  ["blanks around it", "  pool-a ", "CAPZ+pool-a"],
  ["no name", "", "CAPZ"],
  ["only blanks", "   ", "CAPZ"],
  ["a way out of the folder", "../other", "CAPZ"],
  ["letters that no file name of ours has", "Bücher", "CAPZ"],
  ["more characters than a file name takes", "x".repeat(200), "CAPZ"],
])("every command works in the same folder for an extension name with %s", async (_, name, folder) => {
  const host = handlerHost({ ConfigExtensionName: name });
  const enabling = await loadSequenceContext(host, "enable");
  const disabling = await loadAgentContext(host, "disable");
  expect(disabling).toMatchObject({ instance: enabling.instance, extensionName: enabling.extensionName });
  expect(basename(enabling.instance)).toBe(folder);
});

test("a name that cannot be used is told in the log of every command", async () => {
  const host = handlerHost({ ConfigExtensionName: "../other" });
  const { environment, log } = await loadAgentContext(host, "disable");
  await log.flush();
  expect(JSON.parse(readFileSync(join(environment.logFolder, "handler.log"), "utf8"))).toMatchObject({
    message: 'The variable ConfigExtensionName is "../other", not a file name; ignored',
  });
});
