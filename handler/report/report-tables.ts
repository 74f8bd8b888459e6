import { joinShown, ours, show, shownHtml, type ShownText } from "../text/shown-text.ts";
import { isRead } from "./report-text.ts";
import type { ShownReport } from "./report.ts";

const order = { failed: 0, passed: 1, "not-run": 2 } as const;
const marks = {
  passed: ours`<td class="ok">✓ ok</td>`,
  failed: ours`<td class="failed">✗ failed</td>`,
  "not-run": ours`<td class="soft">– not run</td>`,
} as const;

/** What failed first; a row's head is what was asked. */
export function probeTable({ probes }: ShownReport): readonly ShownText[] {
  if (probes.length === 0) return [];
  const rows = probes
    .toSorted((a, b) => order[a.state] - order[b.state])
    .map(
      ({ name, target, state, message }) =>
        ours`<tr><th scope="row" class="name">${shownHtml(name)}</th>${marks[state]}${cell("Target", target)}${cell("Answer", message)}</tr>`,
    );
  return [table(["Probe", "Result", "Target", "Answer"], rows)];
}

/** A row for each source that was read, and one sentence for all that were not. */
export function sourceTable({ sources }: ShownReport): readonly ShownText[] {
  const rows = sources
    .filter(isRead)
    .map(
      ({ origin, state, bytes, note }) =>
        ours`<tr><th scope="row">${shownHtml(origin)}</th>${cell("State", show(state))}<td class="number">${show(inUnits(bytes))}</td>${cell("Note", note ?? ours``)}</tr>`,
    );
  const rest = sources.filter((source) => !isRead(source)).map(({ origin }) => origin);
  return [
    ...(rows.length === 0 ? [] : [table(["Source", "State", "Size", "Note"], rows)]),
    ...(rest.length === 0 ? [] : [ours`<p class="soft">Not there or empty: ${shownHtml(joinShown(rest, ", "))}</p>`]),
  ];
}

function table(heads: readonly string[], rows: readonly ShownText[]): ShownText {
  const head = heads.map((name) => {
    const kind = name === "Size" ? ours` class="number"` : ours``;
    return ours`<th scope="col"${kind}>${shownHtml(show(name))}</th>`;
  });
  return ours`<table><thead><tr>${joinShown(head, "")}</tr></thead><tbody>${joinShown(rows, "\n")}</tbody></table>`;
}

function cell(label: string, text: ShownText): ShownText {
  return ours`<td data-label="${shownHtml(show(label))}">${shownHtml(text)}</td>`;
}

function inUnits(bytes: number): string {
  if (bytes < 10_000) return `${String(bytes)} bytes`;
  return bytes < 10_000_000 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1_000_000).toFixed(0)} MB`;
}
