import { hide } from "./hidden-texts.ts";
import { looksMade, looksRandom } from "./looks-made.ts";
import { isPlainUnder } from "./plain-values.ts";
import { doubtfulKindOfName, secretKindOfName } from "./redact-names.ts";

/** {"name":"DB_PASSWORD","type":"secret","value":"…"}, name="ApiToken" value="…", <setting name="ApiKey" …><value>… */
const labelledPair =
  /(\\{0,4}["']?\b(?:name|key)\\{0,4}["']?\s{0,4}[:=]\s{0,4}(?:u(?=["'])|\\{0,4})["']?)([A-Z_][\w.-]{1,96})(\\{0,4}["']?(?:\s{0,4}[,;]\s{0,4}(?:u(?=["']))?|\s{1,4}|(?=>))(?:\\{0,4}["']?[\w-]{1,40}\\{0,4}["']?\s{0,4}[:=]\s{0,4}\\{0,4}["']?[\w.-]{1,60}\\{0,4}["']?(?:\s{0,4}[,;]\s{0,4}|\s{1,4}|(?=>))){0,2}(?:\\{0,4}["']?(?:[\w[\]-]{1,40}\.){0,3}value\\{0,4}["']?\s{0,4}[:=]\s{0,4}(?:u(?=["']))?|><value>))(\\{0,4}["'][^"'\\]*|[^\s"'\\,;<]+)/gi;
/** -Name ApiKey -PropertyType String -Value …, setx API_TOKEN …, os.Setenv("API_TOKEN", "…"), <key>APIToken</key><string>…, /v ApiToken /d … */
const namedPair =
  /(\bSetEnvironmentVariable\(\s{0,4}["']|\bsetx(?:\.exe)?\s{1,4}(?:\/m\s{1,4})?["']?|\bset(?:env)?\s{1,4}(?:-\w{1,3}\s{1,4})?|\bconfig(?:ure)?\s{1,4}set\s{1,4}(?:--secret\s{1,4})?|\s-Name\s{1,4}["']?|\s\/v\s{1,4}["']?|<key>\s{0,4}|^\s{0,8}(?:#\d{1,4} )?(?:\[[^\]\n]{1,20}\] )?(?:Step \d{1,3}\/\d{1,3} : )?ENV\s{1,4})([A-Z_][\w.-]{1,96})(["']?(?:\s{0,4},\s{0,4}|\s{1,4}(?:(?:-(?:Property)?Type|\/t)\s{1,4}\w{1,20}\s{1,4})?(?:-Value\s{1,4}|\/d\s{1,4})?|<\/key>\s{0,40}<string>))(["'][^"']*|(?!-(?:Value|(?:Property)?Type)\b|\/[dt]\s|(?:with|for|to|by|in|of|on|from|and|as|via)\b)[^\s"'\\,;<]+)/gi;
/** {"adminPassword":{"type":"secureString","value":"…"}}, variable "token" { default = "…" } */
const nestedValue =
  /(\\{0,4}["'])([A-Z_][\w.-]{1,96})(\\{0,4}["']\s{0,4}[:=]?\s{0,4}\{[^{}\n]{0,160}?\b(?:value|default|defaultValue)\\{0,4}["']?\s{0,4}[:=]\s{0,4})(\\{0,4}["'][^"'\\]*)/gi;
/** ("password", "…"), and DB_PASSWORD    …: only where the value looks made. */
const besideName =
  /((?<![\w.-])\\{0,4}["']?)([A-Z_][\w.-]{1,96})(\\{0,4}["']\s{0,4},\s{0,4}|["']?(?:\s(?:is|was|\.)\s|[\s|,;])\s{0,40})(\\{0,4}["'][^"'\\\n]{6,512}|[^\s"'\\,;<|]{8,512})/gi;
/** The same with the value first: {"value":"…","name":"DB_PASSWORD"}, <add value="…" key="ApiToken" />. */
const valueFirst =
  /(\\{0,4}["']?\bvalue\\{0,4}["']?\s{0,4}[:=]\s{0,4}\\{0,4}["'])([^"'\\\n]{1,512})(\\{0,4}["'][\s,;]{1,8}\\{0,4}["']?(?:name|key)\\{0,4}["']?\s{0,4}[:=]\s{0,4}\\{0,4}["'])([A-Z_][\w.-]{1,96})/gi;
/** <property name="secret">…</property> */
const namedElement =
  /(<[\w.:-]{1,60} [^<>]{0,100}?\b(?:name|key|n)=["'])([\w.-]{1,96})(["'][^<>]{0,100}>)([^<\n]{1,600})/gi;
/** DefaultPassword    REG_SZ    …, and reg add … /v Password /t REG_SZ /d … */
const registryValue =
  /(^\s{0,20}|\s\/v\s{1,4}["']?)([A-Z_][\w.-]{1,96})(["']?\s{1,40}(?:\/t\s{1,4})?REG_\w{2,12}\s{1,40}(?:\/d\s{1,4})?["']?)([^\s"']{1,600})/gi;
/** A cell of a table whose neighbour on the left is a secret's name: | token | 9f2c… | */
const tableCell =
  /([|\u2502\u2503]\s{0,40}["']?)([A-Z_][\w .-]{1,60}?)(["']?\s{0,40}[|\u2502\u2503]\s{0,40})([^\s|\u2502\u2503]{1,512})/gi;

/** Hides the values that stand beside a secret's name rather than behind a sign: in pairs, elements, calls, tables, columns. */
export function redactPairs(line: string): string {
  const turned = line.replace(valueFirst, (whole: string, ...groups: readonly string[]) => {
    const [before = "", value = "", between = "", name = ""] = groups;
    const kind = secretKindOfName(name);
    return kind === undefined || isPlainUnder(name, value) ? whole : `${before}${hide(kind, value)}${between}${name}`;
  });
  const named = [labelledPair, namedPair, nestedValue, namedElement, registryValue].reduce(
    (text, pattern) => replaceNamed(text, pattern, ({ name, value }) => !isPlainUnder(name, value)),
    turned,
  );
  return replaceNamed(redactCells(named), besideName, isBeside);
}

/** In a line that begins with no bar, words with bars between may be the names of columns, or what one may choose from. */
function redactCells(line: string): string {
  const isRow = /^\s*[|\u2502\u2503]/.test(line);
  const isCell = ({ name, value }: Pair) => !isPlainUnder(name, value) && !/^[a-z_]+$/i.test(value);
  // A row's cells are taken two at a time first: of | root | password | … | the second and the third are a pair too.
  const hidden = isRow
    ? besideCells(
        replaceNamed(line, tableCell, ({ name, value }) => !isPlainUnder(name, value)),
        isCell,
      )
    : replaceNamed(line, tableCell, isCell);
  return hidden.length < longestRow ? hidden.replace(accountRow, hideAccount) : hidden;
}

const bars = /([|\u2502\u2503])/;
const nameCell = /^\s{0,40}["']?([A-Z_][\w .-]{1,60}?)["']?\s{0,40}$/i;
const valueCell = /^(\s{0,40})(\S{1,512})/;

/** Each cell of a row beside the one on its left. */
function besideCells(row: string, isSecret: (pair: Pair) => boolean): string {
  const cells = row.split(bars);
  return cells
    .map((cell, at) => {
      const name = nameCell.exec(cells[at - 2] ?? "")?.[1];
      if (name === undefined) return cell;
      return cell.replace(valueCell, (whole: string, before: string, value: string) => {
        const kind = isSecret({ name, between: "", value }) ? kindOf(name, value) : undefined;
        return kind === undefined ? whole : before + hide(kind, value);
      });
    })
    .join("");
}

const longestRow = 400;
/** A row of words alone: | root | password | letmein |, with or without the bars around it. */
const accountRow =
  /^(\s{0,40}(?:[|\u2502\u2503]\s{0,40})?)([\w.@-]{1,64})(\s{0,40}[|\u2502\u2503]\s{0,40})([A-Z_]{3,40})(\s{0,40}[|\u2502\u2503]\s{0,40})([A-Z_]{4,64})(?=\s{0,40}(?:[|\u2502\u2503]\s{0,40})?$)/i;
/** What heads a column, or may be chosen, and is nobody's password. */
const columnWord =
  /^(?:account|address|algorithm|attribute|auth\w*|cert\w*|class|client|cluster|comment|created|database|db|default|description|domain|email|enabled|expir\w*|field|group|host\w*|hash\w*|id|key|kind|last\w*|login|method|mode|name|namespace|node|none|optional|options?|owner|plugin|policy|port|property|provider|realm|required|rol\w*|scope|server|service|setting|source|state|status|string|supported|tenant|time|token|ttl|type|usages?|users?|username|uid|valid\w*|\w{1,30}(?:_at|_by|_id|_name|_on|until)|value|version)$/i;

function hideAccount(whole: string, ...cells: readonly string[]): string {
  const [before = "", account = "", bar = "", name = "", next = "", value = ""] = cells;
  const kind = secretKindOfName(name);
  const isHead = [account, value].some((word) => columnWord.test(word) || secretKindOfName(word) !== undefined);
  if (kind === undefined || isHead || isPlainUnder(name, value)) return whole;
  return `${before}${account}${bar}${name}${next}${hide(kind, value)}`;
}

interface Pair {
  readonly name: string;
  readonly between: string;
  readonly value: string;
}

/** DB_PASSWORD and "a word" behind one blank may be a sentence's, where the name has no parts. */
function isBeside({ name, between, value }: Pair): boolean {
  if (!looksMade(value)) return false;
  if (looksRandom(value) || /["'|]|\s\s/.test(between)) return true;
  return /[a-z][A-Z]|[_.-]/.test(name) && !/[,;]/.test(between);
}

/** Patterns of four groups: what stands before the name, the name, what stands before the value, the value. */
function replaceNamed(text: string, pattern: RegExp, isSecret: (pair: Pair) => boolean): string {
  return text.replace(pattern, (whole: string, ...groups: readonly string[]) => {
    const [before = "", name = "", between = "", value = ""] = groups;
    const bare = value.replace(/^\\{0,4}["']/, "");
    const kind = isSecret({ name, between, value: bare }) ? kindOf(name, bare) : undefined;
    if (kind === undefined) return whole;
    return `${before}${name}${between}${value.slice(0, value.length - bare.length)}${hide(kind, bare)}`;
  });
}

function kindOf(name: string, value: string): string | undefined {
  return secretKindOfName(name) ?? (looksRandom(value) && /[_-]/.test(name) ? doubtfulKindOfName(name) : undefined);
}
