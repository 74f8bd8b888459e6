import { loadRules } from "../../handler/diagnosis/load-rules.ts";
import { buildRules } from "./build-rules.ts";
import { ablate, ablationLine } from "./evaluate/ablate.ts";
import { evaluateCase, readCases, type Result } from "./evaluate/cases.ts";
import { drift, driftLines } from "./evaluate/drift.ts";
import { messageLine } from "./evaluate/messages.ts";

const help = `npm run evaluate -- FOLDER [--json] [--ablate] [--drift] [--messages]

Runs the rules and the reading layer on every log of a labelled folder (cases.jsonl and cases/ID.log), without network or probes.
A case has: id, cause, also (other acceptable causes), evidence (its decisive line), log_kind, platform (default linux).

Answer of a case: the cause of the finding named first, or "none" when the diagnosis is healthy or unclassified.
strict           share of all cases whose answer is the case's cause ("none" is right for cause none)
lenient          share of all cases whose answer is the case's cause or stands in also
false-positives  F/N: of the N cases with cause none, F for which a cause is named
unclassified     cases with a cause for which no cause is named
evidence         share of the cases with a decisive line for which the line is shown
healthy          H/N: of the N cases with cause none, H that are called healthy
false-healthy    cases with a cause that are called healthy

--ablate    each rule taken out in turn: what is left must still name its own log's cause, or quote its line (needs no folder)
--drift     each log in twelve disguises: the share of answers that stay
--messages  the messages of test/fixtures/messages (needs no folder)
`;

async function main(options: readonly string[]): Promise<void> {
  const folder = options.find((option) => !option.startsWith("-"));
  const alone = options.includes("--ablate") || options.includes("--messages");
  if ((folder === undefined && !alone) || options.includes("--help")) {
    process.stdout.write(help);
    process.exitCode = folder === undefined && !options.includes("--help") ? 2 : 0;
    return;
  }
  await measure(folder, options);
}

async function measure(folder: string | undefined, options: readonly string[]): Promise<void> {
  const json = options.includes("--json");
  if (options.includes("--ablate")) await printAblation(json);
  if (options.includes("--messages")) print(await messageLine());
  if (folder === undefined) return;
  if (options.includes("--drift")) await printDrift(folder, json);
  const results = await evaluateFolder(folder);
  if (json) for (const result of results) print(JSON.stringify(result));
  else printConfusion(results);
  print(evidenceLine(results));
  print(summaryLine(results));
}

export async function evaluateFolder(folder: string): Promise<readonly Result[]> {
  const ruleSet = loadRules(await buildRules());
  return (await readCases(folder)).map((one) => evaluateCase(one, ruleSet));
}

async function printAblation(json: boolean): Promise<void> {
  const results = ablate(loadRules(await buildRules()));
  for (const one of results) {
    if (json) print(JSON.stringify(one));
    else if (!one.right)
      print(`${one.id.padEnd(44)}${one.cause.padEnd(36)}${one.answer}${one.evidence ? "" : " (line not quoted)"}`);
  }
  print(ablationLine(results));
}

async function printDrift(folder: string, json: boolean): Promise<void> {
  const results = drift(await readCases(folder), loadRules(await buildRules()));
  for (const one of results.filter((each) => !each.stays)) {
    print(
      json
        ? JSON.stringify(one)
        : `${one.id.padEnd(8)}${one.disguise.padEnd(32)}${one.before} -> ${one.after}${one.misled ? " (misled)" : ""}`,
    );
  }
  for (const line of driftLines(results)) print(line);
}

function printConfusion(results: readonly Result[]): void {
  const wrong = results.filter((result) => !result.strict);
  print(`${"case".padEnd(10)}${"cause".padEnd(36)}${"answer".padEnd(36)}rule; others`);
  for (const { id, cause, answer, kind, rule, lenient, others } of wrong.toSorted((a, b) =>
    a.cause < b.cause ? -1 : 1,
  )) {
    const shown = `${answer === "none" ? kind : answer}${lenient ? " (accepted)" : ""}`;
    print(`${id.padEnd(10)}${cause.padEnd(36)}${shown.padEnd(36)}${rule ?? "-"}; ${others.join(", ")}`);
  }
  print("");
  print(`${"cause".padEnd(36)}right / cases`);
  for (const cause of [...new Set(results.map((result) => result.cause))].sort()) {
    const cases = results.filter((result) => result.cause === cause);
    print(`${cause.padEnd(36)}${cases.filter((result) => result.strict).length} / ${cases.length}`);
  }
  print("");
}

function evidenceLine(results: readonly Result[]): string {
  const failing = results.filter((result) => result.cause !== "none");
  const shown = failing.filter((result) => result.evidence).length;
  const fine = results.filter((result) => result.cause === "none");
  const healthy = fine.filter((result) => result.kind === "healthy").length;
  const wrongly = failing.filter((result) => result.kind === "healthy").length;
  const share = failing.length === 0 ? "1.000" : (shown / failing.length).toFixed(3);
  return `evidence ${share} healthy ${healthy}/${fine.length} false-healthy ${wrongly}`;
}

function summaryLine(results: readonly Result[]): string {
  const share = (count: number): string => (results.length === 0 ? "0.000" : (count / results.length).toFixed(3));
  const healthy = results.filter((result) => result.cause === "none");
  const strict = share(results.filter((result) => result.strict).length);
  const lenient = share(results.filter((result) => result.lenient).length);
  const named = healthy.filter((result) => result.answer !== "none").length;
  const unclassified = results.filter((result) => result.cause !== "none" && result.answer === "none").length;
  return `strict ${strict} lenient ${lenient} false-positives ${named}/${healthy.length} unclassified ${unclassified}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main) await main(process.argv.slice(2));
