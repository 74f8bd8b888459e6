import { isUndeclaredField, type Writer } from "../kube/write.ts";
import { apiVersionOf, type Resource } from "../kube/resource.ts";
import { listOf, textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject } from "../../handler/text/parse-json.ts";
import { remediateAnnotation } from "../objects/read-objects.ts";
import type { KnownMachine } from "../objects/objects.ts";
import type { Condition } from "../telling/conditions.ts";

/** The value by which this program knows its own annotation: only such a one is ever taken away. */
export const annotationValue = "capz-bootstrap-cluster";

export interface MachineWriter {
  /** `no-place`: this Cluster API has none in which a condition of ours is safe (before 1.9). */
  applyConditions(
    machine: KnownMachine,
    conditions: readonly Condition[],
  ): Promise<"written" | "unchanged" | "no-place">;
  /** Sets the annotation, or takes away ours; true when that changed the Machine. */
  annotate(machine: KnownMachine, wanted: boolean): Promise<boolean>;
}

/**
 * API v1beta2 keeps conditions in `status.conditions`, v1beta1 of Cluster API 1.9 and later in `status.v1beta2.conditions`: both are maps by type.
 * The old lists are atomic, where an apply would remove what others have written; they are never touched.
 */
export function createMachineWriter(writer: Writer, resource: Resource): MachineWriter {
  const isNew = resource.version !== "v1beta1";
  let placeless = false;
  return {
    applyConditions: async (machine, conditions) => {
      if (placeless) return "no-place";
      const { namespace, name, resourceVersion } = machine;
      try {
        const answer = await writer.apply({
          resource,
          place: { namespace, name },
          subresource: "status",
          body: {
            apiVersion: apiVersionOf(resource),
            kind: resource.kind,
            // The version guards against a Machine that was made anew under this name: the status of an object knows no uid.
            metadata: { name, namespace, resourceVersion },
            status: isNew ? { conditions } : { v1beta2: { conditions } },
          },
        });
        // An answer without conditions says nothing where none were sent.
        placeless = !isNew && conditions.length > 0 && isWithoutPlace(answer);
        if (!placeless) return versionOf(answer) === resourceVersion ? "unchanged" : "written";
      } catch (error) {
        if (isNew || !isUndeclaredField(error)) throw error;
        placeless = true;
      }
      return "no-place";
    },
    annotate: async ({ namespace, name, resourceVersion }, wanted) => {
      const answer = await writer.merge({
        resource,
        place: { namespace, name },
        body: {
          metadata: { resourceVersion, annotations: { [remediateAnnotation]: wanted ? annotationValue : null } },
        },
      });
      return versionOf(answer) !== resourceVersion;
    },
  };
}

function versionOf(answer: unknown): string | undefined {
  return isJsonObject(answer) && isJsonObject(answer["metadata"])
    ? textOf(answer["metadata"]["resourceVersion"])
    : undefined;
}

/** An older API server drops what its schema does not know, and says 200. */
function isWithoutPlace(answer: unknown): boolean {
  // A dry run has no answer.
  if (!isJsonObject(answer)) return false;
  if (!isJsonObject(answer["status"])) return true;
  const place = answer["status"]["v1beta2"];
  return !isJsonObject(place) || listOf(place["conditions"]).length === 0;
}
