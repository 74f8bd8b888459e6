import { problemsOf, type PackageCheck } from "./check.ts";
import type { OpenedEntry, OpenedPackage } from "./opened-package.ts";

const always = [
  "HandlerManifest.json",
  "NOTICE",
  "bundle/bundle.json",
  "bundle/trusted-keys.json",
  "capz-bootstrap.cjs",
];
const alsoAlways = ["bundle/check.cjs", "bundle/rules.json", "manifest.xml", "sbom.cdx.json"];
const allowed = /^(?:bundle\/[\w.-]+|lib\/[\w.-]+\.cjs)$/;
const fixedTime = new Date(1980, 0, 1).getTime();

/** Every file that must be there is there, nothing else is, and no name can leave the folder. */
export const checkLayout: PackageCheck = {
  id: "layout",
  title: "files and names",
  run(opened) {
    const names = opened.entries.map(({ name }) => name);
    const wanted = requiredNames(opened);
    const unsafe = names.filter((name) => /^\/|\\|:|(?:^|\/)\.\.(?:\/|$)/.test(name));
    return problemsOf([
      ...wanted.filter((name) => !names.includes(name)).map((name) => `${name} is missing`),
      ...names
        .filter((name) => !wanted.includes(name) && !allowed.test(name))
        .map((name) => `${name} does not belong here`),
      ...unsafe.map((name) => `${name} could be unpacked outside its folder`),
      ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is there twice`),
    ]);
  },
};

function requiredNames({ definition }: OpenedPackage): readonly string[] {
  const launcher = definition.os === "Linux" ? "bin/capz-bootstrap" : "bin/capz-bootstrap.cmd";
  const program = definition.os === "Linux" ? "node" : "node.exe";
  return [...always, ...alsoAlways, launcher, ...definition.runtimes.map((name) => `runtime/${name}/${program}`)];
}

/** Unpackers that honour modes get the right ones, and the same sources gave the same bytes. */
export const checkEntries: PackageCheck = {
  id: "entries",
  title: "modes, times, order",
  run({ entries }) {
    const names = entries.map(({ name }) => name);
    const sorted = [...names].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    return problemsOf([
      ...entries.flatMap(modeProblem),
      ...entries.filter(({ madeByUnix }) => !madeByUnix).map(({ name }) => `${name} is not marked as made on Unix`),
      ...entries.filter(({ dosTime }) => dosTime !== fixedTime).map(({ name }) => `${name} is not dated 1980-01-01`),
      ...(names.join("\n") === sorted.join("\n") ? [] : ["the entries are not in the order of their bytes"]),
    ]);
  },
};

function modeProblem({ name, mode }: OpenedEntry): readonly string[] {
  const wanted = /^(?:bin|runtime)\/|\.sh$/.test(name) ? 0o755 : 0o644;
  return mode === wanted ? [] : [`${name} has the mode ${mode.toString(8)}, not ${wanted.toString(8)}`];
}

const megabyte = 1_000_000;

/** Sizes are a promise to every machine that downloads the package (docs/performance.md). */
export const checkSize: PackageCheck = {
  id: "size",
  title: "size of the zip",
  run({ bytes, definition }) {
    const limit = (definition.os === "Linux" ? 85 : 45) * megabyte;
    return problemsOf(bytes <= limit ? [] : [`the zip has ${bytes} bytes, allowed are ${limit}`]);
  },
};
