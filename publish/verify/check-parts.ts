import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { listOf, member } from "../json-value.ts";
import { runTool } from "../run-tool.ts";
import { problemsOf, type PackageCheck } from "./check.ts";
import type { OpenedEntry } from "./opened-package.ts";

/**
 * Every part of the program that is loaded when it is needed loads, and exports what its caller takes from it. A part that
 * does not is noticed by nobody else before a user runs that one command.
 */
export const checkParts: PackageCheck = {
  id: "parts",
  title: "parts of the program load",
  async run({ entries }) {
    const program = entries.filter(({ name }) => name.endsWith(".cjs") && !name.includes(".."));
    const folder = await mkdtemp(join(tmpdir(), "capz-parts-"));
    try {
      for (const entry of program) await unpack(entry, folder);
      const loaded = await loadParts(
        folder,
        program.map(({ name }) => name).filter((name) => name.startsWith("lib/")),
      );
      return problemsOf([...loaded.problems, ...program.flatMap((entry) => missingExports(entry, loaded.exports))]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function unpack(entry: OpenedEntry, folder: string): Promise<void> {
  const path = join(folder, entry.name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, entry.read());
}

interface LoadedParts {
  readonly exports: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly string[];
}

const loader = `
const { join } = require("node:path");
const [folder, ...names] = process.argv.slice(1);
const result = names.map((name) => {
  try { return { name, exports: Object.keys(require(join(folder, name))) }; }
  catch (error) { return { name, problem: String(error).split("\\n")[0] }; }
});
process.stdout.write(JSON.stringify(result));
`;

/** In a process that may read the unpacked files and nothing else: what is loaded is not believed yet. */
async function loadParts(folder: string, names: readonly string[]): Promise<LoadedParts> {
  const args = ["--permission", `--allow-fs-read=${folder}`, "--eval", loader, folder, ...names];
  const { code, stdout, stderr } = await runTool(process.execPath, args, { cwd: folder });
  const rows = code === 0 ? listOf(JSON.parse(stdout.toString("utf8"))) : [];
  return {
    exports: new Map(rows.map((row) => [String(member(row, "name")), listOf(member(row, "exports")).map(String)])),
    problems: [
      ...(code === 0 ? [] : [`the parts cannot be loaded: ${stderr.trim().split("\n").at(-1) ?? ""}`]),
      ...rows
        .filter((row) => member(row, "problem") !== undefined)
        .map((row) => `${String(member(row, "name"))} does not load: ${String(member(row, "problem"))}`),
    ],
  };
}

/** As esbuild writes `const { a, b: c } = await import("./part")` in CommonJS. */
const lazyLoad =
  /(?:\{(?<names>[^{}]*)\} = await )?Promise\.resolve\(\)\.then\(\(\) => (?:__toESM\()?require\("(?<part>\.[^"]+)"\)/gu;

function missingExports(entry: OpenedEntry, exports: LoadedParts["exports"]): readonly string[] {
  return [...entry.read().toString("utf8").matchAll(lazyLoad)].flatMap(({ groups }) => {
    const part = posix.join(posix.dirname(entry.name), groups?.["part"] ?? "");
    const found = exports.get(part);
    if (found === undefined) return [`${entry.name} loads ${part}, which is not there`];
    const taken = (groups?.["names"] ?? "").split(",").map((name) => name.split(":")[0]?.trim() ?? "");
    return taken
      .filter((name) => !found.includes(name))
      .map(
        (name) =>
          `${entry.name} takes ${name === "" ? "everything" : name} from ${part}, which has only: ${found.join(", ")}`,
      );
  });
}
