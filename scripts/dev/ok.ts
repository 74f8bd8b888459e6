import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** `npm run ok [-- STEP …] [-- --without STEP]`: everything that must hold before a change is shared, in the order in which mistakes are cheapest to find. */
const steps: readonly (readonly [string, readonly string[]])[] = [
  ["format", ["node_modules/prettier/bin/prettier.cjs", "--log-level", "warn", "--check", ".", "!.cache/**"]],
  ["types", ["node_modules/@typescript/native/bin/tsc", "-p", "tsconfig.json"]],
  ["import boundaries", ["scripts/dev/check-boundaries.ts"]],
  ["generated files", ["scripts/dev/generate.ts", "--check"]],
  ["lint", ["node_modules/eslint/bin/eslint.js", "--max-warnings", "0", "."]],
  ["dead code", ["node_modules/knip/bin/knip.js"]],
  ["code for tests alone", ["node_modules/knip/bin/knip.js", "--production"]],
  ["build", ["publish/main.ts", "build"]],
  ["tests", ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"]],
];

function main(): number {
  const project = join(import.meta.dirname, "../..");
  const { values, positionals: only } = parseArgs({
    options: { without: { type: "string", multiple: true, default: [] } },
    allowPositionals: true,
  });
  for (const [name, args] of steps) {
    if (values.without.includes(name) || (only.length > 0 && !only.includes(name))) continue;
    const started = performance.now();
    const { status } = spawnSync(process.execPath, args, { cwd: project, stdio: "inherit" });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${status === 0 ? "ok    " : "FAILED"}  ${name} (${seconds} s)\n`);
    if (status !== 0) return 1;
  }
  return 0;
}

process.exitCode = main();
