import { afterAll, describe, expect, it } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import * as v from "valibot";
import { buildProgram, writeProgram } from "../../publish/build-program.ts";
import { check } from "../../scripts/check/check.ts";
import { answerAll } from "../support/drive-look.ts";
import { writeBundle } from "../../scripts/dev/build-bundle.ts";
import { linuxHistory } from "../model/arbitraries.ts";
import type { History } from "../model/history.ts";
import { answerAsFolder, layOutFiles } from "../model/lay-out.ts";
import type { Machine } from "../model/machine.ts";
import { play } from "../model/play.ts";
import { neverDecides } from "../model/wrong-checks.ts";

/**
 * The whole way of an operator: the packaged program as a process of its own, on the files of a machine of the model
 * (`capz-bootstrap check --root DIR --json`). It reads the present clock, so the machine's times are moved to now.
 */
const folder = await mkdtemp(join(tmpdir(), "model-program-"));
await writeProgram(await buildProgram(), folder);
await writeBundle(join(folder, "bundle"));
const standIns = join(import.meta.dirname, "../fixtures/scenario-bin");
const histories = Number(process.env["MODEL_PROCESSES"] ?? "40");
const sample = fc.sample(linuxHistory, { numRuns: histories, seed: 20_261_122 });
const answerSchema = v.object({ report: v.object({ stage: v.string(), reason: v.optional(v.string()) }) });

afterAll(async () => {
  await rm(folder, { recursive: true });
});

function moveToNow(machine: Machine): void {
  const shift = Date.now() - machine.wallMs;
  machine.trueMs += shift;
  machine.bootedAtMs += shift;
  for (const [key, entry] of machine.files.entries) {
    const { certificate } = entry;
    machine.files.entries.set(key, {
      ...entry,
      modifiedMs: entry.modifiedMs + shift,
      changedMs: entry.changedMs + shift,
      createdMs: entry.createdMs + shift,
      ...(certificate !== undefined && {
        certificate: {
          ...certificate,
          notBeforeMs: certificate.notBeforeMs + shift,
          notAfterMs: certificate.notAfterMs + shift,
        },
      }),
    });
  }
}

interface Said {
  readonly status: number | null;
  readonly stage: string;
  readonly reason: string | undefined;
}

function askProgram(machine: Machine): Said {
  const laidOut = layOutFiles(machine);
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(folder, "capz-bootstrap.cjs"), "check", "--root", laidOut.root, "--json"],
    { encoding: "utf8", env: { PATH: `${laidOut.programs}:${standIns}:${process.env["PATH"] ?? ""}` } },
  );
  laidOut.remove();
  const { stage, reason } = v.parse(answerSchema, JSON.parse(stdout)).report;
  return { status, stage, reason };
}

const exitCodes = { bootstrapped: 0, failed: 1, "not-yet": 75 } as const;

function askModel(machine: Machine): Said {
  const context = { system: "linux", provider: "auto", elapsedMs: 0, timeoutMs: 1_200_000, memory: {} } as const;
  const { verdict, stage, reason } = answerAll(check(context), (question) => answerAsFolder(machine, question));
  return { status: exitCodes[verdict], stage, reason };
}

function judge(history: History): { readonly program: Said; readonly model: Said } {
  const commands = [...history.commands, { do: "wait", ms: 30_000 } as const];
  const { machine } = play({ ...history, commands }, neverDecides, { settles: false });
  moveToNow(machine);
  return { program: askProgram(machine), model: askModel(machine) };
}

describe("the packaged program", () => {
  it("says of the model's machines, by its exit code, stage and reason, what the check says of them in memory", () => {
    const judged = sample.map(judge);
    expect(new Set(judged.map(({ model }) => model.status)).size).toBe(3);
    expect(judged.map(({ program }) => program)).toEqual(judged.map(({ model }) => model));
  });
});
