import { hide } from "./hidden-texts.ts";

/** A line of YAML, or of JSON in many lines, that says of its neighbours, which may stand before it, that they are secret. */
interface Announcement {
  readonly line: RegExp;
  /** The neighbour with the secret. */
  readonly holder: RegExp;
}

const announcements: readonly Announcement[] = [
  // write_files of cloud-init
  {
    line: /^\s{0,40}(?:- )?["']?path["']?:\s{1,4}["']?\S{0,200}(?:token|passw|secret|credential|netrc|pgpass|psk)\S{0,40}\s{0,4}$/i,
    holder: /^\s{0,40}(?:- )?["']?content["']?:/,
  },
  {
    line: /^\s{0,40}(?:- )?["']?kind["']?:\s{1,4}["']?Secret["']?,?\s{0,4}$/,
    holder: /^\s{0,40}(?:- )?["']?(?:data|stringData)["']?:\s{0,4}\{?$/,
  },
  // What is packed in base64 is for no reader.
  {
    line: /^\s{0,40}(?:- )?["']?encoding["']?:\s{1,4}["']?(?:gz(?:ip)?\+)?b(?:ase)?64["']?,?\s{0,4}$/,
    holder: /^\s{0,40}(?:- )?["']?content["']?:/,
  },
];
/** More lines no file of a node's settings has. */
const longestItem = 100;

/** Hides the values in YAML that a line beside them tells to be secret: files that are named for one, the data of a Secret. */
export function hideAnnounced(lines: readonly string[]): readonly string[] {
  const secret = new Set(
    announcements.flatMap(({ line, holder }) =>
      lines.flatMap((text, at) => (text.length < 300 && line.test(text) ? heldBeside(lines, at, holder) : [])),
    ),
  );
  if (secret.size === 0) return lines;
  return lines.map((line, at) => (secret.has(at) ? hideScalar(line) : line));
}

const blockHead = /^\s*(?:- )?(?:["']?[\w.-]{1,128}["']?:\s{1,8})?(?:!!binary\s{1,4})?[|>][+-]?\s*$/;

/** `content: value`, a line of a block, or a line of a mapping; what only begins a block stays. */
function hideScalar(line: string): string {
  if (blockHead.test(line)) return line;
  return line.replace(
    /^(\s*(?:- )?(?:["']?[\w.-]{1,128}["']?:\s{1,8})?["']?)([^\s"'][^"'\n]*)/,
    (_whole, before: string, value: string) => before + hide("secret", value),
  );
}

function heldBeside(lines: readonly string[], at: number, holder: RegExp): readonly number[] {
  const column = columnOf(lines[at] ?? "");
  let first = at;
  while (first > 0 && at - first < longestItem && !beginsItem(lines[first] ?? "", column)) {
    if (!isWithin(lines[first - 1] ?? "", column)) break;
    first--;
  }
  let last = at + 1;
  while (last < lines.length && last - at < longestItem && isNext(lines[last] ?? "", column)) last++;
  return heldIn(lines.slice(first, last), { column, holder }).map((index) => first + index);
}

/** The lines of an item that stand on or below the line of its column that holds the secret; not what only begins a block. */
function heldIn(
  item: readonly string[],
  { column, holder }: { readonly column: number; readonly holder: RegExp },
): readonly number[] {
  let isHeld = false;
  return item.flatMap((line, index) => {
    if (columnOf(line) <= column && line.trim() !== "") isHeld = holder.test(line);
    return isHeld && !/:\s*\{?$/.test(line) ? [index] : [];
  });
}

function columnOf(line: string): number {
  return /^\s*(?:- )?/.exec(line)?.[0].length ?? 0;
}

function beginsItem(line: string, column: number): boolean {
  return /^\s*- /.test(line) && columnOf(line) === column;
}

function isWithin(line: string, column: number): boolean {
  return line !== "---" && (line.trim() === "" || columnOf(line) >= column);
}

function isNext(line: string, column: number): boolean {
  return isWithin(line, column) && !beginsItem(line, column);
}

const secretObject = /\\{0,4}"kind\\{0,4}"\s{0,4}:\s{0,4}\\{0,4}"Secret(?:List)?\\{0,4}"/;
const itsData = /(\\{0,4}"(?:data|stringData)\\{0,4}"\s{0,4}:\s{0,4}\{)([^{}\n]{1,8000})(?=\}|$)/g;

/** The same for an object in one line of JSON. */
export function hideSecretObject(line: string): string {
  if (!line.includes("Secret") || !secretObject.test(line)) return line;
  return line.replace(
    itsData,
    (_whole, before: string, data: string) =>
      before +
      data.replaceAll(
        /(:\s{0,4}\\{0,4}")([^"\\]{1,4000})/g,
        (_all, colon: string, value: string) => colon + hide("secret", value),
      ),
  );
}
