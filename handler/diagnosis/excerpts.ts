import { TextStream } from "../text/decode-text.ts";
import { show, type ShownText } from "../text/shown-text.ts";
import { BytesLiterals } from "./bytes-literals.ts";
import type { EvidenceOrigin, EvidenceSink } from "./evidence-source.ts";

/** The newest end of one source, redacted. */
export interface Excerpt {
  readonly origin: ShownText;
  readonly text: ShownText;
  readonly cut: boolean;
}

const bytesPerSource = 128 * 1024;
const bytesOfAll = 4 * 1024 * 1024;

interface End {
  readonly stream: TextStream;
  /** cloudbase-init's log is one line of megabytes: told as the lines that it stands for, which people can read. */
  readonly literals: BytesLiterals | undefined;
  /** Copies; the last `kept` bytes of them count. */
  pieces: Buffer[];
  held: number;
  kept: number;
  cut: boolean;
}

/** Keeps the end of each source while it streams past; a bounded memory, whatever the sources' size. */
export class ExcerptSink implements EvidenceSink {
  readonly #ends = new Map<string, End>();
  #total = 0;
  #current: End | undefined;

  feed({ origin, source }: EvidenceOrigin, encoded: Uint8Array): void {
    const end = this.#ends.get(origin) ?? this.#open(source);
    this.#ends.set(origin, end);
    this.#current = end;
    const chunk = end.stream.toUtf8(encoded);
    if (end.literals === undefined) this.#keep(end, chunk);
    else end.literals.feed(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }

  endSource(): void {
    this.#current?.literals?.end();
    this.#current = undefined;
  }

  #open(source: EvidenceOrigin["source"]): End {
    const end: End = {
      stream: new TextStream(),
      literals:
        source === "cloudbase-init"
          ? new BytesLiterals(
              (bytes) => {
                this.#keep(end, bytes);
              },
              () => 0,
            )
          : undefined,
      pieces: [],
      held: 0,
      kept: 0,
      cut: false,
    };
    return end;
  }

  #keep(end: End, chunk: Uint8Array): void {
    const limit = Math.min(bytesPerSource, Math.max(0, bytesOfAll - this.#total + end.kept));
    end.cut ||= end.kept + chunk.length > limit;
    const kept = Math.min(limit, end.kept + chunk.length);
    this.#total += kept - end.kept;
    end.kept = kept;
    // A copy: a slice would keep the whole chunk in memory.
    const piece = Buffer.from(chunk.subarray(Math.max(0, chunk.length - limit)));
    end.pieces.push(piece);
    end.held += piece.length;
    if (end.held > kept + mostBeside) join(end);
  }

  excerpts(): readonly Excerpt[] {
    return [...this.#ends].map(([origin, end]) => ({
      origin: show(origin),
      cut: end.cut,
      text: show(join(end).toString("utf8"), { start: end.cut }),
    }));
  }
}

/** Bytes that may lie before the end that counts, so that not every small piece moves it. */
const mostBeside = 64 * 1024;

function join(end: End): Buffer {
  const bytes = Buffer.concat(end.pieces);
  const newest = Buffer.from(bytes.subarray(bytes.length - end.kept));
  end.pieces = [newest];
  end.held = newest.length;
  return newest;
}
