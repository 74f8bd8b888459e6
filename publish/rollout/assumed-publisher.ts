import type { PublishedVersion, Publisher } from "./publisher.ts";

/** A service whose state is assumed, not read: what a dry run needs to get as far as the requests that it prints. */
export function assumeState(publisher: Publisher, published: readonly PublishedVersion[]): Publisher {
  return {
    ...publisher,
    list: () => Promise.resolve(published),
    replication: () => Promise.resolve({ kind: "completed", regions: [] }),
  };
}
