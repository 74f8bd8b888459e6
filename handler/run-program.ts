import { Command } from "commander";
import { runCommands, type Finish } from "./command-line.ts";
import { wordsOfFailure } from "./operations/people/words-of-failure.ts";
import { print, printAside } from "./operations/terminal.ts";
import { show } from "./text/shown-text.ts";
import { handlerVersion } from "./version.ts";

const exitCodes = `
Exit codes:
  0  the node bootstrapped, or the command did what it was asked
  1  the node failed to bootstrap (diagnose: a cause was found)
  2  the deadline was reached without a verdict (diagnose: no known cause)
  3  not checked: settings, download or the tool itself failed
  64 wrong use of the command line`;

/** A program of these commands, run once; returns the exit code. */
export async function runProgram(
  args: readonly string[],
  description: string,
  addCommands: (program: Command, finish: Finish) => void,
): Promise<number> {
  const program = new Command("capz-bootstrap")
    .description(description)
    .version(handlerVersion)
    .addHelpText("after", exitCodes)
    .showHelpAfterError("(capz-bootstrap --help lists the commands)")
    .configureOutput({
      writeOut: (text) => {
        print(show(text));
      },
      writeErr: (text) => {
        printAside(show(text));
      },
    })
    .exitOverride();
  try {
    return await runCommands(program, args, (finish) => {
      addCommands(program, finish);
    });
  } catch (error) {
    const words = wordsOfFailure(error);
    if (words === undefined) throw error;
    printAside(words);
    return 3;
  }
}
