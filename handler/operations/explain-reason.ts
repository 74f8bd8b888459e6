import { causesOfReason, reasonOfCause } from "../diagnosis/causes.ts";
import { describeReason, reasons } from "../reasons/reasons.ts";
import { show, type ShownText } from "../text/shown-text.ts";
import { closestWord } from "../text/closest-word.ts";

/** `capz-bootstrap reason NAME`: meaning, next step and references, from the same table as the statuses. */
export function explainReason(
  name: string,
  options: { readonly json: boolean },
): { readonly text: ShownText; readonly exitCode: number } {
  const reason = toReason(name);
  const row = describeReason(reason);
  if (row === undefined) return { text: show(unknown(name)), exitCode: 64 };
  const causes = causesOfReason(reason);
  if (options.json) return { text: show(`${JSON.stringify({ reason, causes, ...row }, undefined, 2)}\n`), exitCode: 0 };
  const lines = [
    `${reason}: ${row.meaning}.`,
    `Next step: ${row.nextStep}.`,
    `Side: ${row.blame}. ${row.retryable ? "A retry may succeed" : "A retry fails in the same way"}.`,
    ...causes.map((cause) => `Cause label: ${cause}`),
    ...row.references.map((reference) => `See: ${reference}`),
  ];
  return { text: show(`${lines.join("\n")}\n`), exitCode: 0 };
}

/** Any case; a cause label stands for its reason. */
function toReason(name: string): string {
  const wanted = name.toLowerCase();
  const label = Object.entries(reasonOfCause).find(([cause]) => cause === wanted);
  return label?.[1] ?? Object.keys(reasons).find((one) => one.toLowerCase() === wanted) ?? name;
}

function unknown(name: string): string {
  const closest = closestWord(name, Object.keys(reasons));
  const hint = closest === undefined ? "docs/codes.md lists them" : `did you mean ${closest}?`;
  return `capz-bootstrap reason: "${name}" is not a reason of this version; ${hint}\n`;
}
