import type { RunProcess } from "../../host.ts";

export interface ProgramView {
  readonly run: RunProcess;
  /** Absolute path on Windows; a bare name where a test's stand-in is on the PATH. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}
