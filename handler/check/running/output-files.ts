import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { HandlerError } from "../../errors/handler-error.ts";
import type { OutputTails } from "../../verdict/outcome.ts";
import { readTail, type OutputHost } from "./output-tail.ts";

/** Bytes of each output stream that a status and a report may show. */
const tailBytes = 4096;

export interface OutputFiles {
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  /** A folder that stays between the looks. */
  readonly state: string;
}

export async function prepareOutputFiles(workFolder: string): Promise<OutputFiles> {
  const state = join(workFolder, "check-state");
  try {
    await mkdir(state, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new HandlerError("stateUnwritable", `Cannot create the folder ${state} for the check`, { cause });
  }
  return {
    state,
    output: join(workFolder, "check-output"),
    stdout: join(workFolder, "check-stdout"),
    stderr: join(workFolder, "check-stderr"),
  };
}

/** `lineFile`: the file from which a shell read the user's command, whose name is left out. */
export async function readTails(
  files: Pick<OutputFiles, "stdout" | "stderr">,
  host: OutputHost,
  lineFile?: string,
): Promise<OutputTails> {
  const [stdout, stderr] = await Promise.all([
    readTail(files.stdout, tailBytes, { host, lineFile }),
    readTail(files.stderr, tailBytes, { host, lineFile }),
  ]);
  return { stdout, stderr };
}
