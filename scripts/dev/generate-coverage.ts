import { loadRules } from "../../handler/diagnosis/load-rules.ts";
import { buildRules } from "./build-rules.ts";
import { answerMessage, readMessages, type MessageAnswer, type NamedBy } from "./read-messages.ts";

/** docs/coverage.md: which messages of which program are named, and by what. */
export async function outputs(): Promise<readonly { readonly path: string; readonly content: string }[]> {
  const ruleSet = loadRules(await buildRules());
  const answers = (await readMessages()).map((message) => answerMessage(message, ruleSet));
  const programs = [...Map.groupBy(answers, ({ message }) => message.program)];
  const parts = [
    intro,
    "| Program | Messages | Right | By a rule | By reading | Quoted only | Wrong, and sure |",
    "| --- | --: | --: | --: | --: | --: | --: |",
    ...programs.map(([program, of]) => row(program, of)),
    row("**all**", answers),
    "",
    "## What is not named right\n",
    "| Program | Cause | Named instead | Message |",
    "| --- | --- | --- | --- |",
    ...answers.filter(({ right }) => !right).map(missRow),
  ];
  return [{ path: "docs/coverage.md", content: `${parts.join("\n")}\n` }];
}

const intro = `# Messages that end a bootstrap

This page is generated from \`test/fixtures/messages/\` by \`npm run generate\`.
Each line there is a message with which a program ends a bootstrap, written after its sources with values of our own: program, versions,
cause, instance. Where a program composes its message at run time, or its log adds a level or a unit's name, the line is our composition.
The page says what a log that holds this one line leads to. By a rule: the catalogue knows the sentence.
By reading: its form tells the cause (\`handler/diagnosis/reading/\`). Quoted only: no cause is named, the line is shown.
Wrong, and sure: another cause, with high confidence; a test keeps this at 0.
`;

function row(name: string, answers: readonly MessageAnswer[]): string {
  const by = (kind: NamedBy): number => answers.filter(({ namedBy }) => namedBy === kind).length;
  const right = answers.filter((one) => one.right).length;
  const sure = answers.filter((one) => one.wrongAndSure).length;
  const share = `${((100 * right) / answers.length).toFixed(0)} %`;
  return `| ${[name, answers.length, share, by("rule"), by("reading"), by("quoted"), sure].join(" | ")} |`;
}

const longestCell = 150;

function missRow({ message, cause }: MessageAnswer): string {
  const text = message.text.length > longestCell ? `…${message.text.slice(-longestCell)}` : message.text;
  return `| ${message.program} | ${message.cause} | ${cause ?? "none"} | ${text.replaceAll("|", "\\|").replaceAll(/[<>`]/gu, "")} |`;
}
