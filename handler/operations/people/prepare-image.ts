import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { findTarget, type FoundTarget } from "../../image/find-targets.ts";
import { askedParts, type AskedPart, type ImagePart } from "../../image/image-part.ts";
import { linuxParts } from "../../image/parts-linux.ts";
import { windowsParts } from "../../image/parts-windows.ts";
import { isPrepared, markPrepared, preparedMark } from "../../image/prepared-mark.ts";
import { removeTarget, type Remover } from "../../image/remove-target.ts";
import type { Host } from "../../host.ts";
import type { Log } from "../../logging/log.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import { cutShown, show, showAll, shownJson, type ShownText } from "../../text/shown-text.ts";
import { runCheck } from "./run-check.ts";
import { renderPrepared, type PartItem, type PartResult, type PreparedImage } from "./render-prepared.ts";
import { markStopped } from "../stop-mark.ts";
import { stopSupervisor } from "../supervisor.ts";
import { printAside } from "../terminal.ts";
import { terminalLog } from "./terminal-log.ts";

export interface PrepareOptions {
  readonly asked: readonly AskedPart[];
  readonly dryRun: boolean;
  readonly json: boolean;
  /** Every single thing on standard error as it is treated; the answer lists the first of each part. */
  readonly verbose: boolean;
}

export interface PrepareAnswer {
  readonly text: ShownText;
  /** 0 done, 1 refused, 3 something could not be removed. */
  readonly exitCode: 0 | 1 | 3;
}

/**
 * `capz-bootstrap prepare-image`: makes a good donor of this machine. Refuses one that is not a working node, removes what
 * would mislead its clones, and can be repeated.
 */
export async function prepareImage(host: Host, options: PrepareOptions): Promise<PrepareAnswer> {
  const { platform, root } = host;
  const state = platform.paths(root).state;
  const identity = await platform.machineIdentity(root, host.run);
  const again = isPrepared(state, identity.vmId);
  const refusal = again ? undefined : await whyNoDonor(host);
  if (refusal !== undefined) return answer({ kind: "refused", ...refusal }, options, 1);
  if (!options.dryRun) await stopSupervisors(host, identity.bootId);
  const log = options.verbose ? terminalLog(host, "prepare-image") : undefined;
  const parts: PartResult[] = [];
  // Each thing once, in the first part that names it; our mark stays, with this machine's name in it.
  const seen = new Set([resolve(preparedMark(state))]);
  for (const part of platform.name === "linux" ? linuxParts : windowsParts) {
    const result = await treat(host, { part, seen }, options);
    logItems(result, log);
    parts.push(result);
    // After each: the first part takes an older mark away, and a run that is cut off must go on although the node is gone by then.
    if (!options.dryRun) markPrepared(state, { vmId: identity.vmId, preparedAt: host.now().toISOString() });
  }
  await log?.flush();
  const failed = parts.some(isUnfinished);
  return answer({ kind: "prepared", dryRun: options.dryRun, again, parts }, options, failed ? 3 : 0);
}

function answer(image: PreparedImage, { json }: PrepareOptions, exitCode: PrepareAnswer["exitCode"]): PrepareAnswer {
  return { text: json ? shownJson(showAll(image), 2) : renderPrepared(image), exitCode };
}

function logItems({ treatment, items }: PartResult, log: Log | undefined): void {
  for (const { shown, failure, leadsTo } of items) {
    if (leadsTo !== undefined) log?.warn(`left alone: ${shown}: it is a link to ${leadsTo}`);
    else if (failure === undefined) log?.info(`${treatment}: ${shown}`);
    else log?.error(`not removed: ${shown}: ${failure}`);
  }
}

/** Only a machine whose check says "bootstrapped" now is worth copying. */
async function whyNoDonor(host: Host): Promise<{ readonly isSeen: boolean; readonly why: ShownText } | undefined> {
  const { exitCode, text } = await runCheck(host, { json: false, provider: "auto" });
  return exitCode === 0 ? undefined : { isSeen: exitCode !== 3, why: cutShown.trim(text) };
}

interface Treated {
  readonly part: ImagePart;
  /** What goes with a part before this one, or stays in any case. */
  readonly seen: Set<string>;
}

async function treat(host: Host, { part, seen }: Treated, options: PrepareOptions): Promise<PartResult> {
  const wanted =
    part.when === "always" || askedParts.some((name) => name === part.name && options.asked.includes(name));
  const named = part.targets.flatMap((target) => findTarget(resolve(host.root), target));
  const found = named.filter(
    (target, index) => !seen.has(keyOf(target)) && named.findIndex((one) => keyOf(one) === keyOf(target)) === index,
  );
  if (wanted) for (const target of found) seen.add(keyOf(target));
  const { name, what } = part;
  if (!wanted) return { name, what, treatment: "kept", items: found.map(toItem) };
  if (options.dryRun) return { name, what, treatment: "would-remove", items: found.map(toItem) };
  if (found.length > 0) await stopServices(host, part.services);
  return { name, what, treatment: "removed", items: await removeAll(found, removerOf(host)) };
}

function keyOf(target: FoundTarget): string {
  return "path" in target ? target.path : target.shown;
}

/** The scale of an image is many: what was to go and is still there is said by the exit code too, a link that is left alone among it, also by a dry run. */
function isUnfinished({ treatment, items }: PartResult): boolean {
  return treatment !== "kept" && items.some(({ failure, leadsTo }) => failure !== undefined || leadsTo !== undefined);
}

function toItem(target: FoundTarget): PartItem {
  const { shown } = target;
  return target.kind === "left" ? { shown, leadsTo: target.leadsTo } : { shown };
}

async function removeAll(found: readonly FoundTarget[], remover: Remover): Promise<PartResult["items"]> {
  const items: PartItem[] = [];
  for (const target of found) {
    if (target.kind === "left") {
      items.push(toItem(target));
      continue;
    }
    const removal = await removeTarget(target, remover);
    if (removal.kind === "removed") items.push({ shown: target.shown });
    if (removal.kind === "failed") items.push({ shown: target.shown, failure: removal.why });
  }
  return items;
}

function removerOf({ run, env, platform, root }: Host): Remover {
  if (platform.name === "linux" || !isSystemRoot(root)) return { run };
  return { run, systemFolder: join(env["SystemRoot"] ?? "C:\\Windows", "System32") };
}

/** Those that are not there, or do not run, are no failure: what matters is that none writes any more. */
async function stopServices(host: Host, services: readonly string[]): Promise<void> {
  if (services.length === 0 || !isSystemRoot(host.root)) return;
  const { run, platform } = host;
  if (platform.name === "linux") {
    await run("systemctl", ["stop", ...services], { timeoutMs: 120_000 });
    return;
  }
  const program = join(removerOf(host).systemFolder ?? "", "sc.exe");
  for (const service of services) await run(program, ["stop", service], { timeoutMs: 30_000 });
}

/** Every instance of the extension on this machine: a supervisor at work would write its state anew. */
async function stopSupervisors(host: Host, bootId: string): Promise<void> {
  const { state } = host.platform.paths(host.root);
  if (statSync(state, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  for (const entry of readdirSync(state, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const instance = join(state, entry.name);
    // Also for one that is being started and holds no lock yet.
    markStopped({ instance, log: { warn } }).close();
    await stopSupervisor({ host, instance }, bootId);
  }
}

function warn(text: string): void {
  printAside(show(`capz-bootstrap prepare-image: ${text}`));
}
