import { redactFields, secretKindBeforeEnd } from "./redact-fields.ts";
import { secretKindOfName } from "./redact-names.ts";

/** What a line has begun that the next ones belong to. */
export type OpenBlock =
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
  | { readonly kind: "value-below"; readonly of: string; readonly isDoubtful?: true }
  /** A JSON Web Token that was broken into lines. */
  | { readonly kind: "jwt"; readonly linesLeft: number }
  /** What is sent to a registry, whatever it is called. */
  | { readonly kind: "headers"; readonly linesLeft: number }
  /** Below the name of a Secret in etcd: its bytes. `by`: the program that printed the name. */
  | { readonly kind: "stored"; readonly linesLeft: number; readonly by?: string };

export const none: OpenBlock = { kind: "none" };

/** Lines of name:password follow. */
function opensAccounts(text: string): boolean {
  if (text.includes("passwords") && /\bSet the following ['"]?random['"]? passwords\s*$/.test(text)) return true;
  if (text.includes("chpasswd") && /\bchpasswd\b.{1,200}\b(?:data|input)[:=] ?b?["']$/.test(text)) return true;
  return text.includes("<<") && /\bchpasswd\b.{0,40}<<-?\s?["']?\w{2,12}["']?\s*$/.test(text);
}

/** What the line begins. */
export function opens(text: string): OpenBlock {
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

const longestToken = 60;
export const longestStored = 60;
const longestDocument = 40;
/** What begins with a line of its own shape. */
const shapes: readonly { readonly sign: string; readonly line: RegExp; readonly open: OpenBlock }[] = [
  {
    sign: "eyJ",
    line: /(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]*){0,3}\s?\\?\s{0,8}$/,
    open: { kind: "jwt", linesLeft: longestToken },
  },
  {
    sign: "/registry/",
    line: /^\s{0,8}\/registry\/secrets\/[\w./-]{3,300}\s{0,8}$/,
    open: { kind: "stored", linesLeft: longestStored },
  },
  {
    sign: "header",
    line: /\[(?:host\.["'].{1,300}\.|.{1,200}\bregistry\.)headers?\]$/,
    open: { kind: "headers", linesLeft: longestDocument },
  },
  {
    sign: "<auth-user-pass>",
    line: /^\s*<auth-user-pass>\s*$/,
    open: { kind: "document", end: "</auth-user-pass>", linesLeft: 3 },
  },
];
const longestShape = 4000;

function opensShape(text: string): OpenBlock | undefined {
  return shapes.find(({ sign, line }) => text.includes(sign) && line.test(text.slice(-longestShape)))?.open;
}

function opensValue(text: string): OpenBlock {
  const shape = opensShape(text);
  if (shape !== undefined) return shape;
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
const sentenceOfSecret = /\b(?:password|passphrase|token|secret|(?:api|access|join|license) key)\b[^:=]{1,80}:$/i;

export function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
