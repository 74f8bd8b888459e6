import type { IncomingMessage } from "node:http";
import { textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject, parseJson, type JsonObject } from "../../handler/text/parse-json.ts";
import type { Connection } from "./connection.ts";
import { describeError, errorOfStatus } from "./kube-error.ts";
import { open, retryAfterMs } from "./request.ts";
import { collectionPath, type Resource } from "./resource.ts";

export type WatchEvent =
  | { readonly kind: "changed" | "deleted"; readonly object: JsonObject; readonly resourceVersion: string }
  | { readonly kind: "bookmark"; readonly resourceVersion: string };

export type WatchEnd =
  /** The server ended it, as it does after its time. */
  | { readonly kind: "closed" }
  /** The version is too old: list again. */
  | { readonly kind: "expired" }
  | { readonly kind: "failed"; readonly why: string; readonly retryAfterMs?: number | undefined };

export interface WatchOptions {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly resourceVersion: string;
  /** Asked of the server; `guardMs` later the client ends a watch that a dead connection keeps open. */
  readonly timeoutSeconds: number;
  readonly guardMs: number;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  readonly onEvent: (event: WatchEvent) => void;
}

/** One object may have 1.5 MiB in etcd; a longer line is not the API server's. */
const lineLimit = 8 * 1024 * 1024;

/** One watch until it ends; never throws. Every way of ending is a value, because each needs another answer. */
export async function watchOnce(connection: Connection, resource: Resource, options: WatchOptions): Promise<WatchEnd> {
  const guard = AbortSignal.timeout(options.timeoutSeconds * 1000 + options.guardMs);
  const signal = AbortSignal.any([options.signal, guard]);
  const path = collectionPath(resource, options.namespace);
  try {
    const response = await open(connection, { method: "GET", path, query: queryOf(options), signal });
    if (response.statusCode !== 200) return refused(connection, response, `watch ${path}`);
    options.onOpen();
    return await readEvents(response, options.onEvent, signal);
  } catch (error) {
    return { kind: "failed", why: describeError(error) };
  }
}

function queryOf(options: WatchOptions): Readonly<Record<string, string>> {
  return {
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: options.resourceVersion,
    timeoutSeconds: String(options.timeoutSeconds),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
  };
}

function refused(connection: Connection, response: IncomingMessage, what: string): WatchEnd {
  const status = response.statusCode ?? 0;
  if (status === 401) connection.forgetToken();
  response.destroy();
  if (status === 410) return { kind: "expired" };
  const error = errorOfStatus(what, { status, retryAfterMs: retryAfterMs(response) });
  return { kind: "failed", why: error.message, retryAfterMs: error.retryAfterMs };
}

function readEvents(
  response: IncomingMessage,
  onEvent: (event: WatchEvent) => void,
  signal: AbortSignal,
): Promise<WatchEnd> {
  return new Promise((resolve) => {
    let rest = "";
    const finish = (end: WatchEnd) => {
      response.destroy();
      resolve(end);
    };
    const decoder = new TextDecoder();
    response.on("data", (part: Buffer) => {
      const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const end = takeLine(line, onEvent);
        if (end !== undefined) {
          finish(end);
          return;
        }
      }
      if (rest.length > lineLimit) finish({ kind: "failed", why: "an event is longer than any object" });
    });
    // A line that was cut off by the end is no event; it comes again with the next watch.
    response.on("end", () => {
      finish({ kind: "closed" });
    });
    response.on("error", (error) => {
      finish({ kind: "failed", why: `the watch broke off: ${describeError(error)}` });
    });
    response.on("close", () => {
      finish({ kind: "failed", why: "the connection was closed" });
    });
    signal.addEventListener(
      "abort",
      () => {
        finish({ kind: "failed", why: "the watch was silent for too long" });
      },
      { once: true },
    );
  });
}

/** An end where the watch cannot go on after this line. */
function takeLine(line: string, onEvent: (event: WatchEvent) => void): WatchEnd | undefined {
  if (line.trim() === "") return undefined;
  const json = parseJson(line);
  const event = json.kind === "value" && isJsonObject(json.value) ? json.value : undefined;
  const object = event?.["object"];
  // What was lost with a broken line comes again: the next watch begins after the last whole event.
  if (event === undefined || !isJsonObject(object)) return { kind: "failed", why: "an event could not be read" };
  const resourceVersion = versionOf(object);
  switch (event["type"]) {
    case "ADDED":
    case "MODIFIED":
      onEvent({ kind: "changed", object, resourceVersion });
      return undefined;
    case "DELETED":
      onEvent({ kind: "deleted", object, resourceVersion });
      return undefined;
    case "BOOKMARK":
      onEvent({ kind: "bookmark", resourceVersion });
      return undefined;
    case "ERROR":
      return endOfError(object);
    default:
      // A type of a later server says nothing that a list would not say.
      return undefined;
  }
}

/** The second shape of 410: the answer is 200, and the error stands in an event. */
function endOfError(status: JsonObject): WatchEnd {
  const code = Number(status["code"]);
  const reason = textOf(status["reason"]) ?? "";
  if (code === 410 || reason === "Expired" || reason === "Gone") return { kind: "expired" };
  return { kind: "failed", why: errorOfStatus("watch", { status: code, body: status }).message };
}

function versionOf(object: JsonObject): string {
  const { metadata } = object;
  return (isJsonObject(metadata) ? textOf(metadata["resourceVersion"]) : undefined) ?? "";
}
