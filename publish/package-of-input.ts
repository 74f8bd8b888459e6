/** First line of a program file that holds code of npm packages; their names follow. */
export const packagesMark = "// Holds code of: ";

/** Folder of the npm package that a bundled file belongs to; undefined for our own sources. */
export function packageFolder(input: string): string | undefined {
  const parts = input.split("/");
  const start = parts.lastIndexOf("node_modules") + 1;
  if (start === 0) return undefined;
  const nameLength = parts[start]?.startsWith("@") === true ? 2 : 1;
  return parts.slice(0, start + nameLength).join("/");
}

export function packageName(folder: string): string {
  return folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length);
}
