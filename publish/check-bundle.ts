import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fnv1a, sha256 } from "./digest.ts";
import { projectFolder } from "./project.ts";

/** Version of our check bundle: raised with every change of the check or of a rule, whatever the handler's version is. */
export const bundleVersion = "2.0.0";
/** Oldest handler that can run it. */
export const minimumHandlerVersion = "2.0.0";
/** scripts/check/questions.ts; 1 is the protocol of a bundle whose check is a script. */
const programProtocol = 2;
const scriptProtocol = 1;

export interface BundleFile {
  readonly name: string;
  readonly content: Buffer;
}

/** Our check bundle, made of the sources: bundle.json and the files that it names. The same sources give the same bytes. */
export async function buildCheckBundle(folder: string = projectFolder): Promise<readonly BundleFile[]> {
  const files = [
    { name: "check.cjs", content: await buildCheck(folder) },
    { name: "rules.json", content: await readFile(join(folder, "scripts/rules.json")) },
  ];
  const manifest = describeBundle(files, { version: bundleVersion, minimumHandlerVersion });
  return [...files, { name: "bundle.json", content: Buffer.from(manifest) }];
}

/** check.cjs: scripts/check/ in one file. Not minified: whoever doubts a verdict can read on the node what judged it. */
export async function buildCheck(folder: string = projectFolder): Promise<Buffer> {
  const built = await build({
    absWorkingDir: folder,
    entryPoints: ["scripts/check/main.ts"],
    bundle: true,
    write: false,
    format: "cjs",
    // The handler runs it in a context that has the language and nothing else.
    platform: "neutral",
    target: "node24",
    charset: "utf8",
    minify: false,
    legalComments: "none",
    logLevel: "error",
    banner: { js: "// The check of the CAPZ bootstrapping extension, built from scripts/check/ by `npm run bundle`." },
  });
  const [file] = built.outputFiles;
  if (file === undefined) throw new Error("esbuild made no check.cjs");
  return Buffer.from(file.contents);
}

export interface BundleWords {
  readonly version: string;
  readonly minimumHandlerVersion: string;
  /** Further folders whose changes wake the check. */
  readonly watch?: readonly string[];
}

/** The text of bundle.json. Which protocol it speaks follows from its files. */
export function describeBundle(
  files: readonly BundleFile[],
  { version, minimumHandlerVersion: minimum, watch = [] }: BundleWords,
): string {
  const protocol = files.some(({ name }) => name === "check.cjs") ? programProtocol : scriptProtocol;
  const rows = files
    .map(({ name, content }) => ({ name, sha256: sha256(content), size: content.length, fnv1a: fnv1a(content) }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const watched = watch.length === 0 ? {} : { watch };
  const manifest = { version, protocol, minimumHandlerVersion: minimum, ...watched, files: rows };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
