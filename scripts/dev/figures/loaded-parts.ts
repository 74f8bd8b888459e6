export interface Part {
  readonly name: string;
  readonly text: string;
}

/**
 * What `enable` reads of a built program on one system: the entry, that system's own part, and every part that one of those
 * requires at the top of its file. A part behind `import()` is required inside a function, and only by who calls it.
 * `textOf` gives the text of a part, undefined where there is none of that name.
 */
export function whatEnableLoads(
  textOf: (name: string) => string | undefined,
  system: "linux" | "windows",
): readonly Part[] {
  const loaded = new Map<string, Part>();
  const open = ["capz-bootstrap.cjs", `lib/platform-${system}.cjs`];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const text = textOf(name);
    if (text === undefined || loaded.has(name)) continue;
    const part = { name, text };
    loaded.set(name, part);
    open.push(...required(part, /^\.\/(?:lib\/)?/u).map((target) => `lib/${target}`));
  }
  return [...loaded.values()];
}

/** Modules that a part requires when it is loaded, by their names behind `prefix`. */
export function required({ text }: Part, prefix: RegExp): readonly string[] {
  return [...text.matchAll(/^(?:var \w+ = .{0,20})?require\("(?<target>[^"]+)"\)/gmu)]
    .map((match) => match.groups?.["target"] ?? "")
    .filter((target) => prefix.test(target))
    .map((target) => target.replace(prefix, ""));
}
