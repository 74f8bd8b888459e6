import { withoutEnd } from "./cut-text.ts";
import { hide } from "./hidden-texts.ts";
import { longestRandom, looksRandom } from "./looks-made.ts";
import { isPlainUnder } from "./plain-values.ts";
import { doubtfulKindOfName, secretKindOfName } from "./redact-names.ts";
import { redactPairs } from "./redact-pairs.ts";
import { isStatement, longestPlain } from "./redact-statements.ts";
import { foreignNameAndSeparator, foreignState, isForeignSecretName, mentionsForeignSecret } from "./redact-words.ts";

/** Every name that is secret holds one of these. */
export const mentionsSecret =
  /pass|kennwort|bearer|pwd|pw|psk|secret|token|key|cred|cookie|auth|connectionstring|connstr|sas|sig|data|protectedsettings|identity[_-]?header|dockerc|sess|device_?code|verifier|assertion|\botp|totp|\bpin\b|\bpat\b|salt|seed|community|shared|honeycomb|art-api/i;
const nameAndSeparator =
  /\b([A-Z_](?:[\w.-]|(?<=api|access|secret|storage|account|master|client) (?=key|secret)|(?<=snmp) (?=community)|(?<=snmp community) (?=string)){1,96})(\\{0,4}["'\]}!*]{0,3}(?::?\s{1,4}string(?=\s{0,4}=))?\s{0,40}(?::=|=>|={2,3}|[:=]|%3[AD](?:%20){0,8})\s{0,40}(?:string\(\d{1,5}\)\s)?)/gi;
/** DB_PASSWORD -> …; without a capital letter or a low line it may be a sentence. */
const nameAndArrow = /\b(\w{1,97})(["'}]{0,2}\s{0,4}(?:->|\u2192|\u21d2)\s{0,4})(?=\S)/g;
const flagAndBlank = /(?<=^|[\s"'`,[])(--?[A-Z][\w-]{1,64})(["']?,?\s{1,4}|["'],)(?=[^\s-])/gi;
const xmlElement =
  /<(?!redacted:)([A-Z][\w.:-]{1,80})(?: [^<>]{0,200})?>(?:<Value[^<>]{0,200}>)?(?:<!\[CDATA\[)?([^<\n]+)(?=<\/|$)/gi;
/** ~ client_secret = "…" -> "…" of a plan */
const changedTo = /(<redacted:[a-z-]{1,20}>"\s{1,4}->\s{1,4}")([^"\n<]{1,512})/g;

/**
 * Hides the values of fields, variables, flags, query parameters and XML elements whose names say that they are secret.
 * `mayName`: the line may hold one in English.
 */
export function redactFields(line: string, mayName = true): string {
  const foreign = mentionsForeignSecret(line) ? replaceValues(line, foreignNameAndSeparator) : line;
  if (foreign === line && !mayName) return line;
  return mentionsSecret.test(foreign) ? redactKnown(foreign) : foreign;
}

function redactKnown(line: string): string {
  const elements = line.replace(xmlElement, (whole: string, name: string, value: string) => {
    const kind = secretKindOfName(name.replace(/^.*:/, ""));
    return kind === undefined || isPlainUnder(name, value)
      ? whole
      : `${whole.slice(0, -value.length)}${hide(kind, value)}`;
  });
  const named = [nameAndSeparator, nameAndArrow, flagAndBlank].reduce(replaceValues, redactPairs(elements));
  return named.replace(changedTo, (_whole, before: string, value: string) => before + hide("secret", value));
}

/** Ends of a line, with the name in a group: "Password:", <Password>, - name: TOKEN, <key>Token</key>, - --token, variable "token" { */
const announcements: readonly { readonly lasts?: string; readonly of?: string; readonly pattern: RegExp }[] = [
  { lasts: ":=", pattern: /([A-Z_](?:[\w.-]| (?=key\b)){1,96})["']?\s{0,4}[:=]$/i },
  { lasts: ">", pattern: /<(?!redacted:)([A-Z][\w.-]{1,80})>$/i },
  {
    pattern:
      /^\s*(?:- )?["']?(?:name|key)["']?\s{0,20}: {0,4}["']?(?:\/(?:[\w.-]{1,64}\/){0,8})?([A-Z_][\w.-]{1,96})["']?,?$/i,
  },
  { lasts: ">", pattern: /<key>([A-Z_][\w.-]{1,96})<\/key>$/i },
  { pattern: /^\s*- ["']?--?([A-Z][\w-]{1,64})["']?$/i },
  { lasts: ",", pattern: /^\s*["']--?([A-Z][\w-]{1,64})["'],$/i },
  { lasts: "{", pattern: /^\s*"([A-Z_][\w.-]{1,96})": \{$/i },
  // What was typed at PowerShell's prompt
  { pattern: /^PS [^<>]{0,100}> ?.{0,100}\.([A-Z]\w{2,60})$/i },
  { lasts: ">", pattern: /\["([A-Z_][\w.-]{1,96})"\]\s?=>$/i },
  // Whatever its name is in the Secret
  {
    of: "secret",
    pattern:
      /\bget secrets? .{0,100}(?:jsonpath|template)=["']?\{[^}]{0,80}\.data\.([\w.\\-]{2,96})[^|]{0,20}(?:["']?\s?\|\s?base64 -\w{1,8}(?:; ?echo)?)?$/,
  },
  { of: "password", pattern: /\bargocd (admin initial-password)\b[^|]{0,60}$/ },
  { lasts: "{", pattern: /^\s*variable "?([A-Z_][\w-]{1,96})"? \{$/i },
];

/** Kind of secret that a line announces whose value stands on the next one: "Password:", `<AdministratorPassword>`, `- name: API_TOKEN`. */
export function secretKindBeforeEnd(line: string): string | undefined {
  // Behind it only what ends the cell of a table or a quote.
  const end = withoutEnd(line, " \t|\u2502\u2503\"'").slice(-160);
  for (const { lasts, of, pattern } of announcements) {
    if (lasts?.includes(end.slice(-1)) === false) continue;
    const name = pattern.exec(end)?.[1];
    if (name !== undefined) return of ?? secretKindOfName(name);
  }
  return undefined;
}

function replaceValues(line: string, pattern: RegExp): string {
  let result = "";
  let copied = 0;
  for (const match of line.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (match.index < copied) continue;
    const field = describeField(line, match.index, match);
    if (field === undefined) continue;
    const value = readValue(line, end, field);
    if (value === undefined) continue;
    result += line.slice(copied, value.start) + hide(field.kind, line.slice(value.start, value.end));
    copied = value.end;
  }
  return result + line.slice(copied);
}

interface Field {
  readonly kind: string;
  readonly name: string;
  /** Where the value may end when it is not quoted. */
  readonly style: "line" | "flow" | "word" | "prose";
  /** A name that may hold anything: only what looks made by chance is hidden behind it. */
  readonly isDoubtful: boolean;
  /** In a language whose states isStatement does not know. */
  readonly isForeign: boolean;
  readonly isPath: boolean;
  /** The quote, with its backslashes, that a command has in front of the name: -e "DB_PASSWORD=two words". */
  readonly opener: string | undefined;
  /** A blank stands in front of the value. */
  readonly isApart: boolean;
  /** "--token is required" is a sentence. */
  readonly isFlag: boolean;
  /** Behind a colon there may be a sentence in place of the value. */
  readonly mayState: boolean;
  /** "Secret: kube-system/bootstrap-token-abcdef" names an object. */
  readonly mayName: boolean;
}

const wordBehindFlag =
  /^(?:and|are|by|cannot|flag|for|from|has|in|is|may|must|not|on|option|or|parameter|requires|should|the|to|via|was|were|with)$/;
/** What a program that is asked how it is used says of a flag: "--token string   Use this token …". */
const typeOfFlag = /^(?:strings?|stringArray|stringToString|u?int(?:32|64)?|bool|duration|bytes|file|path)$/;
const nameInNamespace = /^[a-z][a-z-]{2,40}\/[a-z][a-z0-9]*(?:-[a-z0-9.]{1,64}){1,12}$/;

function describeField(line: string, index: number, match: RegExpExecArray): Field | undefined {
  const separator = match[2] ?? "";
  const escaped = line[index - 1] === "\\";
  const name = escaped ? (match[1] ?? "").replace(/^[nrt]\B/, "") : (match[1] ?? "");
  const certain = secretKindOfName(name);
  const kind = certain ?? doubtfulKindOfName(name);
  if (kind === undefined || isPartOfPath(line, index)) return undefined;
  if (/->|[\u2192\u21d2]/.test(separator) && /^[a-z]+$/.test(name)) return undefined;
  const before = line.slice(Math.max(0, index - 300), index);
  if (tellsOther(before, name)) return undefined;
  return {
    kind,
    name,
    style: styleOf(before, separator, escaped),
    opener: separator.endsWith("=") ? openerOf(before, name) : undefined,
    isDoubtful: certain === undefined,
    ...traitsOf(name, separator),
  };
}

/** A public key; the name of a secret, which Google's tool takes with a secret's flag. */
function tellsOther(before: string, name: string): boolean {
  return /^key$/i.test(name)
    ? /\bpublic[ _-]$/i.test(before)
    : /^secret$/i.test(name) && /\bgcloud secrets\s.{0,200}--$/.test(before);
}

type Traits = Pick<Field, "isForeign" | "isPath" | "isFlag" | "mayName" | "isApart" | "mayState">;

function traitsOf(name: string, separator: string): Traits {
  return {
    isApart: separator.endsWith(" "),
    mayState: separator.includes(":") && !separator.includes("="),
    isForeign: isForeignSecretName(name) || /wort$/i.test(name),
    isPath: /^(?:old)?pwd$/i.test(name),
    isFlag: name.startsWith("-"),
    mayName: /^secrets?$/i.test(name),
  };
}

function openerOf(before: string, name: string): string | undefined {
  if (!/["']$/.test(before)) return undefined;
  return assignment.exec(before)?.[1] ?? (variable.test(name) ? element.exec(before)?.[1] : undefined);
}

/** A list's element that is one whole: "DB_PASSWORD=two words" */
const element = /(?:^|[\s,[({])(["'])$/;
const variable = /^[A-Z_][A-Z0-9_]*$/;
const assignment =
  /(?:\s(?:-e|--env|--build-arg|-var|--set(?:-string|-literal)?)[\s=]|\b(?:export|set|env|declare -x)\s|\bEnvironment=)(\\{0,4}["'])$/;

/** Or of an address; unless it is a flag of Windows (/pass:…). */
function isPartOfPath(line: string, index: number): boolean {
  return line[index - 1] === "/" && !/^[\s"']?$/.test(line[index - 2] ?? "");
}

function styleOf(before: string, separator: string, escaped: boolean): Field["style"] {
  if (!separator.includes(":") || /["']/.test(separator) || separator.includes(":=")) return "word";
  if (/[{,]\s*["']?$/.test(before) || before.includes("{")) return "flow";
  if (escaped || /(?:^|[\]>]:? |\|)\s*(?:- \s*)?["']?$/.test(before)) return "line";
  return "prose";
}

/** Behind a doubtful name nothing so long is hidden, and none needs its end: one such value may lie in another, and each would be read to it. */
const beyondRandom = 2 * longestRandom;

interface Span {
  readonly start: number;
  readonly end: number;
}

function readValue(line: string, from: number, field: Field): Span | undefined {
  const span = readSpan(line, from, field);
  return span === undefined || !field.isDoubtful || looksRandom(line.slice(span.start, span.end)) ? span : undefined;
}

function readSpan(line: string, from: number, field: Field): Span | undefined {
  const opener = /^(?:\[\s{0,4}|[A-Z]\w{0,30}\()?(?:&(?:quot|#34);|[$bu]?(\\{0,4})(["'`]))/.exec(
    line.slice(from, from + 44),
  );
  if (opener !== null) return unlessPlain(line, quotedValue(line, from + opener[0].length, opener), field);
  const bracketed = /^<(?!redacted:|\/)[^\s<>]{1,512}>/.exec(line.slice(from, from + 514))?.[0];
  if (bracketed !== undefined)
    return isPlainUnder(field.name, bracketed) ? undefined : { start: from + 1, end: from + bracketed.length - 1 };
  if (line[from] === "[" && !line.startsWith("[<redacted:", from))
    return unlessPlain(line, listValue(line, from, "]"), field);
  if (/^\(["']/.test(line.slice(from, from + 2))) return unlessPlain(line, listValue(line, from, ")"), field);
  const rest = line.slice(from);
  const closed = field.opener === undefined ? -1 : closingQuote(line, from, field.opener);
  const end =
    closed === -1 ? from + unquotedLength(field.isDoubtful ? rest.slice(0, beyondRandom) : rest, field) : closed;
  const value = line.slice(from, end);
  return isNoSecret(value, rest, field) ? undefined : { start: from, end };
}

/** A path behind PWD, a word of a sentence behind a flag, a name in a namespace behind "Secret". */
function isNamed(value: string, { isPath, isFlag, isApart, mayName }: Field): boolean {
  if (isPath && value.startsWith("/")) return true;
  // Apart: see password= and credentials=
  if (isFlag && typeOfFlag.test(value)) return true;
  return ((isFlag || isApart) && wordBehindFlag.test(value)) || (mayName && nameInNamespace.test(value));
}

/** `kubectl describe` says where the value comes from. */
const isReference = /^<set to the key '[\w.-]{1,253}' (?:in|of) (?:secret|config ?map) '/;

/** What stands unquoted behind a secret's name and is none; `rest` is the line from there on. */
function isNoSecret(value: string, rest: string, field: Field): boolean {
  if (isPlainUnder(field.name, value) || isNamed(value, field) || isReference.test(rest)) return true;
  if (field.isForeign && /^[\p{L} ]+$/u.test(value) && foreignState.test(value)) return true;
  if (field.style === "prose" && looksLikeProse(value)) return true;
  if (!field.mayState) return false;
  return field.style === "line" ? value.length <= longestPlain && isStatement(value) : isStatement(rest);
}

function unlessPlain(line: string, { start, end }: Span, { name }: Field): Span | undefined {
  return isPlainUnder(name, line.slice(start, end)) ? undefined : { start, end };
}

function quotedValue(line: string, start: number, opener: RegExpExecArray): Span {
  const quote = opener[2];
  const end = quote === undefined ? line.indexOf("&", start) : closingQuote(line, start, `${opener[1] ?? ""}${quote}`);
  return { start, end: end === -1 ? line.length : end };
}

/** `opener` is the quote with the backslashes in front of it: inside JSON text a quote may be `\\"` or deeper. */
function closingQuote(line: string, start: number, opener: string): number {
  const quote = opener.slice(-1);
  const depth = opener.length - 1;
  for (let at = line.indexOf(quote, start); at !== -1; at = line.indexOf(quote, at + 1)) {
    // YAML and SQL write a single quote inside single quotes twice.
    if (opener === "'" && line[at + 1] === "'") {
      at++;
      continue;
    }
    let slashes = 0;
    while (at - slashes > start && line[at - slashes - 1] === "\\") slashes++;
    if (depth === 0 ? slashes % 2 === 0 : slashes <= depth) return at - (depth === 0 ? 0 : slashes);
  }
  return -1;
}

function listValue(line: string, from: number, closing: "]" | ")"): Span {
  const end = line.indexOf(closing, from);
  return { start: from + 1, end: end === -1 ? line.length : end };
}

function unquotedLength(rest: string, field: Field): number {
  const stop =
    field.style === "line"
      ? lineLength(rest)
      : field.style === "flow"
        ? rest.search(/[\s,}]|\\[nr]|$/)
        : rest.search(/[\s"'`<]|\\[nr"']|[;&](?=\s|$|[\w%-]{1,64}=)|,(?=\s|$|["']|[\w-]{1,64}[=:])|&amp;|u0026|$/);
  const length = stop === -1 ? rest.length : stop;
  if (rest.startsWith("<redacted:")) return rest.indexOf(">") + 1;
  return length - (/[)\]}.]{0,4}$/.exec(rest.slice(Math.max(0, length - 4), length))?.[0].length ?? 0);
}

/** Without the blanks at the end; not by an expression, which would look at every run of blanks from each of its places. */
function lineLength(rest: string): number {
  const escape = rest.search(/\\[nr]/);
  return rest.slice(0, escape === -1 ? undefined : escape).trimEnd().length;
}

/** "failed to get token: dial tcp …" and "…: serviceaccounts "default" is forbidden" are sentences, "token: 9f2c…" is not. */
function looksLikeProse(value: string): boolean {
  if (value.length > longestPlain) return false;
  return /^(?:[a-z]{1,14}|[A-Z][a-z]{1,14}|[A-Z]{2,6}|serviceaccounts|x509|https?:\/\/.*)[:,;.]?$/.test(value);
}
