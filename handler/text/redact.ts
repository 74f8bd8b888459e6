import { hide } from "./hidden-texts.ts";
import { hideAnnounced, hideSecretObject } from "./redact-documents.ts";
import { prefixOf } from "./log-prefix.ts";
import { looksMade } from "./looks-made.ts";
import { indentOf, longestStored, none, opens, type OpenBlock } from "./open-blocks.ts";
import { redactFields } from "./redact-fields.ts";
import { redactShapes } from "./redact-shapes.ts";
import { hideTables } from "./redact-tables.ts";

/** Hides the secrets of one line after the other; keeps between them only whether a private key, a password list or a block is open. */
export function createStepper(): (line: string) => string {
  let open: OpenBlock = { kind: "none" };
  return (text) => {
    const prefix = prefixOf(text);
    const step = redactLine(text.slice(prefix.length), endsStored(open, prefix) ? none : open);
    open = step.open.kind === "stored" ? { ...step.open, by: printerOf(prefix) } : step.open;
    return prefix + step.text;
  };
}

/** A line of another program's, or of a log where the bytes had no prefix, is none of them. */
function endsStored(open: OpenBlock, prefix: string): boolean {
  return open.kind === "stored" && open.by !== undefined && open.by !== printerOf(prefix);
}

/** Who printed a line, without the time, which differs from line to line; a mark of a shell or of a quotation is nobody's. */
function printerOf(prefix: string): string {
  const printer = prefix.replace(/(?:\+{1,4}|>) $/, "");
  return /\w/.test(printer) ? printer.replaceAll(/\d+/g, "0") : "";
}

/** The same for lines that are all there. */
export function redactLines(text: string): string {
  return hideAcrossLines(text.split("\n")).map(createStepper()).join("\n");
}

