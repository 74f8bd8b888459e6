/** Node has four file threads. Two that a file system holds for ever leave two for everybody else. */
const mostAtOnce = 2;
/** Far above what a busy disk needs, far below any deadline. */
const answerMs = 5000;

class FileSystemSilent extends Error {}

/** Lets few questions at a time into the file threads, and gives up those that do not come back. */
export interface FileGate {
  /** Rejects with FileSystemSilent when no answer comes in time, or at once while all places are held by such questions. */
  pass<Value>(work: () => Promise<Value>): Promise<Value>;
}

interface Waiting {
  enter(): void;
  refuse(): void;
}

export function createFileGate(limitMs: number = answerMs): FileGate {
  let busy = 0;
  let stuck = 0;
  const waiting: Waiting[] = [];

  function leave(): void {
    busy -= 1;
    const next = waiting.shift();
    if (next === undefined) return;
    busy += 1;
    next.enter();
  }

  /** A timer of the process, not the host's: a thread that hangs does so in real time. */
  function run<Value>(work: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        stuck += 1;
        reject(new FileSystemSilent(`the file system gave no answer within ${String(limitMs)} ms`));
        if (stuck === mostAtOnce) for (const { refuse } of waiting.splice(0)) refuse();
      }, limitMs);
      timer.unref();
      const end = () => {
        clearTimeout(timer);
        if (late) stuck -= 1;
        leave();
      };
      // What comes too late finds the promise rejected already.
      work().then(resolve, reject).finally(end);
    });
  }

  return {
    pass(work) {
      if (stuck === mostAtOnce) return Promise.reject(earlierSilence());
      if (busy < mostAtOnce) {
        busy += 1;
        return run(work);
      }
      return new Promise((resolve, reject) => {
        waiting.push({
          enter: () => {
            run(work).then(resolve, reject);
          },
          refuse: () => {
            reject(earlierSilence());
          },
        });
      });
    },
  };
}

function earlierSilence(): FileSystemSilent {
  return new FileSystemSilent("earlier questions to the file system have no answer yet");
}
