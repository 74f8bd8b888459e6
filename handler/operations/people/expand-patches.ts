import { isJsonObject } from "../../text/parse-json.ts";

/** The list that a text of YAML holds; undefined for anything else. */
export type ReadList = (text: string) => readonly unknown[] | undefined;

const deepest = 40;

/**
 * A document with the patches of a ClusterClass that set `vmExtensions` written as that list. Its `valueFrom.template` is text, in which
 * Go's templates stand as values.
 */
export function expandPatches(value: unknown, readList: ReadList, depth = 0): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => expandPatches(item, readList, depth + 1));
  if (!isJsonObject(value)) return value;
  const patched = patchedList(value, readList);
  if (patched !== undefined) return { vmExtensions: patched };
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, expandPatches(item, readList, depth + 1)]),
  );
}

function patchedList(
  { path, value, valueFrom }: Readonly<Record<string, unknown>>,
  readList: ReadList,
): readonly unknown[] | undefined {
  const end = typeof path === "string" ? /\/vmExtensions(?<entry>\/(?:-|\d{1,3}))?$/u.exec(path) : undefined;
  if (end === null || end === undefined) return undefined;
  const template = isJsonObject(valueFrom) ? valueFrom["template"] : undefined;
  const isEntry = end.groups?.["entry"] !== undefined;
  if (typeof template === "string") return readList(isEntry ? asItem(template) : template);
  if (isEntry) return value === undefined ? undefined : [value];
  return Array.isArray(value) ? value : undefined;
}

/** One entry of the list, as the list that it is part of. */
function asItem(template: string): string {
  return template
    .split("\n")
    .map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`))
    .join("\n");
}
