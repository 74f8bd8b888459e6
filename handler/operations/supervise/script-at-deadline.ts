import { join } from "node:path";
import { scriptAtWork } from "../../check/answers/script-at-work.ts";
import { readTail } from "../../check/running/output-tail.ts";
import type { Host } from "../../host.ts";
import { hasWords } from "../../text/said.ts";
import { cutShown, ours, type ShownText } from "../../text/shown-text.ts";
import type { CheckOutcome } from "../../verdict/outcome.ts";

const outputLog = "var/log/cloud-init-output.log";
const tailBytes = 4096;
/** While cloud-init is in one of its stages, what its units run is the bootstrap's; later it may be a service that a script left. */
const ofCloudInit = /^cloud-init-(?:network|config|final)$/u;
/** What cloud-init's last stage is called where a program of a script tells more. */
const ofScript = /^(?:installing-packages|downloading|starting-service)$/u;

/**
 * Adds to a deadline that was reached while cloud-init worked which script it was busy with, and what that printed last. The check
 * asks for no arguments, because secrets stand in them: they are read here, once, and redacted.
 */
export async function tellScript(outcome: CheckOutcome, host: Pick<Host, "root" | "platform">): Promise<CheckOutcome> {
  if (outcome.kind !== "deadline" || host.platform.name !== "linux") return outcome;
  const { stillRunning, report } = outcome;
  const stage = report.stage ?? "";
  const script = stillRunning.length === 0 && ofCloudInit.test(stage) ? scriptAtWork(host) : undefined;
  if (script === undefined && (stillRunning.length === 0 || !(ofCloudInit.test(stage) || ofScript.test(stage)))) {
    return outcome;
  }
  const printedLast = await lastLineOf(host.root);
  return {
    ...outcome,
    ...(script !== undefined && { stillRunning: [script] }),
    ...(printedLast !== undefined && { printedLast }),
  };
}

async function lastLineOf(root: string): Promise<ShownText | undefined> {
  const tail = await readTail(join(root, outputLog), tailBytes).catch(() => ours``);
  const last = cutShown.lines(tail).findLast((line) => line.trim() !== "");
  // A value that stands alone may be a secret.
  if (last !== undefined && !hasWords(last)) return undefined;
  return last === undefined ? undefined : cutShown.oneLine(last);
}
