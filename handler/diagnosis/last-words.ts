import { hasWords } from "../text/said.ts";
import { cutShown, show, type ShownText } from "../text/shown-text.ts";
import { isAdvice } from "./advice.ts";

/** Of the end of a log: what cloud-init itself writes below a script's last line is less. */
const keptBytes = 16 * 1024;

/** The last line that a script printed, whatever its form. */
export interface LastWords {
  readonly text: ShownText;
  readonly line: number;
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

  /**
   * Out of all that is kept, redacted together: a line of a key, or the password below its announcement, does not say what it is. `lines`: begun
   * in the log so far, the one behind its last line end among them.
   */
  lastWords(lines: number): LastWords | undefined {
    const text = show(this.#kept.toString("utf8", 0, this.#length), { start: this.#isCut });
    const shown = cutShown.lines(text);
    const at = shown.findLastIndex(isSaidByScript);
    const words = shown[at];
    // From the end on: before it, a bar of progress may have become several lines.
    return words === undefined ? undefined : { text: words, line: lines - (shown.length - 1 - at) };
  }
}

/**
 * What cloud-init and its other modules print in the same log: its banners and records, the keys of the host, tables of addresses.
 * A shell's trace says what is run, and not what comes of it.
 */
const ofOthers =
  /^(?:Cloud-init v\. |ci-info: |<\d{1,3}>|#{6,}$|-{5}(?:BEGIN|END) |\d{3,5} (?:SHA256|MD5):|(?:ssh|ecdsa)-[\w-]{3,30} |\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - |\+{1,5} )/u;

function isSaidByScript(line: ShownText): boolean {
  return hasWords(line) && !ofOthers.test(line.trim()) && !isAdvice(line);
}
