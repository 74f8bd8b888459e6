import { cleanText } from "../text/clean-text.ts";
import { isAdvice } from "./advice.ts";

/** Of the end of a log: what cloud-init itself writes below a script's last line is less. */
const keptBytes = 16 * 1024;
const lineEnd = 0x0a;

/** The last line that a script printed, whatever its form. */
export interface LastWords {
  readonly bytes: Buffer;
  readonly line: number;
  readonly cut: { readonly start: boolean; readonly end: boolean };
}

/** Keeps the end of a log into which scripts print, and finds what the last of them said. */
export class EndOfScript {
  /** One piece of memory for all of a log. */
  readonly #kept = Buffer.alloc(keptBytes);
  #length = 0;
  #isCut = false;

  feed(bytes: Buffer): void {
    const tail = bytes.subarray(Math.max(0, bytes.length - keptBytes));
    const before = Math.min(this.#length, keptBytes - tail.length);
    this.#isCut ||= this.#length + bytes.length > keptBytes;
    this.#kept.copyWithin(0, this.#length - before, this.#length);
    tail.copy(this.#kept, before);
    this.#length = before + tail.length;
  }

  /** `lines`: begun in the log so far, the one behind its last line end among them. */
  lastWords(lines: number): LastWords | undefined {
    const end = this.#kept.subarray(0, this.#length);
    let to = end.length;
    for (let line = lines; to >= 0; line--) {
      const before = to === 0 ? -1 : end.lastIndexOf(lineEnd, to - 1);
      const bytes = end.subarray(before + 1, to);
      const start = before === -1 && this.#isCut;
      if (!start && isSaidByScript(bytes)) return { bytes: Buffer.from(bytes), line, cut: { start, end: false } };
      if (before === -1) return undefined;
      to = before;
    }
    return undefined;
  }
}

/**
 * What cloud-init and its other modules print in the same log: its banners and records, the keys of the host, tables of addresses.
 * A shell's trace says what is run, and not what comes of it.
 */
const ofOthers =
  /^(?:Cloud-init v\. |ci-info: |<\d{1,3}>|#{6,}$|-{5}(?:BEGIN|END) |\d{3,5} (?:SHA256|MD5):|(?:ssh|ecdsa)-[\w-]{3,30} |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - |\+{1,5} )/u;

/** It says something only where a letter stands in it. */
function isSaidByScript(bytes: Buffer): boolean {
  const text = cleanText(bytes.toString("utf8")).trim();
  return (text.match(/\p{L}/gu) ?? []).length > 1 && !ofOthers.test(text) && !isAdvice(text);
}
