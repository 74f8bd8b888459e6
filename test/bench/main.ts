import { parseArgs } from "node:util";
import { packageForHost, type BuiltPackage } from "../../scripts/dev/start/package-for-host.ts";
import { benchCluster } from "./cluster.ts";
import { benchDiagnosis } from "./diagnosis.ts";
import { benchEnable } from "./enable.ts";
import { benchGrowth } from "./growth.ts";
import { benchLatency } from "./latency.ts";
import { benchLongLineUnderWine } from "./long-line-wine.ts";
import { printFigure, type Figure } from "./measure.ts";
import { benchOldWay } from "./old-way.ts";
import { benchPackageSize } from "./package-size.ts";
import { benchWaitingUnderWine } from "./waiting-wine.ts";
import { benchWaiting } from "./waiting.ts";

const help = `npm run bench [-- --only NAME] [--wait-seconds 300]

Prints figures and ratios, each measured beside something on this machine in the same run. The targets inform; a busy machine
misses them without anything being wrong. docs/performance.md holds the figures of a quiet one.

  enable    how long a call of enable takes, beside a bare start of the packaged Node
  latency   sentinel to success and cloud-init's failure to error on disk, beside a poll every 5 s
  diagnosis throughput, memory and scaling of the rule engine
  waiting   CPU and memory of a wait
  wine      CPU of the same wait of the Windows package under Wine (needs root)
  long-line 5 MB on one line under Wine, judged and diagnosed (needs root)
  growth    memory, descriptors and log size over a wait twice as long
  old-way   CAPZ's own loop under sh beside the handler: time to success and failure, cost, text (6 min)
  cluster   the management side with 50, 500 and 5,000 machines (5 min)
  size      the package
`;

type Bench = (
  built: BuiltPackage,
  options: { readonly waitSeconds: number },
) => Promise<readonly Figure[]> | readonly Figure[];

const benches: Readonly<Record<string, Bench>> = {
  size: benchPackageSize,
  enable: benchEnable,
  latency: benchLatency,
  "old-way": benchOldWay,
  diagnosis: () => benchDiagnosis(),
  waiting: benchWaiting,
  wine: benchWaitingUnderWine,
  "long-line": () => benchLongLineUnderWine(),
  growth: benchGrowth,
  cluster: benchCluster,
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      "wait-seconds": { type: "string", default: "300" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const built = packageForHost();
  for (const [name, bench] of Object.entries(benches)) {
    if (values.only !== undefined && values.only !== name) continue;
    process.stdout.write(`── ${name}\n`);
    for (const figure of await bench(built, { waitSeconds: Number(values["wait-seconds"]) })) printFigure(figure);
  }
  return 0;
}

process.exitCode = await main();
