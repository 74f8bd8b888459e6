/**
 * Translates the subset of Bicep that manifests/bicep uses into the ARM template that the Bicep compiler would emit (without its metadata).
 * It is not a compiler: no type checks, no modules, loops, conditions or user functions; anything outside of the subset throws.
 * It exists because the compiler is not published on the registries that the project uses. Real compilers stay the judge of the files.
 */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

type Expression =
  | { readonly kind: "value"; readonly value: null | boolean | number }
  | { readonly kind: "string"; readonly texts: readonly string[]; readonly holes: readonly Expression[] }
  | { readonly kind: "array"; readonly items: readonly Expression[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, Expression])[] }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly target: Expression; readonly member: string }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] };

interface Resource {
  readonly type: string;
  readonly apiVersion: string;
  readonly existing: boolean;
  readonly entries: readonly (readonly [string, Expression])[];
}

interface Scope {
  readonly parameters: Map<string, Json>;
  readonly resources: Map<string, Resource>;
  readonly outputs: Map<string, Json>;
}

export function translateBicep(source: string): Json {
  const reader = new Reader(source);
  const scope: Scope = { parameters: new Map(), resources: new Map(), outputs: new Map() };
  while (!reader.atEnd()) statement(reader, scope);
  const resources = [...scope.resources.values()].filter((resource) => !resource.existing);
  return {
    $schema: "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    contentVersion: "1.0.0.0",
    parameters: Object.fromEntries(scope.parameters),
    resources: resources.map((resource) => emitResource(resource, scope)),
    outputs: Object.fromEntries(scope.outputs),
  };
}

/** The values that a .bicepparam file sets, and the template it names. */
export function readBicepParameters(source: string): { readonly using: string; readonly values: Record<string, Json> } {
  const reader = new Reader(source);
  reader.word("using");
  const using = plainText(reader.expression());
  const values: Record<string, Json> = {};
  const empty: Scope = { parameters: new Map(), resources: new Map(), outputs: new Map() };
  while (!reader.atEnd()) {
    reader.word("param");
    const name = reader.identifier();
    reader.symbol("=");
    values[name] = emit(reader.expression(), empty);
  }
  return { using, values };
}

function statement(reader: Reader, scope: Scope): void {
  const decorators = new Map<string, readonly Expression[]>();
  while (reader.tries("@")) {
    const call = reader.expression();
    if (call.kind !== "call") throw new Error("a decorator must be a call");
    decorators.set(call.name, call.args);
  }
  const keyword = reader.identifier();
  switch (keyword) {
    case "param":
      parameter(reader, scope, decorators);
      return;
    case "resource":
      resource(reader, scope);
      return;
    case "output": {
      const name = reader.identifier();
      const type = reader.identifier();
      reader.symbol("=");
      scope.outputs.set(name, { type, value: emit(reader.expression(), scope) });
      return;
    }
    default:
      throw new Error(`"${keyword}" is outside of the supported subset of Bicep`);
  }
}

function parameter(reader: Reader, scope: Scope, decorators: ReadonlyMap<string, readonly Expression[]>): void {
  const name = reader.identifier();
  const type = reader.identifier();
  const secure = decorators.has("secure");
  const secureNames: Record<string, string> = { string: "securestring", object: "secureObject" };
  const declaration: Record<string, Json> = { type: secure ? (secureNames[type] ?? fail(`secure ${type}`)) : type };
  if (reader.tries("=")) declaration["defaultValue"] = emit(reader.expression(), scope);
  for (const [decorator, args] of decorators) {
    const [first] = args;
    if (decorator === "allowed" && first !== undefined) declaration["allowedValues"] = emit(first, scope);
    else if (decorator === "description" && first !== undefined)
      declaration["metadata"] = { description: emit(first, scope) };
    else if (decorator !== "secure") throw new Error(`the decorator ${decorator} is outside of the supported subset`);
  }
  scope.parameters.set(name, declaration);
}

