import { show } from "../text/shown-text.ts";
import type { DiagnosisRun } from "./diagnosis-run.ts";

/** A diagnosis that came to no end of its own: it denies nothing, and quotes nothing as an error of the machine. */
export function notMade(why: string): DiagnosisRun {
  return {
    diagnosis: { kind: "unclassified", others: [], decisive: [], notMade: show(why) },
    evidence: [],
    probes: [],
    timeline: [],
    traces: { ofMachine: true, ofBootstrap: true, ofKubeadm: false },
    machine: {},
    excerpts: () => [],
  };
}
