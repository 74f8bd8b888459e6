import { fitsUncut } from "../contract/bound-status.ts";
import type { Status } from "../contract/status.ts";
import { joinShown } from "../text/shown-text.ts";
import { clarification } from "./not-checked.ts";
import { verdictSubstatuses } from "./verdict-substatuses.ts";
import { linesBelow, longestTail, wordsOf, type VerdictWords } from "./verdict-words.ts";
import type { Verdict } from "./verdict.ts";

/** The final status. Pure: the same verdict gives the same status. */
export function verdictStatus(verdict: Verdict, words: VerdictWords = wordsOf(verdict)): Status {
  const { kind, code } = kindAndCode(verdict.mode, words.code);
  const substatuses = [
    ...verdictSubstatuses(verdict, words, { kind, code }),
    ...(kind === "error" ? [clarification(code, words.line)] : []),
  ];
  const withTails = (tailLimit: number): Status => ({
    kind,
    operation: "Enable",
    code,
    message: joinShown([words.line, ...linesBelow(words, tailLimit)], "\n"),
    substatuses,
  });
  // The end of an output tells most, so it is shortened at its front, before the limit of the file cuts it at its end.
  const fits = tailLimits.find((limit) => fitsUncut(withTails(limit)));
  return withTails(fits ?? 0);
}

/** Characters of each output stream that are tried, the most first. */
const tailLimits = [longestTail, 3200, 2400, 1800, 1200, 700, 300] as const;

/** Mode `observe` never fails the VM: "warning" would keep dependent extensions waiting, so it reports success. */
function kindAndCode(mode: Verdict["mode"], code: number): Pick<Status, "kind" | "code"> {
  if (code === 0 || mode !== "enforce") return { kind: "success", code: 0 };
  return { kind: "error", code };
}
