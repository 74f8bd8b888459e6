import type { ArmClient } from "../arm/arm-client.ts";
import { ask, type Asked } from "../arm/ask.ts";
import type { ArmBudget } from "../arm/budget.ts";
import { nextAskMs } from "../arm/cadence.ts";
import type { ArmTarget } from "../arm/target.ts";
import { describeError } from "../kube/kube-error.ts";
import type { KnownMachine, WatchedCluster } from "../objects/objects.ts";
import { keyOfNamed } from "../objects/objects.ts";
import { noAnswer } from "../verdict/read-vm.ts";
import type { Account } from "../verdict/account.ts";
import type { ClusterLog, World } from "../world.ts";
import type { Book } from "./book.ts";
import { placeOf, watchedMachine, type Caches } from "./caches.ts";
import type { Metrics } from "./metrics.ts";

export interface PollerParts {
  readonly client: ArmClient;
  readonly budget: ArmBudget;
  readonly caches: Caches;
  readonly book: Book;
  readonly world: World;
  readonly log: ClusterLog;
  readonly metrics: Metrics;
  /** A machine about which something new is believed. */
  readonly onNews: (key: string) => void;
  readonly onRefused: (cluster: WatchedCluster, status: number) => void;
  readonly tickMs?: number;
}

interface Question {
  readonly target: ArmTarget;
  readonly machines: Map<string, { readonly machine: KnownMachine; readonly cluster: WatchedCluster }>;
  everyMs: number;
}

interface Memory {
  askedAtMs: number;
  location?: string | undefined;
  /** From 0.9 to 1.1, so that machines made together are not asked together for ever. */
  readonly jitter: number;
}

const concurrent = 16;
const refusedMs = 600_000;

/**
 * Asks ARM for what is not settled, one question for a VM or a whole scale set, as often as its age deserves and the budget allows. Nothing
 * waits in line: at each tick what is due is looked up anew, so that what has settled meanwhile is not asked.
 */
export function createPoller(parts: PollerParts): { run(signal: AbortSignal): Promise<void> } {
  const { world, caches, book, budget } = parts;
  const memories = new Map<string, Memory>();
  const refused = new Map<string, number>();
  const flying = new Map<string, Promise<void>>();

  const tick = (signal: AbortSignal) => {
    const now = world.monotonicMs();
    const questions = dueQuestions(parts);
    for (const id of memories.keys()) if (!questions.has(id) && !flying.has(id)) memories.delete(id);
    const due = [...questions.values()].filter(({ target, everyMs }) => isDue(target, everyMs, now));
    for (const question of due.toSorted(
      (a, b) => (memories.get(a.target.id)?.askedAtMs ?? 0) - (memories.get(b.target.id)?.askedAtMs ?? 0),
    )) {
      if (flying.size >= concurrent) return;
      const memory = memories.get(question.target.id) ?? { askedAtMs: now, jitter: 0.9 + world.random() / 5 };
      if (budget.admit(question.target, memory.location) > 0) continue;
      memories.set(question.target.id, memory);
      memory.askedAtMs = now;
      flying.set(
        question.target.id,
        askOne(question, memory, signal).finally(() => flying.delete(question.target.id)),
      );
    }
  };
  const isDue = ({ id, subscription }: ArmTarget, everyMs: number, now: number): boolean => {
    if (flying.has(id) || (refused.get(subscription) ?? 0) > now) return false;
    const memory = memories.get(id);
    return memory === undefined || now - memory.askedAtMs >= everyMs * memory.jitter;
  };
  const askOne = async (question: Question, memory: Memory, signal: AbortSignal): Promise<void> => {
    const { target } = question;
    try {
      const asked = await ask(parts.client, target, { now: world.now, signal });
      if (signal.aborted) return;
      parts.metrics.armRequests.inc({ answer: asked.kind === "told" ? "found" : asked.answer.kind }, asked.requests);
      if (asked.kind === "told") {
        memory.location = asked.machines[0]?.location ?? memory.location;
        budget.succeeded(target, memory.location);
        takeUp(question, asked);
      } else takeSilence(question, memory, asked.answer);
    } catch (error) {
      parts.log.warn(`The answer of Azure for ${target.id} could not be taken up: ${describeError(error)}`);
    }
  };
  const takeUp = ({ machines }: Question, asked: Extract<Asked, { kind: "told" }>) => {
    const told = new Map(asked.machines.map(({ id, account }) => [id, account]));
    for (const [id, { machine }] of machines) hear(machine, told.get(id) ?? missing());
  };
  const takeSilence = (
    { target, machines }: Question,
    memory: Memory,
    answer: Extract<Asked, { kind: "silent" }>["answer"],
  ) => {
    switch (answer.kind) {
      case "throttled": {
        const pause = budget.throttled(target, memory.location, answer.retryAfterMs);
        parts.log.warn(
          `Azure asks to wait (${String(answer.status)}); ${target.kind} questions to subscription ${target.subscription} pause for ${String(Math.round(pause / 1000))} s`,
        );
        return;
      }
      case "refused":
        refused.set(target.subscription, world.monotonicMs() + refusedMs);
        for (const { machine, cluster } of machines.values()) {
          hear(
            machine,
            silent(
              "AccessDenied",
              `Azure refuses to tell (HTTP ${String(answer.status)}): the identity has no right there`,
            ),
          );
          parts.onRefused(cluster, answer.status);
        }
        return;
      case "not-found":
        for (const { machine } of machines.values()) hear(machine, missing());
        return;
      case "failed":
        parts.log.warn(`Azure gave no answer for ${target.id}: ${answer.why}`);
    }
  };
  const hear = (machine: KnownMachine, account: Account) => {
    const news = book.hear(machine.uid, account, { now: world.now(), monotonicMs: world.monotonicMs() });
    if (news) parts.onNews(keyOfNamed(machine));
  };
  const silent = (reason: "AccessDenied" | "MachineNotFound", line: string) =>
    noAnswer({ reason, line, time: world.now() });
  const missing = () => silent("MachineNotFound", "Azure knows no such machine (yet, or any more)");

  return {
    run: async (signal) => {
      while (!signal.aborted) {
        tick(signal);
        await world.sleep(parts.tickMs ?? 1000, signal);
      }
      await Promise.all(flying.values());
    },
  };

  function dueQuestions({ caches: all }: PollerParts): Map<string, Question> {
    const questions = new Map<string, Question>();
    for (const machine of all.machines.values()) {
      const watched = watchedMachine(caches, keyOfNamed(machine));
      if (watched === undefined || machine.deleting) continue;
      const entry = book.get(machine.uid);
      const everyMs = nextAskMs({
        verdict: entry?.state?.verdict,
        firstSeen: entry?.state?.firstSeen ?? world.now(),
        hasNode: machine.hasNode,
        now: world.now(),
      });
      if (everyMs === undefined) continue;
      const place = placeOf(caches, machine);
      if (place === undefined) continue;
      const question = questions.get(place.target.id) ?? { target: place.target, machines: new Map(), everyMs };
      question.machines.set(place.id, watched);
      question.everyMs = Math.min(question.everyMs, everyMs);
      questions.set(place.target.id, question);
    }
    return questions;
  }
}
