import { hide } from "./hidden-texts.ts";
import { hideAnnounced, hideColumns, hideSecretObject } from "./redact-documents.ts";
import { redactFields, secretKindBeforeEnd } from "./redact-fields.ts";
import { looksMade } from "./looks-made.ts";
import { secretKindOfName } from "./redact-names.ts";
import { redactShapes } from "./redact-shapes.ts";

/** Hides the secrets of one line after the other; keeps between them only whether a private key, a password list or a block is open. */
export function createStepper(): (line: string) => string {
  let open: OpenBlock = { kind: "none" };
  return (text) => {
    const prefix = logPrefix.exec(text)?.[0] ?? "";
    const step = redactLine(text.slice(prefix.length), open);
    open = step.open;
    return prefix + step.text;
  };
}

const host = String.raw`(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.+Z-]{8,30}) [\w.-]{1,64} |\[[ \d]{1,8}\.\d{1,6}\] `;
const time = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{3,9}`;
/** A module that is named for what it sets says what stands behind it. */
const unsaid = String.raw`(?!\S{0,48}(?:pass|secret|token|key|cred))`;
const program = String.raw`${unsaid}[\w.-]{1,48}\[\d{1,10}\]: `;
/** What a log writes before each line, so that what a program printed is read as it was: the time, the host, the program. */
const logPrefix = new RegExp(
  `^\\t?(?:${[
    `(?:${host})?${program}`,
    // containerd, a time in brackets
    String.raw`\d{4}-\d\d-\d\dT[\d:.+Z-]{8,30} std(?:out|err) [FP] `,
    String.raw`\[\d{4}-\d\d-\d\d[T ][\d:.+Z-]{8,18}\] `,
    // cloud-init, cloudbase-init, klog, the guest agent
    String.raw`${time} - ${unsaid}[\w.-]{1,64}\[[A-Z]{4,8}\]: `,
    String.raw`${time} \d{1,10} [A-Z]{4,8} [\w.]{1,100} \[-\] `,
    String.raw`[EWIF]\d{4} \d\d:\d\d:\d\d\.\d{6}\s{1,8}\d{1,10} [\w.-]{1,64}:\d{1,5}\] `,
    String.raw`${time}Z? (?:INFO|WARNING|ERROR|VERBOSE) [\w.-]{1,60} (?:[\w.-]{1,60} )?(?:\[[\w.-]{1,100}\] )?`,
    // a shell's trace, a quotation
    String.raw`(?:\+{1,4}|>) (?=\S)`,
  ].join("|")})`,
);

/** The same for lines that are all there. */
export function redactLines(text: string): string {
  return hideAcrossLines(text.split("\n")).map(createStepper()).join("\n");
}

/** What later lines say of earlier ones. */
export function hideAcrossLines(lines: readonly string[]): readonly string[] {
  return hideColumns(hideAnnounced(hideHeadlessKey(lines)));
}

/** The end of a private key whose begin was cut off: the lines of base64 above it are the key. */
function hideHeadlessKey(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => endKey.test(line) || beginKey.test(line));
  const last = lines[end];
  if (last === undefined || beginKey.test(last)) return lines;
  let first = end;
  while (first > 0 && end - first < longestKeyLines && keyLine.test(lines[first - 1] ?? "")) first--;
  return lines.map((line, index) =>
    index >= first && index < end ? line.replace(shortKeyLine, hideAs("private-key")) : line,
  );
}

/** Nothing but base64, behind at most a log's prefix. */
const keyLine = /^(?:.{0,200}[\]>:] )?\s{0,40}[A-Z0-9+/]{4,76}={0,2}\s{0,8}$/i;
/** The longer ones are recognised by themselves. */
const shortKeyLine = /(?<!\S)[A-Z0-9+/]{4,39}={0,2}\s{0,8}$/i;

type OpenBlock =
  | { readonly kind: "none" }
  /** Between BEGIN and END; given up after more lines than any key has, so a cut-off key does not hide a whole log. */
  | { readonly kind: "private-key"; readonly linesLeft: number }
  | { readonly kind: "password-list"; readonly indent: number }
  /** "Set the following 'random' passwords" of cloud-init: lines of `name:password`. */
  | { readonly kind: "accounts" }
  | { readonly kind: "values"; readonly indent: number }
  /** A YAML block scalar (`password: |`). */
  | { readonly kind: "block"; readonly indent: number; readonly of: string }
  /** `password = <<EOT` */
  | { readonly kind: "document"; readonly end: string; readonly linesLeft: number }
  /**
   * A name at the end of its line ("Password:"), whose value may stand alone on the next one; behind a sentence ("the following
   * password to proceed:") one that looks made.
   */
  | { readonly kind: "value-below"; readonly of: string; readonly isDoubtful?: true };

interface Step {
  readonly text: string;
  readonly open: OpenBlock;
}

const longestKeyLines = 260;
/** "pw=x": no line that is shorter holds a secret or announces one. */
const shortestSecret = 3;
const none: OpenBlock = { kind: "none" };
const beginKey =
  /-----BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----|---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----/;
const endKey =
  /-----END (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----|---- END SSH2 [A-Z ]{0,20}PRIVATE KEY ----/;

function redactLine(text: string, open: OpenBlock): Step {
  switch (open.kind) {
    case "private-key":
      return insideKey(text, open.linesLeft);
    case "password-list":
      return isWithin(text, open.indent) ? { text: redactAccount(text), open } : outside(text);
    case "values":
      return insideValues(text, open);
    case "accounts":
      return insideAccounts(text);
    case "block":
      return insideBlock(text, open);
    case "document":
      return insideDocument(text, open);
    case "value-below":
      return insideValueBelow(text, open);
    case "none":
      return outside(text);
  }
}

function insideValues(text: string, open: OpenBlock & { readonly kind: "values" }): Step {
  if (!isWithin(text, open.indent)) return outside(text);
  return { text: redactPlain(text.replace(valueOfField, hideBehind)), open };
}

function insideBlock(text: string, open: OpenBlock & { readonly kind: "block" }): Step {
  if (text.trim() === "") return { text, open };
  if (beginKey.test(text) || indentOf(text) <= open.indent) return outside(text);
  return { text: text.replace(/\S.*/, hideAs(open.of)), open };
}

function insideValueBelow(text: string, open: OpenBlock & { readonly kind: "value-below" }): Step {
  if (text.trim() === "") return { text, open };
  if (open.isDoubtful === true && !looksMade(text.trim())) return outside(text);
  return belowName(text, open.of) ?? outside(text);
}

function insideDocument(text: string, { end, linesLeft }: OpenBlock & { readonly kind: "document" }): Step {
  if (text.trim() === end) return { text, open: none };
  const open: OpenBlock = linesLeft > 1 ? { kind: "document", end, linesLeft: linesLeft - 1 } : none;
  return { text: text.replace(/\S.*/, hideAs("secret")), open };
}

/** "value: …" below "name: API_TOKEN", `<Value>…` below `<AdministratorPassword>`, or one word alone. */
function belowName(text: string, of: string): Step | undefined {
  const labelled =
    /^(\s{0,200}(?:"value": ?"?|value: ?["']?|<Value>|<string>|default\s{0,20}= ?"|string\(\d{1,5}\) "|- ["']?(?=\S{8})))[^\s<"'][^<"']*/i.exec(
      text,
    );
  if (labelled !== null) {
    return {
      text: `${labelled[1] ?? ""}${hide(of, labelled[0].slice((labelled[1] ?? "").length))}${text.slice(labelled[0].length)}`,
      open: none,
    };
  }
  // Behind a log's prefix as well: nothing else looks like it.
  if (of === "certificate-key" && certificateKey.test(text)) {
    return { text: text.replace(certificateKey, hideAs(of)), open: none };
  }
  return valueBelow.test(text) ? { text: text.replace(/\S.*/, hideAs(of)), open: none } : undefined;
}

const certificateKey = /(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/;

/** One word alone that is neither a name nor a mark; shorter words are no secrets that anybody could find. */
const valueBelow = /^\s{0,40}(?!<redacted:)(?=\S{0,200}[\d!#$%^&*@~+/_-])["']?[^\s:={}[\]|>]{6,512}["']?\s{0,8}$/;

function insideKey(text: string, linesLeft: number): Step {
  const end = endKey.exec(text);
  if (end !== null) {
    const rest = outside(text.slice(end.index + end[0].length));
    return { text: hide("private-key", text.slice(0, end.index)) + rest.text, open: rest.open };
  }
  return {
    text: hide("private-key", text),
    open: linesLeft > 1 ? { kind: "private-key", linesLeft: linesLeft - 1 } : none,
  };
}

function outside(text: string): Step {
  if (text.length < shortestSecret) return { text, open: none };
  const begin = beginKey.exec(text);
  if (begin !== null) {
    const before = redactPlain(text.slice(0, begin.index));
    const inside = insideKey(text.slice(begin.index + begin[0].length), longestKeyLines);
    return { text: before + inside.text, open: inside.open };
  }
  return { text: redactPlain(text), open: opens(text) };
}

const accountLine = /^((?:.{0,200}[\]>]:? )?\s{0,8}[\w.-]{1,64}:)([^\s:<]\S{3,255})(?=\s{0,8}$)/;

function insideAccounts(text: string): Step {
  if (!accountLine.test(text)) return outside(text);
  const hidden = text.replace(
    accountLine,
    (_whole, account: string, password: string) => account + hide("password", password),
  );
  return { text: hidden, open: { kind: "accounts" } };
}

const valueOfField = /^(\s{0,200}[\w.-]{1,96}:\s{1,8}["']?)([^\s"'<|>][^"'\n]*)/;

function hideBehind(_whole: string, name: string, secret: string): string {
  return name + hide("secret", secret);
}

function isWithin(text: string, indent: number): boolean {
  return indentOf(text) > indent || text.trim() === "";
}

/** Lines of name:password follow. */
function opensAccounts(text: string): boolean {
  if (text.includes("passwords") && /\bSet the following ['"]?random['"]? passwords\s*$/.test(text)) return true;
  return text.includes("<<") && /\bchpasswd\b.{0,40}<<-?\s?["']?\w{2,12}["']?\s*$/.test(text);
}

function opens(text: string): OpenBlock {
  if (opensAccounts(text)) return { kind: "accounts" };
  // Of a Secret, every value is one, whatever its name.
  if (text.includes("stringData") && /^\s*stringData:\s*$/.test(text)) {
    return { kind: "values", indent: indentOf(text) };
  }
  if (text.includes("chpasswd") && /^\s*chpasswd:\s*$/.test(text)) {
    return { kind: "password-list", indent: indentOf(text) };
  }
  const block = /^\s*(?:- )?["']?([\w.-]{2,96})["']?:\s{1,8}(?:!!binary\s{1,8})?[|>][+-]?\d?\s*$/.exec(text);
  const name = block?.[1];
  if (name === undefined) {
    return opensValue(text);
  }
  const kind = redactFields(`${name}: 0secret0`) === `${name}: 0secret0` ? undefined : name;
  return kind === undefined ? none : { kind: "block", indent: indentOf(text), of: "secret" };
}

function opensValue(text: string): OpenBlock {
  if (text.trim() === "<auth-user-pass>") return { kind: "document", end: "</auth-user-pass>", linesLeft: 3 };
  const document = text.includes("<<") ? opensDocument.exec(text.slice(-160)) : null;
  if (document !== null && secretKindOfName(document[1] ?? "") !== undefined)
    return { kind: "document", end: document[2] ?? "", linesLeft: longestDocument };
  const of = secretKindBeforeEnd(text);
  if (of !== undefined) return { kind: "value-below", of };
  return text.endsWith(":") && sentenceOfSecret.test(text.slice(-120))
    ? { kind: "value-below", of: "secret", isDoubtful: true }
    : none;
}

const opensDocument = /([\w.-]{2,96})["']?\s{0,8}[=:]\s{0,8}<<[-~]?["']?([A-Z_]{2,20})["']?$/;
const longestDocument = 40;
const sentenceOfSecret = /\b(?:password|passphrase|token|secret|(?:api|access|join|license) key)\b[^:=]{1,80}:$/i;

/** `root:password` in the list below `chpasswd:`; its other keys have a blank after the colon. */
function redactAccount(text: string): string {
  return redactPlain(
    text.replace(
      /^(\s*(?:- )?["']?[\w.-]{1,64}:)([^\s<].*)$/,
      (_whole: string, account: string, password: string) => account + hide("password", password),
    ),
  );
}

function hideAs(kind: string): (secret: string) => string {
  return (secret) => hide(kind, secret);
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

function redactPlain(text: string): string {
  const { line, mayName } = redactShapes(hideSecretObject(text));
  return redactFields(line, mayName);
}
