import { Command, InvalidArgumentError, Option } from "commander";
import { runCommands, type Finish } from "../handler/command-line.ts";
import { programVersion } from "./version.ts";
import { clouds } from "./commands/azure-credential.ts";
import { createCalmLog } from "./commands/calm-log.ts";
import { parseListen, parseServer, type ListenAddress } from "./commands/parse-address.ts";
import { kubectlOf, withKubectl, type KubectlFlags } from "./commands/kubectl-flags.ts";
import { parseCount, parseDuration } from "./commands/parse-duration.ts";
import { createClusterLog, createWorld } from "./create-world.ts";
import { print, printAside } from "./terminal.ts";
import { defaultPolicy, type HealingPolicy } from "./healing/decide.ts";

const about = `Brings the verdicts of the bootstrapping extension into the management cluster, and keeps them there.

watch runs in the cluster; status and logs are for people, also as kubectl capz-bootstrap.`;

const exitCodes = `
Exit codes:
  0  done; status: no machine has failed
  1  status: a machine has failed to bootstrap
  3  the cluster could not be read, or not all of it; watch: it could not begin
  64 wrong use of the command line`;

export interface CliHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the program is asked to end. */
  readonly signal: AbortSignal;
  readonly width: number;
}

/** Returns the exit code. */
export function runCli(args: readonly string[], host: CliHost): Promise<number> {
  const program = new Command("capz-bootstrap-cluster")
    .description(about)
    .version(programVersion)
    .addHelpText("after", exitCodes)
    .showHelpAfterError("(--help lists the commands)")
    .configureOutput({ writeOut: print, writeErr: printAside })
    .exitOverride();
  return runCommands(program, args, (finish) => {
    addWatch(program, host, finish);
    addStatus(program, host, finish);
    addLogs(program, host, finish);
  });
}

const duration = checked(parseDuration);
const count = (least: number) => checked((text) => parseCount(text, least));

function checked<Value>(parse: (text: string) => Value): (text: string) => Value {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
}

interface WatchFlags {
  readonly server?: string;
  readonly tokenFile?: string;
  readonly caFile?: string;
  readonly namespace?: string;
  readonly cloud: string;
  readonly armOrigin?: string;
  readonly armPerSecond: number;
  readonly keep: number;
  readonly keepPerOwner: number;
  readonly maxMarked: number;
  readonly window: number;
  readonly coolDown: number;
  readonly sameReason: number;
  readonly unknown: "hold" | "retry";
  readonly dryRun?: boolean;
  readonly listen: ListenAddress;
}

function addWatch(program: Command, host: CliHost, finish: Finish): void {
  withPolicy(
    program
      .command("watch")
      .description(
        "the controller: reads verdicts, writes conditions, verdict objects and Events, and asks for replacements where a Cluster's label allows it",
      )
      .option("--server <url>", "API server; without it the Pod's own", checked(parseServer))
      .option("--token-file <file>", "bearer token for --server")
      .option("--ca-file <file>", "certificate authority of --server")
      .option("--namespace <name>", "only this namespace; without it all")
      .addOption(cloudOption())
      .addOption(new Option("--arm-origin <url>", "resource manager for tests, without a login").hideHelp())
      .option("--arm-per-second <number>", "most requests a second to one subscription", count(1), 10)
      .option("--dry-run", "print what would be written, and write nothing")
      .addOption(
        new Option("--listen <address>", "address of /healthz, /readyz and /metrics")
          .argParser(checked(parseListen))
          .default(parseListen("0.0.0.0:9440"), "0.0.0.0:9440"),
      ),
  ).action(async (flags: WatchFlags) => {
    const { runWatch } = await import("./commands/watch.ts");
    const world = createWorld();
    const { keep: keepMs, keepPerOwner: keptPerOwner, dryRun = false } = flags;
    const log = createCalmLog(createClusterLog(world, printAside), world);
    const policy = policyOf(flags);
    finish(await runWatch({ ...flags, ...host, world, log, print, policy, keepMs, keptPerOwner, dryRun }));
  });
}

