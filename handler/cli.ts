import { Command, Option } from "commander";
import type { Finish } from "./command-line.ts";
import type { Host } from "./host.ts";
import { askedParts } from "./image/image-part.ts";
import type { Trial } from "./operations/people/try-check.ts";
import { onTheNode, type DiagnoseWords } from "./operations/people/diagnose-words.ts";
import { print, printAside } from "./operations/terminal.ts";
import { bootstrapProviders, type BootstrapProvider } from "./settings/settings.ts";
import { runProgram } from "./run-program.ts";

const about = `Tells when and why this machine failed to become a Kubernetes node.

The Azure guest agent calls install, enable, disable, update and uninstall; they are not for people.
The commands below are: on the machine, in a rescue shell, or over copied logs.`;

/** The command line for people; returns the exit code. */
export function runCli(args: readonly string[], host: Host): Promise<number> {
  return runProgram(args, about, (program, finish) => {
    addRun(program, host, finish);
    addEndRun(program, host);
    addCheck(program, host, finish);
    addDiagnose(program, { host, words: onTheNode }, finish);
    addReport(program, host, finish);
    addExplain(program, host, finish);
    addReason(program, finish);
    addSettings(program, host, finish);
    addPrepareImage(program, host, finish);
  });
}

function addRun(program: Command, host: Host, finish: Finish): void {
  program
    .command("run")
    .description("wait for the verdict on this machine without a guest agent, and print it")
    .requiredOption(
      "--settings <file>",
      'JSON or YAML file with the extension\'s settings, for example {"timeoutSeconds": "600"}',
    )
    .option("--json", "print the verdict as JSON")
    .addOption(
      new Option("--brief", "print the verdict alone, in less than 3.5 KB, for Azure's Run Command").conflicts("json"),
    )
    .option("--quiet", "no progress lines")
    .option("--verbose", "print the log on standard error, too")
    .action(async (options: RunFlags) => {
      const { runInForeground } = await import("./operations/people/run-in-foreground.ts");
      finish(
        await runInForeground(host, {
          settingsFile: options.settings,
          json: options.json ?? false,
          brief: options.brief ?? false,
          quiet: options.quiet ?? false,
          verbose: options.verbose ?? false,
        }),
      );
    });
}

function addEndRun(program: Command, host: Host): void {
  program
    .command("end-run")
    .description("end a run that is at work on this machine, with what it started, before its program is replaced")
    .option("--forget", "also remove its state, its downloads and its scripts")
    .action(async ({ forget = false }: { readonly forget?: boolean }) => {
      const { endRun } = await import("./operations/people/end-run.ts");
      print(await endRun(host, { forget }));
    });
}

interface RunFlags {
  readonly settings: string;
  readonly json?: true;
  readonly brief?: true;
  readonly quiet?: true;
  readonly verbose?: true;
}

function addCheck(program: Command, host: Host, finish: Finish): void {
  program
    .command("check")
    .description("look at this machine once and say where its bootstrap is; exit code 0 yes, 75 not yet, 1 failed")
    .option("--root <folder>", "look at the machine that lies below this folder", host.root)
    .addOption(
      new Option("--provider <name>", "as the setting bootstrapProvider").choices(bootstrapProviders).default("auto"),
    )
    .addOption(
      new Option("--replay <file>", "judge again what a look saw: observations.json of a report").conflicts([
        "root",
        "provider",
        "bundle",
        "hook",
      ]),
    )
    .addOption(
      new Option(
        "--bundle <folder>",
        "try a check bundle as a node would run it, and show the message that would come of it",
      ).conflicts("hook"),
    )
    .option("--hook <file>", "the same for a hook (docs/check-protocol.md)")
    .option("--json", "print JSON, with everything that was seen")
    .action(
      async (options: {
        readonly root: string;
        readonly provider: BootstrapProvider;
        readonly replay?: string;
        readonly bundle?: string;
        readonly hook?: string;
        readonly json?: boolean;
      }) => {
        const { runCheck } = await import("./operations/people/run-check.ts");
        const { root, provider, replay, json = false } = options;
        const trial = trialOf(options);
        const request = {
          json,
          provider,
          ...(replay === undefined ? {} : { replay }),
          ...(trial === undefined ? {} : { trial }),
        };
        const result = await runCheck({ ...host, root }, request);
        (result.exitCode === 3 ? printAside : print)(result.text);
        finish(result.exitCode);
      },
    );
}

function trialOf({ bundle, hook }: { readonly bundle?: string; readonly hook?: string }): Trial | undefined {
  if (bundle !== undefined) return { kind: "bundle", folder: bundle };
  return hook === undefined ? undefined : { kind: "hook", file: hook };
}

