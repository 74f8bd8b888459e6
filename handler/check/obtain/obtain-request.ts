import type { MachineIdentity } from "../../platform/platform.ts";
import type { CheckSettings, Settings } from "../../settings/settings.ts";
import type { Deadline } from "../deadline.ts";
import type { RemoteRequest } from "../../transfer/remote-request.ts";

export interface ObtainRequest extends RemoteRequest {
  readonly settings: Pick<Settings, "check" | "storage" | "proxy">;
  readonly workFolder: string;
  readonly identity: MachineIdentity;
  readonly handlerVersion: string;
  readonly deadline: Pick<Deadline, "remainingMs">;
  readonly signal: AbortSignal;
}

export type Obtain<Kind extends CheckSettings["kind"]> = Omit<ObtainRequest, "settings"> & {
  readonly settings: Omit<ObtainRequest["settings"], "check"> & {
    readonly check: Extract<CheckSettings, { kind: Kind }>;
  };
};
