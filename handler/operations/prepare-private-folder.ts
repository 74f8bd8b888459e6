import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { makePrivateFolder } from "../state/private-folder.ts";
import { prepareInstanceFolder } from "../state/run-state.ts";
import type { AgentContext } from "./context.ts";

/** Makes our private folder, closed to other users: by its mode, on Windows by its access list (once, because that is slow). */
export async function preparePrivateFolder(context: AgentContext, options: { readonly anew: boolean }): Promise<void> {
  const { host, instance, log } = context;
  const stateFolder = dirname(instance);
  if (options.anew || !existsSync(stateFolder)) {
    makePrivateFolder(stateFolder);
    const problem = await host.platform.restrictFolder?.(stateFolder, host.run);
    if (problem !== undefined) log.warn(problem);
  }
  prepareInstanceFolder(instance);
}
