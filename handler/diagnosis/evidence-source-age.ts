import { readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Host } from "../host.ts";
import { sinceThisInstance } from "./first-instance-windows.ts";

/** Clocks of a booting machine jump when the first time server answers. */
const toleranceMs = 10 * 60_000;
/** A log without dates is not searched for them for ever. */
const mostUndatedLines = 5000;
const lineFeed = 0x0a;

/** Windows' logs are in local times of a zone that nobody knows, and its clock may have been hours off when it was set up. */
const windowsToleranceMs = 15 * 3_600_000;

/**
 * When this VM first booted, a little earlier: lines before it were captured into the image from another machine.
 * Undefined where it cannot be told, for example over copied files, whose folder dates say nothing.
 */
export async function firstBootOfThisVm(host: Pick<Host, "root" | "platform" | "run">): Promise<Date | undefined> {
  return host.platform.name === "linux" ? sinceCloudInit(host.root) : sinceSetUp(host);
}

/** When cloud-init first saw this VM. */
async function sinceCloudInit(root: string): Promise<Date | undefined> {
  try {
    const instance = join(root, "var/lib/cloud/instance");
    await readlink(instance);
    const { birthtimeMs } = await stat(instance);
    return birthtimeMs > 0 ? new Date(birthtimeMs - toleranceMs) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A generalized image is set up anew by the first boot of each machine that is made from it. A disk that was copied without that keeps
 * its donor's date; then cloudbase-init's log tells since when it works for another instance.
 */
async function sinceSetUp({ root, platform, run }: Pick<Host, "root" | "platform" | "run">): Promise<Date | undefined> {
  const dates = await Promise.all([platform.setUpAt?.(run), sinceThisInstance(root)]);
  const times = dates.flatMap((date) => (date === undefined ? [] : [date.getTime()]));
  return times.length === 0 ? undefined : new Date(Math.max(...times) - windowsToleranceMs);
}

/** Lets lines pass from the first one that is not older than `notBefore`; lines without a date belong to the one above. */
export class OlderLinesFilter {
  readonly #notBefore: Date;
  #state: "undecided" | "older" | "open" = "undecided";
  #undatedLines = 0;
  /** Head of the line that the last chunk's end cut. */
  #cutLine = "";
  skippedBytes = 0;

  constructor(notBefore: Date) {
    this.#notBefore = notBefore;
  }

  /** The part of the chunk that may pass. */
  pass(chunk: Buffer): Buffer {
    const kept: Buffer[] = [];
    let start = 0;
    while (start < chunk.length && this.#state !== "open") {
      const end = chunk.indexOf(lineFeed, start);
      const next = end === -1 ? chunk.length : end + 1;
      const line = this.#cutLine + chunk.toString("latin1", start, Math.min(next, start + 200));
      this.#cutLine = end === -1 ? line.slice(0, 200) : "";
      const state = this.#judge(line);
      if (state === "open") break;
      if (state === "undecided") kept.push(chunk.subarray(start, next));
      else this.skippedBytes += next - start;
      start = next;
    }
    return start === 0 ? chunk : Buffer.concat([...kept, chunk.subarray(start)]);
  }

  #judge(line: string): "undecided" | "older" | "open" {
    const time = timeOfLine(line);
    if (time !== undefined) this.#state = time < this.#notBefore.getTime() ? "older" : "open";
    else if (++this.#undatedLines > mostUndatedLines && this.#state === "undecided") this.#state = "open";
    return this.#state;
  }
}

/** Only dates with a year are used; a date without one cannot be told from last year's. */
function timeOfLine(line: string): number | undefined {
  const iso = /\b(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})/.exec(line);
  if (iso !== null) return parse(`${iso[1] ?? ""}T${iso[2] ?? ""}Z`);
  // cloud-init-output.log: "Cloud-init v. 24.1 running 'init-local' at Sat, 21 Nov 2026 03:14:07 +0000. Up 9.7 seconds."
  const mail = /\b(\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4})/.exec(line);
  return mail === null ? undefined : parse(mail[1] ?? "");
}

function parse(text: string): number | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
