import { buildAutomaton, type Automaton } from "./automaton.ts";

/** What stands in every line that an expression matches. */
export interface Need {
  /** Length of the expression that this is told of. */
  readonly of: number;
  /** One of these texts, in lower case; none where no text is certain. */
  readonly texts: readonly string[];
  /** So many letters, digits, `+` and `/` side by side. */
  readonly run: number;
  /** So many capital letters, digits and dashes side by side. */
  readonly capitals: number;
}

/** As the build writes it down: `of`, `run`, `capitals` and the texts, with tabs between. */
export function readNeed(row: string): Need {
  const [of, run, capitals, ...texts] = row.split("\t");
  return { of: Number(of), run: Number(run), capitals: Number(capitals), texts };
}

const noNeed = { texts: [], run: 0, capitals: 0 } as const;
const ascii = 128;
const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const digits = "0123456789";

/** Tells which of many expressions may match a line, by one look at each of its characters. */
export class LineFilter {
  readonly #automaton: Automaton;
  /** By text: numbers of the expressions that it may stand for. */
  readonly #ofText: readonly (readonly number[])[];
  readonly #withoutText: readonly number[];
  readonly #needs: readonly Omit<Need, "of">[];
  /** The line in which an expression was last found to be possible. */
  readonly #seenIn: Int32Array;
  readonly #inRun = markOf(`${capitals}${capitals.toLowerCase()}${digits}+/`);
  readonly #inCapitals = markOf(`${capitals}${digits}-`);
  #line = 0;

  /** An expression whose need is not known, or is told of another one, may match every line. */
  constructor(expressions: readonly RegExp[], needs: readonly Need[]) {
    const known = expressions.map(({ source }, at) => {
      const need = needs[at];
      return need?.of === source.length ? need : noNeed;
    });
    const ofText = Map.groupBy(
      known.flatMap(({ texts }, number) => texts.map((text) => ({ text, number }))),
      ({ text }) => text,
    );
    this.#automaton = buildAutomaton([...ofText.keys()]);
    this.#ofText = [...ofText.values()].map((found) => found.map(({ number }) => number));
    this.#withoutText = known.flatMap(({ texts }, number) => (texts.length === 0 ? [number] : []));
    this.#needs = known;
    this.#seenIn = new Int32Array(known.length);
  }

  /** Numbers of the expressions that may match the line, in their order. */
  candidates(line: string): readonly number[] {
    const { classes, table, reporting, start } = this.#automaton;
    const inRun = this.#inRun;
    const inCapitals = this.#inCapitals;
    const found = [...this.#withoutText];
    this.#line += 1;
    let state = start;
    let run = 0;
    let longestRun = 0;
    let ofCapitals = 0;
    let longestOfCapitals = 0;
    for (let at = 0; at < line.length; at++) {
      const code = line.charCodeAt(at);
      const known = code < ascii ? code : 0;
      run = inRun[known] === 1 ? run + 1 : 0;
      if (run > longestRun) longestRun = run;
      ofCapitals = inCapitals[known] === 1 ? ofCapitals + 1 : 0;
      if (ofCapitals > longestOfCapitals) longestOfCapitals = ofCapitals;
      state = table[state + (classes[known] ?? 0)] ?? 0;
      if (state >= reporting) this.#note(state, found);
    }
    return found
      .filter((number) => {
        const { run: least, capitals: leastOfCapitals } = this.#needs[number] ?? noNeed;
        return least <= longestRun && leastOfCapitals <= longestOfCapitals;
      })
      .sort((a, b) => a - b);
  }

  #note(state: number, found: number[]): void {
    const { outputs, reporting, width } = this.#automaton;
    for (const text of outputs[(state - reporting) / width] ?? []) {
      for (const number of this.#ofText[text] ?? []) {
        if (this.#seenIn[number] === this.#line) continue;
        this.#seenIn[number] = this.#line;
        found.push(number);
      }
    }
  }
}

function markOf(characters: string): Uint8Array {
  const mark = new Uint8Array(ascii);
  for (const character of characters) mark[character.charCodeAt(0)] = 1;
  return mark;
}
