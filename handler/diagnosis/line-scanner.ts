import { AutomatonWalk, type Automaton } from "../text/automaton.ts";

/** A line, or a part of a very long one, that holds at least one searched text or begins like an error. */
export interface CandidateLine {
  /** Valid during the call only: it may be part of the caller's chunk. */
  readonly bytes: Buffer;
  /** From 1. */
  readonly line: number;
  /** The line before, where it lies in the same chunk; cloud-init's announcements of its stages are no such line. */
  readonly before: () => LineBefore | undefined;
  /** Numbers of the texts found, each once. */
  readonly hits: readonly number[];
  /** The bytes begin, or end, within the line: what stands there may be half a secret. */
  readonly cut: { readonly start: boolean; readonly end: boolean };
}

export interface LineBefore {
  readonly bytes: Buffer;
  readonly line: number;
}

/** Longest part of a line that is looked at; what follows is taken as further parts of the same line. */
const longestLine = 8192;
/** Bytes before a hit that a further part of a long line keeps. */
const context = 2048;

const banner = Buffer.from("Cloud-init v. ");
const upperC = 0x43;
const upperE = 0x45;
const upperF = 0x46;
const nothing = Buffer.alloc(0);
const noHits: readonly number[] = [];
const noLineBefore = (): undefined => undefined;

/** Cuts a stream of chunks into lines and passes on those worth a closer look. One per log. */
export class LineScanner {
  readonly #walk: AutomatonWalk;
  readonly #onLine: (line: CandidateLine) => void;
  readonly #seenIn: Int32Array;
  #line = 1;
  /** Counts lines and parts, so that a text is noted once per part. */
  #part = 1;
  #hits: number[] = [];
  #carry: Buffer = nothing;
  /** The part at hand begins within its line. */
  #cutStart = false;
  /** Where the line before lies in the chunk at hand; -1 where it lies in another one. */
  #before = -1;
  #beforeEnd = -1;
  #beforeLine = 0;

  constructor(automaton: Automaton, texts: number, onLine: (line: CandidateLine) => void) {
    this.#walk = new AutomatonWalk(automaton);
    this.#onLine = onLine;
    this.#seenIn = new Int32Array(texts);
  }

  feed(chunk: Buffer): void {
    const walk = this.#walk;
    let from = 0;
    this.#before = -1;
    for (let at = walk.next(chunk, 0); at < chunk.length; at = walk.next(chunk, at + 1)) {
      if (walk.isLineEnd) {
        this.#endLine(chunk, from, at);
        this.#remember(chunk, from, at);
        from = at + 1;
      } else {
        from = this.#cutLongLine(chunk, from, at);
        this.#note(walk.texts);
      }
    }
    this.#keep(chunk.subarray(from));
  }

  /** Lines begun so far. */
  get lines(): number {
    return this.#line;
  }

  /** The last line may lack its line end. */
  end(): void {
    this.#before = -1;
    if (this.#carry.length > 0) this.#endLine(this.#carry, 0, 0);
  }

  /** cloud-init announces its stages in the midst of what its scripts say. */
  #remember(chunk: Buffer, from: number, to: number): void {
    if (chunk[from] === upperC && chunk.subarray(from, from + banner.length).equals(banner)) return;
    this.#before = from;
    this.#beforeEnd = to;
    // The line that ended last has been counted already.
    this.#beforeLine = this.#line - 1;
  }

  #note(texts: readonly number[]): void {
    for (const text of texts) {
      if (this.#seenIn[text] === this.#part) continue;
      this.#seenIn[text] = this.#part;
      this.#hits.push(text);
    }
  }

  /** Before a hit far into a line: closes the part before it. Returns where the part with the hit begins in the chunk. */
  #cutLongLine(chunk: Buffer, from: number, at: number): number {
    if (this.#carry.length + at - from < longestLine) return from;
    this.#emit(chunk.subarray(from, at), true, noLineBefore);
    this.#carry = nothing;
    this.#cutStart = true;
    return Math.max(from, at - context);
  }

  #endLine(chunk: Buffer, from: number, to: number): void {
    const carried = this.#carry.length > 0;
    const looksLikeError = carried ? beginsLikeError(this.#carry, 0) : beginsLikeError(chunk, from);
    if (this.#hits.length > 0 || looksLikeError) {
      const known = this.#before !== -1 && !this.#cutStart;
      this.#emit(chunk.subarray(from, to), false, known ? () => this.#lineBefore(chunk) : noLineBefore);
    }
    if (carried) this.#carry = nothing;
    this.#cutStart = false;
    this.#line += 1;
  }

  #lineBefore(chunk: Buffer): LineBefore {
    return { bytes: chunk.subarray(this.#before, this.#beforeEnd), line: this.#beforeLine };
  }

  #emit(rest: Buffer, cutEnd: boolean, before: CandidateLine["before"]): void {
    const bytes = this.#carry.length > 0 ? Buffer.concat([this.#carry, rest]) : rest;
    // A carry of full length has lost what came behind it.
    const end = cutEnd || bytes.length > longestLine || this.#carry.length >= longestLine;
    this.#onLine({
      bytes: bytes.length > longestLine ? bytes.subarray(0, longestLine) : bytes,
      line: this.#line,
      before,
      hits: this.#hits.length > 0 ? this.#hits : noHits,
      cut: { start: this.#cutStart, end },
    });
    if (this.#hits.length > 0) this.#hits = [];
    this.#part += 1;
  }

  /** Copies the beginning of an unfinished line: the caller may use its chunk again. */
  #keep(rest: Buffer): void {
    if (rest.length === 0) return;
    const whole = this.#carry.length + rest.length;
    if (whole > longestLine && this.#hits.length === 0) {
      this.#carry = Buffer.from(rest.subarray(Math.max(0, rest.length - context)));
      this.#cutStart = true;
      return;
    }
    this.#carry = Buffer.concat([this.#carry, rest.subarray(0, Math.max(0, longestLine - this.#carry.length))]);
  }
}

/** klog's "E0321 17:05:59", "F0321 …" and apt's "E: …" have no text to search for; their first two bytes tell. */
export function beginsLikeError(bytes: Buffer, at: number): boolean {
  const first = bytes[at];
  if (first !== upperE && first !== upperF) return false;
  const second = bytes[at + 1] ?? 0;
  return (second >= 0x30 && second <= 0x39) || second === 0x3a;
}
