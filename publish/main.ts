import { Command, CommanderError } from "commander";
import { addBuildCommands } from "./commands-build.ts";
import { addReleaseCommands } from "./commands-release.ts";
import { addRolloutCommands } from "./commands-rollout.ts";
import { addSignCommands } from "./commands-sign.ts";
import { addUploadCommand } from "./commands-upload.ts";
import { addUploadBundleCommand } from "./commands-upload-bundle.ts";
import { addVerifyCommand } from "./commands-verify.ts";
import { addWithdrawCommands } from "./commands-withdraw.ts";
import { mask } from "./mask.ts";
import { errorText, PublishError } from "./publish-error.ts";

async function main(): Promise<number> {
  const program = new Command("publish-tool")
    .description("Builds, proves, signs, uploads and rolls out the extension packages.")
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
    if (error instanceof CommanderError) return error.exitCode;
    const hint = error instanceof PublishError ? `\n${error.hint}` : "";
    process.stderr.write(mask(`error: ${errorText(error)}${hint}\n`));
    return 1;
  }
}

process.exitCode = await main();
