import { Command, CommanderError } from "commander";
import { guardOutput } from "../handler/errors/guard-output.ts";
import { addBuildCommands } from "./commands-build.ts";
import { addReleaseCommands } from "./commands-release.ts";
import { addRolloutCommands } from "./commands-rollout.ts";
import { addSignCommands } from "./commands-sign.ts";
import { addUploadCommand } from "./commands-upload.ts";
import { addUploadBundleCommand } from "./commands-upload-bundle.ts";
import { addVerifyCommand } from "./commands-verify.ts";
import { addWithdrawCommands } from "./commands-withdraw.ts";
import { mask } from "./mask.ts";
import { errorText, PublishError, WrongUse } from "./publish-error.ts";

const exitCodes = `
Exit codes:
  0  done, or there was nothing to do
  1  the step failed or was refused; status and --wait: the replication failed
  2  status and --wait: the replication goes on
  3  status and --wait: failed in some regions, done in others
  64 wrong use of the command line: nothing was read or sent`;

/** As capz-bootstrap has it; 1 is also the answer "the replication failed". */
const exitCodeOfWrongUse = 64;

async function main(): Promise<number> {
  guardOutput(process.stdout, { exitCode: 1, tell });
  guardOutput(process.stderr);
  const program = new Command("publish-tool")
    .description("Builds, proves, signs, uploads and rolls out the extension packages.")
    .addHelpText("after", exitCodes)
    // An option may hold a link with its signature.
    .configureOutput({ writeErr: (text) => process.stderr.write(mask(text)) })
    .exitOverride();
  addBuildCommands(program);
  addVerifyCommand(program);
  addReleaseCommands(program);
  addSignCommands(program);
  addUploadCommand(program);
  addUploadBundleCommand(program);
  addRolloutCommands(program);
  addWithdrawCommands(program);
  try {
    await program.parseAsync();
    // `status` tells by the exit code how far a version is.
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodeOfWrongUse;
    tell(`${errorText(error)}${error instanceof PublishError ? `\n${error.hint}` : ""}`);
    return error instanceof WrongUse ? exitCodeOfWrongUse : 1;
  }
}

function tell(words: string): void {
  process.stderr.write(mask(`error: ${words}\n`));
}

process.exitCode = await main();
