import type { ImagePartName } from "../../image/image-part.ts";
import { cutShown, joinShown, ours, show, showLine, type ShownText } from "../../text/shown-text.ts";

export interface PartResult {
  readonly name: ImagePartName;
  readonly what: string;
  readonly treatment: "removed" | "would-remove" | "kept";
  /** What was found of it. */
  readonly items: readonly PartItem[];
}

/** `failure`: why it is still there. `leadsTo`: it is a folder by a link to there, which was left alone. */
export interface PartItem {
  readonly shown: string;
  readonly failure?: string;
  readonly leadsTo?: string;
}

export type PreparedImage =
  /** `isSeen`: the machine was looked at, and is no working node. */
  | { readonly kind: "refused"; readonly isSeen: boolean; readonly why: ShownText }
  | {
      readonly kind: "prepared";
      readonly dryRun: boolean;
      /** This machine was prepared before, so it need not be a working node any more. */
      readonly again: boolean;
      readonly parts: readonly PartResult[];
    };

const headings = { removed: ours`Removed`, "would-remove": ours`Would remove`, kept: ours`Kept` } as const;
const listed = 20;
const nextOfLeft = ours`Next: look there, remove by hand what is this machine's, and run this again.`;

/** What was removed, what was kept and why, part by part. */
export function renderPrepared(image: PreparedImage): ShownText {
  if (image.kind === "refused") {
    return joinShown(
      [
        image.isSeen
          ? ours`This machine is no donor: it is not a working node now, so its clones would not be either. Nothing was changed.`
          : ours`The machine could not be looked at, so nobody knows whether it is a working node. Nothing was changed.`,
        ours`What the check says:`,
        ...cutShown.lines(image.why).map((line) => ours`  ${line}`),
        ...(image.isSeen ? [ours`Next: wait for success, or capture another machine.`] : []),
      ],
      "\n",
    );
  }
  const { parts, dryRun, again } = image;
  const wanted = parts.filter(({ treatment }) => treatment !== "kept").flatMap(({ items }) => items);
  const failed = wanted.filter(({ failure }) => failure !== undefined).length;
  const left = wanted.filter(({ leadsTo }) => leadsTo !== undefined).length;
  const lines = [
    ...(again ? [ours`This machine was prepared before: whether it is a working node was not asked again.`] : []),
    ...parts.flatMap(renderPart),
    ...(left === 0 ? [] : [ours`${left} left alone: what a link leads to may be somebody else's. ${nextOfLeft}`]),
    ...(left > 0 && failed === 0 && !dryRun ? [] : [endOf(dryRun, failed)]),
  ];
  return joinShown(lines, "\n");
}

function renderPart({ name, what, treatment, items }: PartResult): readonly ShownText[] {
  const nothing = items.length === 0 ? ours`: nothing is there` : ours``;
  const isRemovable = items.some(({ leadsTo }) => leadsTo === undefined);
  const how = treatment === "kept" && isRemovable ? ours` (--${show(name)} removes it)` : ours``;
  const more = items.length > listed ? [ours`  … and ${items.length - listed} more`] : [];
  const heading = ours`${headings[treatment]}: ${show(what)}${how}${nothing}`;
  return [heading, ...items.slice(0, listed).map(renderItem), ...more];
}

function renderItem({ shown, failure, leadsTo }: PartItem): ShownText {
  if (leadsTo !== undefined) return ours`  ${showLine(shown)} — left alone: it is a link to ${showLine(leadsTo)}`;
  return failure === undefined
    ? ours`  ${showLine(shown)}`
    : ours`  ${showLine(shown)} — still there: ${showLine(failure)}`;
}

function endOf(dryRun: boolean, failed: number): ShownText {
  if (dryRun) return ours`Nothing was changed: without --dry-run it is.`;
  if (failed > 0) return ours`${failed} could not be removed. Next: remove them by hand, or run this again.`;
  return ours`The machine can be captured. Next: switch it off now; what still runs writes again.`;
}
