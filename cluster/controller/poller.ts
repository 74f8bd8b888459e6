import type { ArmClient } from "../arm/arm-client.ts";
import { ask } from "../arm/ask.ts";
import type { ArmTarget } from "../arm/target.ts";
import { describeError } from "../kube/kube-error.ts";
import type { Caches } from "./caches.ts";
import type { Metrics } from "./metrics.ts";
import { openQuestions, type Question } from "./questions.ts";
import { takeSilence, takeUp, type AnswerParts } from "./take-up-answer.ts";

export interface PollerParts extends AnswerParts {
  readonly client: ArmClient;
  readonly caches: Caches;
  readonly metrics: Metrics;
  readonly tickMs?: number;
}

interface Memory {
  askedAtMs: number;
  location?: string | undefined;
  /** From 0.9 to 1.1, so that machines made together are not asked together for ever. */
  readonly jitter: number;
}

const concurrent = 32;
const refusedMs = 600_000;
/** A condition that CAPZ turns all the time costs no more than this. */
const leastMs = 15_000;

/**
 * Asks ARM for what is not settled, one question for a VM or a whole scale set, as often as its age deserves and the budget allows. Nothing
 * waits in line: at each tick what is due is looked up anew, so that what has settled meanwhile is not asked.
 */
export class Poller {
  readonly #parts: PollerParts;
  readonly #memories = new Map<string, Memory>();
  /** Resource groups that refuse, until when: a role may be given for one group alone. */
  readonly #refused = new Map<string, number>();
  readonly #flying = new Map<string, Promise<void>>();

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#tick(signal);
      await this.#parts.world.sleep(this.#parts.tickMs ?? 250, signal);
    }
    await Promise.all(this.#flying.values());
  }

  #tick(signal: AbortSignal): void {
    const { world, budget, book } = this.#parts;
    const now = world.monotonicMs();
    const questions = openQuestions(this.#parts);
    for (const id of this.#memories.keys()) {
      if (!questions.has(id) && !this.#flying.has(id)) this.#memories.delete(id);
    }
    const due = [...questions.values()].filter((question) => this.#isDue(question, now));
    for (const question of due.toSorted((a, b) => this.#askedAt(a) - this.#askedAt(b))) {
      if (this.#flying.size >= concurrent) return;
      const { id } = question.target;
      const memory = this.#memories.get(id) ?? { askedAtMs: now, jitter: 0.9 + world.random() / 5 };
      if (budget.admit(question.target, memory.location) > 0) continue;
      memory.askedAtMs = now;
      this.#memories.set(id, memory);
      for (const { machine } of question.machines.values()) book.asked(machine.uid, now);
      const asking = this.#ask(question, memory, signal).finally(() => this.#flying.delete(id));
      this.#flying.set(id, asking);
    }
  }

  #askedAt({ target }: Question): number {
    return this.#memories.get(target.id)?.askedAtMs ?? 0;
  }

  #isDue({ target, everyMs, turnedAtMs }: Question, now: number): boolean {
    if (this.#flying.has(target.id) || (this.#refused.get(groupOf(target)) ?? 0) > now) return false;
    const memory = this.#memories.get(target.id);
    if (memory === undefined) return true;
    const sinceMs = now - memory.askedAtMs;
    return (
      sinceMs >= everyMs * memory.jitter || (turnedAtMs > memory.askedAtMs && sinceMs >= Math.min(leastMs, everyMs))
    );
  }

  async #ask(question: Question, memory: Memory, signal: AbortSignal): Promise<void> {
    const { client, world, metrics, budget, log } = this.#parts;
    const { target } = question;
    try {
      const pace = () => budget.admit(target, memory.location);
      const asked = await ask(client, target, { now: world.now, pace, sleep: world.sleep, signal });
      if (signal.aborted) return;
      metrics.armRequests.inc({ answer: asked.kind === "told" ? "found" : asked.answer.kind }, asked.requests);
      if (asked.kind === "silent") {
        if (asked.answer.kind === "refused") this.#pauseRefused(target);
        takeSilence(question, { answer: asked.answer, location: memory.location }, this.#parts);
        return;
      }
      memory.location = asked.machines[0]?.location ?? memory.location;
      budget.succeeded(target, memory.location);
      takeUp(question, asked, this.#parts);
    } catch (error) {
      log.warn(`The answer of Azure for ${target.id} could not be taken up: ${describeError(error)}`);
    }
  }

  #pauseRefused(target: ArmTarget): void {
    this.#refused.set(groupOf(target), this.#parts.world.monotonicMs() + refusedMs);
  }
}

function groupOf({ subscription, resourceGroup }: ArmTarget): string {
  return `${subscription}/${resourceGroup}`;
}
