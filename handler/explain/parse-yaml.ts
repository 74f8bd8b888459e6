import { parseAllDocuments } from "yaml";

export type ParsedYaml =
  | { readonly kind: "documents"; readonly documents: readonly unknown[] }
  /** Text that only looked like YAML. */
  | { readonly kind: "not-yaml"; readonly reason: string }
  | { readonly kind: "too-large" };

/** How often one anchor may be repeated: an answer of Azure or Kubernetes has none. */
const mostAliases = 20;

/**
 * Every document of a YAML text. A file of its own, so that what is loaded lazily is ours: a bundler gives an npm package
 * that is loaded lazily other exports than Node does.
 */
export function parseYamlDocuments(text: string): ParsedYaml {
  const documents = unlessTooLarge(() => parseAllDocuments(text, { logLevel: "silent" }));
  if (documents === undefined) return { kind: "too-large" };
  const [error] = documents.flatMap(({ errors }) => errors);
  if (error !== undefined) return { kind: "not-yaml", reason: firstWords(error.message) };
  const values = unlessTooLarge(() =>
    documents.map((document): unknown => document.toJS({ maxAliasCount: mostAliases }) as unknown),
  );
  return values === undefined ? { kind: "too-large" } : { kind: "documents", documents: values };
}

/** Thrown, not listed in `errors`: aliases that multiply (ReferenceError), nesting that exhausts the stack (RangeError). */
function unlessTooLarge<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof ReferenceError || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

/** The library quotes what it stumbled over, which may be the whole of a file that is no text. */
function firstWords(message: string): string {
  const [line = ""] = message.split("\n", 1);
  return line.length <= 160 ? line : `${line.slice(0, 160)}…`;
}
