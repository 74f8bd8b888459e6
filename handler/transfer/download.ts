import { HandlerError } from "../errors/handler-error.ts";
import type { Host } from "../host.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { startStallWatch, type StallWatch } from "./stall-watch.ts";
import { failureOfError, type OpenedTransfer, type OpenTransfer, type TransferFailure } from "./transfer.ts";

const maxTries = 8;
const fewTries = 3;
const defaultStallMs = 30_000;
const timeRanOut = "the time ran out while it was under way";

/** Takes the bytes of one try; `restart` throws away what an earlier try left. */
export interface DownloadSink {
  restart(): Promise<void>;
  write(chunk: Uint8Array): Promise<void>;
}

export interface DownloadRequest {
  readonly host: Pick<Host, "monotonicMs" | "sleep">;
  /** The address as it may be printed. */
  readonly description: string;
  readonly open: OpenTransfer;
  readonly sink: DownloadSink;
  readonly maxBytes: number;
  /** Time for everything, pauses between tries included. */
  readonly timeoutMs: number;
  /** Time without a single byte after which a try is given up. */
  readonly stallMs?: number;
  readonly signal: AbortSignal;
  /** Machine-specific text for the jitter. */
  readonly seed: string;
}

/** Downloads with retries; each try starts at byte 0. Resolves only when the whole body is in the sink. */
export async function download(request: DownloadRequest): Promise<void> {
  const { host } = request;
  const done = new AbortController();
  const timeUp = new AbortController();
  void host.sleep(request.timeoutMs, done.signal).then(() => {
    timeUp.abort();
  });
  const signal = AbortSignal.any([timeUp.signal, request.signal]);
  const started = host.monotonicMs();
  const leftMs = () => request.timeoutMs - (host.monotonicMs() - started);
  try {
    for (let tries = 1, before: TransferFailure | undefined; ; tries += 1) {
      const failure = await tryOnce(request, signal);
      if (failure === undefined) return;
      throwIfStopped(request);
      const delay = retryDelayMs({ tries, retryAfterMs: failure.retryAfterMs, seed: request.seed });
      if (signal.aborted || !mayRetry(failure, tries) || delay >= leftMs())
        throw toError(request, { failure, before, tries });
      before = failure;
      await host.sleep(delay, signal);
      throwIfStopped(request);
    }
  } finally {
    done.abort();
  }
}

/** Undefined when the body arrived whole. */
async function tryOnce(request: DownloadRequest, signal: AbortSignal): Promise<TransferFailure | undefined> {
  const stallMs = request.stallMs ?? defaultStallMs;
  const stall = startStallWatch(request.host, stallMs);
  try {
    await request.sink.restart();
    const opened = await request.open(AbortSignal.any([signal, stall.signal]));
    return opened.kind === "failed" ? opened : await receive(request, opened, stall);
  } catch (error) {
    if (error instanceof HandlerError) throw error;
    if (stall.signal.aborted) return timedOut(`no byte arrived for ${seconds(stallMs)}`);
    if (signal.aborted) return timedOut(timeRanOut);
    return failureOfError(error);
  } finally {
    stall.stop();
  }
}

async function receive(
  request: DownloadRequest,
  { body, expectedBytes }: OpenedTransfer,
  stall: StallWatch,
): Promise<TransferFailure | undefined> {
  if ((expectedBytes ?? 0) > request.maxBytes) return tooLarge(request);
  let received = 0;
  for await (const chunk of body) {
    stall.touch();
    received += chunk.length;
    if (received > request.maxBytes) return tooLarge(request);
    await request.sink.write(chunk);
  }
  if (expectedBytes === undefined || expectedBytes === received) return undefined;
  return broken(`the body broke off after ${String(received)} of ${String(expectedBytes)} bytes`);
}

function mayRetry(failure: TransferFailure, tries: number): boolean {
  switch (failure.retry) {
    case "never":
      return false;
    case "few":
      return tries < fewTries;
    case "yes":
      return tries < maxTries;
  }
}

function tooLarge({ maxBytes }: DownloadRequest): TransferFailure {
  const reason = `it is larger than the allowed ${String(maxBytes)} bytes`;
  return { kind: "failed", id: "downloadTooLarge", reason, retry: "never" };
}

function broken(reason: string): TransferFailure {
  return { kind: "failed", id: "downloadFailed", reason, retry: "yes" };
}

function timedOut(reason: string): TransferFailure {
  return { kind: "failed", id: "downloadTimedOut", reason, retry: "yes" };
}

interface Tried {
  readonly failure: TransferFailure;
  /** Of the try before the last one. */
  readonly before: TransferFailure | undefined;
  readonly tries: number;
}

/** A last try that the deadline cut off tells nothing of the server; the one before it does. */
function toError({ description }: DownloadRequest, { failure, before, tries }: Tried): HandlerError {
  const times = tries === 1 ? "" : `, in the last of ${String(tries)} tries`;
  const cut = failure.reason === timeRanOut ? before : undefined;
  const also = cut === undefined ? "" : `; the try before it ended with: ${cut.reason}`;
  const hint = failure.hint ?? cut?.hint;
  return new HandlerError(failure.id, `Cannot download ${description}: ${failure.reason}${times}${also}`, {
    ...(hint === undefined ? {} : { hint }),
  });
}

function throwIfStopped({ description, signal }: DownloadRequest): void {
  if (!signal.aborted) return;
  throw new HandlerError("interrupted", `The download of ${description} was stopped together with the handler`);
}

function seconds(ms: number): string {
  return ms < 1000 ? `${String(ms)} ms` : `${String(Math.round(ms / 1000))} s`;
}
