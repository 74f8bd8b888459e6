import type { LineRange } from "./unwrap.ts";

/** The tables that crictl prints once it has reached a runtime. */
const table = /^(?:CONTAINER(?: ID)?|POD ID|IMAGE) {2,40}(?:IMAGE|CREATED|TAG|STATE)\b/u;
/** What it says of the endpoints that it tries before one answers. */
const tried =
  /\b(?:runtime|image) connect using default endpoints|validate service connection: |unable to determine (?:runtime|image) API version|default settings are now deprecated/u;
const mostTried = 8;

/** crictl, told of no endpoint, tries those that it knows: what the first ones answered is nothing where its table follows. */
export function rangesOfTriedEndpoints(text: string): readonly LineRange[] {
  if (!text.includes("default endpoints") && !text.includes("API version")) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    if (!table.test(line)) return [];
    const before = lines.slice(Math.max(0, at - mostTried), at);
    const first = before.findLastIndex((one) => !tried.test(one)) + 1;
    return first === before.length ? [] : [{ from: at - before.length + first + 1, to: at }];
  });
}
