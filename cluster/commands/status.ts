import type { ArmClient } from "../arm/arm-client.ts";
import type { World } from "../world.ts";
import { askAzure } from "./ask-azure.ts";
import { readMachines, type ReadMachines } from "./read-machines.ts";
import { renderStatus } from "./render-status.ts";
import type { RunProgram } from "./run-program.ts";
import { groupedCauses, rowsOfObjects, targetsOfObjects, type StatusRow } from "./status-rows.ts";

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
  readonly run: RunProgram;
  readonly world: World;
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly width: number;
  readonly signal: AbortSignal;
}

const everyMs = 2000;
/** Each look asks Azure for every machine. */
const armEveryMs = 30_000;

/**
 * The list of machines; 1 where one has failed, else 3 where the cluster or a part of it could not be read, else 0. What is watched ends with 0
 * when it is asked to.
 */
export async function runStatus(options: StatusOptions): Promise<number> {
  const { watch, signal, world, client } = options;
  let shown = "";
  for (;;) {
    const read = await readRows(options);
    if (watch && isOver(signal)) return 0;
    if (read.kind === "failed") options.printError(`${read.why}\n`);
    else {
      // Ages grow all the time; what is shown again is news.
      const news = JSON.stringify([read.rows, read.notes]);
      if (news !== shown) options.print(`${shown === "" ? "" : "\n"}${render(read, options)}`);
      shown = news;
    }
    if (!watch) return exitCodeOf(read);
    await world.sleep(client === undefined ? everyMs : armEveryMs, signal);
    if (isOver(signal)) return 0;
  }
}

function exitCodeOf(read: Read): number {
  if (read.kind === "failed") return 3;
  if (groupedCauses(read.rows).length > 0) return 1;
  return read.isWhole ? 0 : 3;
}

/** Asked anew after an await: the compiler would hold the answer from before it for the present one. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Where the answers come from; a reader has to know how much they can say. */
type ReadFrom = "verdictObjects" | "verdictObjectsAndCapzConditions" | "capzConditions" | "azure";

type Read =
  | {
      readonly kind: "rows";
      readonly rows: readonly StatusRow[];
      readonly readFrom: ReadFrom;
      /** Of the rows, those that no verdict object tells of. */
      readonly withoutVerdict: number;
      readonly notes: readonly string[];
      /** Nothing was refused or missing. */
      readonly isWhole: boolean;
    }
  | { readonly kind: "failed"; readonly why: string };
type ReadRows = Extract<Read, { kind: "rows" }>;

function render(read: ReadRows, options: StatusOptions): string {
  const { rows, readFrom, notes } = read;
  const { json, world, width, allNamespaces } = options;
  if (json)
    return `${JSON.stringify({ schemaVersion: 1, readFrom, notes, causes: groupedCauses(rows), machines: rows }, undefined, 2)}\n`;
  const foot = rows.length === 0 ? notes : ["", ...notes, wordsOfSource(read)];
  const list = renderStatus(rows, { now: world.now(), width, withNamespace: allNamespaces });
  return `${list}${foot.map((line) => `${line}\n`).join("")}`;
}

function wordsOfSource({ readFrom, withoutVerdict: count }: ReadRows): string {
  const limits = "CAPZ's conditions alone, which forget a failure and know no success";
  switch (readFrom) {
    case "verdictObjects":
      return "Read from the verdict objects of capz-bootstrap-cluster watch.";
    case "verdictObjectsAndCapzConditions":
      return `Read from the verdict objects of capz-bootstrap-cluster watch; ${count === 1 ? "one machine has" : `${String(count)} machines have`} none, and ${count === 1 ? "is" : "are"} read from ${limits}. --arm asks Azure too.`;
    case "capzConditions":
      return `Read from ${limits}: no verdict object of the controller was read. --arm asks Azure too.`;
    case "azure":
      return "Read from Azure and CAPZ's conditions at this moment.";
  }
}

/** Verdict objects where the controller writes them; of other machines what CAPZ says at this moment, and Azure where it is to be asked. */
async function readRows(options: StatusOptions): Promise<Read> {
  const read = await readMachines(options, { withVerdicts: options.client === undefined });
  if (read.kind === "failed") return read;
  const { rows: others, silences } = await rowsAtOnce(read, options);
  const written = read.written.map(({ row }) => row);
  const { rows, notes } = ofCluster([...written, ...others], options);
  const withoutVerdict = rows.filter((row) => !written.includes(row)).length;
  return {
    kind: "rows",
    rows,
    readFrom: readFromOf({ client: options.client, written: written.length, withoutVerdict }),
    withoutVerdict,
    notes: [...notes, ...read.unread.map((why) => `Not all could be read: ${why}`), ...silences],
    isWhole: read.unread.length === 0,
  };
}

function readFromOf(parts: {
  readonly client: ArmClient | undefined;
  readonly written: number;
  readonly withoutVerdict: number;
}): ReadFrom {
  if (parts.client !== undefined) return "azure";
  if (parts.written === 0) return "capzConditions";
  return parts.withoutVerdict === 0 ? "verdictObjects" : "verdictObjectsAndCapzConditions";
}

/** Judged at once, without the controller. */
async function rowsAtOnce({ others }: ReadMachines, { client, world, signal }: StatusOptions) {
  const now = world.now();
  if (client === undefined) return { rows: rowsOfObjects(others, undefined, now), silences: [] };
  const asked = await askAzure(targetsOfObjects(others, now), { client, world, signal });
  return {
    rows: rowsOfObjects(others, asked.accounts, now),
    silences: asked.silences.map((why) => `Azure did not answer for some machines: ${why}`),
  };
}

/** A name that no machine's Cluster has is most likely mistyped. */
function ofCluster(
  all: readonly StatusRow[],
  { cluster }: Pick<StatusOptions, "cluster">,
): { readonly rows: readonly StatusRow[]; readonly notes: readonly string[] } {
  const rows = all.filter((row) => cluster === undefined || row.cluster === cluster);
  const names = [...new Set(all.map((row) => row.cluster))];
  const isMistyped = rows.length === 0 && names.length > 0 && cluster !== undefined;
  const notes = isMistyped
    ? [`There are machines of other Clusters than "${cluster}": ${names.slice(0, 20).join(", ")}`]
    : [];
  return { rows, notes };
}
