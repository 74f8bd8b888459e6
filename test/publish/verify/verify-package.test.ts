import { beforeAll, describe, expect, test } from "@jest/globals";
import { buildPackage } from "../../../publish/build-package.ts";
import { operatingSystems, type OperatingSystem } from "../../../publish/extension-definition.ts";
import { makeDevelopmentKey } from "../../../publish/sign/bundle-key.ts";
import { openPackage, type OpenedEntry, type OpenedPackage } from "../../../publish/verify/opened-package.ts";
import { packageChecks, verifyPackage } from "../../../publish/verify/verify-package.ts";

const opened = new Map<OperatingSystem, OpenedPackage>();

beforeAll(async () => {
  for (const os of operatingSystems) opened.set(os, await openPackage((await buildPackage(os)).path));
}, 300_000);

function packageFor(os: OperatingSystem): OpenedPackage {
  const found = opened.get(os);
  if (found === undefined) throw new Error(`no package for ${os}`);
  return found;
}

test.each(operatingSystems)("the package for %s passes every check", async (os) => {
  const rows = await verifyPackage(packageFor(os).path);
  expect(rows.filter(({ result }) => result === "failed")).toEqual([]);
  expect(rows.map(({ id }) => id)).toEqual(packageChecks.map(({ id }) => id));
});

interface Fault {
  readonly check: string;
  readonly what: string;
  readonly os: OperatingSystem;
  readonly break: (good: OpenedPackage) => OpenedPackage;
  readonly says: string;
}

const linuxFault = (check: string, what: string, fault: Pick<Fault, "break" | "says">): Fault => ({
  check,
  what,
  os: "Linux",
  ...fault,
});
const windowsFault = (check: string, what: string, fault: Pick<Fault, "break" | "says">): Fault => ({
  ...linuxFault(check, what, fault),
  os: "Windows",
});

const entryWith = (name: string, content: string | Buffer): OpenedEntry => ({
  name,
  mode: 0o644,
  madeByUnix: true,
  dosTime: new Date(1980, 0, 1).getTime(),
  read: () => Buffer.from(content),
});
const without = (name: string) => (good: OpenedPackage) => ({
  ...good,
  entries: good.entries.filter((entry) => entry.name !== name),
});
const withExtra = (name: string, content: string) => (good: OpenedPackage) => ({
  ...good,
  entries: [...good.entries, entryWith(name, content)],
});
const changed = (name: string, change: (entry: OpenedEntry) => Partial<OpenedEntry>) => (good: OpenedPackage) => ({
  ...good,
  entries: good.entries.map((entry) => (entry.name === name ? { ...entry, ...change(entry) } : entry)),
});
const rewritten = (name: string, from: string, to: string) =>
  changed(name, (entry) => ({ read: () => Buffer.from(entry.read().toString("utf8").replace(from, to)) }));

