import { differenceRows } from "./difference-rows.ts";
import type { Settings } from "./settings.ts";

/** The differences that just these settings meet, a sentence each; none without a command. */
export function touchedDifferences(settings: Settings): readonly string[] {
  const { check } = settings;
  if (check.kind !== "command") return [];
  return differenceRows
    .filter(({ touches }) => touches?.(check, settings) === true)
    .map(({ topic, upstream, here }) => `${topic}: ${plain(here)} (Custom Script: ${plain(upstream)})`);
}

/** Without the marks of the page. */
function plain(text: string): string {
  return text.replaceAll("`", "");
}
