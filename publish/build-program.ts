import { build, type Metafile, transform } from "esbuild";
import { rm } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { isLateEntry, lateEntries, latePartsOf, requiredByTheWait, requireLate } from "./late-parts.ts";
import { nameParts } from "./name-parts.ts";
import { packageFolder, packageName, packagesMark } from "./package-of-input.ts";
import { partLoader } from "./part-loader.ts";
import { withPlainExports } from "./plain-exports.ts";
import { projectFolder, projectVersion } from "./project.ts";
import { writeAtomic } from "./write-atomic.ts";

interface ProgramFile {
  /** Path in the package: capz-bootstrap.cjs, or a part below lib/. */
  readonly name: string;
  readonly content: Buffer;
}

export interface BuiltProgram {
  readonly version: string;
  readonly files: readonly ProgramFile[];
  /** Every source file that esbuild put into a file: the ground of the SBOM and of NOTICE. */
  readonly inputs: readonly string[];
}

export interface ProgramSource {
  readonly folder: string;
  readonly version: string;
}

export const buildFolder = join(projectFolder, "dist/build");

const entryName = "capz-bootstrap";

const commonOptions = { platform: "node", target: "node24", charset: "utf8" } as const;

/**
 * Bundles the handler for the packaged Node; the files are returned, not written. What the handler imports with
 * `import()` becomes a part of its own below lib/, because Node reads the whole of a file before it runs the first line:
 * `enable` reads about a thirtieth of the code. esbuild splits only ES modules, so the parts are bundled as such and each is
 * then put into CommonJS, which starts faster and needs no flag.
 */
export async function buildProgram(source?: Partial<ProgramSource>): Promise<BuiltProgram> {
  const folder = source?.folder ?? projectFolder;
  const version = source?.version ?? (await projectVersion());
  const bundled = await build({
    ...commonOptions,
    absWorkingDir: folder,
    entryPoints: { [entryName]: "handler/main.ts", ...lateEntries("lib") },
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
    chunkNames: "lib/[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    write: false,
    metafile: true,
    // Names stay in stack traces; minifying gains nothing measurable.
    minify: false,
    legalComments: "none",
    logLevel: "error",
    define: { CAPZ_BOOTSTRAP_VERSION: JSON.stringify(version) },
  });
  const outputs = Object.fromEntries(Object.entries(bundled.metafile.outputs).filter(([, one]) => !isLateEntry(one)));
  const names = nameParts(outputs);
  const late = latePartsOf(outputs, names);
  const files = await Promise.all(
    bundled.outputFiles.flatMap(({ path, text }) => {
      const output = relative(folder, path).replaceAll("\\", "/");
      const found = outputs[output];
      if (found === undefined) return [];
      const name = names.get(output);
      const part = {
        text: withNames(text, names),
        packages: packagesIn(bundled.metafile, output),
        late,
        atOnce: requiredByTheWait(found, late),
      };
      return name === undefined
        ? toFile(`${entryName}.cjs`, { ...part, loader: partLoader })
        : toFile(`lib/${name}.cjs`, part);
    }),
  );
  return { version, files, inputs: Object.keys(bundled.metafile.inputs).sort() };
}

/** Every path of a part in an `import`, replaced by the part's own name. */
function withNames(text: string, names: ReadonlyMap<string, string>): string {
  let named = text;
  for (const [output, name] of names) named = named.replaceAll(`/${basename(output)}"`, `/${name}.cjs"`);
  return named;
}

/** Leaves the program in `folder`; gives the paths. */
export async function writeProgram(program: BuiltProgram, folder: string): Promise<readonly string[]> {
  // Parts of an earlier build would stay.
  await rm(join(folder, "lib"), { recursive: true, force: true });
  const paths = program.files.map(({ name }) => join(folder, name));
  await Promise.all(program.files.map(({ name, content }) => writeAtomic(join(folder, name), content)));
  await writeAtomic(join(folder, "inputs.json"), `${JSON.stringify(program.inputs, null, 2)}\n`);
  return paths;
}

/** Names of the npm packages whose code lies in one output file. */
function packagesIn(metafile: Metafile, output: string): readonly string[] {
  const inputs = Object.keys(metafile.outputs[output]?.inputs ?? {});
  return [...new Set(inputs.flatMap((input) => packageFolder(input) ?? []).map(packageName))].sort();
}

interface Part {
  readonly text: string;
  readonly packages: readonly string[];
  /** Names of the parts that are loaded by their first use. */
  readonly late: ReadonlySet<string>;
  /** Behind the code. */
  readonly atOnce: string;
  /** Before the code. */
  readonly loader?: string;
}

async function toFile(name: string, { text, packages, late, atOnce, loader = "" }: Part): Promise<ProgramFile> {
  const { code } = await transform(text, {
    ...commonOptions,
    format: "cjs",
    // `import()` of a part becomes `require`: no ES module loader at run time.
    supported: { "dynamic-import": false },
  });
  // `verify` compares this line with the SBOM and NOTICE of a package.
  const holds = packages.length === 0 ? "" : `${packagesMark}${packages.join(" ")}\n`;
  // In a block: what a full disk cut off at a page would else often be a program that does nothing, and ends with 0.
  const body = loader + requireLate(withPlainExports(code), late) + atOnce;
  return { name, content: Buffer.from(`${holds}{\n${body}\n}\n`) };
}
