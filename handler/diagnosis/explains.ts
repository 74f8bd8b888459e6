import type { Applied, Failure } from "./applied.ts";

/** Whether a connection was made to an address, for which no name server is asked. */
function isByAddress(text: string): boolean {
  const at = text.indexOf("dial tcp ");
  return at !== -1 && /^(?:[\d.]{7,15}|\[[\da-f:]{2,45}\]):\d/u.test(text.slice(at + "dial tcp ".length));
}

/** Whether what failed follows from a cause: not what was asked for at its address from a name that nobody knows. */
export function explains(cause: Applied, symptom: Applied): boolean {
  if (cause.rule.cause === "dns-resolution-failed" && symptom.events.some(({ text }) => isByAddress(text)))
    return false;
  return ruleExplains(cause.rule, symptom.rule);
}

function ruleExplains(cause: Failure, symptom: Failure): boolean {
  if (cause.id === symptom.id) return false;
  // Of the same cause only where a rule says so of another one by its id: why the runtime does not run, and that it does not.
  return (cause.explains ?? []).some(
    (name) => name === symptom.id || (name === symptom.cause && cause.cause !== symptom.cause),
  );
}

/** An API server at this machine's own address, without k3s's way to others. */
const ownServer = /\b(?:localhost|127\.0\.0\.1|\[::1\]):(?!6444)\d/u;

/** An API server of this machine that does not answer was not started, for whatever reason is told beside. */
export function keepsDown(cause: Applied, { rule, events, layer }: Applied): boolean {
  return (
    rule.cause === "api-server-unreachable" &&
    cause.rule.cause !== rule.cause &&
    cause.layer > 1 &&
    cause.layer >= layer &&
    events.every(({ text }) => ownServer.test(text))
  );
}
