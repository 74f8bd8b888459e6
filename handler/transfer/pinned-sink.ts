import { HandlerError } from "../errors/handler-error.ts";
import type { FileSink } from "./download-sinks.ts";

interface PinnedSink {
  readonly sink: FileSink;
  /** Lower-case hex that the bytes must have; undefined when nobody demands one. */
  readonly sha256: string | undefined;
  /** The address as it may be printed. */
  readonly description: string;
}

/** A sink that gives a file its name only if the bytes are those that were pinned. */
export function pinnedSink({ sink, sha256, description }: PinnedSink): FileSink {
  if (sha256 === undefined) return sink;
  const { createHash } = process.getBuiltinModule("node:crypto");
  let hash = createHash("sha256");
  return {
    async restart() {
      hash = createHash("sha256");
      await sink.restart();
    },
    async write(chunk) {
      hash.update(chunk);
      await sink.write(chunk);
    },
    async finish(mode) {
      const found = hash.digest("hex");
      if (found !== sha256) {
        throw new HandlerError(
          "checkUntrusted",
          `${description} is not the file that fileUris pins: its SHA-256 is ${found}, allowed is ${sha256}; nothing was run`,
          { hint: "Publish the pinned file again, or correct the digest behind #sha256= in fileUris" },
        );
      }
      await sink.finish(mode);
    },
    discard: () => sink.discard(),
  };
}
