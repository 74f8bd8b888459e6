import type { ArmClient } from "../arm/arm-client.ts";
import type { Account } from "../verdict/account.ts";
import type { World } from "../world.ts";
import { askAzure } from "./ask-azure.ts";
import { kubectlGet, type KubectlAnswer } from "./kubectl-get.ts";
import { renderStatus } from "./render-status.ts";
import type { ProgramResult } from "./run-program.ts";
import {
  groupedCauses,
  rowsOfObjects,
  rowsOfVerdicts,
  targetsOfObjects,
  type ReadObjects,
  type StatusRow,
} from "./status-rows.ts";

export interface StatusOptions {
  readonly cluster?: string | undefined;
  readonly allNamespaces: boolean;
  readonly namespace?: string | undefined;
  readonly json: boolean;
  readonly watch: boolean;
  /** Asks Azure with a person's login; undefined: it is not asked. */
  readonly client?: ArmClient | undefined;
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
/** Each look asks Azure for every machine. */
const armEveryMs = 30_000;

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
      if (rows !== shown) options.print(`${shown === "" ? "" : "\n"}${render(read, options)}`);
      shown = rows;
      const failed = groupedCauses(read.rows).length > 0;
      if (!options.watch || options.signal.aborted) return failed ? 1 : 0;
    }
    await options.world.sleep(options.client === undefined ? everyMs : armEveryMs, options.signal);
    if (isOver(options.signal)) return 0;
  }
}

/** Asked anew after an await: the compiler would hold the answer from before it for the present one. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Where the answers come from; a reader has to know how much they can say. */
const readFromWords = {
  verdictObjects: "Read from the verdict objects of capz-bootstrap-cluster watch.",
  azure: "Read from Azure and CAPZ's conditions at this moment.",
  capzConditions:
    "Read from CAPZ's conditions alone, which forget a failure and know no success: the controller has written nothing here. --arm asks Azure too.",
} as const;
type ReadFrom = keyof typeof readFromWords;

function render({ rows, readFrom, notes }: Extract<Read, { kind: "rows" }>, options: StatusOptions): string {
  const { json, world, width } = options;
  if (json)
    return `${JSON.stringify({ schemaVersion: 1, readFrom, notes, causes: groupedCauses(rows), machines: rows }, undefined, 2)}\n`;
  const foot = rows.length === 0 ? notes : ["", ...notes, readFromWords[readFrom]];
  return `${renderStatus(rows, { now: world.now(), width })}${foot.map((line) => `${line}\n`).join("")}`;
}

type Read =
  | {
      readonly kind: "rows";
      readonly rows: readonly StatusRow[];
      readonly readFrom: ReadFrom;
      readonly notes: string[];
    }
  | { readonly kind: "failed"; readonly why: string };

/** Verdict objects where the controller writes them; else what CAPZ says at this moment, and Azure where it is to be asked. */
async function readRows(options: StatusOptions): Promise<Read> {
  const verdicts = await get(options, ["bootstrapverdicts.bootstrap.capz.io"]);
  const written = verdicts.kind === "value" ? rowsOfVerdicts(verdicts.value) : [];
  if (written.length > 0 && options.client === undefined)
    return { kind: "rows", ...ofCluster(written, options), readFrom: "verdictObjects" };
  const machines = await get(options, ["machines.cluster.x-k8s.io"]);
  if (machines.kind === "failed") return machines;
  // One after the other: a management cluster without machine pools does not know the other kinds.
  const [azureMachines, poolMachines, pools] = [
    await infrastructure(options, "azuremachines"),
    await infrastructure(options, "azuremachinepoolmachines"),
    await infrastructure(options, "azuremachinepools"),
  ];
  const read = { machines: machines.value, infras: [azureMachines, poolMachines], pools };
  return rowsAtOnce(read, options);
}

/** Judged at once, without the controller. */
async function rowsAtOnce(read: ReadObjects, options: StatusOptions): Promise<Read> {
  const { client, world, signal } = options;
  const now = world.now();
  const asked =
    client === undefined
      ? { accounts: new Map<string, Account>(), silences: [] }
      : await askAzure(targetsOfObjects(read, now), { client, world, signal });
  const { rows, notes } = ofCluster(rowsOfObjects(read, asked.accounts, now), options);
  return {
    kind: "rows",
    rows,
    readFrom: client === undefined ? "capzConditions" : "azure",
    notes: [...notes, ...asked.silences.map((why) => `Azure did not answer for some machines: ${why}`)],
  };
}

async function infrastructure(options: StatusOptions, plural: string): Promise<unknown> {
  const read = await get(options, [`${plural}.infrastructure.cluster.x-k8s.io`]);
  return read.kind === "value" ? read.value : undefined;
}

/** A name that no machine's Cluster has is most likely mistyped. */
function ofCluster(
  all: readonly StatusRow[],
  { cluster }: Pick<StatusOptions, "cluster">,
): { readonly rows: readonly StatusRow[]; readonly notes: string[] } {
  const rows = all.filter((row) => cluster === undefined || row.cluster === cluster);
  const names = [...new Set(all.map((row) => row.cluster))];
  const isMistyped = rows.length === 0 && names.length > 0 && cluster !== undefined;
  const notes = isMistyped
    ? [`There are machines of other Clusters than "${cluster}": ${names.slice(0, 20).join(", ")}`]
    : [];
  return { rows, notes };
}

function get(
  { kubectl, run, allNamespaces, namespace }: StatusOptions,
  what: readonly string[],
): Promise<KubectlAnswer> {
  const where = allNamespaces ? ["--all-namespaces"] : namespace === undefined ? [] : ["--namespace", namespace];
  return kubectlGet({ kubectl, run }, [...what, ...where]);
}
