import { cutShown, joinShown, ours, show, shownHtml, type Shown, type ShownText } from "../text/shown-text.ts";
import type { ReportEvent } from "./report.ts";

const width = 920;
const rowHeight = 26;
const labelWidth = 430;
const axisHeight = 30;
const shortestBar = 3;
/** The last event lasts for no time; its mark must be seen all the same. */
const endMark = 9;
const mostRows = 60;

/** What happened when, as an SVG: one row per event, its bar lasting until the next one. Empty without two moments in time. */
export function drawTimeline(timeline: readonly Shown<ReportEvent>[], failed: boolean): ShownText {
  const rows = timeline.slice(-mostRows).map((entry) => ({ ...entry, at: Date.parse(entry.time) / 1000 }));
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined || !(last.at > first.at)) return ours``;
  const scale = (width - labelWidth - 20) / (last.at - first.at);
  const x = (at: number) => labelWidth + (at - first.at) * scale;
  const height = rows.length * rowHeight + axisHeight;
  const drawn = rows.map((row, index) => {
    const end = rows[index + 1]?.at ?? row.at;
    const kind = index === rows.length - 1 && failed ? "bad" : "bar";
    return drawRow(row, {
      y: index * rowHeight,
      x: x(row.at),
      length: Math.max(kind === "bad" ? endMark : shortestBar, (end - row.at) * scale),
      kind,
    });
  });
  const axis = drawAxis({ top: rows.length * rowHeight, total: last.at - first.at, scale });
  return ours`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Timeline of the bootstrap">${axis}${joinShown(drawn, "")}</svg>`;
}

interface Bar {
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly kind: "bar" | "bad";
}

function drawRow({ event, time, seconds }: Shown<ReportEvent>, { x, y, length, kind }: Bar): ShownText {
  const when = seconds === undefined ? cutShown.from(cutShown.head(time, 19), 11) : ours`${seconds} s`;
  const label = ours`${when}  ${event}`;
  const shown = cutShown.text(label, 62, "…");
  const parts = [
    ours`<g><title>${shownHtml(ours`${time} ${event}`)}</title>`,
    ours`<text class="label" x="0" y="${y + 17}">${shownHtml(shown)}</text>`,
    ours`<line class="grid" x1="${labelWidth}" x2="${width - 20}" y1="${y + 13}" y2="${y + 13}"/>`,
    ours`<rect class="${show(kind)}" x="${show(x.toFixed(1))}" y="${y + 6}" width="${show(length.toFixed(1))}" height="14" rx="2"/></g>`,
  ];
  return joinShown(parts, "");
}

/** Ticks at a round step, at most six of them. */
function drawAxis({
  top,
  total,
  scale,
}: {
  readonly top: number;
  readonly total: number;
  readonly scale: number;
}): ShownText {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400, 604_800];
  const step = steps.find((one) => total / one <= 6) ?? total;
  const ticks: ShownText[] = [];
  for (let at = 0; at <= total; at += step) {
    const x = show((labelWidth + at * scale).toFixed(1));
    ticks.push(
      ours`<line class="tick" x1="${x}" x2="${x}" y1="0" y2="${top}"/><text class="axis" x="${x}" y="${top + 18}">${inWords(at)}</text>`,
    );
  }
  return joinShown(ticks, "");
}

function inWords(seconds: number): ShownText {
  if (seconds < 120) return ours`${seconds} s`;
  return seconds < 7200 ? ours`${Math.round(seconds / 6) / 10} min` : ours`${Math.round(seconds / 360) / 10} h`;
}