/** What later lines say of earlier ones. */
export function hideAcrossLines(lines: readonly string[]): readonly string[] {
  const prefixes = lines.map(prefixOf);
  const said = hideAnnounced(hideHeadlessKey(lines.map((line, at) => line.slice(prefixes[at]?.length))));
  return hideTables(
    said.map((line, at) => `${prefixes[at] ?? ""}${line}`),
    prefixOf,
  );
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

interface Step {
  readonly text: string;
  readonly open: OpenBlock;
}

const longestKeyLines = 260;
/** "pw=x": no line that is shorter holds a secret or announces one. */
const shortestSecret = 3;
const beginKey =
  /-----BEGIN (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----|---- BEGIN SSH2 [A-Z ]{0,20}PRIVATE KEY ----/;
const endKey =
  /-----END (?:[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----|---- END SSH2 [A-Z ]{0,20}PRIVATE KEY ----/;

function redactLine(text: string, open: OpenBlock): Step {
  switch (open.kind) {
    case "private-key":
      return insideKey(text, open.linesLeft);
    case "password-list":
      return insideList(text, open);
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
    case "jwt":
      return insideToken(text, open);
    case "headers":
      return insideHeaders(text, open);
    case "stored":
      return insideStored(text, open);
    case "none":
      return outside(text);
  }
}

function insideList(text: string, open: OpenBlock & { readonly kind: "password-list" }): Step {
  return isWithin(text, open.indent) ? { text: redactAccount(text), open } : outside(text);
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
  if (describesValue.test(text)) {
    const described = outside(text);
    return described.open.kind === "none" ? { text: described.text, open } : described;
  }
  if (open.isDoubtful === true && !looksMade(text.trim())) return outside(text);
  return belowName(text, open.of) ?? outside(text);
}

const restOfToken = /^(\s{0,40}["']?)\.?[\w-]{8,}(?:\.[\w-]*){0,3}(?=["',\\]?\s?\\?\s{0,8}$)/;
function insideToken(text: string, open: OpenBlock & { readonly kind: "jwt" }): Step {
  const rest = restOfToken.exec(text);
  // A name is no rest of one: it has no digit, or dashes and small letters alone.
  if (rest === null || !/\d/.test(rest[0]) || !/[A-Z]/.test(rest[0])) return outside(text);
  const before = rest[1] ?? "";
  const hidden = before + hide("jwt", rest[0].slice(before.length)) + text.slice(rest[0].length);
  return { text: hidden, open: open.linesLeft > 1 ? { kind: "jwt", linesLeft: open.linesLeft - 1 } : none };
}

function insideHeaders(text: string, open: OpenBlock & { readonly kind: "headers" }): Step {
  if (/^\s{0,40}\[/.test(text) || open.linesLeft < 2) return outside(text);
  const hidden = text.replaceAll(/(["'])([^"'\s<]{8,4000})(?=\1)/g, (whole, quote: string, value: string) =>
    looksMade(value) && !/^[a-z]{2,20}\/[a-z]/.test(value) ? quote + hide("secret", value) : whole,
  );
  return { text: redactPlain(hidden), open: { kind: "headers", linesLeft: open.linesLeft - 1 } };
}

/** The type of a Secret stands behind its data. Nothing else is stored behind it but a mark that is cleaned to a quote. */
const endOfStored =
  /(?:^|[^"'\s])(?:Opaque"?|(?:(?:bootstrap\.)?kubernetes\.io\/[a-z-]{3,30}|helm\.sh\/release\.v1|(?:[a-z.-]{1,40}\.)?cluster\.x-k8s\.io\/[a-z-]{3,40}|rke\.cattle\.io\/[\w-]{3,40})")\s{0,8}$/;

function insideStored(text: string, open: OpenBlock & { readonly kind: "stored" }): Step {
  if (text.trim() === "") return { text, open };
  if (/^\s{0,8}\/registry\//.test(text)) return outside(text);
  const isFirst = open.linesLeft === longestStored;
  if (isFirst && !/^\s{0,8}(?:k8s|\{)/.test(text)) return outside(text);
  const isLast =
    open.linesLeft < 2 || endOfStored.test(text.slice(-200)) || (isFirst && /^\s{0,8}\{.*\}\s{0,8}$/.test(text));
  return {
    text: text.replace(/\S.*/, hideAs("secret")),
    open: isLast ? none : { ...open, linesLeft: open.linesLeft - 1 },
  };
}

function insideDocument(text: string, { end, linesLeft }: OpenBlock & { readonly kind: "document" }): Step {
  if (text.trim() === end) return { text, open: none };
  const open: OpenBlock = linesLeft > 1 ? { kind: "document", end, linesLeft: linesLeft - 1 } : none;
  return { text: text.replace(/\S.*/, hideAs("secret")), open };
}

/** "value: …" below "name: API_TOKEN", `<Value>…` below `<AdministratorPassword>`, or one word alone. */
function belowName(text: string, of: string): Step | undefined {
  const labelled =
    /^(\s{0,200}(?:"value": ?"?|value\s{0,20}: ?["']?|<Value>|<string>|default\s{0,20}= ?"|string\(\d{1,5}\) "|- ["']?(?=\S{8})))[^\s<"'][^<"']*/i.exec(
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

/** Between the name and the value there may be what is said of both: type = string, "Type": "SecureString". */
const describesValue =
  /^\s{0,40}["']?(?:type|description|sensitive|nullable|ephemeral|contentType|dataType|version)["']?\s{0,20}[:=]/i;

const certificateKey = /(?<![0-9a-z])[0-9a-f]{64}(?![0-9a-z])/;

/** One word alone that is neither a name nor a mark; shorter words are no secrets that anybody could find. */
const valueBelow = /^\s{0,40}(?!<redacted:)(?=\S{0,200}[\d!#$%^&*@~+/_-])["']?[^\s:={}[\]|>]{6,512}={0,2}["']?\s{0,8}$/;

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

function redactPlain(text: string): string {
  const { line, mayName } = redactShapes(hideSecretObject(text));
  return redactFields(line, mayName);
}
