import type { Json, Stored } from "./played-objects.ts";

export interface Patch {
  readonly path: string;
  readonly body: Json;
  readonly isApply: boolean;
  readonly manager: string;
}

/** A merge patch, or server-side apply of a whole object or of its lists of conditions. */
export function patched(stored: Stored, { path, body, isApply, manager }: Patch): Json {
  if (!isApply) return merge(stored.object, body);
  if (!path.endsWith("/status")) {
    return { ...body, metadata: { ...(stored.object["metadata"] as Json), ...(body["metadata"] as Json) } };
  }
  const before = (stored.object["status"] ?? {}) as Json;
  return { ...stored.object, status: applyStatus(before, body["status"] as Json, { stored, manager }) };
}

/** Lists of conditions are maps by type: what this manager applied before and leaves out now goes, what others own stays. */
function applyStatus(
  before: Json,
  wanted: Json,
  { stored, manager }: { readonly stored: Stored; readonly manager: string },
): Json {
  const after = { ...before };
  for (const [key, value] of Object.entries(wanted)) {
    if (key !== "conditions") {
      after[key] = applyStatus((before[key] ?? {}) as Json, value as Json, { stored, manager });
      continue;
    }
    const conditions = value as Json[];
    const mine = conditions.map(({ type }) => String(type));
    const dropped = (stored.applied.get(manager) ?? []).filter((type) => !mine.includes(type));
    const kept = ((before[key] ?? []) as Json[]).filter(
      ({ type }) => !mine.includes(String(type)) && !dropped.includes(String(type)),
    );
    after[key] = [...kept, ...conditions];
    stored.applied.set(manager, mine);
  }
  return after;
}

function merge(before: unknown, patch: unknown): Json {
  const result: Json = { ...(before as Json) };
  for (const [key, value] of Object.entries(patch as Json)) {
    if (value === null) Reflect.deleteProperty(result, key);
    else if (typeof value === "object" && !Array.isArray(value)) result[key] = merge(result[key] ?? {}, value);
    else result[key] = value;
  }
  return result;
}
