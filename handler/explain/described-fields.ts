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
    const found = fieldOf(line);
    if (found === undefined) break;
    const { name, value } = found;
    if (found.isDeeper) addTo(list, name, value);
    else if (value === "") fields[name] = list = [];
    else fields[name] = value;
  }
  return fields;
}

interface Field {
  readonly name: string;
  /** Empty where a list follows. */
  readonly value: string;
  readonly isDeeper: boolean;
}

function fieldOf(line: string): Field | undefined {
  const found = /^(?<indent> +)(?<label>[A-Z][A-Za-z0-9 ]{0,40}):(?:\s+(?<value>\S.*))?$/u.exec(line);
  if (found === null) return undefined;
  const [, indent = "", label = "", value = ""] = found;
  return { name: fieldName(label), value, isDeeper: indent.length > 2 };
}

function addTo(list: Record<string, string>[], name: string, value: string): void {
  const last = list.at(-1);
  if (last === undefined || name in last) list.push({ [name]: value });
  else last[name] = value;
}

function fieldName(label: string): string {
  const words = label.split(" ");
  return words.map((word, at) => (at === 0 ? word.toLowerCase() : word)).join("");
}
