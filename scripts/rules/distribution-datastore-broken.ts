import type { Rule } from "../../handler/diagnosis/rule.ts";

export const distributionDatastoreBroken = {
  kind: "failure",
  id: "distribution-datastore-broken",
  cause: "datastore-failed",
  reason: "DatastoreFailed",
  platforms: ["linux"],
  stage: "distribution",
  sources: "any",
  any: [
    /(?<what>[Ff]ailed to reconcile with temporary etcd[^"\n]{0,80})/u,
    /(?<what>walpb: crc mismatch|wal: crc mismatch|snap: \S{0,40} ?crc mismatch|tocommit\(\d+\) is out of range[^"\n]{0,60})/u,
    /(?<what>failed to open WAL|wal: file not found|database disk image is malformed|file is not a database)/u,
    /(?<what>newer than datastore and could cause a cluster outage)/u,
    /panic: (?<what>(?:freepages|invalid freelist page|assertion failed: Page expected)[^\n]{0,80})/u,
    /(?<what>building kine: [^"\n]{5,120})/u,
    /(?<what>dqlite[^"\n]{0,60}(?:corrupt|failed to open|load closed segment|entries batch)[^"\n]{0,60})/iu,
    /(?<what>failed to (?:open|find) (?:database|datastore)(?! file \/var\/lib\/(?:containerd|docker)\/)[^"\n]{0,80}|creating storage endpoint[^"\n]{0,80})/u,
  ],
  specificity: 84,
  confidence: "high",
  explains: ["etcd-unhealthy", "api-server-unreachable", "join-timeout-unknown"],
  retryable: false,
  blame: "control-plane",
  title: "The datastore of the distribution cannot be opened",
  summary: "The datastore cannot be opened: {what}",
  explanation:
    "The local etcd or dqlite files are damaged, or the external database refuses the schema or the login. The server cannot start.",
  nextStep:
    "Restore from a snapshot, or delete the Machine so that the control plane (RKE2ControlPlane, KThreesControlPlane) makes a new member; for an external database correct its endpoint and settings",
  references: ["https://docs.k3s.io/datastore"],
} as const satisfies Rule;
