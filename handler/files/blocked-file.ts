import { systemErrorCode } from "../errors/handler-error.ts";

export type Pause = (ms: number) => Promise<void>;

/** What Windows says while another process (the guest agent, a virus scanner) has a file open and does not share it. */
const blockedCodes = ["EPERM", "EACCES", "EBUSY"];
const tries = 30;
const stepMs = 25;
const longestPauseMs = 250;

/** Does `action` again while another process blocks the file, for about six seconds; then throws its system error. */
export async function onceUnblocked<T>(action: () => T | Promise<T>, pause: Pause = realPause): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (thrown) {
      if (attempt >= tries || !blockedCodes.includes(systemErrorCode(thrown) ?? "")) throw thrown;
      await pause(Math.min(stepMs * attempt, longestPauseMs));
    }
  }
}

function realPause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
