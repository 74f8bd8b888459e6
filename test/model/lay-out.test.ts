import { describe, expect, it } from "@jest/globals";
import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import fc from "fast-check";
import { createMachine } from "../../handler/check/answers/answer-questions.ts";
import { loadProgram } from "../../handler/check/program/load-program.ts";
import { runLook } from "../../handler/check/program/run-look.ts";
import { createHost } from "../../handler/create-host.ts";
import type { Host } from "../../handler/host.ts";
import { linux } from "../../handler/platform/linux.ts";
import { buildCheck } from "../../publish/check-bundle.ts";
import { check } from "../../scripts/check/check.ts";
import type { LookContext, LookResult } from "../../scripts/check/look.ts";
import { answerAll } from "../support/drive-look.ts";
import { anyHistory } from "./arbitraries.ts";
import { certificateFile } from "./certificate-file.ts";
import type { History } from "./history.ts";
import { answerAsFolder, layOutFiles } from "./lay-out.ts";
import type { Machine } from "./machine.ts";
import { play } from "./play.ts";
import { truthOf } from "./truth.ts";
import { neverDecides } from "./wrong-checks.ts";

/**
 * The model's own answers are a shortcut. Here the same machines lie about as files, units and registry keys, and the handler's
 * answers and the packaged form of the check judge them: model and machine must agree.
 */
const text = (await buildCheck()).toString("utf8");
type Program = ReturnType<typeof loadProgram>;
const standIns = join(import.meta.dirname, "../fixtures/scenario-bin");
const sample = fc.sample(anyHistory, { numRuns: 200, seed: 20_261_122 });

async function judgeFolder(program: Program, machine: Machine, context: LookContext): Promise<LookResult | string> {
  const laidOut = layOutFiles(machine);
  const real = createHost(linux);
  const host: Host = {
    ...real,
    root: laidOut.root,
    platform: machine.system === "linux" ? linux : ({ ...linux, name: "windows" } as const),
    now: () => new Date(machine.wallMs),
    run: (file, args, options) =>
      real.run(file, args, {
        ...options,
        env: { ...options?.env, PATH: `${laidOut.programs}:${standIns}:${process.env["PATH"] ?? ""}` },
      }),
  };
  const identity = await linux.machineIdentity(laidOut.root, host.run);
  const { answer } = createMachine(host, identity);
  const end = await runLook({ host, program, context, answer, limitMs: 60_000, signal: new AbortController().signal });
  laidOut.remove();
  return end.kind === "result" ? end.result : JSON.stringify(end);
}

/** The machine of a history as it is after its last command. */
function lastMachine(history: History): Machine {
  const commands = [...history.commands, { do: "wait", ms: 30_000 } as const];
  return play({ ...history, commands }, neverDecides, { settles: false }).machine;
}

interface Judged {
  readonly history: History;
  readonly found: readonly (string | undefined)[];
  readonly expected: readonly (string | undefined)[];
  readonly isTrue: boolean;
}

async function judgeBoth(program: Program, history: History): Promise<Judged> {
  const machine = lastMachine(history);
  const context: LookContext = {
    system: machine.system,
    provider: "auto",
    elapsedMs: 60_000,
    timeoutMs: 1_200_000,
    memory: {},
  };
  const expected = answerAll(check(context), (question) => answerAsFolder(machine, question));
  const found = await judgeFolder(program, machine, context);
  const words = ({ verdict, stage, reason }: LookResult): Judged["found"] => [verdict, stage, reason];
  const isTrue =
    typeof found !== "string" && (machine.life.setting === "named" || truthOf(machine).allowed.includes(found.verdict));
  return { history, found: typeof found === "string" ? [found] : words(found), expected: words(expected), isTrue };
}

/** Four at a time, each with a program of its own: one program has one look open. */
async function judgeAll(histories: readonly History[]): Promise<readonly Judged[]> {
  const left = [...histories];
  const lanes = Array.from({ length: 4 }, async () => {
    const program = loadProgram(text, { limitMs: "none" });
    const judged: Judged[] = [];
    for (let next = left.shift(); next !== undefined; next = left.shift()) judged.push(await judgeBoth(program, next));
    return judged;
  });
  return (await Promise.all(lanes)).flat();
}

describe("a machine of the model, laid out as files", () => {
  it("is judged by the packaged check through the handler as it is in memory, in 200 histories", async () => {
    const judged = await judgeAll(sample);
    const verdicts = judged.map(({ expected: [verdict] }) => verdict);
    for (const verdict of ["bootstrapped", "not-yet", "failed"])
      expect(verdicts.filter((said) => said === verdict).length).toBeGreaterThan(15);
    const different = judged.filter(
      ({ found, expected, isTrue }) => JSON.stringify(found) !== JSON.stringify(expected) || !isTrue,
    );
    expect(different).toEqual([]);
  }, 600_000);

  it("has certificates that a reader of X.509 reads as the model means them", () => {
    const pem = certificateFile({
      commonName: "system:node:a",
      organizations: ["system:nodes"],
      issuer: "CN=kubernetes",
      notBeforeMs: Date.parse("2026-03-02T08:00:00Z"),
      notAfterMs: Date.parse("2127-03-02T08:00:00Z"),
    });
    const read = new X509Certificate(pem);
    expect([read.subject, read.issuer]).toEqual(["O=system:nodes\nCN=system:node:a", "CN=kubernetes"]);
    expect([read.validFromDate.toISOString(), read.validToDate.toISOString()]).toEqual([
      "2026-03-02T08:00:00.000Z",
      "2127-03-02T08:00:00.000Z",
    ]);
  });
});
