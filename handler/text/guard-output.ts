import { errorText, systemErrorCode } from "../errors/handler-error.ts";

/** By the documented exit codes: nothing was told, which must not read as a verdict on the node. */
const exitCodeOfLostOutput = 3;
const watched = new Set<NodeJS.WriteStream>();

/**
 * A reader that has seen enough (`| head`) closes the pipe: no failure, and the exit code still tells the verdict. An answer that
 * could not be written for another reason (a full disk) was not given, which `tell` hears. Node would end with 1, "the node failed to
 * bootstrap".
 */
export function guardOutput(stream: NodeJS.WriteStream, tell: (why: string) => void): NodeJS.WriteStream {
  if (watched.has(stream)) return stream;
  watched.add(stream);
  stream.on("error", (error) => {
    if (stream === process.stderr || systemErrorCode(error) === "EPIPE") return;
    process.once("exit", () => {
      process.exitCode = exitCodeOfLostOutput;
    });
    tell(`the answer could not be written to standard output: ${errorText(error)}`);
  });
  return stream;
}
