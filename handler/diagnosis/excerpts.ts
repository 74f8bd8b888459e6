import { show, type ShownText } from "../text/shown-text.ts";

/** The newest end of one source, redacted. */
export interface Excerpt {
  readonly origin: ShownText;
  readonly text: ShownText;
  readonly cut: boolean;
}

const bytesPerSource = 128 * 1024;
const bytesOfAll = 4 * 1024 * 1024;

interface End {
  /** The last `kept` bytes before `filled` count. */
  room: Buffer;
  filled: number;
  kept: number;
  cut: boolean;
}

/** Keeps the end of each log as the matcher reads it (decoded, literals as the lines that they stand for); a bounded memory, whatever the logs' size. */
export class Excerpts {
  readonly #ends = new Map<string, End>();
  #total = 0;

  /** The bytes may be used again afterwards. */
  keep(origin: string, bytes: Buffer): void {
    const end = this.#ends.get(origin) ?? { room: Buffer.alloc(0), filled: 0, kept: 0, cut: false };
    this.#ends.set(origin, end);
    const limit = Math.min(bytesPerSource, Math.max(0, bytesOfAll - this.#total + end.kept));
    end.cut ||= end.kept + bytes.length > limit;
    const kept = Math.min(limit, end.kept + bytes.length);
    this.#total += kept - end.kept;
    append(end, bytes.subarray(Math.max(0, bytes.length - limit)), kept);
  }

  excerpts(): readonly Excerpt[] {
    return [...this.#ends].map(([origin, { room, filled, kept, cut }]) => ({
      origin: show(origin),
      cut,
      text: show(room.toString("utf8", filled - kept, filled), { start: cut }),
    }));
  }
}

/** What counts moves to the beginning when the room is full: not for every small piece, as the room is twice as large. */
function append(end: End, piece: Buffer, kept: number): void {
  if (end.filled + piece.length > end.room.length) {
    const stays = kept - piece.length;
    const from = end.room.subarray(end.filled - stays, end.filled);
    const room = end.room.length >= 2 * kept ? end.room : Buffer.allocUnsafe(2 * kept);
    from.copy(room);
    end.room = room;
    end.filled = stays;
  }
  piece.copy(end.room, end.filled);
  end.filled += piece.length;
  end.kept = kept;
}
