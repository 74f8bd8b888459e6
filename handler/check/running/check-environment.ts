import { resolve } from "node:path";
import type { Settings } from "../../settings/settings.ts";
import type { Host } from "../../host.ts";
import type { MachineIdentity } from "../../platform/platform.ts";
import { isSystemRoot } from "../../files/system-root.ts";
import { scriptProtocol } from "../obtain/bundle-fit.ts";

export interface CheckContext {
  readonly host: Pick<Host, "root">;
  readonly identity: MachineIdentity;
  readonly settings: Pick<Settings, "bootstrapProvider" | "timeoutSeconds">;
  readonly outputFile: string;
  readonly stateFolder: string;
  readonly elapsedMs: number;
}

/** What a check that is a script, a hook and a command find in their environment. */
export function checkEnvironment(context: CheckContext): Readonly<Record<string, string>> {
  return {
    // Empty in production, so that a script can write "$CAPZ_ROOT/run/…".
    CAPZ_ROOT: isSystemRoot(context.host.root) ? "" : resolve(context.host.root),
    CAPZ_CHECK_OUTPUT: context.outputFile,
    CAPZ_PROVIDER: context.settings.bootstrapProvider,
    CAPZ_VM_ID: context.identity.vmId,
    CAPZ_BOOT_ID: context.identity.bootId,
    CAPZ_PROTOCOL: String(scriptProtocol),
    CAPZ_ELAPSED_SECONDS: String(Math.floor(context.elapsedMs / 1000)),
    CAPZ_TIMEOUT_SECONDS: String(context.settings.timeoutSeconds),
    CAPZ_STATE_DIR: context.stateFolder,
  };
}