export function addDiagnose(
  program: Command,
  { host, words }: { readonly host: Host; readonly words: DiagnoseWords },
  finish: Finish,
): void {
  program
    .command("diagnose")
    .description(words.about)
    .argument(
      "[places...]",
      `folders, archives (.tgz, .tar, .zip, .gz, .zst) or single logs; default: ${words.standard}`,
    )
    .option("--root <folder>", "the same as a place: the machine whose disk or logs lie there", collect)
    .option("--no-probes", words.noProbes)
    .addOption(new Option("--brief", "print less than 3.5 KB, for Azure's Run Command").conflicts(["json", "html"]))
    .addOption(new Option("--json", "print the report as JSON").conflicts("html"))
    .option("--html", "print the report as a self-contained HTML page")
    .action(async (named: readonly string[], options: DiagnoseFlags) => {
      const { runDiagnose } = await import("./operations/people/run-diagnose.ts");
      const format = options.html ? "html" : options.json ? "json" : options.brief ? "brief" : "text";
      const places = [...(options.root ?? []), ...named];
      const { text, exitCode } = await runDiagnose(host, { format, probes: options.probes, places });
      print(text);
      finish(exitCode);
    });
}

interface DiagnoseFlags {
  readonly root?: readonly string[];
  readonly probes: boolean;
  readonly brief?: true;
  readonly json?: true;
  readonly html?: true;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function addReport(program: Command, host: Host, finish: Finish): void {
  program
    .command("report")
    .description("print the last report that the extension wrote on this machine")
    .option("--json", "print report.json instead of report.txt")
    .action(async (options: { readonly json?: boolean }) => {
      const { printLastReport } = await import("./operations/people/print-last-report.ts");
      finish(await printLastReport(host, options.json === true ? "report.json" : "report.txt"));
    });
}

export function addExplain(program: Command, host: Host, finish: Finish): void {
  program
    .command("explain")
    .description("read what Azure or Kubernetes says of the extension and put it in words")
    .argument(
      "<file>",
      "instance view, extension resource, AzureMachine or Machine (JSON or YAML), N.status; - for standard input",
    )
    .option("--json", "print JSON")
    .action(async (file: string, options: { readonly json?: boolean }) => {
      const { runExplain } = await import("./operations/people/run-explain.ts");
      const result = await runExplain(host, { file, json: options.json ?? false });
      print(result.text);
      finish(result.exitCode);
    });
}

export function addReason(program: Command, finish: Finish): void {
  program
    .command("reason")
    .description("say what a reason in a status means and what to do next")
    .argument("<name>", "the word in parentheses in the first line, such as DnsResolutionFailed, or its cause label")
    .option("--json", "print JSON")
    .action(async (name: string, options: { readonly json?: boolean }) => {
      const { explainReason } = await import("./operations/people/explain-reason.ts");
      const { text, exitCode } = explainReason(name, { json: options.json ?? false });
      (exitCode === 0 ? print : printAside)(text);
      finish(exitCode);
    });
}

export function addSettings(program: Command, host: Host, finish: Finish): void {
  const settings = program.command("settings").description("work with the extension's settings");
  settings
    .command("check")
    .description("check a settings file before it is attached: every problem at once")
    .argument(
      "<file>",
      "the settings, an ARM resource, N.settings, or an AzureMachineTemplate (JSON or YAML); - for standard input",
    )
    .option("--json", "print JSON")
    .addOption(
      new Option("--system <name>", "the node's system, when it is not this machine's").choices(["linux", "windows"]),
    )
    .action(async (file: string, options: { readonly json?: boolean; readonly system?: "linux" | "windows" }) => {
      const { checkSettings } = await import("./operations/people/check-settings.ts");
      const { json = false, system } = options;
      finish(await checkSettings(host, { file, json, ...(system === undefined ? {} : { system }) }));
    });
}

function addPrepareImage(program: Command, host: Host, finish: Finish): void {
  program
    .command("prepare-image")
    .description(
      "make a good image of this machine: remove what would mislead its clones; refuses what is no working node",
    )
    .option("--root <folder>", "prepare the machine that lies below this folder", host.root)
    .option("--dry-run", "say what would be removed and what would be kept, change nothing")
    .option("--node-identity", "also remove the node's certificates, kubeconfigs and passwords; stops the kubelet")
    .option(
      "--kubeadm-leftovers",
      "also remove what kubeadm wrote, the cluster's keys and etcd's data; stops the kubelet",
    )
    .option("--instance-data", "also remove what cloud-init or cloudbase-init keeps, so that it runs again on a clone")
    .option("--machine-id", "also empty the machine id of systemd")
    .option("--journals", "also remove journals or event logs, and the logs of this extension")
    .option("--shell-history", "also remove what people typed")
    .option("--verbose", "print every single thing on standard error as it is removed")
    .option("--json", "print JSON")
    .action(async (options: Readonly<Record<string, unknown>>) => {
      const { prepareImage } = await import("./operations/people/prepare-image.ts");
      const has = (flag: string): boolean => options[flag] === true;
      const asked = askedParts.filter((name) => has(camelCase(name)));
      const root = String(options["root"]);
      const request = { asked, dryRun: has("dryRun"), json: has("json"), verbose: has("verbose") };
      const { text, exitCode } = await prepareImage({ ...host, root }, request);
      (exitCode === 0 || request.json ? print : printAside)(text);
      finish(exitCode);
    });
}

/** As commander names an option: `--node-identity` becomes `nodeIdentity`. */
function camelCase(flag: string): string {
  return flag.replaceAll(/-[a-z]/gu, (part) => part.slice(1).toUpperCase());
}
