import { HandlerError, stackOf, toHandlerError } from "../../errors/handler-error.ts";
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
  try {
    return await supervise(context, { signal: stop.signal, readSettings: () => readSettings(context) });
  } catch (error) {
    log.error(`supervise ended unexpectedly: ${stackOf(error)}`);
    // Started again it would most likely end the same way: the agent must not wait for a verdict that never comes.
    if (!(await tellError(context, toHandlerError(error)))) throw error;
    return "concluded";
  } finally {
    await log.flush();
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
