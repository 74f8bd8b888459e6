import { isDeepStrictEqual } from "node:util";
import type { LookContext, LookResult, Memory, Observation } from "../../scripts/check/look.ts";
import { answerAll, type Check } from "../support/drive-look.ts";
import type { Answer, Question } from "../../scripts/check/questions.ts";
import { administer, cloneOf, powerCut } from "./acts.ts";
import { answerOf } from "./answers.ts";
import { fittingLife } from "./fitting-life.ts";
import type { Command, History } from "./history.ts";
import { layOutLinuxImage, linux } from "./linux.ts";
import { Machine } from "./machine.ts";
import { inAnotherOrder } from "./other-order.ts";
import type { Fault, Played } from "./played.ts";
import { randomFrom } from "./random.ts";
import { type Truth, truthOf } from "./truth.ts";
import { layOutWindowsImage, setTimeZone, windows } from "./windows.ts";

const settleSteps = [30_000, 270_000, 600_000, 1_800_000, 3_600_000];
/** Together with them longer than any kubeadm lasts that will ever end: what hangs is only then known to. */
const whereOneHangs = [...settleSteps, 3_600_000];

/** Makes the machine of a history, before its first boot. */
export function machineOf(history: History): Machine {
  const { system, seed } = history;
  const shared = history.image.sharedIdentity && history.life.provider !== "kubeadm-ignition";
  const life = fittingLife({ ...history.image, sharedIdentity: shared }, history.life);
  const ignition = life.provider === "kubeadm-ignition";
  const image = ignition ? { ...history.image, cloudInit: "absent" as const, sharedIdentity: false } : history.image;
  const machine = new Machine({ system, systemModel: system === "windows" ? windows : linux, image, life, seed });
  if (system === "windows") layOutWindowsImage(machine);
  else layOutLinuxImage(machine);
  return machine;
}

class Player {
  readonly check: Check;
  readonly random: () => number;
  readonly reached = new Set<string>();
  readonly stages = new Set<string>();
  readonly reasons = new Set<string>();
  machine: Machine;
  memory: Memory = {};
  looks = 0;
  fault: Fault | undefined;
  begunMs: number;

  constructor(history: History, check: Check) {
    this.check = check;
    this.random = randomFrom(history.seed ^ 0x5bd1e995);
    this.machine = machineOf(history);
    this.machine.boot();
    this.begunMs = this.machine.trueMs;
  }

  do(command: Command): void {
    const { machine } = this;
    switch (command.do) {
      case "wait":
        machine.advance(command.ms);
        return;
      case "watch":
        this.watch(command.ms);
        return;
      case "look":
        if (command.memory === "lost") this.memory = {};
        this.look(command.silence);
        return;
      case "reboot":
        machine.tell("the machine is rebooted");
        machine.restart(command.offMs);
        return;
      case "power-cut":
        machine.tell("the power is cut");
        powerCut(machine, command.offMs);
        return;
      case "clone":
        this.clone(command);
        return;
      case "step-clock":
        machine.stepClock(command.ms);
        return;
      case "set-time-zone":
        setTimeZone(machine, command.minutes);
        return;
      case "admin":
        administer(machine, command.act);
        return;
    }
  }

  clone(command: Extract<Command, { readonly do: "clone" }>): void {
    const donor = this.machine;
    this.machine = cloneOf(donor, { ...command, life: fittingLife(donor.image, command.life, donor.life) });
    this.machine.story.unshift(...donor.story, "");
    this.machine.boot();
    this.memory = {};
    this.begunMs = this.machine.trueMs;
    this.reached.add("clone");
  }

  look(silence: number): LookResult | undefined {
    const { machine } = this;
    this.looks += 1;
    const truth = truthOf(machine);
    if (truth.kind === "working") machine.wasNode = true;
    this.reached.add(`truth: ${truth.kind}: ${truth.why}`);
    const observations: Observation[] = [];
    const context = this.context();
    const result = this.drive(context, truth, (question) => {
      const answer =
        this.random() < silence
          ? ({ kind: "cannot-tell", why: "no answer in the model" } as const)
          : answerOf(machine, question);
      observations.push({ question, answer });
      return answer;
    });
    if (result === undefined) return undefined;
    this.stages.add(result.stage);
    if (result.reason !== undefined) this.reasons.add(result.reason);
    this.judge({ truth, result, observations });
    if (this.looks % 8 === 1) this.lookAgain({ truth, result, observations, context });
    this.memory = result.memory;
    return result;
  }

