/** What the redaction that is under way has hidden; undefined where nobody asks. Redaction never waits, so one place is enough. */
let hidden: Map<string, string> | undefined;

/** The mark that stands in the place of a secret. */
export function hide(kind: string, secret: string): string {
  // What is hidden already stays what it was said to be.
  if (/^<redacted:[a-z0-9-]+>$/.test(secret)) return secret;
  hidden?.set(secret, kind);
  return `<redacted:${kind}>`;
}

/** The result of a redaction and the texts that it has hidden, those of redactions within it too, with their kinds. */
export function withHiddenTexts(redact: () => string): {
  readonly text: string;
  readonly hidden: ReadonlyMap<string, string>;
} {
  const outer = hidden;
  const own = new Map<string, string>();
  hidden = own;
  try {
    return { text: redact(), hidden: own };
  } finally {
    hidden = outer;
    for (const [secret, kind] of own) outer?.set(secret, kind);
  }
}
