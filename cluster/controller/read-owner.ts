import type { Connection } from "../kube/connection.ts";
import { KubeError } from "../kube/kube-error.ts";
import { request } from "../kube/request.ts";
import { objectPath, type ObjectPlace } from "../kube/resource.ts";
import type { ClusterApi } from "./open-caches.ts";

/** Reads an owner of Machines; undefined for one that is gone or of a kind that this program may not read. */
export function readOwner(connection: Connection, api: ClusterApi) {
  return async (kind: string, place: ObjectPlace): Promise<unknown> => {
    const group = kind === "KubeadmControlPlane" ? "controlplane.cluster.x-k8s.io" : "cluster.x-k8s.io";
    const resource = { group, version: api.machines.version, plural: `${kind.toLowerCase()}s`, kind };
    try {
      return await request(connection, { method: "GET", path: objectPath(resource, place) });
    } catch (error) {
      if (error instanceof KubeError && (error.status === 404 || error.status === 403)) return undefined;
      throw error;
    }
  };
}
