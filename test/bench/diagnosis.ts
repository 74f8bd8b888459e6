import { readFile } from "node:fs/promises";
import path from "node:path";
import { loadRules, type RuleSet } from "../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../handler/diagnosis/match.ts";
import { rankFindings } from "../../handler/diagnosis/rank.ts";
import type { Figure } from "./measure.ts";
import { readRuleLogs } from "../../scripts/dev/read-rule-logs.ts";
import { shipSearched } from "../../scripts/dev/read-rules.ts";
import type { ShippedPattern, ShippedRule } from "../../handler/diagnosis/rule.ts";

/** The rule engine as figures; `megabytes` of log text, 1 GiB when not given. */
export async function benchDiagnosis(megabytes = 1024): Promise<readonly Figure[]> {
  const { once, tenfoldRules, linearity, ordinaryNodeSeconds } = await measureDiagnosis(megabytes * mebibyte);
  const ratio = once.megabytesPerSecond / tenfoldRules.megabytesPerSecond;
  return [
    {
      name: `rule engine over ${String(megabytes)} MiB, ${String(once.rules)} rules`,
      value: `${once.megabytesPerSecond.toFixed(0)} MB per second of processor time`,
      target: ">= 100 MB/s",
      met: once.megabytesPerSecond >= 100,
    },
    {
      name: "rule engine, ten times the rules",
      value: `${tenfoldRules.megabytesPerSecond.toFixed(0)} MB/s`,
      beside: "the catalogue as it is",
      ratio,
      target: "ratio <= 1.5",
      met: ratio <= 1.5,
    },
    {
      name: "rule engine, growth of resident memory",
      value: `${once.memoryGrowthMiB.toFixed(1)} MiB`,
      target: "<= 32 MiB",
      met: once.memoryGrowthMiB <= 32,
    },
    {
      name: "rule engine, time per byte of the whole over that of a tenth",
      value: linearity.toFixed(2),
      target: "<= 1.2",
      met: linearity <= 1.2,
    },
    {
      name: "diagnosis of 20 MB of logs, rules loaded and compiled",
      value: `${ordinaryNodeSeconds.toFixed(2)} s`,
      target: "<= 1 s",
      met: ordinaryNodeSeconds <= 1,
    },
  ];
}

const root = path.resolve(import.meta.dirname, "../..");
const chunkBytes = 64 * 1024;
const mebibyte = 1024 * 1024;

interface DiagnosisBench {
  readonly rules: number;
  readonly bytes: number;
  /** Per second of processor time, so that a busy machine measures the same: the engine runs on one core. */
  readonly megabytesPerSecond: number;
  /** Resident memory above that of the process before, at its highest. */
  readonly memoryGrowthMiB: number;
  readonly seconds: number;
}

interface DiagnosisBenches {
  readonly once: DiagnosisBench;
  /** The same log with ten times the rules (all others made up, none matching). */
  readonly tenfoldRules: DiagnosisBench;
  /** Time per byte of the long run over that of a run over a tenth; 1 means linear. */
  readonly linearity: number;
  /** Whole diagnosis of 20 MB of logs, rules loaded and compiled included. */
  readonly ordinaryNodeSeconds: number;
}

/** Measures the rule engine over `bytes` of log text, fed in 64 KiB chunks as a collector does. */
async function measureDiagnosis(bytes: number = 1024 * mebibyte): Promise<DiagnosisBenches> {
  const text = await readFile(path.join(root, "scripts/rules.json"), "utf8");
  const ruleSet = loadRules(text);
  const sample = await realisticLog();
  measure(ruleSet, sample, 64 * mebibyte);
  const tenth = measure(ruleSet, sample, Math.ceil(bytes / 10));
  const once = measure(ruleSet, sample, bytes);
  const tenfoldRules = measure(multiply(ruleSet, 10), sample, bytes);
  const start = performance.now();
  measure(loadRules(text), sample, 20 * mebibyte);
  const ordinaryNodeSeconds = (performance.now() - start) / 1000;
  const linearity = tenth.megabytesPerSecond / once.megabytesPerSecond;
  return { once, tenfoldRules, linearity, ordinaryNodeSeconds };
}

