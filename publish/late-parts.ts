import type { Metafile } from "esbuild";
import { basename } from "node:path";

/**
 * Sources that stand at the top of a file as every import does, but are loaded by the first call of what they export: most calls of
 * `enable` make none, and Node reads and parses the whole of a part before it runs its first line. None of them works when it is loaded.
 */
const lateSources = [
  "handler/text/outside-text.ts",
  "handler/text/clean-text.ts",
  "handler/text/quoting-line.ts",
  "handler/text/said.ts",
  "handler/verdict/not-checked.ts",
  "handler/verdict/replaced-status.ts",
  "handler/check/obtain/command-place.ts",
  "handler/platform/decrypt-linux.ts",
  "handler/platform/find-user-linux.ts",
  "handler/platform/hooks-linux.ts",
  "handler/platform/kill-tree-linux.ts",
  "handler/platform/systemd.ts",
] as const;

/** A module of Node that is made of thirty others, and that `enable` does without. */
const lateModule = "node:fs/promises";

/** Each of them is an entry of its own for esbuild, so that what only they need lies in parts of its own. */
export function lateEntries(folderOfParts: string): Readonly<Record<string, string>> {
  return Object.fromEntries(lateSources.map((source) => [`${folderOfParts}/late-${basename(source, ".ts")}`, source]));
}

/** The file that esbuild makes of such an entry only points at the part with the code: nobody loads it. */
export function isLateEntry({ entryPoint }: Metafile["outputs"][string]): boolean {
  return lateSources.some((source) => source === entryPoint);
}

/** Names that parts are required by, of the parts with late sources in them. */
export function latePartsOf(outputs: Metafile["outputs"], names: ReadonlyMap<string, string>): ReadonlySet<string> {
  const late = Object.entries(outputs).filter(
    ([, output]) => !isLateEntry(output) && lateSources.some((source) => source in output.inputs),
  );
  return new Set(late.map(([path]) => `${names.get(path) ?? basename(path, ".cjs")}.cjs`));
}

/** A wait outlives the package that it was started from when an update removes it: what its last word may need is loaded before it. */
const waitSource = "handler/operations/supervise/supervise.ts";

/** What the part with the wait in it loads at once; nothing in other parts. */
export function requiredByTheWait({ inputs }: Metafile["outputs"][string], late: ReadonlySet<string>): string {
  if (!(waitSource in inputs)) return "";
  return [...late]
    .sort()
    .map((part) => `require("./${part}");\n`)
    .join("");
}

const requireAtTop = /^var (?<variable>import_\w+) = (?<required>require\("(?<target>[^"]+)"\));$/gmu;

/**
 * Makes `var import_x = require("…")` of a late part a function that requires it once it is asked, and every `import_x.y` such a call.
 * Behind `new` it stands in brackets, or the function itself would be what is made anew.
 */
export function requireLate(code: string, parts: ReadonlySet<string>): string {
  const found = [...code.matchAll(requireAtTop)].flatMap(({ groups }) => {
    const { variable = "", required = "", target = "" } = groups ?? {};
    const isLate = target === lateModule || (target.startsWith(".") && parts.has(basename(target)));
    return isLate ? [{ variable, required }] : [];
  });
  return found.reduce(
    (text, { variable, required }) =>
      text
        .replace(`var ${variable} = ${required};`, `function ${variable}() { return ${required}; }`)
        .replaceAll(new RegExp(`\\bnew ${variable}\\.(\\w+)`, "gu"), `new (${variable}().$1)`)
        .replaceAll(new RegExp(`(?<![\\w$.])${variable}\\.`, "gu"), `${variable}().`),
    code,
  );
}
