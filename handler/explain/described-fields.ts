/** A value that `kubectl describe` prints below a heading: always text. */
export type DescribedFields = Readonly<Record<string, string | readonly Readonly<Record<string, string>>[]>>;

/**
 * The fields below a heading of `kubectl describe`, by their names in the object ("First Line" is `firstLine`). The items of a list follow
 * each other without a mark: one begins where a name comes again.
 * @returns undefined where the heading is not there
 */
export function describedFields(lines: readonly string[], heading: string): DescribedFields | undefined {
  const start = lines.indexOf(`${heading}:`);
  if (start === -1) return undefined;
  const fields: Record<string, string | Record<string, string>[]> = {};
  let list: Record<string, string>[] = [];
  for (const line of lines.slice(start + 1)) {
    const found = /^(?<indent> +)(?<label>[A-Z][A-Za-z0-9 ]{0,40}):(?:\s+(?<value>\S.*))?$/u.exec(line)?.groups;
    if (found === undefined) break;
    const { indent = "", label = "", value } = found;
    const name = fieldName(label);
    if (indent.length > 2) {
      if (list.length === 0 || name in (list.at(-1) ?? {})) list.push({});
      Object.assign(list.at(-1) ?? {}, { [name]: value ?? "" });
    } else if (value === undefined) fields[name] = list = [];
    else fields[name] = value;
  }
  return fields;
}

function fieldName(label: string): string {
  const words = label.split(" ");
  return words.map((word, at) => (at === 0 ? word.toLowerCase() : word)).join("");
}
