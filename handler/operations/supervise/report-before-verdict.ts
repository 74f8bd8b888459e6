import { errorText } from "../../errors/handler-error.ts";
import type { VerdictWords } from "../../verdict/verdict-words.ts";
import type { Run } from "./run.ts";
import type { Uploaded } from "./upload-before-verdict.ts";

/** A disk that hangs must not cost the verdict. */
const mostMs = 2000;

/**
 * Writes report.txt, which the status names: whoever reads that finds it. The rest of the report follows the verdict. Never throws, and
 * never takes longer than its cap.
 */
export async function reportBeforeVerdict(run: Run, uploaded: Uploaded, words: VerdictWords): Promise<void> {
  const { verdict, report } = uploaded;
  const { diagnosis: diagnosed } = verdict;
  if (diagnosed === undefined || report === "uploaded") return;
  const { host, log } = run.context;
  const done = new AbortController();
  try {
    const { writeShortReport } = await import("./full-report.ts");
    await Promise.race([
      writeShortReport({ run, verdict, words, diagnosed }),
      host.sleep(mostMs, AbortSignal.any([run.signal, done.signal])),
    ]);
  } catch (error) {
    log.warn(`report.txt could not be written before the verdict: ${errorText(error)}`);
  } finally {
    done.abort();
  }
}
