export type Expression =
  | { readonly kind: "value"; readonly value: null | boolean | number }
  | { readonly kind: "string"; readonly texts: readonly string[]; readonly holes: readonly Expression[] }
  | { readonly kind: "array"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, Expression])[] }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly target: Expression; readonly member: string }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] };

/** Tokens and expressions; comments and line ends are white space, because no statement of the subset depends on them. */
export class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#skip();
    return this.#at >= this.#text.length;
  }

  tries(symbol: string): boolean {
    this.#skip();
    if (!this.#text.startsWith(symbol, this.#at)) return false;
    this.#at += symbol.length;
    return true;
  }

  symbol(symbol: string): void {
    if (!this.tries(symbol))
      throw new Error(`"${symbol}" is missing before: ${this.#text.slice(this.#at, this.#at + 40)}`);
  }

  triesWord(word: string): boolean {
    const before = this.#at;
    if (this.#match(/[A-Z_]\w*/iy) === word) return true;
    this.#at = before;
    return false;
  }

  word(word: string): void {
    if (!this.triesWord(word)) throw new Error(`"${word}" is missing`);
  }

  identifier(): string {
    return this.#match(/[A-Z_]\w*/iy) ?? fail(`"${this.#text.slice(this.#at, this.#at + 40)}"`);
  }

  expression(): Expression {
    let result = this.#primary();
    while (this.tries(".")) result = { kind: "member", target: result, member: this.identifier() };
    return result;
  }

  #primary(): Expression {
    if (this.tries("'")) return this.#string();
    if (this.tries("[")) return { kind: "array", items: this.#until("]", () => this.expression()) };
    if (this.tries("{")) return { kind: "object", entries: this.#until("}", () => this.#entry()) };
    const number = this.#match(/-?\d+/y);
    if (number !== undefined) return { kind: "value", value: Number(number) };
    const name = this.identifier();
    if (name === "true" || name === "false") return { kind: "value", value: name === "true" };
    if (name === "null") return { kind: "value", value: null };
    if (this.tries("(")) return { kind: "call", name, args: this.#until(")", () => this.expression()) };
    return { kind: "name", name };
  }

  #entry(): readonly [string, Expression] {
    const key = this.tries("'") ? plainText(this.#string()) : this.identifier();
    this.symbol(":");
    return [key, this.expression()];
  }

  #until<T>(end: string, read: () => T): readonly T[] {
    const items: T[] = [];
    while (!this.tries(end)) {
      items.push(read());
      this.tries(",");
    }
    return items;
  }

  /** Called behind the opening quote. */
  #string(): Expression {
    if (this.#text.startsWith("''", this.#at)) fail("a multi-line string");
    const texts = [""];
    const holes: Expression[] = [];
    for (;;) {
      const character = this.#text[this.#at] ?? fail("an open string");
      this.#at += 1;
      if (character === "'") return { kind: "string", texts, holes };
      if (character === "\n") fail("a line end in a string");
      if (character === "$" && this.#text[this.#at] === "{") {
        this.#at += 1;
        holes.push(this.expression());
        this.symbol("}");
        texts.push("");
      } else texts.push((texts.pop() ?? "") + (character === "\\" ? this.#escaped() : character));
    }
  }

  #escaped(): string {
    const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", "'": "'", "\\": "\\", $: "$" };
    const character = this.#text[this.#at] ?? "";
    this.#at += 1;
    return escapes[character] ?? fail(`the escape \\${character}`);
  }

  #skip(): void {
    this.#match(/(?:\s|\/\/[^\n]*)*/y, false);
  }

  #match(pattern: RegExp, skip = true): string | undefined {
    if (skip) this.#skip();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

export function plainText(expression: Expression): string {
  if (expression.kind !== "string" || expression.holes.length > 0) throw new Error("a plain string is needed here");
  return expression.texts.join("");
}

export function fail(what: string): never {
  throw new Error(`${what} is outside of the supported subset of Bicep`);
}
