import { textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject } from "../../handler/text/parse-json.ts";
import type { Mark } from "../healing/decide.ts";
import type { HealingDecision } from "../healing/decision.ts";
import type { ObjectPlace } from "../kube/resource.ts";
import type { Writer } from "../kube/write.ts";
import type { WatchedCluster } from "../objects/objects.ts";
import { eventOf, eventResource, type Notice, type Regarding } from "../telling/event.ts";
import type { Account } from "../verdict/account.ts";
import { isFailure } from "../verdict/next-verdict.ts";
import type { World } from "../world.ts";
import type { Watched } from "./caches.ts";
import type { Metrics } from "./metrics.ts";

export interface Announcer {
  /** One Event on the owner for a failure, one for each act and each refusal to act; none for repetitions. */
  tell(watched: Watched, facts: Facts): Promise<void>;
  /** An identity that may not read a cluster's machines is told once. */
  tellRefused(cluster: WatchedCluster, status: number): Promise<void>;
}

interface Facts {
  readonly verdict: Account;
  readonly decision: HealingDecision;
  readonly mark: Mark | undefined;
}

export interface AnnouncerParts {
  readonly writer: Writer;
  /** Reads an owner, so that `kubectl describe` of it shows the Event, which is found by the uid. */
  readonly readOwner: (kind: string, place: ObjectPlace) => Promise<unknown>;
  readonly world: World;
  readonly metrics: Metrics;
}

/** What was told is remembered up to this number; after it the API server's own answer "exists already" does the same. */
const memory = 20_000;

export function createAnnouncer({ writer, readOwner, world, metrics }: AnnouncerParts): Announcer {
  const told = new Set<string>();
  const owners = new Map<string, Regarding>();

  const regardingOwner = async ({ machine, cluster }: Watched): Promise<Regarding> => {
    const { kind, name } = machine.owner;
    const key = `${machine.namespace}/${kind}/${name}`;
    const known = owners.get(key);
    if (known !== undefined) return known;
    const object = await readOwner(kind, { namespace: machine.namespace, name });
    const found = isJsonObject(object) && isJsonObject(object["metadata"]) ? object : undefined;
    const uid = isJsonObject(found?.["metadata"]) ? textOf(found["metadata"]["uid"]) : undefined;
    if (found === undefined || uid === undefined) return regardingCluster(cluster);
    const regarding = { apiVersion: textOf(found["apiVersion"]) ?? "", kind, namespace: machine.namespace, name, uid };
    owners.set(key, regarding);
    return regarding;
  };
  const send = async (identity: string, make: () => Promise<Notice> | Notice): Promise<void> => {
    if (told.has(identity)) return;
    const notice = await make();
    const { name, body } = eventOf(notice, world.now());
    const made = await writer.create({
      resource: eventResource,
      place: { namespace: notice.regarding.namespace, name },
      body,
    });
    metrics.writes.inc({ what: "event", result: made ? "written" : "told-before" });
    if (told.size >= memory) told.clear();
    told.add(identity);
  };

  return {
    tell: async (watched, { verdict, decision, mark }) => {
      const { machine } = watched;
      const run = [machine.uid, verdict.vmId ?? "", String(verdict.sequence ?? "")].join(" ");
      if (isFailure(verdict)) {
        const identity = `failed ${run} ${verdict.reason}`;
        await send(identity, async () => ({
          type: "Warning",
          regarding: await regardingOwner(watched),
          reason: verdict.reason,
          action: "Bootstrap",
          note: `Machine ${machine.name}: ${verdict.firstLine}`,
          identity,
        }));
      }
      const act = actOf(decision, { machine: machine.name, verdict, mark });
      if (act === undefined) return;
      const identity = `${act.reason} ${run} ${act.of}`;
      await send(identity, async () => ({
        type: act.type,
        regarding: await regardingOwner(watched),
        reason: act.reason,
        action: "Remediate",
        note: act.note,
        identity,
      }));
    },
    tellRefused: async (cluster, status) => {
      const identity = `refused ${cluster.uid}`;
      await send(identity, () => ({
        type: "Warning",
        regarding: regardingCluster(cluster),
        reason: "AccessDenied",
        action: "ReadVerdict",
        note: `Azure answers ${String(status)} for the machines of this cluster: the identity of capz-bootstrap-cluster has no right there. Until it has, only what CAPZ tells is known. Next: give it the role of docs/management.md in the subscription, or in the cluster's tenant.`,
        identity,
      }));
    },
  };
}

function regardingCluster({ apiVersion, namespace, name, uid }: WatchedCluster): Regarding {
  return { apiVersion, kind: "Cluster", namespace, name, uid };
}

interface Act {
  readonly type: Notice["type"];
  readonly reason: string;
  readonly note: string;
  /** What tells this act from an earlier one of its kind. */
  readonly of: string;
}

function actOf(
  decision: HealingDecision,
  { machine, verdict, mark }: { readonly machine: string; readonly verdict: Account; readonly mark: Mark | undefined },
): Act | undefined {
  switch (decision.kind) {
    case "mark":
      return {
        type: "Normal",
        reason: "RemediationRequested",
        note: `Machine ${machine} is to be replaced: ${verdict.firstLine}`,
        of: decision.since,
      };
    case "hold":
      return {
        type: "Warning",
        reason: `RemediationHeld${decision.reason}`,
        note: `Machine ${machine} failed (${verdict.reason}) and is not to be replaced. ${decision.why}`,
        of: "",
      };
    case "none":
      return decision.recovered && mark !== undefined
        ? {
            type: "Normal",
            reason: "RemediationWithdrawn",
            note: `Machine ${machine} has bootstrapped after all; its replacement is not asked for any more.`,
            of: mark.at,
          }
        : undefined;
  }
}
