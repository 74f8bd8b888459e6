import type { Host } from "../host.ts";
import type { Settings } from "../settings/settings.ts";

/** Whoever reads or writes at an address: from where, with which account and through which proxy. */
export interface RemoteRequest {
  readonly host: Host;
  readonly settings: Pick<Settings, "storage" | "proxy">;
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
