import type { LineEvent } from "./open-log.ts";

const longestValue = 120;

/** Fills `{name}` and `{name|fallback}` from the first event that has the group. */
export function fillSummary(template: string, events: readonly LineEvent[]): string {
  return template.replace(
    /\{(?<name>\w{1,40})(?:\|(?<fallback>[^{}]{0,80}))?\}/gu,
    (_, name: string, fallback?: string) => {
      const value = events.find((event) => (event.groups[name] ?? "") !== "")?.groups[name];
      return value === undefined ? (fallback ?? "(not named)") : clean(value);
    },
  );
}

function clean(value: string): string {
  const plain = value.replace(/[\p{Cc}\s]+/gu, " ").trim();
  return plain.length > longestValue ? `${plain.slice(0, longestValue - 1)}…` : plain;
}
