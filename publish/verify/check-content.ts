import { sha256 } from "../digest.ts";
import { listOf, member } from "../json-value.ts";
import { packagesMark } from "../package-of-input.ts";
import { developmentKeys, keyProblems } from "../trusted-keys.ts";
import { readRuntimePins } from "../runtime-pins.ts";
import { problemsOf, type PackageCheck } from "./check.ts";
import { entryJson, entryText, type OpenedEntry, type OpenedPackage } from "./opened-package.ts";

/** Each runtime is the pinned one, byte for byte. */
export const checkRuntimes: PackageCheck = {
  id: "runtimes",
  title: "Node is the pinned one",
  async run({ entries }) {
    const pins = await readRuntimePins();
    const runtimes = entries.filter(({ name }) => name.startsWith("runtime/"));
    return problemsOf(
      runtimes.flatMap((entry) => {
        const pin = pins.find(({ name }) => entry.name.startsWith(`runtime/${name}/`));
        const digest = sha256(entry.read());
        return digest === pin?.packagedSha256
          ? []
          : [`${entry.name} has the sha256 ${digest}, pinned is ${pin?.packagedSha256 ?? "none"}`];
      }),
    );
  },
};

/** A shell refuses a carriage return; cmd.exe misreads a file without. */
export const checkLaunchers: PackageCheck = {
  id: "launchers",
  title: "line endings of scripts",
  run({ entries }) {
    return problemsOf(entries.flatMap(scriptProblems));
  },
};

function scriptProblems(entry: OpenedEntry): readonly string[] {
  const text = /\.cmd$|\.sh$|^bin\//.test(entry.name) ? entry.read().toString("latin1") : undefined;
  if (text === undefined) return [];
  if (entry.name.endsWith(".cmd")) return /(?<!\r)\n/.test(text) ? [`${entry.name} has a line without CR LF`] : [];
  return [
    ...(text.includes("\r") ? [`${entry.name} has a carriage return`] : []),
    ...(text.startsWith("#!/bin/sh\n") ? [] : [`${entry.name} does not start with #!/bin/sh`]),
  ];
}

/** The embedded check bundle is whole: bundle.json names each file with its digest and size. */
export const checkBundle: PackageCheck = {
  id: "bundle",
  title: "embedded check bundle",
  run(opened) {
    const rows = listOf(member(entryJson(opened, "bundle/bundle.json"), "files"));
    const named = rows.map((row) => `bundle/${String(member(row, "name"))}`);
    const extra = opened.entries
      .map(({ name }) => name)
      .filter((name) => name.startsWith("bundle/") && !named.includes(name))
      .filter((name) => !["bundle/bundle.json", "bundle/trusted-keys.json"].includes(name));
    const keys = entryText(opened, "bundle/trusted-keys.json") ?? "";
    return problemsOf([
      ...(rows.length === 0 ? ["bundle/bundle.json names no file"] : []),
      ...rows.flatMap((row, index) => bundleFileProblems(opened, row, named[index] ?? "")),
      ...keyProblems(keys).map((problem) => `trusted-keys.json: ${problem}`),
      ...developmentKeys(keys).map(
        (id) => `trusted-keys.json: "${id}" is a key for development; make one with new-bundle-key`,
      ),
      ...extra.map((name) => `${name} is not named by bundle.json`),
    ]);
  },
};

function bundleFileProblems(opened: OpenedPackage, row: unknown, name: string): readonly string[] {
  const content = opened.entries.find((entry) => entry.name === name)?.read();
  if (content === undefined) return [`${name} is named by bundle.json and missing`];
  const same = sha256(content) === member(row, "sha256") && content.length === member(row, "size");
  return same ? [] : [`${name} differs from what bundle.json says`];
}

/** The SBOM names every file with its digest, and every package whose code is in the program; NOTICE names them too. */
export const checkSbom: PackageCheck = {
  id: "sbom",
  title: "SBOM and NOTICE are complete",
  run(opened) {
    const components = listOf(member(entryJson(opened, "sbom.cdx.json"), "components"));
    const digests = new Set(
      components.flatMap((row) => listOf(member(row, "hashes")).map((hash) => member(hash, "content"))),
    );
    const names = new Set(components.map((row) => member(row, "name")));
    const notice = entryText(opened, "NOTICE") ?? "";
    const bundled = [...new Set(opened.entries.flatMap(packagesIn))].sort();
    return problemsOf([
      ...opened.entries
        .filter((entry) => entry.name !== "sbom.cdx.json" && !digests.has(sha256(entry.read())))
        .map(({ name }) => `sbom.cdx.json does not list ${name} with its digest`),
      ...bundled.filter((name) => !names.has(name)).map((name) => `sbom.cdx.json does not list the package ${name}`),
      ...[...bundled, "Node.js"]
        .filter((name) => !notice.includes(`\n${name} `))
        .map((name) => `NOTICE does not name ${name}`),
    ]);
  },
};

function packagesIn(entry: OpenedEntry): readonly string[] {
  if (!entry.name.endsWith(".cjs")) return [];
  const [first = ""] = entry.read().toString("utf8").split("\n", 1);
  return first.startsWith(packagesMark) ? first.slice(packagesMark.length).split(" ") : [];
}
