import { errorText, systemErrorCode } from "./handler-error.ts";

/** What to do when an answer was not given. Its exit code must not read as one of the answers. */
export interface LostAnswer {
  readonly exitCode: number;
  /** The words begin in the middle of a sentence: who says them comes first. */
  tell(words: string): void;
}

const guarded = new Set<NodeJS.WriteStream>();

/**
 * A reader that has seen enough (`| head`) closes the pipe: no failure, and the exit code still tells the answer. One that could not be
 * written for another reason (a full disk) was not given. Node alone would end with a stack trace and 1, which means something else.
 * Without `lost` the stream carries progress and errors, which change nothing when nobody can read them.
 */
export function guardOutput(stream: NodeJS.WriteStream, lost?: LostAnswer): NodeJS.WriteStream {
  if (guarded.has(stream)) return stream;
  guarded.add(stream);
  return stream.on("error", (error) => {
    if (lost === undefined || systemErrorCode(error) === "EPIPE") return;
    process.once("exit", () => {
      process.exitCode = lost.exitCode;
    });
    lost.tell(`the answer could not be written to standard output: ${errorText(error)}`);
  });
}
