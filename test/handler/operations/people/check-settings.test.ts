import { expect, jest, test } from "@jest/globals";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../../../../handler/cli.ts";
import { checkHost } from "../../../support/check-host.ts";

async function check(settings: Readonly<Record<string, unknown>>, ...options: readonly string[]) {
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

test("settings check says that a package without trusted keys accepts no check by its signature", async () => {
  const warned = await check({ checkVersion: "9.9.9" });
  expect(warned.code).toBe(0);
  expect(warned.text).toContain("warning  The check bundle 9.9.9 cannot be accepted: this package trusts no key");
  const refused = await check({ checkVersion: "9.9.9", checkRequired: "true" });
  expect(refused.code).toBe(3);
  expect(refused.text).toContain("Set checkSha256, or use a package that was built with the key");
  expect((await check({ checkVersion: "9.9.9", checkSha256: "a".repeat(64) })).text).not.toContain("trusts no key");
});

test("settings check warns of a template that would install CAPZ's first extension", async () => {
  const attached = (publisher: string, version: string) => ({
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachineTemplate",
    metadata: { name: "m" },
    spec: {
      vmExtensions: [{ name: "CAPZ.Linux.Bootstrapping", publisher, version, settings: { timeoutSeconds: "900" } }],
    },
  });
  const warned = await check(attached("Microsoft.Azure.ContainerUpstream", "1.0"));
  expect(warned).toMatchObject({ code: 0, text: expect.stringContaining("CAPZ's first extension, another program") });
  expect((await check(attached("Example.ClusterApi", "2.0"))).text).not.toContain("first extension");
});
