import { createHost, ownPlatform } from "../../handler/create-host.ts";
import { loadSequenceContext } from "../../handler/operations/context.ts";
import { enable } from "../../handler/operations/agent/enable.ts";
import { readSettings } from "../../handler/operations/read-settings.ts";
import { supervise } from "../../handler/operations/supervise/supervise.ts";
import { fastHost } from "../support/check-host.ts";

/**
 * One wait of the handler, enable and supervisor in this process, with a clock that runs fast. Arguments: the handler's
 * folder (its bundle is the check), and how many times as fast. A process of its own, because the lock names it.
 */
const real = createHost(await ownPlatform());
const fast = fastHost(real, Number(process.argv[3]));
const host = {
  ...fast,
  programFolder: process.argv[2] ?? "",
  platform: { ...real.platform, startSupervisor: () => Promise.resolve() },
};
await enable(await loadSequenceContext(host, "enable"));
const context = await loadSequenceContext(host, "supervise");
const { signal } = new AbortController();
await supervise(context, { signal, readSettings: () => readSettings(context) });