function policyOf(flags: WatchFlags): HealingPolicy {
  return {
    maxMarked: flags.maxMarked,
    windowMs: flags.window,
    coolDownMs: flags.coolDown,
    sameReasonLimit: flags.sameReason,
    unknownRetryability: flags.unknown,
  };
}

function withPolicy(command: Command): Command {
  return command
    .addOption(durationOption("--keep <duration>", "how long a verdict outlives its Machine", "7d"))
    .option("--keep-per-owner <number>", "most verdicts of gone Machines that are kept for one owner", count(0), 50)
    .option(
      "--max-marked <number>",
      "most Machines of one owner that are marked in a window",
      count(0),
      defaultPolicy.maxMarked,
    )
    .addOption(durationOption("--window <duration>", "length of that window", "1h"))
    .addOption(durationOption("--cool-down <duration>", "shortest time between two marks of one owner", "5m"))
    .option(
      "--same-reason <number>",
      "stop after so many marks for one reason without a success between",
      count(1),
      defaultPolicy.sameReasonLimit,
    )
    .addOption(
      new Option("--unknown <what>", "a failure of which it is not known whether a new machine can pass")
        .choices(["hold", "retry"])
        .default(defaultPolicy.unknownRetryability),
    );
}

function durationOption(flags: string, description: string, standard: string): Option {
  return new Option(flags, description).argParser(duration).default(parseDuration(standard), standard);
}

function cloudOption(): Option {
  return new Option("--cloud <name>", "Azure cloud").choices(Object.keys(clouds)).default("AzurePublicCloud");
}

/** Loaded where it is asked for: the libraries of Azure cost a quarter of a second. */
async function openArm(flags: { readonly cloud: string; readonly armOrigin?: string }, env: CliHost["env"]) {
  const { openArm: open } = await import("./commands/open-arm.ts");
  return open(flags, env);
}

function addStatus(program: Command, host: CliHost, finish: Finish): void {
  withKubectl(program.command("status").description("which machines failed to bootstrap, and why"))
    .option("--cluster <name>", "only this Cluster")
    .option("-A, --all-namespaces", "all namespaces")
    .option("-w, --watch", "show it again when it changes")
    .option("--json", "print JSON")
    .option("--arm", "ask Azure too, at once, with the login of the Azure CLI or the workload identity")
    .addOption(cloudOption())
    .addOption(new Option("--arm-origin <url>", "resource manager for tests, without a login").hideHelp())
    .action(
      async (
        flags: KubectlFlags & {
          readonly cluster?: string;
          readonly allNamespaces?: boolean;
          readonly watch?: boolean;
          readonly json?: boolean;
          readonly arm?: boolean;
          readonly cloud: string;
          readonly armOrigin?: string;
        },
      ) => {
        const { runStatus } = await import("./commands/status.ts");
        const { runProgram } = await import("./commands/run-program.ts");
        finish(
          await runStatus({
            cluster: flags.cluster,
            namespace: flags.namespace,
            allNamespaces: flags.allNamespaces ?? false,
            watch: flags.watch ?? false,
            json: flags.json ?? false,
            client: flags.arm === true ? await openArm(flags, host.env) : undefined,
            kubectl: kubectlOf(flags),
            run: runProgram,
            world: createWorld(),
            print,
            printError: printAside,
            width: host.width,
            signal: host.signal,
          }),
        );
      },
    );
}

function addLogs(program: Command, host: CliHost, finish: Finish): void {
  withKubectl(
    program
      .command("logs")
      .description("the evidence of one Machine: verdict, uploaded report, console")
      .argument("<machine>", "name of the Machine"),
  )
    .option("--lines <number>", "last lines of the console", count(1), 200)
    .addOption(cloudOption())
    .action(async (machine: string, flags: KubectlFlags & { readonly lines: number; readonly cloud: string }) => {
      const { openLogs } = await import("./commands/open-logs.ts");
      finish(
        await openLogs({
          machine,
          namespace: flags.namespace,
          lines: flags.lines,
          kubectl: kubectlOf(flags),
          cloud: flags.cloud,
          env: host.env,
          signal: host.signal,
          world: createWorld(),
          print,
          printError: printAside,
        }),
      );
    });
}
