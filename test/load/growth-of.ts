import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** What a process and its log hold at one moment. */
interface Sample {
  readonly descriptors: number;
  readonly residentMiB: number;
  readonly logBytes: number;
}

export interface Growth {
  readonly first: Sample;
  readonly last: Sample;
}

export interface MeasureGrowth {
  readonly pid: number;
  readonly logFolder: string;
  readonly seconds: number;
  /** Called before each sample: gives the process something to do. */
  stir(count: number): void;
}

const samplesPerPart = 10;

/**
 * Looks at a process for that long. The first third is warm-up; of the two others the smallest memory counts, because what
 * lies above it is only not yet collected.
 */
export async function measureGrowth(request: MeasureGrowth): Promise<Growth> {
  const samples: Sample[] = [];
  for (let count = 0; count < 3 * samplesPerPart; count++) {
    request.stir(count);
    await pause((request.seconds * 1000) / (3 * samplesPerPart));
    samples.push(sampleOf(request));
  }
  return {
    first: lowest(samples.slice(samplesPerPart, 2 * samplesPerPart)),
    last: lowest(samples.slice(2 * samplesPerPart)),
  };
}

function lowest(samples: readonly Sample[]): Sample {
  return {
    descriptors: Math.min(...samples.map(({ descriptors }) => descriptors)),
    residentMiB: Math.min(...samples.map(({ residentMiB }) => residentMiB)),
    logBytes: Math.max(...samples.map(({ logBytes }) => logBytes)),
  };
}

function sampleOf({ pid, logFolder }: MeasureGrowth): Sample {
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return {
    descriptors: readdirSync(`/proc/${String(pid)}/fd`).length,
    residentMiB: Number(/VmRSS:\s+(?<kib>\d+)/u.exec(status)?.groups?.["kib"] ?? Number.NaN) / 1024,
    logBytes: readdirSync(logFolder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { name }) => sum + statSync(join(logFolder, name)).size, 0),
  };
}