function resource(reader: Reader, scope: Scope): void {
  const symbol = reader.identifier();
  const [type, apiVersion] = plainText(reader.expression()).split("@");
  if (type === undefined || apiVersion === undefined) throw new Error(`the resource ${symbol} has no API version`);
  const existing = reader.triesWord("existing");
  reader.symbol("=");
  const body = reader.expression();
  if (body.kind !== "object") throw new Error(`the body of ${symbol} must be an object`);
  scope.resources.set(symbol, { type, apiVersion, existing, entries: body.entries });
}

function emitResource(resource: Resource, scope: Scope): Json {
  const rest = resource.entries.filter(([key]) => key !== "name" && key !== "parent");
  const names = nameSegments(resource, scope);
  return {
    type: resource.type,
    apiVersion: resource.apiVersion,
    name:
      names.length === 1
        ? bracket(names[0] ?? "")
        : `[format('${names.map((_, index) => `{${index}}`).join("/")}', ${names.join(", ")})]`,
    ...Object.fromEntries(rest.map(([key, value]) => [key, emit(value, scope)])),
  };
}

/** ARM expressions of the names of a resource and its ancestors, outermost first. */
function nameSegments(resource: Resource, scope: Scope): readonly string[] {
  const fields = new Map(resource.entries);
  const name = expressionText(fields.get("name") ?? fail("a resource without a name"), scope);
  const parent = fields.get("parent");
  if (parent === undefined) return [name];
  if (parent.kind !== "name") throw new Error("parent must be a resource symbol");
  return [...nameSegments(scope.resources.get(parent.name) ?? fail(parent.name), scope), name];
}

function emit(expression: Expression, scope: Scope): Json {
  switch (expression.kind) {
    case "value":
      return expression.value;
    case "array":
      return expression.items.map((item) => emit(item, scope));
    case "object":
      return Object.fromEntries(expression.entries.map(([key, value]) => [key, emit(value, scope)]));
    case "string":
      return expression.holes.length === 0 ? plainText(expression) : bracket(expressionText(expression, scope));
    case "name":
    case "member":
    case "call":
      return bracket(expressionText(expression, scope));
  }
}

function expressionText(expression: Expression, scope: Scope): string {
  switch (expression.kind) {
    case "value":
      return String(expression.value);
    case "string": {
      if (expression.holes.length === 0) return quote(plainText(expression));
      const pattern = expression.texts.map((text, index) => (index === 0 ? text : `{${index - 1}}${text}`)).join("");
      return `format(${[quote(pattern), ...expression.holes.map((hole) => expressionText(hole, scope))].join(", ")})`;
    }
    case "name":
      if (!scope.parameters.has(expression.name)) throw new Error(`${expression.name} is not a parameter`);
      return `parameters('${expression.name}')`;
    case "member":
      return memberText(expression.target, expression.member, scope);
    case "call":
      return `${expression.name}(${expression.args.map((arg) => expressionText(arg, scope)).join(", ")})`;
    case "array":
    case "object":
      throw new Error("a list or object inside of an expression is outside of the supported subset");
  }
}

function memberText(target: Expression, member: string, scope: Scope): string {
  const found = target.kind === "name" ? scope.resources.get(target.name) : undefined;
  if (found === undefined) return `${expressionText(target, scope)}.${member}`;
  if (member !== "id") throw new Error(`.${member} of a resource is outside of the supported subset`);
  return `resourceId(${[quote(found.type), ...nameSegments(found, scope)].join(", ")})`;
}

function bracket(text: string): string {
  return `[${text}]`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function plainText(expression: Expression): string {
  if (expression.kind !== "string" || expression.holes.length > 0) throw new Error("a plain string is needed here");
  return expression.texts.join("");
}

function fail(what: string): never {
  throw new Error(`${what} is outside of the supported subset of Bicep`);
}

/** Tokens and expressions; comments and line ends are white space, because no statement of the subset depends on them. */
class Reader {
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
