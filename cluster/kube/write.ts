import type { Connection } from "./connection.ts";
import { KubeError } from "./kube-error.ts";
import { request } from "./request.ts";
import { collectionPath, objectPath, type ObjectPlace, type Resource } from "./resource.ts";

/** The name under which the API server keeps what this program owns of an object. */
const fieldManager = "capz-bootstrap-cluster";

export interface Writing {
  readonly resource: Resource;
  readonly place: ObjectPlace;
  readonly body: Readonly<Record<string, unknown>>;
  readonly subresource?: "status";
}

/** What the controller writes with; `--dry-run` prints instead. */
export interface Writer {
  /** Server-side apply, never forced: what another manager owns with another value is a conflict. */
  apply(writing: Writing): Promise<unknown>;
  /** JSON merge patch; the body holds the resourceVersion that it is about. */
  merge(writing: Writing): Promise<unknown>;
  /** Gives false where the object is there already. */
  create(writing: Writing): Promise<boolean>;
  /** Gives false where it is gone already. */
  remove(resource: Resource, place: ObjectPlace, uid: string): Promise<boolean>;
}

export function createWriter(connection: Connection): Writer {
  const patch = (writing: Writing, contentType: string): Promise<unknown> =>
    request(connection, {
      method: "PATCH",
      path: objectPath(writing.resource, writing.place, writing.subresource),
      query: { fieldManager },
      contentType,
      body: writing.body,
    });
  return {
    apply: (writing) => patch(writing, "application/apply-patch+yaml"),
    merge: (writing) => patch(writing, "application/merge-patch+json"),
    create: ({ resource, place, body }) =>
      unless("AlreadyExists", async () => {
        const path = collectionPath(resource, place.namespace);
        await request(connection, { method: "POST", path, query: { fieldManager }, body });
      }),
    remove: (resource, place, uid) =>
      unless("NotFound", async () => {
        const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid } };
        await request(connection, { method: "DELETE", path: objectPath(resource, place), body });
      }),
  };
}

async function unless(reason: string, write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (error instanceof KubeError && error.reason === reason) return false;
    throw error;
  }
}

/** True where another field manager owns a field of ours with another value; the object itself may be as we knew it. */
export function isFieldConflict(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && error.message.includes("Apply failed with");
}

/** The object is newer than we knew it, or another one of its name. */
export function isStale(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && !isFieldConflict(error);
}

/** Fields that a kind does not have: an older Cluster API, where the place for our conditions is missing. */
export function isUndeclaredField(error: unknown): boolean {
  return error instanceof KubeError && /not declared in schema|unknown field/u.test(error.message);
}
