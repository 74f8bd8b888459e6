import { ours } from "../text/shown-text.ts";

/**
 * The whole style sheet of report.html: no file beside it is needed. Light or dark as the reader's system says, one column on a
 * telephone, and on paper light, with no card, row or quoted line cut by the end of a page.
 */
export const reportStyle = ours`
:root { color-scheme: light dark; --back: #ffffff; --text: #1c2128; --soft: #59636e; --line: #d5dae0; --panel: #f5f7f9; --good: #1a7f37; --bad: #c4232b; --bar: #2f6fb5; }
@media (prefers-color-scheme: dark) { :root { --back: #15191e; --text: #e4e8ec; --soft: #9aa5b1; --line: #38414b; --panel: #1e242b; --good: #4cc26a; --bad: #ff6b6b; --bar: #6aa9ec; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
main { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 62rem; }
h1 { font-size: 1.35rem; line-height: 1.35; margin: 0 0 1rem; padding: .1rem 0 .1rem .8rem; border-left: .35rem solid var(--bad); }
h1.good { border-color: var(--good); }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0 0 .3rem; }
p { margin: .4rem 0; }
a { color: var(--bar); }
.soft { color: var(--soft); font-size: .92rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .5rem 1.2rem; margin: 0; }
.facts div { min-width: 0; }
.facts dt { color: var(--soft); font-size: .82rem; }
.facts dd { margin: 0; }
.finding { border: 1px solid var(--line); border-radius: .4rem; padding: .9rem 1rem; margin: .7rem 0; background: var(--panel); }
.finding.cause { border-left: .35rem solid var(--bad); }
.next { font-weight: 600; }
.tags { display: flex; flex-wrap: wrap; gap: .3rem; padding: 0; margin: .3rem 0; list-style: none; }
.tags li { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; font-size: .85rem; color: var(--soft); }
figure { margin: .5rem 0; }
figcaption { color: var(--soft); font-size: .85rem; }
pre { margin: .1rem 0 .6rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .3rem; background: var(--back); white-space: pre-wrap; font: .85rem/1.45 ui-monospace, Consolas, "DejaVu Sans Mono", monospace; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); font-weight: inherit; }
thead th { color: var(--soft); font-size: .85rem; }
thead th, th.name { white-space: nowrap; }
.number { white-space: nowrap; text-align: right; }
.ok { color: var(--good); font-weight: 600; white-space: nowrap; }
.failed { color: var(--bad); font-weight: 600; white-space: nowrap; }
.timeline { list-style: none; margin: 0; padding: 0; }
.timeline li, .axis { display: grid; grid-template-columns: minmax(0, 9fr) minmax(0, 11fr); gap: 0 1rem; font-size: .92rem; }
.timeline .what { display: flex; gap: .6rem; min-width: 0; }
.timeline time { flex: none; color: var(--soft); font-variant-numeric: tabular-nums; min-width: 3.4em; }
.timeline .end .what { color: var(--bad); font-weight: 600; }
.track { position: relative; min-height: 1.5rem; }
.timeline .track { background: repeating-linear-gradient(90deg, var(--line) 0 1px, transparent 1px var(--step)); }
.bar { position: absolute; top: .4rem; height: .75rem; border-radius: .15rem; background: var(--bar); }
.bar.bad { background: var(--bad); }
.axis { color: var(--soft); border-top: 1px solid var(--line); font-size: .82rem; }
.axis .track span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.axis .track .first { transform: none; }
.axis .track .last { transform: translateX(-100%); }
@media (max-width: 40rem) {
  main { padding: 1.1rem .9rem 2rem; }
  h1 { font-size: 1.15rem; }
  .facts { grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); }
  .finding { padding: .7rem .75rem; }
  .timeline li, .axis { grid-template-columns: minmax(0, 1fr); }
  .timeline li { padding-bottom: .35rem; }
  .track { min-height: 1.1rem; }
  .bar { top: .2rem; height: .7rem; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
  table, tbody, tr, th, td { display: block; }
  tr { padding: .4rem 0; border-bottom: 1px solid var(--line); }
  th, td { border: 0; padding: 0; }
  tbody th { font-weight: 600; }
  th.name { white-space: normal; }
  .number { text-align: left; }
  td[data-label]:not(:empty)::before { content: attr(data-label) ": "; color: var(--soft); }
}
@page { size: A4; margin: 13mm 14mm; }
@media print {
  :root { color-scheme: light; --back: #ffffff; --text: #000000; --soft: #444c55; --line: #c3c9d0; --panel: #f5f7f9; --good: #1a7f37; --bad: #b01e26; --bar: #2f6fb5; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  html { font-size: 9.5pt; }
  body { font-size: 1rem; line-height: 1.4; }
  main { max-width: none; padding: 0; }
  h2 { margin: 1rem 0 .3rem; break-after: avoid; }
  h3, figcaption { break-after: avoid; }
  .finding, figure, pre, tr, li, .facts, .timeline, .axis { break-inside: avoid; }
  .axis { break-before: avoid; }
  .finding { padding: .5rem .7rem; margin: .4rem 0; }
  pre { padding: .3rem .5rem; }
  th, td { padding: .15rem .6rem .15rem 0; }
  a { color: inherit; text-decoration: none; }
}
`;
