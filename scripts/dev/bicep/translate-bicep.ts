import { fail, plainText, Reader, type Expression } from "./read-bicep.ts";

/**
 * Translates the subset of Bicep that manifests/bicep uses into the ARM template that the Bicep compiler would emit (without its metadata).
 * It is not a compiler: no type checks, no modules, loops, conditions or user functions; anything outside of the subset throws.
 * It exists because the compiler is not published on the registries that the project uses. Real compilers stay the judge of the files.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

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
