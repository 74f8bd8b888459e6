import { readFile } from "node:fs/promises";
import { stdin } from "node:process";
import { buffer } from "node:stream/consumers";
import type { RuleSet } from "../../diagnosis/load-rules.ts";
import { readPackagedRules } from "../../diagnosis/packaged-rules.ts";
import { errorText } from "../../errors/handler-error.ts";
import { explain } from "../../explain/explain.ts";
import type { Explanation } from "../../explain/explanation.ts";
import { renderExplanation } from "../../explain/render-explanation.ts";
import { readPackagedFile } from "../../files/packaged-file.ts";
import type { Host } from "../../host.ts";
import { decodeText } from "../../text/decode-text.ts";
import { show, showAll, shownJson, type ShownText } from "../../text/shown-text.ts";

export interface ExplainRequest {
  /** A file, or "-" for what comes in through standard input. */
  readonly file: string;
  readonly json: boolean;
  readonly input?: AsyncIterable<Uint8Array | string>;
  /** Default: the rules of the package. */
  readonly rules?: RuleSet;
}

export interface ExplainResult {
  /** 0: explained, whatever the verdict is; 64: the named input cannot be read or holds nothing to explain. */
  readonly exitCode: 0 | 64;
  readonly text: ShownText;
}

/** `capz-bootstrap explain FILE|-`: asks nothing of the machine it runs on: no network, no rights. */
export async function runExplain(
  host: Pick<Host, "programFolder" | "now">,
  request: ExplainRequest,
): Promise<ExplainResult> {
  const input = await readInput(request);
  if (input.kind === "unreadable") return { exitCode: 64, text: show(input.problem) };
  const explanation = await explain(input.text, request.rules ?? (await packagedRules(host)), host.now());
  const text = request.json ? shownJson<Explanation>(showAll(explanation), 2) : show(renderExplanation(explanation));
  return { exitCode: explanation.kind === "explained" ? 0 : 64, text };
}

/** Without its rules the program still explains what is its own. */
async function packagedRules({ programFolder }: Pick<Host, "programFolder">): Promise<RuleSet | undefined> {
  try {
    return readPackagedRules(await readPackagedFile(programFolder, "rules.json"));
  } catch {
    return undefined;
  }
}

type Input =
  { readonly kind: "text"; readonly text: string } | { readonly kind: "unreadable"; readonly problem: string };

async function readInput({ file, input }: ExplainRequest): Promise<Input> {
  try {
    if (file !== "-") return { kind: "text", text: decodeText(await readFile(file)) };
    return { kind: "text", text: decodeText(await buffer(input ?? stdin)) };
  } catch (thrown) {
    const what = file === "-" ? "standard input" : file;
    return {
      kind: "unreadable",
      problem: `Cannot read ${what}: ${errorText(thrown)}. Name a file, or "-" and pipe the text.`,
    };
  }
}
