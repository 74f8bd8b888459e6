import { setTimeout as sleep } from "node:timers/promises";
import type { Host, RunResult } from "../../../handler/host.ts";
import { linux } from "../../../handler/platform/linux.ts";
import type { Platform } from "../../../handler/platform/platform.ts";

export interface FakeHost {
  readonly root: string;
  readonly platform?: Platform;
  /** Scripted output by the command's words; a command that is not listed is not installed. */
  readonly outputs?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  readonly monotonicMs?: () => number;
  readonly now?: () => Date;
}

/** A host over a scratch root; its programs are scripted, so no test says anything of this machine's own logs. */
export function fakeHost(options: FakeHost): Host & { readonly commands: readonly string[] } {
  const commands: string[] = [];
  return {
    env: {},
    root: options.root,
    programFolder: "/nonexistent",
    pid: process.pid,
    platform: options.platform ?? linux,
    now: options.now ?? (() => new Date("2026-11-21T03:20:00Z")),
    monotonicMs: options.monotonicMs ?? (() => Math.round(performance.now())),
    sleep: async (ms, signal) => {
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    },
    run: (file, args) => {
      const command = [file, ...args].join(" ");
      commands.push(command);
      const key = Object.keys(options.outputs ?? {}).find((words) => command.includes(words));
      return Promise.resolve(key === undefined ? missing(file) : exited(options.outputs?.[key] ?? ""));
    },
    ownLimits: () => ({ nice: 0 }),
    startProcess: () => {
      throw new Error("No test of the diagnosis starts a long process");
    },
    fetch: options.fetch ?? (() => Promise.reject(new Error("This test has no network"))),
    commands,
  };
}

function missing(file: string): RunResult {
  return { kind: "not-started", reason: `spawn ${file} ENOENT` };
}

function exited(output: string): RunResult {
  return { kind: "exited", code: 0, stdout: Buffer.from(output), stderr: Buffer.alloc(0) };
}
