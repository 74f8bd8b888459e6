import type { ImagePartName } from "../image/image-part.ts";
import { cleanText } from "../text/clean-text.ts";

export interface PartResult {
  readonly name: ImagePartName;
  readonly what: string;
  readonly treatment: "removed" | "would-remove" | "kept";
  /** What was found of it; `failure`: why it is still there. */
  readonly items: readonly { readonly shown: string; readonly failure?: string }[];
}

export type PreparedImage =
  | { readonly kind: "refused"; readonly why: string }
  | {
      readonly kind: "prepared";
      readonly dryRun: boolean;
      /** This machine was prepared before, so it need not be a working node any more. */
      readonly again: boolean;
      readonly parts: readonly PartResult[];
    };

const headings = { removed: "Removed", "would-remove": "Would remove", kept: "Kept" } as const;
const listed = 20;

/** What was removed, what was kept and why, part by part. */
export function renderPrepared(image: PreparedImage): string {
  if (image.kind === "refused") {
    return cleanText(
      `This machine is no donor: it is not a working node now, so its clones would not be either. Nothing was changed.\n` +
        `What the check says:\n${indent(image.why)}\nNext: wait for success, or capture another machine.\n`,
    );
  }
  const { parts, dryRun, again } = image;
  const failed = parts.flatMap(({ items }) => items).filter(({ failure }) => failure !== undefined).length;
  const lines = [
    ...(again ? ["This machine was prepared before: whether it is a working node was not asked again."] : []),
    ...parts.map(renderPart),
    endOf(dryRun, failed),
  ];
  return cleanText(`${lines.join("\n")}\n`);
}

function renderPart({ name, what, treatment, items }: PartResult): string {
  const nothing = items.length === 0 ? ": nothing is there" : "";
  const how = treatment === "kept" && items.length > 0 ? ` (--${name} removes it)` : "";
  const shown = items.slice(0, listed).map(renderItem);
  const more = items.length > listed ? [`  … and ${String(items.length - listed)} more`] : [];
  return [`${headings[treatment]}: ${what}${how}${nothing}`, ...shown, ...more].join("\n");
}

function renderItem({ shown, failure }: PartResult["items"][number]): string {
  return failure === undefined ? `  ${shown}` : `  ${shown} — still there: ${failure}`;
}

function endOf(dryRun: boolean, failed: number): string {
  if (dryRun) return "Nothing was changed: without --dry-run it is.";
  if (failed > 0) return `${String(failed)} could not be removed. Next: remove them by hand, or run this again.`;
  return "The machine can be captured. Next: switch it off now; what still runs writes again.";
}

function indent(text: string): string {
  return text.replaceAll(/^/gmu, "  ");
}
