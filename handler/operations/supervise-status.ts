import { fitsUncut } from "../contract/bound-status.ts";
import type { Status, Substatus } from "../contract/status.ts";
import { substatusNames } from "../contract/verdict-substatus.ts";
import { describeFailure } from "./describe-verdict.ts";
import { firstLine } from "../text/first-line.ts";
import { cutShown, joinShown, ours, show, showLine, type ShownText } from "../text/shown-text.ts";
import { longestTail, verdictBody } from "./verdict-body.ts";
import { verdictSubstatuses } from "./verdict-substatuses.ts";
import type { Verdict } from "./verdict.ts";

/** The final status. Pure: the same verdict gives the same status. */
export function verdictStatus(verdict: Verdict): Status {
  const line = verdictLine(verdict);
  const { kind, code } = kindAndCode(verdict);
  const substatuses = [...verdictSubstatuses(verdict, line), ...clarification(kind, code, line)];
  const withTails = (tailLimit: number): Status => ({
    kind,
    operation: "Enable",
    code,
    message: joinShown([line, ...verdictBody(verdict, tailLimit)], "\n"),
    substatuses,
  });
  // The end of an output tells most, so it is shortened at its front, before the limit of the file cuts it at its end.
  const fits = tailLimits.find((limit) => fitsUncut(withTails(limit)));
  return withTails(fits ?? 0);
}

/** Characters of each output stream that are tried, the most first. */
const tailLimits = [longestTail, 3200, 2400, 1800, 1200, 700, 300] as const;

/** The first line: verdict, cause, evidence, next step. It goes to the status, the console, telemetry and the log. */
export function verdictLine(verdict: Verdict): ShownText {
  const seconds = ours`${verdict.elapsedSeconds} s`;
  switch (verdict.end.kind) {
    case "passed":
      return passedLine(verdict, verdict.end.report.message, verdict.end.report.providers ?? []);
    case "failed":
    case "deadline": {
      const words = describeFailure(verdict, verdict.end);
      const where = words.where.length === 0 ? words.where : ours` in ${words.where}`;
      return firstLine({ head: ours`Bootstrap failed (${words.reason})${where} after ${seconds}`, ...words });
    }
    case "not-checked": {
      const { error } = verdict.end;
      return firstLine({
        head: ours`Bootstrap not checked (${show(error.code.reason)})`,
        summary: show(error.message),
        nextStep: show(error.hint),
      });
    }
    case "reported":
      return cutShown.atWord(ours`Bootstrap reported, not judged: ${showLine(verdict.end.facts.join("; "))}`, 200);
  }
}

function passedLine(verdict: Verdict, message: string | undefined, providers: readonly string[]): ShownText {
  const provider = providers.length === 0 ? ours`` : ours` (${showLine(providers.join(", "))})`;
  const head = ours`Bootstrapped in ${verdict.elapsedSeconds} s${provider}`;
  const late = verdict.revised === undefined ? ours`` : ours`, late by ${verdict.revised.lateBySeconds} s`;
  const detail = message === undefined ? ours`` : ours`: ${showLine(message)}`;
  return cutShown.atWord(ours`${head}${late}${detail}`, 200);
}

/** Mode `observe` never fails the VM: "warning" would keep dependent extensions waiting, so it reports success. */
function kindAndCode(verdict: Verdict): Pick<Status, "kind" | "code"> {
  const code = verdictCode(verdict);
  if (code === 0 || verdict.mode !== "enforce") return { kind: "success", code: 0 };
  return { kind: "error", code };
}

/** Number of docs/codes.md, whatever the mode. */
export function verdictCode(verdict: Verdict): number {
  switch (verdict.end.kind) {
    case "passed":
    case "reported":
      return 0;
    case "failed":
    case "deadline":
      return describeFailure(verdict, verdict.end).code.number;
    case "not-checked":
      return verdict.end.error.code.number;
  }
}

/** The platform takes the number of this substatus as the blame: above 0 the user's side, else ours or Azure's. */
function clarification(kind: Status["kind"], code: number, line: ShownText): readonly Substatus[] {
  return kind === "error" ? [{ name: show(substatusNames.clarification), status: "error", code, message: line }] : [];
}
