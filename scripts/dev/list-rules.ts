import { loadRules } from "../../handler/diagnosis/load-rules.ts";
import { buildRules } from "./build-rules.ts";

/** `npm run rules [-- --json]`: the catalogue as a table, or as the JSON that ships. */
async function main(options: readonly string[]): Promise<void> {
  const text = await buildRules();
  if (options.includes("--json")) {
    process.stdout.write(`${JSON.stringify(loadRules(text).rules, undefined, 2)}\n`);
    return;
  }
  for (const rule of loadRules(text).rules) {
    const reason = rule.kind === "failure" ? `${rule.reason} (${rule.cause}, ${rule.specificity})` : "success";
    process.stdout.write(`${rule.id.padEnd(44)} ${rule.stage.padEnd(18)} ${reason}\n`);
  }
}

if (import.meta.main) await main(process.argv.slice(2));
