import type { Host } from "../../host.ts";

/** Node has four file threads. Two that a file system holds for ever leave two for everybody else. */
const mostAtOnce = 2;
/** Far above what a busy disk needs, far below any deadline. */
const answerMs = 5000;

export class FileSystemSilent extends Error {}

/** Lets few questions at a time into the file threads, and gives up those that do not come back. */
export interface FileGate {
  /** Rejects with FileSystemSilent when no answer comes in time, or at once while all places are held by such questions. */
  pass<Value>(work: () => Promise<Value>): Promise<Value>;
}

export function createFileGate(host: Pick<Host, "sleep">, limitMs: number = answerMs): FileGate {
  let busy = 0;
  let stuck = 0;
  const waiting: { readonly enter: () => void; readonly refuse: () => void }[] = [];

  function leave(): void {
    busy -= 1;
    waiting.shift()?.enter();
  }

  function turnAllAway(): void {
    for (const { refuse } of waiting.splice(0)) refuse();
  }

  async function enter(): Promise<void> {
    if (busy < mostAtOnce) {
      busy += 1;
      return;
    }
    if (stuck === mostAtOnce) throw new FileSystemSilent("earlier questions to the file system have no answer yet");
    await new Promise<void>((resolve, reject) => {
      waiting.push({
        enter: () => {
          busy += 1;
          resolve();
        },
        refuse: () => {
          reject(new FileSystemSilent("earlier questions to the file system have no answer yet"));
        },
      });
    });
  }

  return {
    async pass(work) {
      await enter();
      const done = new AbortController();
      let late = false;
      const working = work().finally(() => {
        if (late) stuck -= 1;
        done.abort();
        leave();
      });
      // What comes too late has no listener any more.
      working.catch(() => undefined);
      const limit = host.sleep(limitMs, done.signal).then(() => {
        if (done.signal.aborted) return;
        late = true;
        stuck += 1;
        if (stuck === mostAtOnce) turnAllAway();
        throw new FileSystemSilent(`the file system gave no answer within ${String(limitMs)} ms`);
      });
      limit.catch(() => undefined);
      await Promise.race([working, limit]);
      return working;
    },
  };
}
