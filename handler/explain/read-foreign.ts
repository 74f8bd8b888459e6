import type { Finding } from "../diagnosis/diagnosis.ts";
import { sourceIds } from "../diagnosis/diagnosis.ts";
import type { RuleSet } from "../diagnosis/load-rules.ts";
import { createMatcher } from "../diagnosis/match.ts";
import { rankFindings } from "../diagnosis/rank.ts";
import type { ForeignText } from "./explanation.ts";
import { unfoldEscapes } from "./unescape-json.ts";

/** What the catalogue of rules makes of words that are not ours. */
export type ForeignReading =
  | ForeignFailure
  /** A log that ends in success. */
  | { readonly kind: "well" };

export interface ForeignFailure {
  readonly kind: "failure";
  /** False: read by the form of the line, which an error code of Azure is told before. */
  readonly isRule: boolean;
  readonly primary: Finding;
  readonly others: readonly Finding[];
}

/** Rules that say no more than that some extension failed: an error code of Azure is told before them. */
const sayingLittle: ReadonlySet<string> = new Set(["vm-extension-failed"]);

/** The sentence that ARM puts behind every message of an extension. */
const closing = "More information on troubleshooting is available at ";

function withoutClosing(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const at = line.indexOf(closing);
      // The quotation mark and the full stop before it are ARM's too.
      return at === -1 ? line : line.slice(0, at).replace(/\\?["']?\.? ?$/u, "");
    })
    .join("\n");
}

/** A text may be quoted log, error of ARM or both, so every rule may speak, as over a log of which nothing is known. */
export function readForeign({ speaker, text }: ForeignText, ruleSet: RuleSet): ForeignReading | undefined {
  const matcher = createMatcher(ruleSet, { platform: isOfWindows(text) ? "windows" : "linux" });
  const [source, ...also] = sourceIds;
  matcher.feed({ source, also, origin: speaker }, Buffer.from(`${unfoldEscapes(withoutClosing(text))}\n`, "utf8"));
  const diagnosis = rankFindings(matcher.finish());
  if (diagnosis.kind === "healthy") return { kind: "well" };
  if (diagnosis.kind !== "classified" || sayingLittle.has(diagnosis.primary.cause)) return undefined;
  const { primary, others } = diagnosis;
  return { kind: "failure", isRule: ruleSet.rules.some(({ id }) => id === primary.ruleId), primary, others };
}

/** Anything of Windows; the rules of Linux would read nothing in it, and the other way round. */
function isOfWindows(text: string): boolean {
  return /WINDOWS_CSE|[a-z]:\\{1,4}[a-z]|powershell|CAPZ\.Windows\.|cloudbase-init|windowsBootstrap/iu.test(text);
}
