import { createHost, ownPlatform } from "../../handler/create-host.ts";
import { loadSequenceContext } from "../../handler/operations/context.ts";
import { enable } from "../../handler/operations/agent/enable.ts";
import { readSettings } from "../../handler/operations/read-settings.ts";
import { supervise } from "../../handler/operations/supervise/supervise.ts";

/**
 * One run of the handler, enable and supervisor in this process, on a machine whose wall clock jumps by up to ten years at
 * every reading. Arguments: the handler's folder. A process of its own, because the lock names it as the supervisor.
 */
const tenYearsMs = 10 * 365 * 24 * 3600 * 1000;
const host = createHost(await ownPlatform());
const jumping = {
  ...host,
  programFolder: process.argv[2] ?? "",
  now: () => new Date(Date.now() + (Math.random() - 0.5) * 2 * tenYearsMs),
  // What enable would start in a process of its own runs in this one.
  platform: { ...host.platform, startSupervisor: () => Promise.resolve() },
};
await enable(await loadSequenceContext(jumping, "enable"));
const context = await loadSequenceContext(jumping, "supervise");
const { signal } = new AbortController();
await supervise(context, { signal, readSettings: () => readSettings(context) });
