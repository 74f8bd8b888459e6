import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { HandlerError } from "../errors/handler-error.ts";
import { takePrivateFolder } from "../files/private-folder.ts";
import { prepareInstanceFolder } from "../state/run-state.ts";
import type { AgentContext } from "./context.ts";

/**
 * Makes our private folder, closed to other users: by its mode, on Windows by its access list (once, because that is slow).
 * @throws HandlerError stateUnwritable where it cannot be closed: scripts run from there with the rights of the system
 */
export async function preparePrivateFolder(
  { host, instance }: Pick<AgentContext, "host" | "instance">,
  options: { readonly anew: boolean },
): Promise<void> {
  const stateFolder = dirname(instance);
  const { restrictFolder } = host.platform;
  if (restrictFolder !== undefined && (options.anew || !existsSync(stateFolder))) {
    // Every user may create folders beside it: a junction in its place would lead us, and the change of rights, elsewhere.
    takePrivateFolder(stateFolder);
    const problem = await restrictFolder(stateFolder, host.run);
    if (problem !== undefined) {
      const hint = `Look at the rights and the owner of ${stateFolder} (icacls), remove the folder, and apply the extension again`;
      throw new HandlerError("stateUnwritable", problem, { hint });
    }
  }
  prepareInstanceFolder(instance);
}
