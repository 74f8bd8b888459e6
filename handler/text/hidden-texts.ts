/** What the redaction that is under way has hidden; undefined where nobody asks. Redaction never waits, so one place is enough. */
let hidden: Set<string> | undefined;

/** The mark that stands in the place of a secret. */
export function hide(kind: string, secret: string): string {
  hidden?.add(secret);
  return `<redacted:${kind}>`;
}

/** The result of a redaction and the texts that it has hidden. */
export function withHiddenTexts(redact: () => string): { readonly text: string; readonly hidden: ReadonlySet<string> } {
  const outer = hidden;
  const own = new Set<string>();
  hidden = own;
  try {
    return { text: redact(), hidden: own };
  } finally {
    hidden = outer;
  }
}
