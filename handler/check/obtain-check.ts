import type { Host } from "../host.ts";
import type { MachineIdentity } from "../platform/platform.ts";
import type { CheckSettings, Settings } from "../settings/settings.ts";
import type { Deadline } from "./deadline.ts";
import type { ObtainedCheck } from "./obtained-check.ts";

export interface ObtainRequest {
  readonly host: Host;
  readonly settings: Pick<Settings, "check" | "storage" | "timeoutSeconds" | "proxy">;
  readonly workFolder: string;
  readonly identity: MachineIdentity;
  readonly handlerVersion: string;
  readonly deadline: Pick<Deadline, "remainingMs">;
  readonly signal: AbortSignal;
  /** Overrides for tests against servers on loopback. */
  readonly remote?: RemoteOverrides;
}

interface RemoteOverrides {
  readonly stallMs?: number;
  /** Replaces the table of storage hosts: the account that the host of an address belongs to. */
  readonly storageAccountOf?: (url: URL) => string | undefined;
  /** Certificate authority of a storage server in a test. */
  readonly storageCertificate?: string;
  readonly identityEndpoint?: string;
}

export type Obtain<Kind extends CheckSettings["kind"]> = Omit<ObtainRequest, "settings"> & {
  readonly settings: Omit<ObtainRequest["settings"], "check"> & {
    readonly check: Extract<CheckSettings, { kind: Kind }>;
  };
};

/** Puts the check on disk, verified and ready to run. */
export async function obtainCheck(request: ObtainRequest): Promise<ObtainedCheck> {
  const { settings } = request;
  const { check } = settings;
  switch (check.kind) {
    case "probe": {
      const { obtainBundle } = await import("./obtain-bundle.ts");
      return await obtainBundle({ ...request, settings: { ...settings, check } });
    }
    case "command": {
      const { obtainCommand } = await import("./obtain-command.ts");
      return await obtainCommand({ ...request, settings: { ...settings, check } });
    }
  }
}
