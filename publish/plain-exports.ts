/** What esbuild puts around the exports of a file: helpers for readers of other kinds of modules, and a hint for Node's reader of ES modules. */
const frame =
  /^var __[\s\S]*?\nvar stdin_exports = \{\};\n__export\(stdin_exports, (?<exports>\{[^}]*\})\);\nmodule\.exports = __toCommonJS\(stdin_exports\);\n/u;
const hint =
  /\/\/ Annotate the CommonJS export names for ESM import in node:\n0 && \(module\.exports = \{[^}]*\}\);\n$/u;

/** A part without them, where it needs none: parts are read by each other alone, and a kilobyte in each is a fifth of what `enable` reads. */
export function withPlainExports(code: string): string {
  const plain = code
    .replace(
      frame,
      "for (const [name, get] of Object.entries($<exports>)) Object.defineProperty(exports, name, { get, enumerable: true });\n",
    )
    .replace(hint, "");
  return /\b__(?:toESM|toCommonJS|export|copyProps|defProp|commonJS)\b/u.test(plain) ? code : plain;
}
