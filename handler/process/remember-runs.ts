import type { RunOptions, RunProcess, RunResult } from "../host.ts";

/**
 * `run`, with a memory for answers that somebody wants remembered: a look and the diagnosis of the failure that it found ask a Windows machine
 * the same within a moment, and each start of a program costs it a tenth of a second of work. A program that did not end has said nothing.
 */
export function rememberRuns(run: RunProcess): RunProcess {
  const answers = new Map<string, Promise<RunResult>>();

  function remember(key: string, answer: Promise<RunResult>, forMs: number): void {
    answers.set(key, answer);
    const forget = (): void => {
      if (answers.get(key) === answer) answers.delete(key);
    };
    void answer.then(({ kind }) => {
      if (kind !== "exited") forget();
      else if (forMs !== Infinity) setTimeout(forget, forMs).unref();
    }, forget);
  }

  return (file: string, args: readonly string[], options: RunOptions = {}) => {
    const key = JSON.stringify([file, ...args]);
    const earlier = options.takesRemembered === true ? answers.get(key) : undefined;
    if (earlier !== undefined) return earlier;
    const answer = run(file, args, options);
    if (options.rememberMs !== undefined) remember(key, answer, options.rememberMs);
    return answer;
  };
}
