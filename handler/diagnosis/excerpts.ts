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
  bytes: Buffer;
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
      bytes: Buffer.alloc(0),
      cut: false,
    };
    return end;
  }

  #keep(end: End, chunk: Uint8Array): void {
    const limit = Math.min(bytesPerSource, Math.max(0, bytesOfAll - this.#total + end.bytes.length));
    const joined = Buffer.concat([end.bytes, chunk.subarray(Math.max(0, chunk.length - limit))]);
    end.cut ||= end.bytes.length + chunk.length > limit;
    this.#total -= end.bytes.length;
    // A copy: a slice would keep the whole chunk in memory.
    end.bytes = Buffer.from(joined.subarray(Math.max(0, joined.length - limit)));
    this.#total += end.bytes.length;
  }

  excerpts(): readonly Excerpt[] {
    return [...this.#ends].map(([origin, { bytes, cut }]) => ({
      origin: show(origin),
      cut,
      text: show(bytes.toString("utf8"), { start: cut }),
    }));
  }
}
