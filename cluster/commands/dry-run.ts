import { objectPath } from "../kube/resource.ts";
import type { Writer } from "../kube/write.ts";

/** What differs each time although the same would be written. */
const passing: readonly string[] = ["lastTransitionTime", "lastSeen", "eventTime", "resourceVersion"];

/**
 * Prints what would be written, one JSON object a line, and writes nothing. What is applied comes back as it was sent, in its old version:
 * nothing has changed, so the next news of the same Machine is printed too.
 */
export function dryRunWriter(print: (line: string) => void): Writer {
  const told = new Set<string>();
  const say = (verb: string, path: string, body: unknown) => {
    const line = JSON.stringify({ would: verb, path, body });
    // Nothing is ever seen to be written, so the same comes again and again.
    const same = JSON.stringify([verb, path, body], (key, value: unknown) =>
      passing.includes(key) ? undefined : value,
    );
    if (told.has(same)) return;
    told.add(same);
    print(`${line}\n`);
  };
  return {
    apply: ({ resource, place, subresource, body }) => {
      say("apply", objectPath(resource, place, subresource), body);
      return Promise.resolve(body);
    },
    merge: ({ resource, place, subresource, body }) => {
      say("merge", objectPath(resource, place, subresource), body);
      return Promise.resolve(body);
    },
    create: ({ resource, place, body }) => {
      say("create", objectPath(resource, place), body);
      return Promise.resolve(true);
    },
    remove: (resource, place) => {
      say("remove", objectPath(resource, place), undefined);
      return Promise.resolve(true);
    },
  };
}
