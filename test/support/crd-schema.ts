import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

type Node = Readonly<Record<string, unknown>>;

/**
 * The schemas of CustomResourceDefinitions by `group/version/kind`, with unknown fields refused, as `kubectl --validate=strict` does.
 * CEL rules are not evaluated; the rule on reserved condition types is repeated in test/schemas/common.yaml.
 */
export function readCrdSchemas(folder: string): ReadonlyMap<string, object> {
  const schemas = new Map<string, object>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
    const crd: unknown = parse(readFileSync(join(folder, file), "utf8"));
    const spec = at(crd, "spec");
    for (const version of listAt(spec, "versions")) {
      const key = `${textAt(spec, "group")}/${textAt(version, "name")}/${textAt(at(spec, "names"), "kind")}`;
      schemas.set(key, asObject(close(at(at(version, "schema"), "openAPIV3Schema"))));
    }
  }
  return schemas;
}

function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (!isNode(node)) return node;
  const closed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) closed[key] = key === "properties" ? closeEach(value) : close(value);
  // At the top, metadata is any object; the API server knows its schema.
  const open = node["additionalProperties"] !== undefined || node["x-kubernetes-preserve-unknown-fields"] === true;
  if (isNode(node["properties"]) && !open) closed["additionalProperties"] = false;
  return closed;
}

function closeEach(properties: unknown): unknown {
  return Object.fromEntries(Object.entries(asObject(properties)).map(([name, schema]) => [name, close(schema)]));
}

function at(value: unknown, key: string): unknown {
  return isNode(value) ? value[key] : undefined;
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key);
  return Array.isArray(list) ? list : [];
}

function textAt(value: unknown, key: string): string {
  const text = at(value, key);
  if (typeof text !== "string") throw new Error(`${key} is missing in a CustomResourceDefinition`);
  return text;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asObject(value: unknown): object {
  if (!isNode(value)) throw new Error("a schema must be an object");
  return value;
}
