import { textOf } from "../../handler/explain/json-fields.ts";
import { isJsonObject } from "../../handler/text/parse-json.ts";
import type { Mark } from "../healing/decide.ts";
import type { HealingDecision } from "../healing/decision.ts";
import type { ObjectPlace } from "../kube/resource.ts";
import type { Writer } from "../kube/write.ts";
import type { KnownMachine, WatchedCluster } from "../objects/objects.ts";
import { conditionTypes } from "../telling/conditions.ts";
import { eventOf, eventResource, type Notice, type Regarding } from "../telling/event.ts";
import type { Account } from "../verdict/account.ts";
import { msBetween } from "../verdict/moment.ts";
import { isFailure } from "../verdict/next-verdict.ts";
import { heardOf } from "../verdict/stamps.ts";
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
const newsMs = 3_600_000;
const { remediation } = conditionTypes;

export function createAnnouncer(parts: AnnouncerParts): Announcer {
  return new EventAnnouncer(parts);
}

class EventAnnouncer implements Announcer {
  readonly #parts: AnnouncerParts;
  readonly #told = new Set<string>();
  readonly #owners = new Map<string, Regarding>();

  constructor(parts: AnnouncerParts) {
    this.#parts = parts;
  }

  async tell(watched: Watched, { verdict, decision, mark }: Facts): Promise<void> {
    const { machine } = watched;
    const run = [machine.uid, verdict.vmId ?? "", String(verdict.sequence ?? "")].join(" ");
    if (isFailure(verdict) && this.#isNews(heardOf(verdict))) {
      await this.#send(`failed ${run} ${verdict.reason}`, async () => ({
        type: "Warning",
        regarding: await this.#regardingOwner(watched),
        reason: verdict.reason,
        action: "Bootstrap",
        note: `Machine ${machine.name}: ${verdict.firstLine}`,
      }));
    }
    const act = actOf(decision, { machine, verdict, mark });
    if (act === undefined || !(act.kind === "held" || this.#isNews(act.since))) return;
    const { type, reason, note } = act;
    await this.#send(`${reason} ${run} ${act.of}`, async () => ({
      type,
      regarding: await this.#regardingOwner(watched),
      reason,
      action: "Remediate",
      note,
    }));
  }

  /** An Event lives for an hour. For so long its name keeps it from being told twice; after that, also after a restart, it is no news. */
  #isNews(since: string): boolean {
    return msBetween(since, this.#parts.world.now()) < newsMs;
  }

  async tellRefused(cluster: WatchedCluster, status: number): Promise<void> {
    await this.#send(`refused ${cluster.uid}`, () => ({
      type: "Warning",
      regarding: regardingCluster(cluster),
      reason: "AccessDenied",
      action: "ReadVerdict",
      note: `Azure answers ${String(status)} for the machines of this cluster: the identity of capz-bootstrap-cluster has no right there. Until it has, only what CAPZ tells is known. Next: give it the role of docs/management.md in the subscription, or in the cluster's tenant.`,
    }));
  }

  async #send(
    identity: string,
    make: () => Promise<Omit<Notice, "identity">> | Omit<Notice, "identity">,
  ): Promise<void> {
    if (this.#told.has(identity)) return;
    const { writer, world, metrics } = this.#parts;
    const notice = { ...(await make()), identity };
    const { name, body } = eventOf(notice, world.now());
    const place = { namespace: notice.regarding.namespace, name };
    const made = await writer.create({ resource: eventResource, place, body });
    metrics.writes.inc({ what: "event", result: made ? "written" : "told-before" });
    if (this.#told.size >= memory) this.#told.clear();
    this.#told.add(identity);
  }

  async #regardingOwner({ machine, cluster }: Watched): Promise<Regarding> {
    const { kind, name } = machine.owner;
    const key = `${machine.namespace}/${kind}/${name}`;
    const known = this.#owners.get(key);
    if (known !== undefined) return known;
    const object = await this.#parts.readOwner(kind, { namespace: machine.namespace, name });
    const metadata = isJsonObject(object) ? object["metadata"] : undefined;
    const uid = isJsonObject(metadata) ? textOf(metadata["uid"]) : undefined;
    if (!isJsonObject(object) || uid === undefined) return regardingCluster(cluster);
    const regarding = { apiVersion: textOf(object["apiVersion"]) ?? "", kind, namespace: machine.namespace, name, uid };
    this.#owners.set(key, regarding);
    return regarding;
  }
}

function regardingCluster({ apiVersion, namespace, name, uid }: WatchedCluster): Regarding {
  return { apiVersion, kind: "Cluster", namespace, name, uid };
}

interface Act {
  readonly kind: "marked" | "held" | "withdrawn";
  readonly type: Notice["type"];
  readonly reason: string;
  readonly note: string;
  /** Of a refusal: the beginning of the failure that is held back. */
  readonly since: string;
  /** What tells this act from an earlier one of its kind. */
  readonly of: string;
}

interface Acted {
  readonly machine: KnownMachine;
  readonly verdict: Account;
  readonly mark: Mark | undefined;
}

function actOf(decision: HealingDecision, { machine, verdict, mark }: Acted): Act | undefined {
  const { name } = machine;
  switch (decision.kind) {
    case "mark":
      return {
        kind: "marked",
        type: "Normal",
        reason: "RemediationRequested",
        note: `Machine ${name} is to be replaced: ${verdict.firstLine}`,
        since: decision.since,
        of: decision.since,
      };
    case "hold":
      // What the condition shows already was told when it was written.
      return machine.conditions.some(({ type, reason }) => type === remediation && reason === decision.reason)
        ? undefined
        : {
            kind: "held",
            type: "Warning",
            reason: `RemediationHeld${decision.reason}`,
            note: `Machine ${name} failed (${verdict.reason}) and is not to be replaced. ${decision.why}`,
            since: heardOf(verdict),
            of: "",
          };
    case "none":
      return decision.recovered && mark?.withdrawn !== undefined
        ? {
            kind: "withdrawn",
            type: "Normal",
            reason: "RemediationWithdrawn",
            note: `Machine ${name} ${verdict.outcome === "bootstrapped" ? "has bootstrapped after all" : "has begun anew"}; its replacement is not asked for any more.`,
            since: mark.withdrawn,
            of: mark.at,
          }
        : undefined;
  }
}
