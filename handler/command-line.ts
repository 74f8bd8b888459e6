import { type Command, CommanderError } from "commander";

/** Called by a command with its exit code; without a call it is 0. */
export type Finish = (exitCode: number) => void;

/**
 * Runs the command that `args` name and returns the exit code of the program: 64 for wrong use of the command line, as sysexits.h
 * has it. `add` puts the commands into `program`. For this program and the one in the management cluster.
 */
export async function runCommands(
  program: Command,
  args: readonly string[],
  add: (finish: Finish) => void,
): Promise<number> {
  let exitCode = 0;
  add((code) => {
    exitCode = code;
  });
  try {
    if (args.length === 0) program.help({ error: true });
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 64;
  }
  return exitCode;
}
