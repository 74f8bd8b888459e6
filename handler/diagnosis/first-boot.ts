import { readFile, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Host } from "../host.ts";
import { sinceThisInstance } from "./first-instance-windows.ts";

/** When this VM first booted, a little earlier, so that nothing of this VM is taken for older. */
export interface FirstBoot {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** The same for a date without a zone, read as UTC: it is UTC or this machine's own time, and only what is older as both is older. */
  readonly unzonedMs: number;
  /** The latest time that a clock of this VM is known to have shown by then: it may have been ahead, and was set back since. */
  readonly shownMs: number;
}

type BootHost = Pick<Host, "root" | "platform" | "run" | "now" | "monotonicMs">;

/** Clocks of a booting machine jump when the first time server answers. */
const toleranceMs = 10 * 60_000;
/** Windows' logs are in local times of a zone that nobody knows, and its clock may have been hours off when it was set up. */
const windowsToleranceMs = 15 * 3_600_000;

/**
 * Lines from before it were captured into the image from another machine.
 * Undefined where it cannot be told, for example over copied files, whose folder dates say nothing.
 */
export async function firstBootOfThisVm(host: BootHost): Promise<FirstBoot | undefined> {
  const isLinux = host.platform.name === "linux";
  const shownMs = await (isLinux ? sinceCloudInit(host.root) : sinceSetUp(host));
  if (shownMs === undefined) return undefined;
  const now = host.now().getTime();
  // The first boot is not after this one. A mark that seems so was made by a clock that was ahead: all lines since would look older.
  const firstMs = Math.min(shownMs, now - host.monotonicMs());
  const ms = firstMs - (isLinux ? toleranceMs : windowsToleranceMs);
  const ahead = isLinux ? await offsetMs(host.root) : 0;
  return { ms, unzonedMs: ms + Math.min(0, ahead), shownMs };
}

/** When cloud-init first saw this VM. */
async function sinceCloudInit(root: string): Promise<number | undefined> {
  try {
    const instance = join(root, "var/lib/cloud/instance");
    await readlink(instance);
    const { birthtimeMs } = await stat(instance);
    return birthtimeMs > 0 ? birthtimeMs : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A generalized image is set up anew by the first boot of each machine that is made from it. A disk that was copied without that keeps
 * its donor's date; then cloudbase-init's log tells since when it works for another instance.
 */
async function sinceSetUp({ root, platform, run }: BootHost): Promise<number | undefined> {
  const dates = await Promise.all([platform.setUpAt?.(run), sinceThisInstance(root)]);
  const times = dates.flatMap((date) => (date === undefined ? [] : [date.getTime()]));
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The last line of a zone's file (RFC 8536): "PST8PDT,M3.2.0,M11.1.0", "<+0530>-5:30", counted westwards. */
const zoneRule = /^(?:[A-Za-z]{3,10}|<[\w+-]{1,10}>)(-?)\+?(\d{1,2})(?::(\d\d))?/u;

/**
 * Milliseconds that local time without summer time is ahead of UTC; 0 where nothing tells. Read from the file, because this process may be older
 * than the zone: cloud-init sets it after the guest agent started.
 */
async function offsetMs(root: string): Promise<number> {
  const file = await readFile(join(root, "etc/localtime"), "latin1").catch(() => "");
  const rule = zoneRule.exec(file.trimEnd().split("\n").at(-1) ?? "");
  if (rule === null) return 0;
  const [, sign, hours, minutes = "0"] = rule;
  return (sign === "-" ? 1 : -1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
