import { loadRules } from "../../../handler/diagnosis/load-rules.ts";
import { buildRules } from "../build-rules.ts";
import { answerMessage, readMessages } from "../read-messages.ts";

/** How many messages of test/fixtures/messages are named right, and by what. */
export async function messageLine(): Promise<string> {
  const ruleSet = loadRules(await buildRules());
  const answers = (await readMessages()).map((message) => answerMessage(message, ruleSet));
  const right = answers.filter((one) => one.right).length;
  const sure = answers.filter((one) => one.wrongAndSure).length;
  return `messages ${answers.length} right ${(right / answers.length).toFixed(3)} wrong-and-sure ${sure}`;
}
