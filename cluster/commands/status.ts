import type { World } from "../world.ts";
import { kubectlGet, type KubectlAnswer } from "./kubectl-get.ts";
import { renderStatus } from "./render-status.ts";
import type { ProgramResult } from "./run-program.ts";
import { groupedCauses, rowsOfObjects, rowsOfVerdicts, type StatusRow } from "./status-rows.ts";

export interface StatusOptions {
  readonly cluster?: string | undefined;
  readonly allNamespaces: boolean;
  readonly namespace?: string | undefined;
  readonly json: boolean;
  readonly watch: boolean;
  /** Words before kubectl's own: its path, --kubeconfig, --context. */
  readonly kubectl: readonly [string, ...string[]];
  readonly run: (command: readonly [string, ...string[]]) => Promise<ProgramResult>;
  readonly world: World;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly width: number;
  readonly signal: AbortSignal;
}

const everyMs = 2000;

/** The list of machines; 0, or 1 where one has failed, or 3 where the cluster cannot be read. */
export async function runStatus(options: StatusOptions): Promise<number> {
  let shown = "";
  for (;;) {
    const read = await readRows(options);
    if (read.kind === "failed") {
      options.printError(`${read.why}\n`);
      if (!options.watch || options.signal.aborted) return 3;
    } else {
      // Ages grow all the time; what is shown again is news.
      const rows = JSON.stringify(read.rows);
      if (rows !== shown) options.print(`${shown === "" ? "" : "\n"}${render(read.rows, options)}`);
      shown = rows;
      const failed = groupedCauses(read.rows).length > 0;
      if (!options.watch || options.signal.aborted) return failed ? 1 : 0;
    }
    await options.world.sleep(everyMs, options.signal);
    if (isOver(options.signal)) return 0;
  }
}

/** Asked anew after an await: the compiler would hold the answer from before it for the present one. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

function render(rows: readonly StatusRow[], { json, world, width }: StatusOptions): string {
  if (json)
    return `${JSON.stringify({ schemaVersion: 1, causes: groupedCauses(rows), machines: rows }, undefined, 2)}\n`;
  return renderStatus(rows, { now: world.now(), width });
}

type Read =
  { readonly kind: "rows"; readonly rows: readonly StatusRow[] } | { readonly kind: "failed"; readonly why: string };

/** Verdict objects where the controller writes them; else what CAPZ says at this moment. */
async function readRows(options: StatusOptions): Promise<Read> {
  const verdicts = await get(options, ["bootstrapverdicts.bootstrap.capz.io"]);
  const written = verdicts.kind === "value" ? rowsOfVerdicts(verdicts.value) : [];
  if (written.length > 0) return { kind: "rows", rows: written.filter((row) => isOf(row, options.cluster)) };
  const machines = await get(options, ["machines.cluster.x-k8s.io"]);
  if (machines.kind === "failed") return machines;
  // One after the other: a management cluster without machine pools does not know the second kind.
  const infras: unknown[] = [];
  for (const plural of ["azuremachines", "azuremachinepoolmachines"]) {
    const read = await get(options, [`${plural}.infrastructure.cluster.x-k8s.io`]);
    if (read.kind === "value") infras.push(read.value);
  }
  const rows = rowsOfObjects(machines.value, infras, options.world.now());
  return { kind: "rows", rows: rows.filter((row) => isOf(row, options.cluster)) };
}

function isOf(row: StatusRow, cluster: string | undefined): boolean {
  return cluster === undefined || row.cluster === cluster;
}

function get(
  { kubectl, run, allNamespaces, namespace }: StatusOptions,
  what: readonly string[],
): Promise<KubectlAnswer> {
  const where = allNamespaces ? ["--all-namespaces"] : namespace === undefined ? [] : ["--namespace", namespace];
  return kubectlGet({ kubectl, run }, [...what, ...where]);
}
