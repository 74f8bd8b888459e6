import { errorText } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import type { ProbeResult } from "../diagnosis.ts";

/** One question to the machine or to its network. */
export interface Probe {
  readonly name: string;
  readonly target: string;
  /** Default 3000. */
  readonly timeoutMs?: number;
  /** Ends its sockets when the signal aborts; what it throws means that the question could not be asked. */
  ask(signal: AbortSignal): Promise<Answer>;
}

/** `message` begins with the stable words that rules match; docs/report.md lists them. */
export interface Answer {
  readonly state: ProbeResult["state"];
  readonly message: string;
}

export const passed = (message: string): Answer => ({ state: "passed", message });
export const failed = (message: string): Answer => ({ state: "failed", message });
export const notRun = (message: string): Answer => ({ state: "not-run", message });

const timeoutMs = 3000;

/** Never throws, never takes longer than its time-out, and ends at once when `stop` aborts. */
export async function askProbe(probe: Probe, host: Host, stop?: AbortSignal): Promise<ProbeResult> {
  const { name, target } = probe;
  const limit = probe.timeoutMs ?? timeoutMs;
  const begin = host.monotonicMs();
  const abort = new AbortController();
  const wait = new AbortController();
  const answer = await Promise.race([
    askSafely(probe, abort.signal),
    host.sleep(limit, wait.signal).then(() => failed(`timeout after ${limit} ms`)),
    ...(stop === undefined ? [] : [whenStopped(stop)]),
  ]);
  abort.abort();
  wait.abort();
  return { name, target, ...answer, durationMs: Math.round(host.monotonicMs() - begin) };
}

function whenStopped(stop: AbortSignal): Promise<Answer> {
  const answer = notRun("no answer yet; not waited for, as the logs name the cause");
  return new Promise((resolve) => {
    if (stop.aborted) resolve(answer);
    else
      stop.addEventListener("abort", () => {
        resolve(answer);
      });
  });
}

async function askSafely(probe: Probe, signal: AbortSignal): Promise<Answer> {
  try {
    return await probe.ask(signal);
  } catch (error) {
    return notRun(`could not be asked: ${errorText(error)}`);
  }
}

/** The line that rules of source "probe" read. */
export function probeLine({ name, target, message }: ProbeResult): string {
  return `probe ${name} ${target}: ${message}`;
}
