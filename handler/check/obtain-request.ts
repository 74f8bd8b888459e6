import type { Host } from "../host.ts";
import type { MachineIdentity } from "../platform/platform.ts";
import type { CheckSettings, Settings } from "../settings/settings.ts";
import type { Deadline } from "./deadline.ts";

export interface ObtainRequest {
  readonly host: Host;
  readonly settings: Pick<Settings, "check" | "storage" | "proxy">;
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

export type RemoteRequest = Pick<ObtainRequest, "host" | "settings" | "remote">;
