/**
 * Stands at the beginning of the program's file and takes the place of its `require`: a part lies where it is known to lie, so it is read and
 * compiled without Node's search for modules, which asks the disk about ten questions for each. Its own name stays in stack traces.
 */
export const partLoader = `require = ((search, folder) => {
  const { readFileSync } = search("node:fs");
  const { compileFunction } = search("node:vm");
  const parts = new Map();
  function load(target) {
    if (!target.startsWith(".")) return search(target);
    const name = target.slice(target.lastIndexOf("/") + 1);
    const known = parts.get(name);
    if (known !== undefined) return known.exports;
    const filename = folder + "/lib/" + name;
    const part = { exports: {} };
    const run = compileFunction(readFileSync(filename, "utf8"), ["exports", "require", "module"], { filename });
    parts.set(name, part);
    run(part.exports, load, part);
    return part.exports;
  }
  return load;
})(require, __dirname);
`;