  watch(ms: number): void {
    let left = ms;
    for (let looks = 0; looks < 25 && left > 0 && this.fault === undefined; looks += 1) {
      const step = Math.min(left, this.machine.nextEventMs());
      this.machine.advance(step);
      left -= step;
      this.look(0);
    }
    this.machine.advance(left);
  }

  context(): LookContext {
    const { machine } = this;
    const own = machine.life.userData.startsWith("own");
    return {
      system: machine.system,
      provider: machine.life.setting === "auto" ? "auto" : own ? "custom" : machine.life.provider,
      elapsedMs: machine.trueMs - this.begunMs,
      timeoutMs: 8_000_000,
      memory: this.memory,
    };
  }

  drive(context: LookContext, truth: Truth, answer: (question: Question) => Answer): LookResult | undefined {
    let asked = 0;
    try {
      return answerAll(this.check(context), (question) => {
        asked += 1;
        if (asked > 2_000) throw new Error("endless");
        return answer(question);
      });
    } catch (error) {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.blame({
        rule: detail === "endless" ? "endless" : "exception",
        truth,
        result: undefined,
        observations: [],
        detail,
      });
      return undefined;
    }
  }

  judge(parts: Pick<Fault, "truth" | "observations"> & { readonly result: LookResult }): void {
    const { truth, result } = parts;
    if (truth.allowed.includes(result.verdict)) return;
    const rule = result.verdict === "bootstrapped" ? "false-success" : "false-failure";
    this.blame({ ...parts, rule, detail: `${result.verdict}, while the truth is: ${truth.kind} (${truth.why})` });
  }

  /** The same look with names and keys in another order, and from its own record. */
  lookAgain(
    parts: Pick<Fault, "truth" | "observations"> & { readonly result: LookResult; readonly context: LookContext },
  ): void {
    const { truth, result, observations, context } = parts;
    const next = (): ((question: Question) => Answer) => {
      let at = 0;
      return () => observations[at++]?.answer ?? { kind: "cannot-tell", why: "past the record" };
    };
    const replayed = this.drive(context, truth, next());
    if (!isDeepStrictEqual(replayed, result))
      this.blame({ ...parts, rule: "replay", detail: `replayed: ${JSON.stringify(replayed)}` });
    const from = next();
    const turned = this.drive(context, truth, (question) => inAnotherOrder(from(question), this.random));
    if (turned?.verdict !== result.verdict || turned.stage !== result.stage || turned.reason !== result.reason) {
      this.blame({ ...parts, rule: "order", detail: `in another order: ${JSON.stringify(turned)}` });
    }
  }

  /** After the last command: time passes until nothing changes any more, and then the verdict must be there. */
  settle(): void {
    let last: LookResult | undefined;
    for (const step of hangsKubeadm(this.machine) ? whereOneHangs : settleSteps) {
      this.machine.advance(step);
      last = this.look(0);
      if (this.fault !== undefined) return;
    }
    const truth = truthOf(this.machine);
    if (truth.final === undefined || last === undefined || last.verdict === truth.final) return;
    const observations: Observation[] = [];
    const result = this.drive(this.context(), truth, (question) => {
      const answer = answerOf(this.machine, question);
      observations.push({ question, answer });
      return answer;
    });
    this.blame({
      rule: "no-verdict",
      truth,
      result,
      observations,
      detail: `in the end ${last.verdict} (${last.stage}) where ${truth.final} is due: ${truth.why}`,
    });
  }

  blame(fault: Omit<Fault, "machine">): void {
    this.fault ??= { ...fault, machine: this.machine };
  }
}

/** By its words it may still join; one that only asks, or is in a container, keeps nobody waiting. */
function hangsKubeadm({ processes }: Machine): boolean {
  return processes.some(({ stray, command, elsewhere }) => {
    return stray === true && elsewhere !== true && (command === "join" || command === undefined);
  });
}

/** Plays a history to its end against a check. */
export function play(history: History, check: Check, { settles = true }: { readonly settles?: boolean } = {}): Played {
  const player = new Player(history, check);
  for (const command of history.commands) {
    player.do(command);
    if (player.fault !== undefined) break;
  }
  if (settles && player.fault === undefined) player.settle();
  const { fault, looks, reached, stages, reasons, machine } = player;
  return { fault, looks, reached, stages, reasons, machine };
}
