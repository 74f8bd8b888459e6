import { cutShown, ours, type ShownText } from "../text/shown-text.ts";
import { keptText } from "./keep-errors.ts";

export function decodeLine(bytes: Buffer): string {
  return bytes.toString("utf8").trimEnd();
}

export function shorten(text: ShownText): ShownText {
  return text.length > keptText ? ours`${cutShown.head(text, keptText)}…` : text;
}
