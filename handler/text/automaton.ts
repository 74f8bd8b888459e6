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

/** `texts` are lower case; upper-case ASCII in the scanned bytes counts as lower case. */
export function buildAutomaton(texts: readonly string[]): Automaton {
  const bytes = texts.map((text) => Buffer.from(text, "utf8"));
  const { classes, width } = byteClasses(bytes);
  const trie = buildTrie(bytes, classes, width);
  return layOut({ trie, order: linkFailures(trie, width) }, classes, width);
}

/** Bytes that no text uses share class 0. */
function byteClasses(texts: readonly Buffer[]): { classes: Uint8Array; width: number } {
  const classes = new Uint8Array(256);
  classes[newline] = newlineClass;
  let width = 2;
  for (const text of texts) {
    for (const byte of text) {
      if (classes[byte] === 0) classes[byte] = width++;
    }
  }
  for (let upper = 0x41; upper <= 0x5a; upper++) classes[upper] = classes[upper + 0x20] ?? 0;
  return { classes, width };
}

interface Trie {
  /** next[state * width + class]; 0, the root, where there is no edge. */
  readonly next: Int32Array;
  readonly states: number;
  /** Numbers of the texts that end in a state. */
  readonly outputs: Map<number, readonly number[]>;
}

function buildTrie(texts: readonly Buffer[], classes: Uint8Array, width: number): Trie {
  const most = texts.reduce((sum, text) => sum + text.length, 1);
  const next = new Int32Array(most * width);
  const outputs = new Map<number, readonly number[]>();
  let states = 1;
  for (const [index, text] of texts.entries()) {
    let state = 0;
    for (const byte of text) {
      const edge = state * width + (classes[byte] ?? 0);
      if (next[edge] === 0) next[edge] = states++;
      state = next[edge] ?? 0;
    }
    outputs.set(state, [...(outputs.get(state) ?? []), index]);
  }
  return { next, states, outputs };
}

/** An edge that is missing goes where the longest proper suffix goes. Returns the states breadth first. */
function linkFailures({ next, states, outputs }: Trie, width: number): Int32Array {
  const failure = new Int32Array(states);
  const queue = new Int32Array(states);
  let queued = 1;
  // The queue grows while it is walked; it begins with the root.
  for (let at = 0; at < queued; at++) {
    const state = queue[at] ?? 0;
    const suffix = failure[state] ?? 0;
    const ending = state === 0 ? undefined : outputs.get(suffix);
    if (ending !== undefined) outputs.set(state, [...(outputs.get(state) ?? []), ...ending]);
    for (let cls = 0; cls < width; cls++) {
      const viaSuffix = state === 0 ? 0 : (next[suffix * width + cls] ?? 0);
      const target = next[state * width + cls] ?? 0;
      if (target === 0) next[state * width + cls] = viaSuffix;
      else {
        failure[target] = viaSuffix;
        queue[queued++] = target;
      }
    }
  }
  return queue;
}

/** Breadth first, because a log is nearly always in one of the first states: they share a few pages of the processor's cache. */
function layOut(
  { trie, order }: { readonly trie: Trie; readonly order: Int32Array },
  classes: Uint8Array,
  width: number,
): Automaton {
  const { next, states, outputs } = trie;
  const loud = order.filter((state) => outputs.has(state));
  const place = new Int32Array(states);
  let quiet = 0;
  for (const state of order) if (!outputs.has(state)) place[state] = quiet++ * width;
  for (const [at, state] of loud.entries()) place[state] = (quiet + at) * width;
  const lineEnd = states * width;
  const table = new Int32Array(lineEnd + width);
  for (let state = 0; state < states; state++)
    copyRow(next, state * width, { table, to: place[state] ?? 0, place, width });
  // Behind a line's end the search begins anew.
  table.copyWithin(lineEnd, 0, width);
  for (let row = newlineClass; row < table.length; row += width) table[row] = lineEnd;
  return {
    classes,
    table,
    start: 0,
    reporting: quiet * width,
    lineEnd,
    outputs: Array.from(loud, (state) => outputs.get(state) ?? []),
    width,
  };
}

interface Row {
  readonly table: Int32Array;
  readonly to: number;
  readonly place: Int32Array;
  readonly width: number;
}

function copyRow(next: Int32Array, from: number, { table, to, place, width }: Row): void {
  for (let cls = 0; cls < width; cls++) table[to + cls] = place[next[from + cls] ?? 0] ?? 0;
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
