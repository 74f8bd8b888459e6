import { Command, CommanderError, Option } from "commander";
import type { Host } from "./host.ts";
import { bootstrapProviders, type BootstrapProvider } from "./settings/settings.ts";
import { handlerVersion } from "./version.ts";

const about = `Tells when and why this machine failed to become a Kubernetes node.

The Azure guest agent calls install, enable, disable, update and uninstall; they are not for people.
The commands below are: on the machine, in a rescue shell, or over copied logs.`;

const exitCodes = `
Exit codes:
  0  the node bootstrapped, or the command did what it was asked
  1  the node failed to bootstrap (diagnose: a cause was found)
  2  the deadline was reached without a verdict (diagnose: no known cause)
  3  not checked: settings, download or the tool itself failed
  64 wrong use of the command line`;

/** The command line for people; returns the exit code. */
export async function runCli(args: readonly string[], host: Host): Promise<number> {
  let exitCode = 0;
  const finish = (code: number) => {
    exitCode = code;
  };
  const program = new Command("capz-bootstrap")
    .description(about)
    .version(handlerVersion)
    .addHelpText("after", exitCodes)
    .showHelpAfterError("(capz-bootstrap --help lists the commands)")
    .exitOverride();
  addRun(program, host, finish);
  addCheck(program, host, finish);
  addDiagnose(program, host, finish);
  addReport(program, host, finish);
  addExplain(program, host, finish);
  addSettings(program, host, finish);
  try {
    if (args.length === 0) program.help({ error: true });
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 64;
  }
  return exitCode;
}

type Finish = (code: number) => void;

function addRun(program: Command, host: Host, finish: Finish): void {
  program
    .command("run")
    .description("wait for the verdict on this machine without a guest agent, and print it")
    .requiredOption(
      "--settings <file>",
      'JSON file with the extension\'s settings, for example {"timeoutSeconds": "600"}',
    )
    .option("--json", "print the verdict as JSON")
    .option("--quiet", "no progress lines")
    .action(async (options: { readonly settings: string; readonly json?: boolean; readonly quiet?: boolean }) => {
      const { runInForeground } = await import("./operations/run-in-foreground.ts");
      finish(
        await runInForeground(host, {
          settingsFile: options.settings,
          json: options.json ?? false,
          quiet: options.quiet ?? false,
        }),
      );
    });
}

function addCheck(program: Command, host: Host, finish: Finish): void {
  program
    .command("check")
    .description("look at this machine once and say where its bootstrap is; exit code 0 yes, 75 not yet, 1 failed")
    .option("--root <folder>", "look at the machine that lies below this folder", host.root)
    .addOption(
      new Option("--provider <name>", "as the setting bootstrapProvider").choices(bootstrapProviders).default("auto"),
    )
    .option("--replay <file>", "judge again what a look saw: observations.json of a report")
    .option("--json", "print JSON, with everything that was seen")
    .action(
      async (options: {
        readonly root: string;
        readonly provider: BootstrapProvider;
        readonly replay?: string;
        readonly json?: boolean;
      }) => {
        const { runCheck } = await import("./operations/check.ts");
        const { root, provider, replay, json = false } = options;
        const request = { json, provider, ...(replay === undefined ? {} : { replay }) };
        const result = await runCheck({ ...host, root }, request);
        (result.exitCode === 3 ? process.stderr : process.stdout).write(result.text);
        finish(result.exitCode);
      },
    );
}

function addDiagnose(program: Command, host: Host, finish: Finish): void {
  program
    .command("diagnose")
    .description("say why this machine (or the copied logs of one) failed to bootstrap")
    .option("--root <folder>", "read the files below this folder instead of the running system's", host.root)
    .option("--no-probes", "do not test DNS, network and resources of this machine")
    .option("--json", "print the report as JSON")
    .option("--html", "print the report as a self-contained HTML page")
    .action(
      async (options: {
        readonly root: string;
        readonly probes: boolean;
        readonly json?: boolean;
        readonly html?: boolean;
      }) => {
        const { runDiagnose } = await import("./operations/diagnose.ts");
        const format = options.html === true ? "html" : options.json === true ? "json" : "text";
        const result = await runDiagnose({ ...host, root: options.root }, { format, probes: options.probes });
        process.stdout.write(result.text.endsWith("\n") ? result.text : `${result.text}\n`);
        finish(result.exitCode);
      },
    );
}

function addReport(program: Command, host: Host, finish: Finish): void {
  program
    .command("report")
    .description("print the last report that the extension wrote on this machine")
    .option("--json", "print report.json instead of report.txt")
    .action(async (options: { readonly json?: boolean }) => {
      const { printLastReport } = await import("./operations/print-last-report.ts");
      finish(await printLastReport(host, options.json === true ? "report.json" : "report.txt"));
    });
}

function addExplain(program: Command, host: Host, finish: Finish): void {
  program
    .command("explain")
    .description("read what Azure or Kubernetes says of the extension and put it in words")
    .argument(
      "<file>",
      "instance view, extension resource, AzureMachine or Machine (JSON or YAML), N.status; - for standard input",
    )
    .option("--json", "print JSON")
    .action(async (file: string, options: { readonly json?: boolean }) => {
      const { runExplain } = await import("./operations/explain.ts");
      const result = await runExplain(host, { file, json: options.json ?? false });
      process.stdout.write(result.text.endsWith("\n") ? result.text : `${result.text}\n`);
      finish(result.exitCode);
    });
}

function addSettings(program: Command, host: Host, finish: Finish): void {
  const settings = program.command("settings").description("work with the extension's settings");
  settings
    .command("check")
    .description("check a settings file before it is attached: every problem at once")
    .argument("<file>", "JSON file with the settings")
    .option("--json", "print JSON")
    .addOption(
      new Option("--system <name>", "the node's system, when it is not this machine's").choices(["linux", "windows"]),
    )
    .action(async (file: string, options: { readonly json?: boolean; readonly system?: "linux" | "windows" }) => {
      const { checkSettings } = await import("./operations/check-settings.ts");
      const { json = false, system } = options;
      finish(await checkSettings(host, { file, json, ...(system === undefined ? {} : { system }) }));
    });
}
