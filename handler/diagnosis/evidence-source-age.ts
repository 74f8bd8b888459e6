import type { FirstBoot } from "./first-boot.ts";
import { dateOfLine, type LineDate } from "./line-date.ts";

/** A log without dates is not searched for them for ever. */
const mostUndatedLines = 5000;
/** A date in local time may lie so far ahead of the file's own. */
const zonesApartMs = 24 * 3_600_000;
/** Of a line: its date stands there. */
const headBytes = 200;
const lineFeed = 0x0a;

/** Lets lines pass from the first one that is not older than the first boot; lines without a date belong to the one above. */
export class OlderLinesFilter {
  readonly #firstBoot: FirstBoot;
  readonly #latestMs: number;
  #state: "undecided" | "older" | "open" = "undecided";
  #undatedLines = 0;
  /** Head of the line that the last chunk's end cut. */
  #cutLine = "";
  /** The same, where it was left out: the date may stand behind the cut. */
  #leftOut: Buffer = Buffer.alloc(0);
  skippedBytes = 0;

  /** `modifiedMs`: when the file was last written, which tells the year of a date without one. */
  constructor(firstBoot: FirstBoot, modifiedMs: number) {
    this.#firstBoot = firstBoot;
    this.#latestMs = Math.max(modifiedMs, firstBoot.shownMs) + zonesApartMs;
  }

  /** The part of the chunk that may pass. */
  pass(chunk: Buffer): Buffer {
    const kept: Buffer[] = [];
    let start = 0;
    while (start < chunk.length && this.#state !== "open") {
      const end = chunk.indexOf(lineFeed, start);
      const next = end === -1 ? chunk.length : end + 1;
      const line = (this.#cutLine + chunk.toString("latin1", start, Math.min(next, start + headBytes))).slice(
        0,
        headBytes,
      );
      this.#cutLine = end === -1 ? line : "";
      const state = this.#judge(line);
      if (state === "open") return Buffer.concat([...kept, this.#takeBack(), chunk.subarray(start)]);
      if (state === "undecided") kept.push(chunk.subarray(start, next));
      else this.#leaveOut(chunk.subarray(start, next), end === -1);
      start = next;
    }
    return start === 0 ? chunk : Buffer.concat(kept);
  }

  #leaveOut(part: Buffer, isCut: boolean): void {
    this.skippedBytes += part.length;
    this.#leftOut = isCut ? Buffer.concat([this.#leftOut, part.subarray(0, headBytes)]) : Buffer.alloc(0);
  }

  /** The head of the line that has turned out to be this machine's. */
  #takeBack(): Buffer {
    this.skippedBytes -= this.#leftOut.length;
    return this.#leftOut;
  }

  #judge(line: string): "undecided" | "older" | "open" {
    const date = dateOfLine(line, this.#latestMs);
    const isOlder = date !== undefined && this.#isOlder(date);
    if (date !== undefined && !(isOlder && date.perhapsUnset === true)) this.#state = isOlder ? "older" : "open";
    else if (++this.#undatedLines > mostUndatedLines && this.#state === "undecided") this.#state = "open";
    return this.#state;
  }

  #isOlder({ ms, zoned }: LineDate): boolean {
    return ms < (zoned ? this.#firstBoot.ms : this.#firstBoot.unzonedMs);
  }
}
