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
  /** goto[state * width + class]; -1 where there is no edge, filled by linkFailures. */
  readonly next: number[];
  readonly outputs: number[][];
}

function buildTrie(texts: readonly Buffer[], classes: Uint8Array, width: number): Trie {
  const emptyRow = new Array<number>(width).fill(-1);
  const trie: Trie = { next: [...emptyRow], outputs: [[]] };
  for (const [index, text] of texts.entries()) {
    let state = 0;
    for (const byte of text) {
      const edge = state * width + (classes[byte] ?? 0);
      let target = trie.next[edge] ?? -1;
      if (target === -1) {
        target = trie.outputs.length;
        trie.next[edge] = target;
        trie.next.push(...emptyRow);
        trie.outputs.push([]);
      }
      state = target;
    }
    trie.outputs[state]?.push(index);
  }
  return trie;
}

/** An edge that is missing goes where the longest proper suffix goes. Returns the states breadth first. */
function linkFailures(trie: Trie, width: number): readonly number[] {
  const failure = new Int32Array(trie.outputs.length);
  const queue: number[] = [];
  for (let cls = 0; cls < width; cls++) {
    const target = trie.next[cls] ?? -1;
    if (target === -1) trie.next[cls] = 0;
    else queue.push(target);
  }
  // The queue grows while it is walked.
  for (const state of queue) {
    const suffix = failure[state] ?? 0;
    trie.outputs[state]?.push(...(trie.outputs[suffix] ?? []));
    queue.push(...completeEdges({ trie, width, failure, state, suffix }));
  }
  return [0, ...queue];
}

interface StateToLink {
  readonly trie: Trie;
  readonly width: number;
  readonly failure: Int32Array;
  readonly state: number;
  readonly suffix: number;
}

/** Returns the states that follow this one. */
function completeEdges({ trie, width, failure, state, suffix }: StateToLink): readonly number[] {
  const following: number[] = [];
  for (let cls = 0; cls < width; cls++) {
    const viaSuffix = trie.next[suffix * width + cls] ?? 0;
    const target = trie.next[state * width + cls] ?? -1;
    if (target === -1) trie.next[state * width + cls] = viaSuffix;
    else {
      failure[target] = viaSuffix;
      following.push(target);
    }
  }
  return following;
}

/** Breadth first, because a log is nearly always in one of the first states: they share a few pages of the processor's cache. */
function layOut(
  { trie, order: states }: { readonly trie: Trie; readonly order: readonly number[] },
  classes: Uint8Array,
  width: number,
): Automaton {
  const quiet = states.filter((state) => (trie.outputs[state] ?? []).length === 0);
  const loud = states.filter((state) => (trie.outputs[state] ?? []).length > 0);
  const place = new Int32Array(states.length);
  for (const [at, state] of [...quiet, ...loud].entries()) place[state] = at * width;
  const lineEnd = states.length * width;
  const table = new Int32Array(lineEnd + width);
  for (const state of [...states, -1]) {
    const from = Math.max(state, 0) * width;
    const to = state === -1 ? lineEnd : (place[state] ?? 0);
    for (let cls = 0; cls < width; cls++) table[to + cls] = place[trie.next[from + cls] ?? 0] ?? 0;
    table[to + newlineClass] = lineEnd;
  }
  const outputs = loud.map((state) => trie.outputs[state] ?? []);
  return { classes, table, start: 0, reporting: quiet.length * width, lineEnd, outputs, width };
}
