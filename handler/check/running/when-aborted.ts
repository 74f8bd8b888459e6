/** Resolves when the signal aborts; its listener goes away when `done` aborts. */
export function whenAborted(signal: AbortSignal, done: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        "abort",
        () => {
          resolve();
        },
        { once: true, signal: done },
      );
  });
}
