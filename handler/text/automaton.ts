/**
 * Aho-Corasick automaton over bytes, as one table: next = table[state + classes[byte]].
 * States are premultiplied by the number of byte classes. Those that report something lie at the end, so that the
 * scanner needs one comparison per byte; the very last one is "a line ended here".
 */
export interface Automaton {
  readonly classes: Uint8Array;
  readonly table: Int32Array;
  readonly start: number;
  /** States from here on report; `lineEnd` is the highest. */
  readonly reporting: number;
  readonly lineEnd: number;
  /** Numbers of the texts that end in a reporting state: outputs[(state - reporting) / width]. */
  readonly outputs: readonly (readonly number[])[];
  readonly width: number;
}

const newline = 0x0a;
const newlineClass = 1;

/** `texts` are lower case; upper-case ASCII in the scanned bytes counts as lower case. One with a line end in it is never found. */
export function buildAutomaton(texts: readonly string[]): Automaton {
  const bytes = texts.map((text) => Buffer.from(text.includes("\n") ? "" : text, "utf8"));
  const { classes, width } = byteClasses(bytes);
  return { classes, width, start: 0, ...buildStates(bytes, classes, width) };
}

/** Bytes that no text uses share class 0. */
function byteClasses(texts: readonly Buffer[]): { classes: Uint8Array; width: number } {
  const classes = new Uint8Array(256);
  classes[newline] = newlineClass;
  let width = 2;
  // A search in the bytes of all is no work beside a loop over them, which runs once and so is never compiled.
  const all = Buffer.concat(texts);
  for (const byte of classes.keys()) if (byte !== newline && all.includes(byte)) classes[byte] = width++;
  for (let upper = 0x41; upper <= 0x5a; upper++) classes[upper] = classes[upper + 0x20] ?? 0;
  return { classes, width };
}

interface Growing {
  readonly text: Buffer;
  /** Its number among the texts. */
  readonly index: number;
}

function buildStates(
  texts: readonly Buffer[],
  classes: Uint8Array,
  width: number,
): Pick<Automaton, "table" | "reporting" | "lineEnd" | "outputs"> {
  const states = new States(texts, classes, width);
  // A text that ends comes before one that goes on: whether a state reports is known when it is made.
  let growing = texts.map((text, index) => ({ text, index })).toSorted((a, b) => a.text.length - b.text.length);
  for (let depth = 0; growing.length > 0; depth++) {
    growing = growing.filter(({ text }) => text.length > depth);
    states.grow(growing, depth);
  }
  return states.finish();
}

/** The states of one depth. */
interface Depth {
  readonly depth: number;
  /** Those that were made before are outside of these two. */
  readonly madeFrom: number;
  readonly madeTo: number;
  /** Each with its longest proper suffix behind it. */
  readonly made: [state: number, suffix: number][];
}

/**
 * All texts grow by a byte at a time, so that the states are made breadth first: a log is nearly always in one of the first, which then share a few
 * pages of the processor's cache. A row begins as a copy of its suffix's, which is shorter and so is whole by then. Silent states are numbered from
 * the root upwards and those that report downwards from the line's end; rows in between are never touched.
 */
class States {
  readonly #table: Int32Array;
  readonly #classes: Uint8Array;
  readonly #width: number;
  readonly #lineEnd: number;
  readonly #outputs = new Map<number, readonly number[]>();
  /** By text: the state that it has come to. */
  readonly #reached: Int32Array;
  #silentEnd: number;
  #reporting: number;

  constructor(texts: readonly Buffer[], classes: Uint8Array, width: number) {
    this.#classes = classes;
    this.#width = width;
    this.#lineEnd = texts.reduce((sum, text) => sum + text.length, 1) * width;
    this.#table = new Int32Array(this.#lineEnd + width);
    this.#table[newlineClass] = this.#lineEnd;
    this.#reached = new Int32Array(texts.length);
    this.#silentEnd = width;
    this.#reporting = this.#lineEnd;
  }

  grow(growing: readonly Growing[], depth: number): void {
    const made: Depth["made"] = [];
    const at = { depth, madeFrom: this.#silentEnd, madeTo: this.#reporting, made };
    for (const one of growing) this.#step(one, at);
    for (const [state, suffix] of made) {
      this.#table.copyWithin(state, suffix, suffix + this.#width);
      this.#report(state, this.#outputs.get(suffix));
    }
  }

  finish(): Pick<Automaton, "table" | "reporting" | "lineEnd" | "outputs"> {
    const [table, lineEnd, reporting, width] = [this.#table, this.#lineEnd, this.#reporting, this.#width];
    // Behind a line's end the search begins anew.
    table.copyWithin(lineEnd, 0, width);
    const length = (lineEnd - reporting) / width;
    const outputs = Array.from({ length }, (_, at) => this.#outputs.get(reporting + at * width) ?? []);
    return { table, reporting, lineEnd, outputs };
  }

  #step({ text, index }: Growing, { depth, madeFrom, madeTo, made }: Depth): void {
    const isEnd = text.length === depth + 1;
    const edge = (this.#reached[index] ?? 0) + (this.#classes[text[depth] ?? 0] ?? 0);
    // Of the suffix, unless another text made the state at this depth.
    const before = this.#table[edge] ?? 0;
    const isMade = before >= madeFrom && before < madeTo;
    const state = isMade ? before : this.#make(isEnd || before >= madeTo);
    if (!isMade) made.push([state, before]);
    this.#table[edge] = state;
    this.#reached[index] = state;
    if (isEnd) this.#report(state, [index]);
  }

  #make(reports: boolean): number {
    if (reports) return (this.#reporting -= this.#width);
    this.#silentEnd += this.#width;
    return this.#silentEnd - this.#width;
  }

  #report(state: number, texts: readonly number[] | undefined): void {
    if (texts !== undefined) this.#outputs.set(state, [...(this.#outputs.get(state) ?? []), ...texts]);
  }
}

/** One walk through the automaton; it may go on in the next chunk. */
export class AutomatonWalk {
  readonly #automaton: Automaton;
  #state: number;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    this.#state = automaton.start;
  }

  /** Forgets what came before. */
  restart(): void {
    this.#state = this.#automaton.start;
  }

  get isLineEnd(): boolean {
    return this.#state === this.#automaton.lineEnd;
  }

  /** Numbers of the texts that end at the byte that was reported last. */
  get texts(): readonly number[] {
    const { outputs, reporting, width } = this.#automaton;
    return outputs[(this.#state - reporting) / width] ?? noTexts;
  }

  /** Place of the next byte that ends a text or a line, else the length of the chunk. Without a call in it, the loop stays in registers. */
  next(chunk: Uint8Array, from: number): number {
    const { classes, table, reporting } = this.#automaton;
    const end = chunk.length;
    let state = this.#state;
    let at = from;
    while (at < end) {
      state = table[state + (classes[chunk[at] ?? 0] ?? 0)] ?? 0;
      if (state >= reporting) break;
      at += 1;
    }
    this.#state = state;
    return at;
  }
}

const noTexts: readonly number[] = [];
