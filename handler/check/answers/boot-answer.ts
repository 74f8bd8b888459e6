import { join } from "node:path";
import type { Answer } from "../../../scripts/check/questions.ts";
import type { Host } from "../../host.ts";
import type { MachineIdentity } from "../../platform/platform.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import { cannotTell, known } from "./answer.ts";
import { textIfThere } from "../../files/text-if-there.ts";

type BootView = Pick<Host, "root" | "platform" | "monotonicMs">;

export function answerBoot(view: BootView, identity: MachineIdentity): Answer<"boot"> {
  const uptimeMs = uptimeOf(view);
  if (uptimeMs === undefined) return cannotTell("how long this machine runs is not known");
  const runIsMemory = view.platform.name === "linux" ? readRunIsMemory(view.root) : undefined;
  return known<"boot">({ id: identity.bootId, uptimeMs, ...(runIsMemory === undefined ? {} : { runIsMemory }) });
}

/** Windows counts its monotonic clock from the boot; a folder that stands for a machine may keep a file of Linux's form. */
export function uptimeOf({ root, platform, monotonicMs }: BootView): number | undefined {
  return platform.name === "windows" && isSystemRoot(root) ? monotonicMs() : readUptimeMs(root);
}

/** Of proc(5) uptime: seconds since the boot, suspended time included. */
export function readUptimeMs(root: string): number | undefined {
  const seconds = Number(textIfThere(join(root, "proc/uptime"))?.split(" ", 1)[0] ?? Number.NaN);
  return Number.isFinite(seconds) ? Math.round(seconds * 1000) : undefined;
}

/** The mount that lies on top is the last of the list. */
function readRunIsMemory(root: string): boolean | undefined {
  const mounts = textIfThere(join(root, "proc/mounts"));
  const type = mounts
    ?.split("\n")
    .findLast((line) => line.split(" ", 2)[1] === "/run")
    ?.split(" ", 3)[2];
  return mounts === undefined ? undefined : type === "tmpfs" || type === "ramfs";
}
