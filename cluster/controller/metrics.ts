import { Counter, Gauge, Histogram, Registry } from "prom-client";

/**
 * Names carry the program's prefix and base units; no machine name is a label, so that their number stays bounded. In a dry run each says so, as
 * nothing that they count was written.
 */
export function createMetrics({ dryRun = false }: { readonly dryRun?: boolean } = {}) {
  const registry = new Registry();
  if (dryRun) registry.setDefaultLabels({ dry_run: "true" });
  const registers = [registry];
  return {
    registry,
    verdicts: new Gauge({
      name: "capz_bootstrap_verdicts",
      help: "Living machines by outcome and reason",
      labelNames: ["outcome", "reason"],
      registers,
    }),
    armRequests: new Counter({
      name: "capz_bootstrap_arm_requests_total",
      help: "Requests to Azure Resource Manager by answer",
      labelNames: ["answer"],
      registers,
    }),
    oldestUnsettled: new Gauge({
      name: "capz_bootstrap_oldest_unsettled_seconds",
      help: "Age of the oldest machine without a final verdict; 0 when there is none",
      registers,
    }),
    marks: new Counter({
      name: "capz_bootstrap_marks_total",
      help: "Machines for which a replacement was asked, by the reason of their failure",
      labelNames: ["reason"],
      registers,
    }),
    held: new Gauge({
      name: "capz_bootstrap_marks_held",
      help: "Failed machines for which no replacement is asked now, by why",
      labelNames: ["why"],
      registers,
    }),
    writes: new Counter({
      name: "capz_bootstrap_api_writes_total",
      help: "Writes to the API server by what was written and how it went",
      labelNames: ["what", "result"],
      registers,
    }),
    telling: new Histogram({
      name: "capz_bootstrap_telling_seconds",
      help: "From a new outcome in an answer of Azure to the condition on the Machine",
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    }),
    queue: new Gauge({
      name: "capz_bootstrap_queue_length",
      help: "Machines that wait for being worked on",
      registers,
    }),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
