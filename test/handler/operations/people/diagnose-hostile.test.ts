import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runDiagnose } from "../../../../handler/operations/people/run-diagnose.ts";
import { fakeHost } from "../../diagnosis/fake-host.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "capz-hostile-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

async function diagnosed(format: "text" | "json" | "html" = "text"): Promise<string> {
  const rules = "scripts/rules.json";
  return (await runDiagnose(fakeHost({ root }), { format, probes: false, rules })).text;
}

const failure =
  'error execution phase preflight: couldn\'t validate the identity of the API Server: Get "https://cp.example.internal:6443/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s": dial tcp: lookup cp.example.internal on 10.0.0.10:53: no such host';
const token = "abcdef.0123456789abcdef";

test("the cause and a token inside cloudbase-init's bytes literal: the cause is named, the token is hidden", async () => {
  const literal = `kubeadm join --token\\n${token}\\r\\n${failure.replaceAll("'", "\\'")}\\r\\n`;
  write(
    "Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log",
    `2026-11-21 03:14:07.123 1032 DEBUG cloudbaseinit.plugins.common.userdatautils [-] User_data stdout:\n2026-11-21 03:14:08.123 1032 DEBUG cloudbaseinit [-] b'${literal}'\n`,
  );
  const text = await diagnosed();
  expect(text).toMatch(/^Bootstrap failed \(DnsResolutionFailed\)/);
  expect(text).not.toContain(token.slice(7));
});

test("a coloured token and a token in UTF-16 are hidden, and the cause in a coloured log is found", async () => {
  write("var/log/cloud-init-output.log", `\u001b[36m${token}\u001b[0m\n\u001b[31m${failure} token=${token}\u001b[0m\n`);
  write("var/log/cloud-init.log", Buffer.from(`error: token ${token}\n`, "utf16le"));
  for (const format of ["text", "json", "html"] as const) {
    const text = await diagnosed(format);
    expect(text).toContain("DnsResolutionFailed");
    expect(text).not.toContain(token.slice(7));
    expect(text).not.toContain("\u001b");
  }
});

test("a line of 1 MiB with a secret at every place of its parts shows none of them", async () => {
  const words = Array.from({ length: 20_000 }, (_, index) => `w${String(index)} AccountKey=${"Ab1/".repeat(21)}Cd==`);
  write("var/log/cloud-init-output.log", `${words.join(" ").slice(0, 1024 * 1024)} ${failure}\n`);
  const text = await diagnosed("json");
  expect(text).toContain("DnsResolutionFailed");
  expect(text).not.toContain("Ab1/Ab1/");
});
