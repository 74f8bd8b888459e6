import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { createMachine, type Machine } from "../../../../handler/check/answers/answer-questions.ts";
import type { Host } from "../../../../handler/host.ts";
import type { RunResult } from "../../../../handler/process-port.ts";
import type { Question } from "../../../../scripts/check/questions.ts";
import { checkHost } from "../../../support/check-host.ts";

export const identity = { vmId: "vm-1", bootId: "boot-1" };

interface Made {
  readonly host: Host;
  readonly machine: Machine;
  put(path: string, text: string, mode?: number): string;
  ask(question: Question): Promise<unknown>;
}

/** A machine in a folder whose programs are the shell scripts that a test puts into `bin`. */
export function makeMachine(change: Partial<Host> = {}): Made {
  const real = checkHost();
  const bin = join(real.root, "../", `${real.root.split("/").at(-1) ?? ""}-bin`);
  mkdirSync(bin);
  const host: Host = {
    ...real,
    run: (file, args, options) =>
      real.run(file, args, { ...options, timeoutMs: 500, env: { ...options?.env, PATH: `${bin}:/usr/bin:/bin` } }),
    ...change,
  };
  const machine = createMachine(host, identity);
  return {
    host,
    machine,
    put(path, text, mode = 0o644) {
      const file = path.startsWith("bin/") ? join(bin, path.slice(4)) : join(host.root, path);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, text);
      chmodSync(file, mode);
      return file;
    },
    async ask(question) {
      const answer = await machine.answer(question);
      return answer.kind === "known" ? answer.value : answer.why;
    },
  };
}

/** What a program that has ended leaves. */
export const exited = (code: number, text = ""): RunResult => ({
  kind: "exited",
  code,
  stdout: Buffer.from(text),
  stderr: Buffer.alloc(0),
});

/** How a program may end without an answer, and what is said of it. */
export const outcomes: readonly (readonly [string, RunResult, string])[] = [
  ["does not start", { kind: "not-started", reason: "no such program" }, "could not be started: no such program"],
  [
    "is ended",
    { kind: "signalled", signal: "SIGKILL", stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) },
    "was ended by SIGKILL",
  ],
  ["fails", exited(5), "ended with 5"],
];

/** A Windows machine whose programs say this; the real ones run under Wine in the lanes. */
export function windowsMachine(answers: Readonly<Record<string, RunResult>>) {
  const real = checkHost();
  const calls: string[] = [];
  const clock = { ms: 0 };
  const host: Host = {
    ...real,
    platform: { ...real.platform, name: "windows" },
    monotonicMs: () => clock.ms,
    now: () => new Date(100_000),
    run: (program, args, options) => {
      calls.push([program, ...args].join(" "));
      expect(options).toMatchObject({
        timeoutMs: ["tasklist", "wmic"].includes(program) ? 20_000 : 10_000,
        env: { CAPZ_ROOT: real.root },
      });
      return Promise.resolve(answers[[program, ...args].join(" ")] ?? answers[program] ?? exited(1));
    },
  };
  const machine = createMachine(host, identity);
  const ask = async (question: Question) => {
    const answer = await machine.answer(question);
    return answer.kind === "known" ? answer.value : answer.why;
  };
  return { machine, calls, clock, ask, host };
}
