import { build, type Metafile, type Plugin } from "esbuild";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectFolder, projectVersion } from "./project.ts";
import { writeAtomic } from "./write-atomic.ts";

export interface ProgramFile {
  readonly name: string;
  readonly content: Buffer;
}

export interface BuiltProgram {
  readonly version: string;
  readonly files: readonly ProgramFile[];
  /** What esbuild put into each file: the ground of the SBOM and of NOTICE. */
  readonly inputs: readonly string[];
}

export interface ProgramSource {
  readonly folder: string;
  readonly version: string;
}

/**
 * A module of its own in the package: the handler says `await import("./check/azure-storage.ts")` and pays for the Azure
 * SDK only when a blob needs it. esbuild splits ES modules only, so each lazy part is an entry of its own.
 */
const lazyParts = [{ entry: "handler/check/azure-storage.ts", file: "azure-storage.cjs" }];

/** Bundles the handler into CommonJS files for the packaged Node; the files are returned, not written. */
export async function buildProgram(source?: Partial<ProgramSource>): Promise<BuiltProgram> {
  const folder = source?.folder ?? projectFolder;
  const version = source?.version ?? (await projectVersion());
  const main = await bundle({ folder, version }, { entry: "handler/main.ts", file: "capz-bootstrap.cjs" });
  const lazy = lazyParts.filter(({ entry }) => existsSync(join(folder, entry)));
  const others = await Promise.all(lazy.map((part) => bundle({ folder, version }, part)));
  const all = [main, ...others];
  return {
    version,
    files: all.map(({ file }) => file),
    inputs: [...new Set(all.flatMap(({ metafile }) => Object.keys(metafile.inputs)))].sort(),
  };
}

/** Where `build` leaves the program, with esbuild's metafile list beside it. */
export async function writeProgram(program: BuiltProgram, folder: string): Promise<readonly string[]> {
  const paths = program.files.map(({ name }) => join(folder, name));
  await Promise.all(program.files.map(({ name, content }) => writeAtomic(join(folder, name), content)));
  await writeAtomic(join(folder, "inputs.json"), `${JSON.stringify(program.inputs, null, 2)}\n`);
  return paths;
}

export const buildFolder = join(projectFolder, "dist/build");

interface Bundled {
  readonly file: ProgramFile;
  readonly metafile: Metafile;
}

async function bundle(
  source: ProgramSource,
  part: { readonly entry: string; readonly file: string },
): Promise<Bundled> {
  const result = await build({
    absWorkingDir: source.folder,
    entryPoints: [part.entry],
    outfile: part.file,
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    // Function and class names stay in stack traces; minifying gains nothing measurable at start-up.
    minify: false,
    legalComments: "none",
    charset: "utf8",
    logLevel: "error",
    define: { CAPZ_BOOTSTRAP_VERSION: JSON.stringify(source.version), "process.env.NODE_DEBUG": "undefined" },
    plugins: [requireLazyParts(part.file)],
  });
  const [output] = result.outputFiles;
  if (output === undefined) throw new Error(`esbuild wrote nothing for ${part.entry}`);
  return { file: { name: part.file, content: Buffer.from(output.contents) }, metafile: result.metafile };
}

/** Leaves a dynamic import of a lazy part as a `require` of the file beside the program. */
function requireLazyParts(ownFile: string): Plugin {
  return {
    name: "require-lazy-parts",
    setup(esbuild) {
      for (const { entry, file } of lazyParts.filter((part) => part.file !== ownFile)) {
        const name = entry.split("/").at(-1) ?? entry;
        const filter = new RegExp(`/${name.replace(".", "\\.")}$`);
        esbuild.onResolve({ filter }, ({ kind }) =>
          kind === "dynamic-import" ? { path: `./${file}`, external: true } : undefined,
        );
      }
    },
  };
}
