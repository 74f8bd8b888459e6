import { saidAlone } from "../text/said.ts";
import { cutShown, ours, show, type Shown, type ShownText } from "../text/shown-text.ts";
import type { Layer } from "./applied.ts";
import type { EvidenceLine, Finding } from "./diagnosis.ts";
import { decisiveLines, moreTelling, type ErrorLine } from "./error-lines.ts";
import type { Matches } from "./match.ts";
import { stepOf } from "./reading/read-lines.ts";

/** The cause of a finding that says no more than that a script ended with an error. */
export const scriptFailed = "cloud-init-scripts-failed";

/** Whether the same script would pass on another machine follows from why it failed, which nobody knows here. */
export function isRetryKnown({
  rule,
  layer,
}: {
  readonly rule: { readonly cause: string };
  readonly layer: Layer;
}): boolean {
  return rule.cause !== scriptFailed || layer > 1;
}

const mostSaid = 4;
const mostWrapping = 2;
/** Characters of what was said in the sentence of a finding: the first line takes of it what it has room for. */
const longestSaid = 240;

/**
 * How cloud-init, systemd and a shell's trace say that a script ended: whoever reads one of these has learned nothing of why. A
 * program's own words on how a command of its own ended are none of them.
 */
const wrapping: readonly RegExp[] = [
  /Runparts: \d{1,3} failures/u,
  /Failed running \/var\/lib\/cloud/u,
  /Failed to (?:run|start) (?:module )?(?:scripts[-_]|bootcmd|runcmd|cloud-)/u,
  /Running module (?:scripts[-_]\w{2,20}|runcmd|bootcmd) \(/u,
  /cloud-(?:init|config|final)\.service|cloud-init-(?:local|network|main)\.service/u,
  /^\+{1,5} (?:exit|return|false)\b/u,
  /ProcessExecutionError/u,
  /^(?:Command|Exit code|Reason|Stdout|Stderr): /u,
  /\.py\[(?:WARNING|ERROR)\]: (?:Failed|Running) /u,
  /scripts[-_]user['"]?,/u,
];

function isWrapping(text: ShownText): boolean {
  return wrapping.some((pattern) => pattern.test(saidAlone(text)) || pattern.test(text));
}

/** Into these scripts print; what the machine's other logs say may be about anything. */
const printed: ReadonlySet<string> = new Set(["cloud-init-output", "command-output"]);

/** A finding that says only that a script failed, with what the script said before: the lines that would decide without a rule. */
export function withWordsOfScript(finding: Shown<Finding>, matches: Matches): Shown<Finding> {
  if (finding.cause !== scriptFailed || !saysNothing(finding)) return finding;
  const said = saidByScripts(finding, matches);
  const best = said.toSorted(moreTelling)[0];
  if (best === undefined) return finding;
  const { program } = stepOf(best, matches.errorLines);
  const quoted = decisiveLines(said, mostSaid);
  return {
    ...finding,
    summary: sentence(best, whoSaid(best, program, matches)),
    explanation: ours`cloud-init ran the commands of the bootstrap data and one returned an error. The lines below are what was said last before.`,
    nextStep: ours`Correct what is quoted: it comes from KubeadmConfigTemplate spec.template.spec.preKubeadmCommands or postKubeadmCommands, or from what they run; cloud-init-output.log has more above it`,
    evidence: [...bestFirst(quoted, best), ...finding.evidence.slice(-mostWrapping)],
  };
}

function saysNothing({ ruleId, evidence }: Shown<Finding>): boolean {
  return ruleId === "cloud-init-runcmd-failed" || evidence.every(({ text }) => isWrapping(text));
}

function saidByScripts({ evidence }: Shown<Finding>, { errorLines, lastWords }: Matches): readonly ErrorLine[] {
  const known = new Set(evidence.map(({ origin, line }) => `${origin}:${line}`));
  const places = new Set(errorLines.map(placeOf));
  const lines = [...errorLines, ...lastWords.filter((words) => !places.has(placeOf(words)))].filter(
    (line) => !known.has(`${line.origin}:${line.fileLine}`) && !isWrapping(line.whole),
  );
  const own = lines.filter(({ source }) => printed.has(source));
  return own.length > 0 ? own : lines;
}

function placeOf({ originIndex, line }: ErrorLine): string {
  return `${originIndex}:${line}`;
}

function sentence({ text }: ErrorLine, who: ShownText): ShownText {
  return ours`A bootstrap script failed; ${who}: "${cutShown.middle(cutShown.oneLine(text), longestSaid)}"`;
}

/** Its last words are only what stands last in the log into which it printed. */
function whoSaid(best: ErrorLine, program: string | undefined, { lastWords }: Matches): ShownText {
  if (program !== undefined && program !== "shell" && program !== "cloud-init") return ours`${show(program)} says`;
  if (!printed.has(best.source)) return ours`a log says`;
  return lastWords.some((words) => placeOf(words) === placeOf(best)) ? ours`its last words` : ours`it said`;
}

/** What leads in the first line leads below it as well. */
function bestFirst(quoted: readonly Shown<EvidenceLine>[], best: ErrorLine): readonly Shown<EvidenceLine>[] {
  const isBest = ({ line, text }: Shown<EvidenceLine>): boolean => line === best.fileLine && text === best.text;
  return [...quoted.filter(isBest), ...quoted.filter((line) => !isBest(line))];
}
