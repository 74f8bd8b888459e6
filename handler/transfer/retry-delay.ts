const firstMs = 1000;
const longestMs = 30_000;

export interface RetryDelay {
  /** 1 after the first try. */
  readonly tries: number;
  readonly retryAfterMs: number | undefined;
  /** Differs from machine to machine, so that a thousand nodes do not come back in the same second. */
  readonly seed: string;
}

/** Exponential with jitter: between half and the whole of 1, 2, 4 … 30 s; a Retry-After is a lower bound. */
export function retryDelayMs({ tries, retryAfterMs, seed }: RetryDelay): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** (tries - 1));
  const delay = ceiling * (0.5 + 0.5 * fractionOf(`${seed}:${String(tries)}`));
  return Math.round(Math.max(delay, retryAfterMs ?? 0));
}

/** A number from 0 up to 1, the same for the same text. */
export function fractionOf(text: string): number {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32;
}
