import type { ShownText } from "../../text/shown-text.ts";
import type { Verdict } from "../../verdict/verdict.ts";

/** Text of observations.json: what the deciding look saw. A check that is a script or a command has told nothing of it. */
export async function observationsOf({ end }: Verdict): Promise<ShownText | undefined> {
  const record = end.kind === "passed" || end.kind === "failed" || end.kind === "deadline" ? end.record : undefined;
  if (record === undefined) return undefined;
  const { renderObservations } = await import("./look-observations.ts");
  return renderObservations(record);
}
