import { cutShown, ours, type ShownText } from "../text/shown-text.ts";

/** Characters of a line that are kept as evidence. */
export const keptText = 600;

export function decodeLine(bytes: Buffer): string {
  return bytes.toString("utf8").trimEnd();
}

export function shorten(text: ShownText): ShownText {
  return text.length > keptText ? ours`${cutShown.head(text, keptText)}…` : text;
}

/** cloud-init's debug lines speak of what it tries and skips: never the decisive error, unless they say how a step ended. */
export function isCloudInitChatter(text: string): boolean {
  return text.includes(".py[DEBUG]:") && !/: (?:SUCCESS|FAIL)\b/u.test(text);
}
