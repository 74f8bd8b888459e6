import { TextStream } from "../text/decode-text.ts";
import { show, type ShownText } from "../text/shown-text.ts";
import type { EvidenceOrigin, EvidenceSink } from "./evidence-source.ts";

/** The newest end of one source, redacted. */
export interface Excerpt {
  readonly origin: ShownText;
  readonly text: ShownText;
  readonly cut: boolean;
}

const bytesPerSource = 128 * 1024;
const bytesOfAll = 4 * 1024 * 1024;

/** Keeps the end of each source while it streams past; a bounded memory, whatever the sources' size. */
export class ExcerptSink implements EvidenceSink {
  readonly #ends = new Map<string, { stream: TextStream; bytes: Buffer; cut: boolean }>();
  #total = 0;

  feed({ origin }: EvidenceOrigin, encoded: Uint8Array): void {
    const end = this.#ends.get(origin) ?? { stream: new TextStream(), bytes: Buffer.alloc(0), cut: false };
    const chunk = end.stream.toUtf8(encoded);
    const limit = Math.min(bytesPerSource, Math.max(0, bytesOfAll - this.#total + end.bytes.length));
    const joined = Buffer.concat([end.bytes, chunk.subarray(Math.max(0, chunk.length - limit))]);
    const cut = end.cut || end.bytes.length + chunk.length > limit;
    // A copy: a slice would keep the whole chunk in memory.
    const bytes = Buffer.from(joined.subarray(Math.max(0, joined.length - limit)));
    this.#total += bytes.length - end.bytes.length;
    this.#ends.set(origin, { stream: end.stream, bytes, cut });
  }

  endSource(): void {
    // Sources are told apart by their origins.
  }

  excerpts(): readonly Excerpt[] {
    return [...this.#ends].map(([origin, { bytes, cut }]) => ({
      origin: show(origin),
      cut,
      text: show(bytes.toString("utf8"), { start: cut }),
    }));
  }
}
