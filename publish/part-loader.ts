/**
 * Stands at the beginning of the program's file and takes the place of its `require`: a part lies where it is known to lie, so it is read and
 * compiled without Node's search for modules, which asks the disk about ten questions for each. Its own name stays in stack traces.
 *
 * A part that is not there, or half there, is told in one sentence. While the program still starts nobody could catch the error, and the launcher
 * knows the exit code (bin/capz-bootstrap); after that it is the caller's (isPackageNotWhole).
 */
export const partLoader = `require = ((search, folder) => {
  const { readFileSync } = search("node:fs");
  const { compileFunction } = search("node:vm");
  const parts = new Map();
  let starting = true;
  process.nextTick(() => { starting = false; });
  function lost(filename, error) {
    const what = error.code === "ENOENT" ? "is missing" : error.code === undefined ? "is damaged" : "cannot be read (" + error.code + ")";
    const text = filename + " " + what + ": the package is not whole";
    if (!starting) throw Object.assign(new Error(text), { code: "CAPZ_PACKAGE_NOT_WHOLE" });
    process.stderr.write("capz-bootstrap: " + text + ". Next: Remove the extension and apply it again, or unpack the package anew.\\n");
    process.exit(52);
  }
  function compile(filename) {
    try {
      const code = readFileSync(filename, "utf8");
      if (code === "") throw new SyntaxError("empty");
      return compileFunction(code, ["exports", "require", "module"], { filename });
    } catch (error) {
      return lost(filename, error);
    }
  }
  function load(target) {
    if (!target.startsWith(".")) return search(target);
    const name = target.slice(target.lastIndexOf("/") + 1);
    const known = parts.get(name);
    if (known !== undefined) return known.exports;
    const filename = folder + "/lib/" + name;
    const part = { exports: {} };
    const run = compile(filename);
    parts.set(name, part);
    run(part.exports, load, part);
    return part.exports;
  }
  return load;
})(require, __dirname);
`;
