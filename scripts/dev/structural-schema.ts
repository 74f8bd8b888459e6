/** What valibot keeps of a schema at run time, as far as ours use it. */
interface Part {
  readonly type: string;
  readonly requirement?: unknown;
  readonly options?: readonly unknown[];
  readonly entries?: Readonly<Record<string, Part>>;
  readonly item?: Part;
  readonly wrapped?: Part;
  readonly pipe?: readonly Part[];
}

type Schema = Readonly<Record<string, unknown>>;

/** A structural schema (apiextensions.k8s.io/v1) of a valibot schema. Throws for a part that has no counterpart. */
export function structuralSchema(part: Part): Schema {
  const [base, ...rules] = part.pipe ?? [part];
  if (base === undefined) throw new Error("an empty pipe");
  const isList = base.type === "array";
  return [baseSchema(base), ...rules.map((rule) => ruleSchema(rule, isList))].reduce((all, one) => ({
    ...all,
    ...one,
  }));
}

function baseSchema(part: Part): Schema {
  switch (part.type) {
    case "string":
    case "boolean":
      return { type: part.type };
    case "number":
      return { type: "number" };
    case "picklist":
      return { type: "string", enum: part.options };
    case "array":
      return { type: "array", items: structuralSchema(required(part.item)) };
    case "object":
      return objectSchema(part.entries ?? {});
    case "exact_optional":
      return structuralSchema(required(part.wrapped));
    default:
      throw new Error(`There is no counterpart of the schema ${part.type}`);
  }
}

function objectSchema(entries: Readonly<Record<string, Part>>): Schema {
  const needed = Object.entries(entries).filter(([, { type }]) => type !== "exact_optional");
  return {
    type: "object",
    required: needed.map(([key]) => key),
    properties: Object.fromEntries(Object.entries(entries).map(([key, part]) => [key, structuralSchema(part)])),
  };
}

function ruleSchema(rule: Part, isList: boolean): Schema {
  const { requirement } = rule;
  switch (rule.type) {
    case "max_length":
      return isList ? { maxItems: requirement } : { maxLength: requirement };
    case "min_length":
      return { minLength: requirement };
    case "min_value":
      return { minimum: requirement };
    case "max_value":
      return { maximum: requirement };
    case "integer":
      return { type: "integer" };
    case "iso_timestamp":
      return { format: "date-time" };
    // Words for people, and what only the published schema asks for.
    case "metadata":
      return {};
    case "regex":
      return requirement instanceof RegExp ? { pattern: requirement.source } : {};
    default:
      throw new Error(`There is no counterpart of the rule ${rule.type}`);
  }
}

function required(part: Part | undefined): Part {
  if (part === undefined) throw new Error("a schema without its part");
  return part;
}
