import { ours } from "../text/shown-text.ts";

/** The whole style sheet of report.html: no file beside it is needed, light or dark as the reader's system says. */
export const reportStyle = ours`
:root { color-scheme: light dark; --back: #ffffff; --text: #1c2128; --soft: #59636e; --line: #d5dae0; --panel: #f5f7f9; --good: #1a7f37; --bad: #c4232b; --bar: #2f6fb5; }
@media (prefers-color-scheme: dark) { :root { --back: #15191e; --text: #e4e8ec; --soft: #9aa5b1; --line: #38414b; --panel: #1e242b; --good: #4cc26a; --bad: #ff6b6b; --bar: #6aa9ec; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, "Segoe UI", sans-serif; }
h1 { font-size: 1.35rem; line-height: 1.35; margin: 0 0 .5rem; padding-left: .8rem; border-left: .35rem solid var(--bad); overflow-wrap: anywhere; }
h1.good { border-color: var(--good); }
h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0 0 .3rem; }
p { margin: .4rem 0; }
.soft { color: var(--soft); }
.finding { border: 1px solid var(--line); border-radius: .4rem; padding: .9rem 1rem; margin: .7rem 0; background: var(--panel); }
.next { font-weight: 600; }
.tag { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; font-size: .85rem; margin-right: .3rem; color: var(--soft); }
pre { margin: .2rem 0 .7rem; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .3rem; background: var(--back); white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.45 ui-monospace, Consolas, monospace; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.ok { color: var(--good); font-weight: 600; white-space: nowrap; }
.bad-mark { color: var(--bad); font-weight: 600; white-space: nowrap; }
svg { width: 100%; height: auto; }
svg .label { font-size: 13px; fill: var(--text); }
svg .axis { font-size: 12px; fill: var(--soft); text-anchor: middle; }
svg .grid, svg .tick { stroke: var(--line); stroke-width: 1; }
svg .bar { fill: var(--bar); }
svg .bad { fill: var(--bad); }
@media print { body { max-width: none; } }
`;
