import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { firstBootOfThisVm } from "../../../handler/diagnosis/first-boot.ts";
import { fakeHost } from "./fake-host.ts";

const minute = 60_000;
const hour = 60 * minute;
let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "first-boot-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function seenByCloudInit(): Promise<void> {
  await mkdir(join(root, "var/lib/cloud/instances/i-1"), { recursive: true });
  await symlink("instances/i-1", join(root, "var/lib/cloud/instance"));
}

/** A zone's file ends in its rule. */
async function setZone(rule: string): Promise<void> {
  await mkdir(join(root, "etc"), { recursive: true });
  await writeFile(join(root, "etc/localtime"), `TZif2\0\0\0\nTZif2\0LMT\0\n${rule}\n`, "latin1");
}

/** Of a machine that has been up for so long and whose clock is off by so much now; the folder's own date is of this machine's clock. */
async function firstBoot(uptimeMs: number, clockMs = 0) {
  return firstBootOfThisVm(fakeHost({ root, now: () => new Date(Date.now() + clockMs), monotonicMs: () => uptimeMs }));
}

/** Minutes, to the nearest: the folder was made a moment ago. */
function minutesFromNow(ms: number | undefined): number {
  return Math.round(((ms ?? Number.NaN) - Date.now()) / minute) + 0;
}

test("the first boot of this VM is when its cloud-init folder was made, or this boot if that was earlier", async () => {
  expect(await firstBoot(0)).toBeUndefined();
  await seenByCloudInit();
  await setZone("UTC0");
  expect(minutesFromNow((await firstBoot(0))?.ms)).toBe(-10);
  expect(minutesFromNow((await firstBoot(20 * minute))?.ms)).toBe(-30);
});

test("a clock that was ahead when cloud-init's folder was made and was set back since makes nothing of this boot look older", async () => {
  await seenByCloudInit();
  await setZone("UTC0");
  const found = await firstBoot(20 * minute, -9 * 24 * hour);
  expect(minutesFromNow(found?.ms)).toBe(-9 * 24 * 60 - 30);
  expect(minutesFromNow(found?.shownMs)).toBe(0);
});

test("a clock that was behind at that time, and has been set forward since, lets everything of this boot pass", async () => {
  await seenByCloudInit();
  await setZone("UTC0");
  expect(minutesFromNow((await firstBoot(2 * minute, 365 * 24 * hour))?.ms)).toBe(-10);
});

test("a date without a zone may be this machine's local time or UTC: the earlier bound counts", async () => {
  await seenByCloudInit();
  for (const [zone, hours] of [
    ["HST10", -10],
    ["<-0330>3:30<-0230>,M3.2.0,M11.1.0", -3.5],
    ["PST8PDT,M3.2.0,M11.1.0", -8],
    ["IST-5:30", 0],
    ["UTC0", 0],
    ["no rule", 0],
  ] as const) {
    await rm(join(root, "etc"), { recursive: true, force: true });
    await setZone(zone);
    const found = await firstBoot(0);
    expect(((found?.unzonedMs ?? 0) - (found?.ms ?? 0)) / hour).toBe(hours);
  }
});

test("without a zone's file local time is UTC", async () => {
  await seenByCloudInit();
  const found = await firstBoot(0);
  expect(found?.unzonedMs).toBe(found?.ms);
});
