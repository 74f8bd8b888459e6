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
import { answerAll, type LookContext, type LookResult } from "../../scripts/check/look.ts";
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
const program = loadProgram((await buildCheck()).toString("utf8"));
const standIns = join(import.meta.dirname, "../fixtures/scenario-bin");
const sample = fc.sample(anyHistory, { numRuns: 200, seed: 20_261_122 });

async function judgeFolder(machine: Machine, context: LookContext): Promise<LookResult | string> {
  const laidOut = layOutFiles(machine);
  const real = createHost();
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

describe("a machine of the model, laid out as files", () => {
  it("is judged by the packaged check through the handler as it is in memory, in 200 histories", async () => {
    const different: unknown[] = [];
    for (const history of sample) {
      const machine = lastMachine(history);
      const context: LookContext = {
        system: machine.system,
        provider: "auto",
        elapsedMs: 60_000,
        timeoutMs: 1_200_000,
        memory: {},
      };
      const expected = answerAll(check(context), (question) => answerAsFolder(machine, question));
      const found = await judgeFolder(machine, context);
      const words = typeof found === "string" ? found : [found.verdict, found.stage, found.reason];
      const isTrue = typeof found === "string" || truthOf(machine).allowed.includes(found.verdict);
      try {
        expect({ words, isTrue }).toEqual({ words: [expected.verdict, expected.stage, expected.reason], isTrue: true });
      } catch {
        different.push({
          history,
          words,
          expected: [expected.verdict, expected.stage, expected.reason],
          truth: truthOf(machine),
        });
      }
    }
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
