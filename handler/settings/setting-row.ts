/** Where a key may stand. Custom Script takes storage credentials from the protected settings only. */
type SettingPlace = "either" | "protected";

interface RowBase {
  readonly place: SettingPlace;
  readonly group: "custom-script" | "check" | "wait" | "report";
  /** Its value is never quoted, wherever it stands. */
  readonly secret: boolean;
  /** Decides what runs: a key that merely looks like it is an error, where it otherwise is a warning. */
  readonly decides?: true;
  /** Markdown, one or two sentences. */
  readonly description: string;
  readonly examples: readonly (string | number | boolean | readonly string[] | Readonly<Record<string, string>>)[];
}

interface NumberRow extends RowBase {
  readonly type: "whole-number";
  readonly minimum: number;
  readonly maximum: number;
  readonly default?: number;
}

interface BooleanRow extends RowBase {
  readonly type: "boolean";
  readonly default: boolean;
}

export interface ChoiceRow extends RowBase {
  readonly type: "choice";
  readonly values: readonly string[];
  readonly default: string;
  /** What a name that we do not know stands for, with a warning; absent: such a name is an error. */
  readonly unknownIs?: string;
}

export interface TextRow extends RowBase {
  readonly type: "text";
  /** Source of a regular expression for the whole value, in the dialect of JSON Schema. */
  readonly pattern?: string;
  readonly allowed: string;
  readonly maximumLength?: number;
  /** An empty text counts as not set, as in the Custom Script handler. */
  readonly emptyIsUnset?: true;
}

/** `loopback-http`: https, or http to this machine itself. `http`: both. */
export type UrlSchemes = "loopback-http" | "http";

interface UrlRow extends RowBase {
  readonly type: "url";
  readonly schemes: UrlSchemes;
}

export interface UrlListRow extends RowBase {
  readonly type: "url-list";
  readonly schemes: UrlSchemes;
  /** An address may end in `#sha256=<64 hexadecimal digits>`. */
  readonly pinned?: true;
}

interface IdentityRow extends RowBase {
  readonly type: "identity";
}

export type SettingRow = NumberRow | BooleanRow | ChoiceRow | TextRow | UrlRow | UrlListRow | IdentityRow;

/** A name that may be one of a provider; everything else is a mistake. */
export const unknownName = /^[A-Za-z][\dA-Za-z-]{0,62}$/u;
