import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@jest/globals";
import type { Host } from "../../../../handler/host.ts";
import { enable } from "../../../../handler/operations/agent/enable.ts";
import { loadSequenceContext, type SequenceContext } from "../../../../handler/operations/context.ts";
import { readSettings } from "../../../../handler/operations/read-settings.ts";
import { supervise } from "../../../../handler/operations/supervise/supervise.ts";
import { linux } from "../../../../handler/platform/linux.ts";
import { readRunState, type RunState } from "../../../../handler/state/run-state.ts";
import { embedBundle, makeBundle } from "../../../support/bundle-maker.ts";
import { checkHost, fastHost } from "../../../support/check-host.ts";
import { checkProgram } from "../../../support/check-program.ts";

/** A look's result around what a test says of it. */
export const lookResult = `const result = (verdict, more) => ({ verdict, stage: "kubeadm-join", providers: ["kubeadm"], running: [],
  remarks: [], facts: {}, nextLookMs: 250, decidedBy: ["it was seen"], memory: {}, ...more });`;

export interface Given {
  /** Public settings; without them the agent has written no file, and the defaults hold. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Body of the packaged check's generator. */
  readonly look?: string;
  /** How many times as fast the clock runs. */
  readonly factor?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Text of the packaged rules.json. */
  readonly rules?: string;
}

export interface SeenStatus {
  readonly kind: string;
  readonly code: number;
  readonly message: string;
  readonly substatuses: Readonly<Record<string, unknown>>;
}

/** `enable` has come, and no supervisor is at work yet: a test runs it in this process, where lifecycle tests start the package. */
export async function enabledMachine({ settings = {}, look = "", factor = 5, env = {}, rules }: Given = {}) {
  const real = checkHost();
  const { root, programFolder } = real;
  const under = (...parts: readonly string[]) => join(root, ...parts);
  const folders = Object.fromEntries(
    ["logFolder", "configFolder", "statusFolder", "eventsFolder"].map((name) => [name, under(name)]),
  );
  for (const folder of [...Object.values(folders), programFolder, under("dev"), under("run/cluster-api")])
    mkdirSync(folder, { recursive: true });
  const environment = [{ name: "CAPZ", version: 1, handlerEnvironment: folders }];
  writeFileSync(join(programFolder, "HandlerEnvironment.json"), JSON.stringify(environment));
  writeFileSync(under("dev/console"), "");
  const put = (sequence: number, publicSettings: object) => {
    const whole = { runtimeSettings: [{ handlerSettings: { publicSettings } }] };
    writeFileSync(under("configFolder", `${String(sequence)}.settings`), JSON.stringify(whole));
  };
  put(0, settings);
  const program = checkProgram(look, lookResult);
  const ruled = rules === undefined ? {} : { rules };
  await embedBundle(programFolder, makeBundle({ program, version: "3.0.0", protocol: 2, ...ruled }));
  // All supervisors are this one process: the mark tells them apart.
  let mark = 0;
  const host: Host = {
    ...fastHost(real, factor),
    env: { PATH: real.env["PATH"], ConfigSequenceNumber: "0", ...env },
    platform: {
      ...linux,
      startSupervisor: () => Promise.resolve(),
      selfMark: () => Promise.resolve(String(mark)),
      isSameProcess: (_pid, other) => Promise.resolve(other === String(mark)),
    },
  };
  const contextOf = (given: Partial<Host> = {}) => loadSequenceContext({ ...host, ...given }, "supervise");
  await enable(await contextOf());
  const { instance } = await contextOf();
  return {
    host,
    instance,
    under,
    put,
    contextOf,
    /** The supervisor before this one is dead. */
    restart: () => (mark += 1),
    async enableAgain(sequence = 0) {
      mark += 1;
      await enable(await contextOf({ env: { ...host.env, ConfigSequenceNumber: String(sequence) } }));
    },
    async run({ context, signal = new AbortController().signal }: RunOptions = {}) {
      mark += 1;
      const own = context ?? (await contextOf());
      return supervise(own, { signal, readSettings: () => readSettings(own) });
    },
    status: (sequence = 0) => readStatus(under("statusFolder", `${String(sequence)}.status`)),
    state: (sequence = 0) => readRunState(instance, sequence),
    log: () =>
      readdirSync(under("logFolder"))
        .filter((name) => name.endsWith(".log"))
        .map((name) => readFileSync(under("logFolder", name), "utf8"))
        .join(""),
    console: () => readFileSync(under("dev/console"), "utf8").trim(),
    events: () =>
      readdirSync(under("eventsFolder")).map(
        (name) => JSON.parse(readFileSync(under("eventsFolder", name), "utf8")) as unknown,
      ),
    sentinel: () => {
      writeFileSync(under("run/cluster-api/bootstrap-success.complete"), "success");
    },
  };
}

export interface RunOptions {
  readonly context?: SequenceContext;
  readonly signal?: AbortSignal;
}

export type EnabledMachine = Awaited<ReturnType<typeof enabledMachine>>;

/** What the agent reads; undefined while there is none. */
function readStatus(path: string): SeenStatus | undefined {
  if (!existsSync(path)) return undefined;
  const [{ status }] = JSON.parse(readFileSync(path, "utf8")) as [{ status: WrittenStatus }];
  return {
    kind: status.status,
    code: status.code,
    message: status.formattedMessage.message,
    substatuses: Object.fromEntries(
      (status.substatus ?? []).map(({ name, formattedMessage: { message } }) => [
        name,
        message.startsWith("{") ? (JSON.parse(message) as unknown) : message,
      ]),
    ),
  };
}

interface WrittenText {
  readonly formattedMessage: { readonly message: string };
}
interface WrittenStatus extends WrittenText {
  readonly status: string;
  readonly code: number;
  readonly substatus?: readonly (WrittenText & { readonly name: string })[];
}

/** Events of the timeline, as the state keeps them. */
export function eventsOf(state: RunState | undefined): readonly string[] {
  expect(state).toBeDefined();
  return state?.timeline.map(({ event }) => event) ?? [];
}