const manifest = "HandlerManifest.json";
const faults: readonly Fault[] = [
  linuxFault("layout", "no bundled program", {
    break: without("capz-bootstrap.cjs"),
    says: "capz-bootstrap.cjs is missing",
  }),
  linuxFault("layout", "no arm64 runtime", {
    break: without("runtime/linux-arm64/node"),
    says: "runtime/linux-arm64/node is missing",
  }),
  linuxFault("layout", "a stray file", { break: withExtra("notes.txt", "x"), says: "notes.txt does not belong here" }),
  linuxFault("layout", "a name that climbs out", { break: withExtra("lib/../../x", "x"), says: "outside its folder" }),
  linuxFault("layout", "the same name twice", { break: withExtra("NOTICE", "x"), says: "NOTICE is there twice" }),
  linuxFault("entries", "a launcher that is not executable", {
    break: changed("bin/capz-bootstrap", () => ({ mode: 0o644 })),
    says: "bin/capz-bootstrap has the mode 644, not 755",
  }),
  linuxFault("entries", "an entry made on Windows", {
    break: changed("NOTICE", () => ({ madeByUnix: false })),
    says: "NOTICE is not marked as made on Unix",
  }),
  linuxFault("entries", "the time of the build", {
    break: changed("NOTICE", () => ({ dosTime: Date.UTC(2026, 10, 21) })),
    says: "NOTICE is not dated",
  }),
  linuxFault("entries", "another order", {
    break: (good) => ({ ...good, entries: [...good.entries].reverse() }),
    says: "not in the order of their bytes",
  }),
  linuxFault("handler-manifest", "no JSON", {
    break: rewritten(manifest, "[", "{"),
    says: "not a list with one handler",
  }),
  linuxFault("handler-manifest", "a command that is not packaged", {
    break: rewritten(manifest, "bin/capz-bootstrap enable", "bin/capz enable"),
    says: 'enableCommand starts "bin/capz enable"',
  }),
  linuxFault("handler-manifest", "a command that does something else", {
    break: rewritten(manifest, "bin/capz-bootstrap disable", "bin/capz-bootstrap uninstall"),
    says: 'disableCommand passes "uninstall"',
  }),
  linuxFault("handler-manifest", "a text where the agent wants true or false", {
    break: rewritten(manifest, '"reportHeartbeat": false', '"reportHeartbeat": "false"'),
    says: "reportHeartbeat is not true or false",
  }),
  linuxFault("handler-manifest", "the signing data of another type", {
    break: rewritten(manifest, '"type": "Bootstrapping"', '"type": "CAPZ.Linux.Bootstrapping"'),
    says: 'signingInfo.type is "CAPZ.Linux.Bootstrapping", not "Bootstrapping"',
  }),
  windowsFault("handler-manifest", "the publisher as it is registered, not as the agent splits the name", {
    break: rewritten(manifest, "ClusterApi.CAPZ.Windows", "ClusterApi"),
    says: 'not "Example.ClusterApi.CAPZ.Windows"',
  }),
  windowsFault("handler-manifest", "Linux commands in the Windows package", {
    break: rewritten(manifest, "bin\\\\capz-bootstrap.cmd install", "bin/capz-bootstrap install"),
    says: "installCommand starts",
  }),
  linuxFault("versions", "an older image definition", {
    break: rewritten("manifest.xml", "<Version>2.0.0<", "<Version>0.9.0<"),
    says: 'manifest.xml Version is "0.9.0"',
  }),
  linuxFault("versions", "signing data of another version", {
    break: rewritten(manifest, '"version": "2.0.0"', '"version": "2.0.1"'),
    says: "signingInfo.version",
  }),
  linuxFault("versions", "an SBOM of another version", {
    break: rewritten("sbom.cdx.json", '"version": "2.0.0"', '"version": "2.0.1"'),
    says: "sbom.cdx.json metadata.component.version",
  }),
  linuxFault("versions", "a bundle for a later handler", {
    break: changed("bundle/bundle.json", () => ({ read: () => Buffer.from('{"minimumHandlerVersion":"2.10.0"}') })),
    says: "bundle.json needs handler 2.10.0",
  }),
  linuxFault("versions", "a zip named after another version", {
    break: (good) => ({ ...good, path: "dist/CAPZ.Linux.Bootstrapping-3.0.0.zip" }),
    says: "the name of the zip",
  }),
  linuxFault("extension-image", "a public image", {
    break: rewritten("manifest.xml", "<IsInternalExtension>true", "<IsInternalExtension>false"),
    says: 'IsInternalExtension is "false"',
  }),
  linuxFault("extension-image", "a media link in the sources", {
    break: rewritten("manifest.xml", "<MediaLink></", "<MediaLink>https://example.org/a.zip</"),
    says: "MediaLink is",
  }),
  linuxFault("extension-image", "elements in another order", {
    break: rewritten(
      "manifest.xml",
      "<ProviderNameSpace>Example.ClusterApi</ProviderNameSpace>\n  <Type>CAPZ.Linux.Bootstrapping</Type>",
      "<Type>CAPZ.Linux.Bootstrapping</Type>\n  <ProviderNameSpace>Example.ClusterApi</ProviderNameSpace>",
    ),
    says: "the order is Type, ProviderNameSpace",
  }),
  linuxFault("extension-image", "a missing element", {
    break: rewritten("manifest.xml", "<IsJsonExtension>true</IsJsonExtension>", ""),
    says: "IsJsonExtension is missing",
  }),
  linuxFault("extension-image", "the wrong system", {
    break: rewritten("manifest.xml", "<SupportedOS>Linux", "<SupportedOS>Windows"),
    says: 'SupportedOS is "Windows"',
  }),
  linuxFault("extension-image", "broken XML", {
    break: rewritten("manifest.xml", "</Label>", ""),
    says: "differs from what",
  }),
  linuxFault("runtimes", "another Node", {
    break: changed("runtime/linux-x64/node", () => ({ read: () => Buffer.from("\u007fELF") })),
    says: "runtime/linux-x64/node has the sha256",
  }),
  windowsFault("authenticode", "one changed byte in node.exe", {
    break: changed("runtime/windows-x64/node.exe", (entry) => ({
      read: () => {
        const content = Buffer.from(entry.read());
        content.writeUInt8(content.readUInt8(4096) ^ 1, 4096);
        return content;
      },
    })),
    says: "node.exe differs from what was signed",
  }),
  linuxFault("launchers", "a carriage return in the launcher", {
    break: rewritten("bin/capz-bootstrap", "#!/bin/sh\n", "#!/bin/sh\r\n"),
    says: "bin/capz-bootstrap has a carriage return",
  }),
  windowsFault("launchers", "line feeds only", {
    break: rewritten("bin/capz-bootstrap.cmd", "\r\n", "\n"),
    says: "has a line without CR LF",
  }),
  linuxFault("parts", "a part that exports nothing that its caller takes", {
    break: rewritten("lib/explain-parse-yaml.cjs", "parseYamlDocuments: () =>", "default: () =>"),
    says: "takes parseYamlDocuments from lib/explain-parse-yaml.cjs",
  }),
  linuxFault("parts", "a part that is not there", {
    break: (good) => ({
      ...good,
      entries: good.entries.filter(({ name }) => !name.startsWith("lib/explain-parse-yaml.cjs")),
    }),
    says: "which is not there",
  }),
  linuxFault("parts", "a part that ends with an error when it is loaded", {
    break: rewritten(
      "lib/explain-parse-yaml.cjs",
      '"use strict";',
      '"use strict"; throw new TypeError("broken part");',
    ),
    says: "does not load: TypeError: broken part",
  }),
  linuxFault("parts", "a part that reaches for more than its own files", {
    break: rewritten(
      "lib/explain-parse-yaml.cjs",
      '"use strict";',
      'require("node:fs").writeFileSync("/tmp/no-such-right", "x");',
    ),
    says: "does not load: Error: Access to this API has been restricted",
  }),
  linuxFault("bundle", "a changed check", {
    break: rewritten("bundle/check.cjs", "module.exports", "module.exported"),
    says: "bundle/check.cjs differs",
  }),
  linuxFault("bundle", "an unnamed file", {
    break: withExtra("bundle/more.sh", "x"),
    says: "bundle/more.sh is not named",
  }),
  linuxFault("bundle", "a trusted key that is none", {
    break: changed("bundle/trusted-keys.json", () => ({ read: () => Buffer.from('[{"keyId":"a","publicKey":"b"}]') })),
    says: "trusted-keys.json: entry 1 (a) is no public key in PEM",
  }),
  linuxFault("bundle", "a trusted key for development under the name of another", {
    break: changed("bundle/trusted-keys.json", () => ({
      read: () => Buffer.from(JSON.stringify([{ ...makeDevelopmentKey("x").entry, keyId: "release-2026" }])),
    })),
    says: 'trusted-keys.json: "release-2026" is a key for development',
  }),
  linuxFault("bundle", "an empty bundle.json", {
    break: changed("bundle/bundle.json", () => ({ read: () => Buffer.from("{}") })),
    says: "names no file",
  }),
  linuxFault("sbom", "a file that the SBOM does not know", {
    break: rewritten("capz-bootstrap.cjs", "\n", "\n\n"),
    says: "does not list capz-bootstrap.cjs with its digest",
  }),
  linuxFault("sbom", "a package that the SBOM does not know", {
    break: changed("capz-bootstrap.cjs", () => ({ read: () => Buffer.from("// Holds code of: left-pad\n") })),
    says: "does not list the package left-pad",
  }),
  linuxFault("sbom", "a package whose licence is not told", {
    break: changed("NOTICE", () => ({ read: () => Buffer.from("nothing") })),
    says: "NOTICE does not name Node.js",
  }),
  linuxFault("secrets", "a private key", {
    break: withExtra("lib/a.cjs", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234567890"),
    says: "a private key",
  }),
  linuxFault("secrets", "an account key", {
    break: withExtra("lib/a.cjs", `AccountKey=${"k".repeat(86)}==`),
    says: "a storage account key",
  }),
  linuxFault("secrets", "a signed link", {
    break: withExtra("lib/a.cjs", `https://a.blob.core.windows.net/c/b?sv=2024&sig=${"a1".repeat(20)}%3D`),
    says: "a signed storage link",
  }),
  linuxFault("secrets", "a join token", {
    break: withExtra("lib/a.cjs", ' "q1w2e3.0123456789abcdef" '),
    says: "a bootstrap token",
  }),
  linuxFault("size", "a zip above the promise", {
    break: (good) => ({ ...good, bytes: 85_000_001 }),
    says: "allowed are 85000000",
  }),
];

describe("verify", () => {
  test.each(faults)("$check catches $what", async (fault) => {
    const check = packageChecks.find(({ id }) => id === fault.check);
    const finding = await check?.run(fault.break(packageFor(fault.os)));
    if (finding?.kind === "skipped" && process.env["CI"] !== "true") return;
    expect(finding?.kind === "checked" ? finding.problems.join("\n") : "not checked").toContain(fault.says);
  });

  test("every check has a package that it catches", () => {
    expect([...new Set(faults.map(({ check }) => check))].sort()).toEqual(packageChecks.map(({ id }) => id).sort());
  });
});
