import { objectPath } from "../kube/resource.ts";
import type { Writer } from "../kube/write.ts";

/** Prints what would be written, one JSON object a line, and writes nothing. */
export function dryRunWriter(print: (line: string) => void): Writer {
  const told = new Set<string>();
  const say = (verb: string, path: string, body: unknown) => {
    const line = JSON.stringify({ would: verb, path, body });
    // Nothing is ever seen to be written, so the same comes again and again.
    if (told.has(line)) return;
    told.add(line);
    print(`${line}\n`);
  };
  return {
    apply: ({ resource, place, subresource, body }) => {
      say("apply", objectPath(resource, place, subresource), body);
      return Promise.resolve(undefined);
    },
    merge: ({ resource, place, subresource, body }) => {
      say("merge", objectPath(resource, place, subresource), body);
      return Promise.resolve(undefined);
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
