const exportsBegin = "\nvar stdin_exports = {};\n__export(stdin_exports, ";
const exportsEnd = ");\nmodule.exports = __toCommonJS(stdin_exports);\n";
const hint = "// Annotate the CommonJS export names for ESM import in node:\n";
const helpers = ["__toESM", "__toCommonJS", "__export", "__copyProps", "__defProp", "__commonJS"] as const;

/**
 * A part without what esbuild puts around the exports of a file, where it needs none: helpers for readers of other kinds of modules, and a
 * hint for Node's reader of ES modules. Parts are read by each other alone, and a kilobyte in each is a fifth of what `enable` reads.
 */
export function withPlainExports(code: string): string {
  const begin = code.indexOf(exportsBegin);
  const end = code.indexOf(exportsEnd, begin);
  if (!code.startsWith("var __") || begin === -1 || end === -1) return code;
  const getters = code.slice(begin + exportsBegin.length, end);
  const rest = code.slice(end + exportsEnd.length);
  const hintAt = rest.lastIndexOf(hint);
  const body = hintAt === -1 ? rest : rest.slice(0, hintAt);
  if (helpers.some((helper) => body.includes(helper))) return code;
  const define = "Object.defineProperty(exports, name, { get, enumerable: true })";
  return `for (const [name, get] of Object.entries(${getters})) ${define};\n${body}`;
}
