import { joinShown, ours, show, shownHtml, type Shown, type ShownText } from "../text/shown-text.ts";
import type { ReportEvent } from "./report.ts";

const mostRows = 40;
/** In percent of the axis: the shortest bar that is still seen. */
const shortestBar = 0.8;

/**
 * What happened when, to scale: a list that reads as text, each item with a bar from its event to the next one, above an axis.
 * Empty without two moments in time.
 */
export function drawTimeline(timeline: readonly Shown<ReportEvent>[], failed: boolean): ShownText {
  const rows = timeline.slice(-mostRows).map((entry) => ({ ...entry, at: Date.parse(entry.time) / 1000 }));
  const first = rows[0];
  const last = rows.at(-1);
  if (first === undefined || last === undefined || !(last.at > first.at)) return ours``;
  const total = last.at - first.at;
  const step = stepOf(total);
  const items = rows.map((row, index) => {
    const end = rows[index + 1]?.at ?? row.at;
    const isEnd = index === rows.length - 1 && failed;
    const width = Math.max(shortestBar, ((end - row.at) / total) * 100);
    // The last bar has no length of its own, and must not leave the axis.
    const left = Math.min(((row.at - first.at) / total) * 100, 100 - width);
    return drawRow(row, { left, width, isEnd });
  });
  const left = timeline.length - rows.length;
  const earlier = left > 0 ? ours`<p class="soft">${left} earlier events are in report.json.</p>` : ours``;
  const unit = percent((step / total) * 100);
  return joinShown(
    [
      earlier,
      ours`<ol class="timeline" style="--step:${unit}">${joinShown(items, "\n")}</ol>`,
      drawAxis(total, { step, start: first }),
    ],
    "\n",
  );
}

function drawRow(
  { event, time, seconds }: Shown<ReportEvent>,
  { left, width, isEnd }: { readonly left: number; readonly width: number; readonly isEnd: boolean },
): ShownText {
  const when = seconds === undefined ? ours`${show(time.slice(11, 19))} UTC` : ours`${seconds} s`;
  const kind = isEnd ? ours`bar bad` : ours`bar`;
  return joinShown(
    [
      ours`<li${isEnd ? ours` class="end"` : ours``}><span class="what"><time datetime="${shownHtml(time)}">${when}</time> <span>${shownHtml(event)}</span></span>`,
      ours`<span class="track" aria-hidden="true"><span class="${kind}" style="left:${percent(left)};width:${percent(width)}"></span></span></li>`,
    ],
    "",
  );
}

/** At most six ticks at round steps; the axis says from when it counts. */
function drawAxis(
  total: number,
  { step, start }: { readonly step: number; readonly start: Shown<ReportEvent> },
): ShownText {
  const ticks: ShownText[] = [];
  for (let at = 0; at <= total; at += step) {
    const edge = at === 0 ? ours` class="first"` : at / total > 0.93 ? ours` class="last"` : ours``;
    ticks.push(ours`<span${edge} style="left:${percent((at / total) * 100)}">${inWords(at)}</span>`);
  }
  return ours`<div class="axis" aria-hidden="true"><span class="what">time after ${shownHtml(show(start.time.slice(0, 19).replace("T", " ")))} UTC</span><span class="track">${joinShown(ticks, "")}</span></div>`;
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400, 604_800];

function stepOf(total: number): number {
  return steps.find((one) => total / one <= 5) ?? total;
}

function percent(value: number): ShownText {
  return ours`${show(value.toFixed(2))}%`;
}

function inWords(seconds: number): ShownText {
  if (seconds < 120) return ours`${seconds} s`;
  return seconds < 7200 ? ours`${Math.round(seconds / 6) / 10} min` : ours`${Math.round(seconds / 360) / 10} h`;
}
