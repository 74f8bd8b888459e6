import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject } from "../../handler/text/parse-json.ts";
import type { Connection } from "./connection.ts";
import { KubeError } from "./kube-error.ts";
import { request } from "./request.ts";
import type { Resource } from "./resource.ts";

/** The newest of `versions` (best first) in which the API server serves the group; throws where it serves none of them. */
export async function servedVersion(
  connection: Connection,
  group: string,
  versions: readonly string[],
): Promise<string> {
  const answer = await groupOf(connection, group);
  const served = listOf(isJsonObject(answer) ? answer["versions"] : undefined)
    .filter(isJsonObject)
    .map(({ version }) => textOf(version));
  const found = versions.find((version) => served.includes(version));
  if (found !== undefined) return found;
  throw new KubeError(
    `The API server serves ${group} in ${served.join(", ") || "no version"}; this program knows ${versions.join(", ")}. Is Cluster API installed?`,
    { status: 404 },
  );
}

async function groupOf(connection: Connection, group: string): Promise<unknown> {
  try {
    return await request(connection, { method: "GET", path: `/apis/${group}` });
  } catch (error) {
    if (!(error instanceof KubeError) || error.status !== 404) throw error;
    const what = group.startsWith("infrastructure.") ? "Cluster API Provider Azure" : "Cluster API";
    throw new KubeError(`The API server does not serve ${group}. Is ${what} installed in this cluster?`, {
      status: 404,
      cause: error,
    });
  }
}

/** Names of the kinds that a group version has; a machine pool's are missing where the feature is off. */
export async function servedPlurals(
  connection: Connection,
  { group, version }: Pick<Resource, "group" | "version">,
): Promise<ReadonlySet<string>> {
  const answer = await request(connection, { method: "GET", path: `/apis/${group}/${version}` });
  const resources = listOf(isJsonObject(answer) ? answer["resources"] : undefined);
  return new Set(resources.filter(isJsonObject).flatMap(({ name }) => textOf(name) ?? []));
}