function measure(ruleSet: RuleSet, sample: Buffer, bytes: number): DiagnosisBench {
  const before = process.memoryUsage.rss();
  let highest = before;
  const start = process.cpuUsage();
  const matcher = createMatcher(ruleSet, { platform: "linux" });
  let fed = 0;
  for (let at = 0; fed < bytes; at = (at + chunkBytes) % (sample.length - chunkBytes)) {
    matcher.feed({ source: "system", origin: "/var/log/syslog" }, sample.subarray(at, at + chunkBytes));
    fed += chunkBytes;
    if (fed % (16 * mebibyte) === 0) highest = Math.max(highest, process.memoryUsage.rss());
  }
  rankFindings(matcher.finish());
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1_000_000;
  return {
    rules: ruleSet.rules.length,
    bytes: fed,
    megabytesPerSecond: fed / 1_000_000 / seconds,
    memoryGrowthMiB: (highest - before) / mebibyte,
    seconds,
  };
}

/** 32 MiB: the quiet lines of a booting node, and one line in fifty from the logs of failures that the rules know. */
async function realisticLog(): Promise<Buffer> {
  const loud = failureLines();
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; length < 32 * mebibyte; index++) {
    const line = index % 50 === 0 ? (loud[(index / 50) % loud.length] ?? "") : quietLine(index);
    parts.push(line);
    length += line.length + 1;
  }
  return Buffer.from(`${parts.join("\n")}\n`);
}

function failureLines(): readonly string[] {
  return [...readRuleLogs().values()].flatMap(({ match }) =>
    match
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== ""),
  );
}

function quietLine(index: number): string {
  const clock = `${String(Math.floor(index / 3600) % 24).padStart(2, "0")}:${String(Math.floor(index / 60) % 60).padStart(2, "0")}:${String(index % 60).padStart(2, "0")}`;
  const lines = [
    `Apr 02 ${clock} worker-1 kubelet[1204]: I0402 ${clock}.120044    1204 reconciler_common.go:247] "operationExecutor.VerifyControllerAttachedVolume started for volume \\"kube-api-access-${index}\\" (UniqueName: \\"kubernetes.io/projected/${index}\\") pod \\"kube-proxy-x7k2p\\""`,
    `Apr 02 ${clock} worker-1 systemd[1]: Started Session ${index} of user azureuser.`,
    `Apr 02 ${clock} worker-1 containerd[801]: time="2026-04-02T${clock}.551Z" level=info msg="CreateContainer within sandbox \\"${index}a9\\" for container &ContainerMetadata{Name:kube-proxy,Attempt:0,}"`,
    `2026-04-02 ${clock},551 - util.py[DEBUG]: Writing to /var/lib/cloud/instances/${index}/sem/config_ssh - wb: [644] 25 bytes`,
    `Apr 02 ${clock} worker-1 kernel: [   12.${index}] IPv6: ADDRCONF(NETDEV_CHANGE): veth${index}: link becomes ready`,
    `Get:${index} http://azure.archive.ubuntu.com/ubuntu jammy-updates/main amd64 libc-bin amd64 2.35-0ubuntu3.6 [706 kB]`,
    `2026/04/02 ${clock} INFO ExtHandler ExtHandler ProcessExtensionsGoalState started [incarnation:1 channel: WireServer source: Fabric activity: ${index}]`,
  ];
  return lines[index % lines.length] ?? "";
}

/** Further rules with texts of their own, so that the search has to know them all. */
function multiply(ruleSet: RuleSet, times: number): RuleSet {
  const rules: ShippedRule[] = [...ruleSet.rules];
  for (let copy = 1; copy < times; copy++) {
    for (const rule of ruleSet.rules) {
      rules.push({ ...rule, id: `${rule.id}-${copy}`, any: rule.any.map((terms) => vary(terms, copy)) });
    }
  }
  return { rules };
}

/** The words of the pattern backwards: as long, as common in their letters, but in no log. */
function vary(terms: ShippedPattern, copy: number): ShippedPattern {
  return shipSearched(
    terms.map(({ source, flags }) => {
      const words = source.replace(/[^\w ]/gu, "");
      return new RegExp(`${words.split("").reverse().join("").slice(0, 24)} ${copy}`, flags);
    }),
  );
}
