import type { Run } from "./run.ts";
import type { Verdict } from "./verdict.ts";

export interface DiagnoseEnd {
  readonly run: Run;
  readonly verdict: Verdict;
  /** rules.json of the check's bundle; undefined for a command. */
  readonly rules: string | undefined;
  write(this: void, verdict: Verdict): Promise<void>;
}

export async function diagnoseEnd({ verdict, write }: DiagnoseEnd): Promise<Verdict> {
  await write(verdict);
  return verdict;
}
