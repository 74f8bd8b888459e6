import { removals } from "./removals.ts";

/** The table of docs/reliability.md, without the blanks that align it. */
export function wiringTable(): string {
  const rows = removals.map(({ what, file, test: [testFile] }) => `| ${what} | \`${file}\` | \`${testFile}\` |`);
  return ["| Without | In | Fails |", "| --- | --- | --- |", ...rows].join("\n");
}
