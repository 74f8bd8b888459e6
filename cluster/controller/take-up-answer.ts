import type { Asked } from "../arm/ask.ts";
import type { ArmBudget } from "../arm/budget.ts";
import { keyOfNamed, type KnownMachine, type WatchedCluster } from "../objects/objects.ts";
import type { Account } from "../verdict/account.ts";
import { noAnswer } from "../verdict/read-vm.ts";
import type { ClusterLog, World } from "../world.ts";
import type { Book } from "./book.ts";
import type { Question } from "./questions.ts";

export interface AnswerParts {
  readonly book: Book;
  readonly budget: ArmBudget;
  readonly world: World;
  readonly log: ClusterLog;
  /** A machine about which something new is believed. */
  readonly onNews: (key: string) => void;
  readonly onRefused: (cluster: WatchedCluster, status: number) => void;
}

/** Takes up what Azure has said of each machine of a question; a machine that the answer lacks is not there. */
export function takeUp({ machines }: Question, asked: Extract<Asked, { kind: "told" }>, parts: AnswerParts): void {
  const told = new Map(asked.machines.map(({ id, account }) => [id, account]));
  for (const [id, { machine }] of machines) hear(machine, told.get(id) ?? missing(parts.world), parts);
}

type Silence = Extract<Asked, { kind: "silent" }>["answer"];

/** What follows from no answer: a pause, a word to people, or nothing. Never a failure. */
export function takeSilence(
  { target, machines }: Question,
  { answer, location }: { readonly answer: Silence; readonly location: string | undefined },
  parts: AnswerParts,
): void {
  const { log, world } = parts;
  switch (answer.kind) {
    case "throttled": {
      const pause = parts.budget.throttled(target, location, answer.retryAfterMs);
      log.warn(
        `Azure asks to wait (${String(answer.status)}); ${target.kind} questions to subscription ${target.subscription} pause for ${String(Math.round(pause / 1000))} s`,
      );
      return;
    }
    case "refused": {
      const line = `Azure refuses to tell (HTTP ${String(answer.status)}): the identity has no right there`;
      for (const { machine, cluster } of machines.values()) {
        hear(machine, noAnswer({ reason: "AccessDenied", line, time: world.now() }), parts);
        parts.onRefused(cluster, answer.status);
      }
      return;
    }
    case "not-found":
      for (const { machine } of machines.values()) hear(machine, missing(world), parts);
      return;
    case "failed":
      log.warn(`Azure gave no answer for ${target.id}: ${answer.why}`);
  }
}

function missing(world: World): Account {
  const line = "Azure knows no such machine (yet, or any more)";
  return noAnswer({ reason: "MachineNotFound", line, time: world.now() });
}

function hear(machine: KnownMachine, account: Account, { book, world, onNews }: AnswerParts): void {
  const news = book.hear(machine.uid, account, { now: world.now(), monotonicMs: world.monotonicMs() });
  if (news) onNews(keyOfNamed(machine));
}
