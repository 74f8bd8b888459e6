import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";

const project = join(import.meta.dirname, "..");
const textOf = (path: string): string => readFileSync(join(project, path), "utf8");
const definition = JSON.parse(textOf("manifests/extension-image.json")) as { readonly publisher: string };
const { version } = JSON.parse(textOf("package.json")) as { readonly version: string };

const examples = [
  "README.md",
  "HandlerManifest.json",
  ...["docs", "manifests"].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  ),
].filter((path) => /\.(?:md|ya?ml|json|bicep|bicepparam|sh|cmd)$/u.test(path));

/** The warnings that name CAPZ's first extension; nowhere else does its publisher stand. */
const warnings = ["README.md", "docs/attach.md", "docs/quick-start.md"];
const ofMicrosoft = "Microsoft.Azure.ContainerUpstream";

test("no example would install CAPZ's first extension: its publisher stands in the warnings alone", () => {
  expect(examples.filter((path) => textOf(path).includes(ofMicrosoft)).toSorted()).toEqual(warnings.toSorted());
});

test("every example names the publisher under which the package is built, and the version's own line", () => {
  const named = examples.flatMap((path) => attachmentsIn(textOf(path)).map((found) => ({ path, ...found })));
  expect(named.length).toBeGreaterThanOrEqual(17);
  const wrong = named.filter((one) => one.publisher !== definition.publisher || one.version !== version.split(".")[0]);
  expect(wrong).toEqual([]);
});

test("the parameter of every template has the same publisher for its default", () => {
  const defaults = examples.flatMap((path) =>
    [
      ...textOf(path).matchAll(
        /(?:param publisher string = |"publisher": \{[^{}]*"defaultValue": )["'](?<publisher>[\w.]+)["']/gu,
      ),
    ].map(({ groups }) => groups?.["publisher"]),
  );
  expect(defaults).toEqual(Array.from({ length: 8 }, () => definition.publisher));
});

test("an example with another publisher or line is found", () => {
  const text = `- name: CAPZ.Linux.Bootstrapping\n  publisher: ${ofMicrosoft}\n  version: "1.0"\n`;
  expect(attachmentsIn(text)).toEqual([{ publisher: ofMicrosoft, version: "1" }]);
});

/** Publisher and major version of each attachment in CAPZ's YAML and in a JSON patch; a template has a parameter for it. */
function attachmentsIn(text: string): readonly { readonly publisher: string; readonly version: string }[] {
  const found = text.matchAll(
    /\bpublisher"?: *["']?(?<publisher>[\w.]+)["']?,?\s[^]{0,160}?(?:typeHandlerVersion|version)"?: *["']?(?<version>\d+)\.\d+["']/gu,
  );
  return [...found]
    .map(({ groups }) => ({ publisher: groups?.["publisher"] ?? "", version: groups?.["version"] ?? "" }))
    .filter(({ publisher }) => publisher !== "publisher");
}
