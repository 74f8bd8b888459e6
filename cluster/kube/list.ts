import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject } from "../../handler/text/parse-json.ts";
import type { Connection } from "./connection.ts";
import { isExpired, KubeError } from "./kube-error.ts";
import { request } from "./request.ts";
import { collectionPath, type Resource } from "./resource.ts";

export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly signal?: AbortSignal;
  readonly onItem: (item: unknown) => void;
  /** A page's continuation was too old: everything comes again from the start. */
  readonly onRestart: () => void;
}

const pageSize = 500;
const restartLimit = 3;

/** Every object of a kind, page by page, so that no page is large; gives the resource version to watch from. */
export async function listAll(connection: Connection, resource: Resource, options: ListOptions): Promise<string> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await listPages(connection, resource, options);
    } catch (error) {
      if (!isExpired(error) || restarts === restartLimit) throw error;
      options.onRestart();
    }
  }
}

async function listPages(connection: Connection, resource: Resource, options: ListOptions): Promise<string> {
  const path = collectionPath(resource, options.namespace);
  let next = "";
  for (;;) {
    const page = await request(connection, {
      method: "GET",
      path,
      query: {
        limit: String(pageSize),
        ...(next === "" ? {} : { continue: next }),
        ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
      },
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    if (!isJsonObject(page) || !isJsonObject(page["metadata"])) {
      throw new KubeError(`GET ${path}: the answer is no list`, { status: 200 });
    }
    listOf(page["items"]).forEach(options.onItem);
    next = textOf(page["metadata"]["continue"]) ?? "";
    if (next === "") return textOf(page["metadata"]["resourceVersion"]) ?? "";
  }
}
