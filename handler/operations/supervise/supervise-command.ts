import { statSync } from "node:fs";
import { HandlerError, stackOf, systemErrorCode, toHandlerError } from "../../errors/handler-error.ts";
import type { Host } from "../../host.ts";
import { proxiesOf, readCaller } from "../caller-record.ts";
import { loadSequenceContext, type SequenceContext } from "../context.ts";
import { readSettings } from "../read-settings.ts";
import { tellError } from "../tell-error.ts";
import { supervise, type SuperviseEnd } from "./supervise.ts";

/** `supervise --sequence N [--extension-name NAME]`, as `enable` starts it. SIGTERM and SIGINT end it without a verdict. */
export async function superviseCommand(args: readonly string[], host: Host): Promise<SuperviseEnd> {
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      stop.abort();
    });
  }
  const env = { ...host.env, ...environmentOf(args) };
  const context = withProxies(await loadSequenceContext({ ...host, env }, "supervise"));
  const { log } = context;
  // An error that nobody awaits (a socket's callback, a probe) must not cost the verdict: what waits for it runs into its
  // own time-out. Ending here would only make the service manager start the same again, until it gives up.
  for (const name of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(name, (error: unknown) => {
      log.error(`supervise goes on after an error outside its flow (${name}): ${stackOf(error)}`);
    });
  }
  void endWithoutPackage(context, stop);
  try {
    return await supervise(context, { signal: stop.signal, readSettings: () => readSettings(context) });
  } catch (error) {
    log.error(`supervise ended unexpectedly: ${stackOf(error)}`);
    // Started again it would most likely end the same way: the agent must not wait for a verdict that never comes.
    if (!(await tellError(context, toHandlerError(error)))) throw error;
    return "concluded";
  } finally {
    stop.abort();
    await log.flush();
  }
}

const packageLookMs = 30_000;

/**
 * A package that somebody removed under us is one whose status nobody reads: the wait ends, instead of going on to its deadline. Asked twice, since
 * a wait is not lost to one bad moment of a disk. Where an update has brought another version, its `enable` goes on with the state.
 */
async function endWithoutPackage({ host, environment, log }: SequenceContext, stop: AbortController): Promise<void> {
  for (let missed = 0; missed < 2; missed = isGone(environment.handlerFolder) ? missed + 1 : 0) {
    await host.sleep(packageLookMs, stop.signal);
    if (stop.signal.aborted) return;
  }
  log.warn(`supervise: the folder ${environment.handlerFolder} is gone; ending, since nobody would read a verdict`);
  stop.abort();
}

/** Not what cannot be asked at the moment. */
function isGone(folder: string): boolean {
  try {
    statSync(folder);
    return false;
  } catch (error) {
    return systemErrorCode(error) === "ENOENT";
  }
}

/** Downloads go the way that they would have gone from the guest agent's own commands. */
function withProxies(context: SequenceContext): SequenceContext {
  const { host } = context;
  return { ...context, host: { ...host, env: { ...proxiesOf(readCaller(context)), ...host.env } } };
}

/** The service manager hands no environment on: the arguments say what the agent's variables said to `enable`. */
function environmentOf(args: readonly string[]): Record<string, string> {
  const sequence = valueOf(args, "--sequence");
  if (sequence === undefined) throw new HandlerError("sequenceUnknown", "supervise needs --sequence N");
  const extensionName = valueOf(args, "--extension-name");
  return {
    ConfigSequenceNumber: sequence,
    ...(extensionName === undefined ? {} : { ConfigExtensionName: extensionName }),
  };
}

function valueOf(args: readonly string[], name: string): string | undefined {
  const index = args.indexOf(name);
  return index === -1 ? undefined : args[index + 1];
}
