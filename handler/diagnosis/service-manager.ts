import { otherManagerBelow, systemdRunsBelow } from "../files/service-manager.ts";
import type { EvidenceSummary } from "./diagnosis.ts";

/**
 * Says plainly what a Linux machine without systemd does not give: the state of services and the journal. Undefined where systemd runs.
 */
export function withoutSystemd(root: string): EvidenceSummary | undefined {
  if (systemdRunsBelow(root)) return undefined;
  const found = otherManagerBelow(root);
  const who =
    found === undefined ? "no systemd runs here" : `${found} manages the services of this machine, not systemd`;
  return {
    origin: "service manager",
    source: "units",
    state: "not-available",
    bytes: 0,
    note: `${who}: the states of its services and a journal are not collected, only log files are`,
  };
}
