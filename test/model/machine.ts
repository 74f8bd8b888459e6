import type { ServiceState, UnitState } from "../../scripts/check/questions.ts";
import { FileTree } from "./files.ts";
import type { Attempt, Image, Life } from "./history.ts";
import { Activity, type Process, type Script } from "./activity.ts";
import { formatAge } from "./format-age.ts";
import type { Membership } from "./membership.ts";
import { drawGuid, randomFrom } from "./random.ts";
import { loadedUnit } from "./unit-states.ts";

export interface SystemModel {
  /** Starts what the system starts at a boot. */
  boot(machine: Machine): void;
}

export const modelEpochMs = Date.parse("2026-03-02T08:00:00Z");

export class Machine {
  files: FileTree;
  readonly image: Image;
  readonly system: "linux" | "windows";
  readonly systemModel: SystemModel;
  readonly random: () => number;
  life: Life;
  /** Which run of the bootstrap this is: 0 for the first. */
  attemptNumber = 0;
  units = new Map<string, UnitState>();
  services = new Map<string, ServiceState>();
  /** Registry keys with their values, by their full names. */
  registry = new Map<string, Map<string, string>>();
  processes: Process[] = [];
  activities: Activity[] = [];
  /** Events of the machine in plain words, for the story. */
  story: string[] = [];

  vmId: string;
  /** Azure's name of the role instance, given once. */
  readonly roleInstance: string;
  hostName: string;
  bootId = "";
  /** How often this virtual machine has booted. */
  boots = 0;
  trueMs: number;
  bootedAtMs: number;
  /** How far the machine's clock is off. */
  clockErrorMs = 0;
  zoneMinutes = 0;
  /** Whether something has started the kubelet of kubeadm in this boot, and since when. */
  kubelet: { wanted: boolean; sinceMs: number } = { wanted: false, sinceMs: 0 };
  /** When the machine will restart by itself, if it will. */
  restartAtMs: number | undefined;
  /** Whether that wish came from the machine's own bootstrap, and not from a person. */
  restartByBootstrap = true;
  membership: Membership | undefined;
  /** When this virtual machine first booted (true time). */
  firstBootMs: number;
  /** Windows: when the user data of this virtual machine was first begun, by its own clock: what dates its files. */
  userDataBeganMs: number | undefined;
  /** The clock was wrong when something was written that is dated by it. */
  clockWasWrong = false;
  /** Whether this virtual machine was a working node at some moment. */
  wasNode = false;
  /** The boot in which the sentinel was written last. */
  sentinelBootId = "";
  /** The kubelet got its certificate after kubeadm had been interrupted. */
  joinedAlone = false;
  /** kubeadm ended in failure on this virtual machine. */
  kubeadmFailed = false;
  /** Windows: the image was generalized, so that the next boot sets Windows up. */
  generalized = false;
  /** Ways of the truth that no reader of the machine can tell apart, as words; see truth.ts. */
  blurred = new Set<string>();

  constructor(parts: {
    readonly system: "linux" | "windows";
    readonly systemModel: SystemModel;
    readonly image: Image;
    readonly life: Life;
    readonly seed: number;
  }) {
    this.system = parts.system;
    this.systemModel = parts.systemModel;
    this.image = parts.image;
    this.life = parts.life;
    this.random = randomFrom(parts.seed);
    this.files = new FileTree(parts.system);
    this.vmId = drawGuid(this.random);
    this.hostName = this.drawHostName();
    this.roleInstance = `${this.vmId.split("-").reverse().join("-")}._${this.hostName}`;
    this.trueMs = modelEpochMs;
    this.bootedAtMs = this.trueMs;
    this.firstBootMs = this.trueMs;
  }

  drawHostName(): string {
    return `capz-md-0-${drawGuid(this.random).slice(0, 5)}`;
  }

  get wallMs(): number {
    return this.trueMs + this.clockErrorMs;
  }

  get uptimeMs(): number {
    return this.trueMs - this.bootedAtMs;
  }

  get attempt(): Attempt {
    return this.life.attempts[this.attemptNumber === 0 ? 0 : 1];
  }

  /** When the certificate of the node ends, as the API server reads it; never, where there is none. */
  certificateEndsMs(): number {
    const ends = [...this.files.entries.values()].flatMap((entry) => entry.certificate?.notAfterMs ?? []);
    return ends.length === 0 ? 0 : Math.max(...ends);
  }

  tell(event: string): void {
    this.story.push(`${formatAge(this.trueMs - this.firstBootMs)}  ${event}`);
  }

  write(path: string, text: string): void {
    this.files.write(path, text, this.wallMs);
  }

  append(path: string, text: string): void {
    this.files.append(path, text, this.wallMs);
  }

  beginUserData(): void {
    this.userDataBeganMs ??= this.wallMs;
  }

  /** A duration around `ms`, drawn between half and one and a half of it. */
  about(ms: number): number {
    return Math.round(ms * (0.5 + this.random()));
  }

  start(name: string, mayBecomeNode: boolean, script: (self: Activity) => Script): Activity {
    const activity = new Activity({ name, mayBecomeNode, wakeMs: this.trueMs }, script);
    this.activities.push(activity);
    return activity;
  }

  end(name: string): void {
    this.activities = this.activities.filter((activity) => activity.name !== name);
  }

  stepClock(ms: number): void {
    this.tell(`the clock is set by ${String(ms / 1_000)} s`);
    this.clockErrorMs += ms;
    if (Math.abs(this.clockErrorMs) > 60_000) this.clockWasWrong = true;
  }

  /** In how many milliseconds something happens by itself. */
  nextEventMs(): number {
    const times = this.activities.map((activity) => activity.wakeMs);
    if (this.restartAtMs !== undefined) times.push(this.restartAtMs);
    return Math.max(0, Math.min(...times) - this.trueMs);
  }

  /** Lets true time pass; whatever runs on the machine goes on. */
  advance(ms: number): void {
    const until = this.trueMs + ms;
    for (let steps = 0; steps < 100_000; steps += 1) {
      let next: Activity | undefined;
      for (const activity of this.activities) {
        if (activity.wakeMs <= until && (next === undefined || activity.wakeMs < next.wakeMs)) next = activity;
      }
      const restartAt = this.restartAtMs;
      if (restartAt !== undefined && restartAt <= until && (next === undefined || restartAt < next.wakeMs)) {
        this.trueMs = Math.max(this.trueMs, restartAt);
        this.tell("the machine restarts by its own wish");
        this.restart(this.about(20_000));
        continue;
      }
      if (next === undefined) break;
      this.trueMs = Math.max(this.trueMs, next.wakeMs);
      const step = next.script.next();
      if (step.done === true) this.activities = this.activities.filter((activity) => activity !== next);
      else next.wakeMs = this.trueMs + step.value;
    }
    this.trueMs = Math.max(this.trueMs, until);
  }

  /** Goes down, stays off for a time and boots: what lay in memory is gone, what was begun is not ended. */
  restart(offMs: number): void {
    this.activities = [];
    this.processes = [];
    this.units.clear();
    this.restartAtMs = undefined;
    this.restartByBootstrap = true;
    for (const folder of ["/run", "/proc", "/sys"]) {
      if (this.system === "linux" && (folder !== "/run" || this.image.runIsMemory)) this.files.remove(folder);
    }
    this.trueMs += offMs;
    this.boot();
  }

  boot(): void {
    this.bootId = drawGuid(this.random);
    this.bootedAtMs = this.trueMs;
    this.boots += 1;
    this.attemptNumber = this.boots > 1 ? 1 : 0;
    this.systemModel.boot(this);
  }

  startProcess(name: string, unit: string, more: Pick<Process, "command" | "elsewhere" | "stray"> = {}): void {
    this.processes.push({ name, unit, sinceMs: this.trueMs, ...more });
  }

  endProcess(name: string): void {
    this.processes = this.processes.filter((process) => process.name !== name || process.stray === true);
  }

  setUnit(name: string, state: Partial<UnitState>): void {
    const { load, active, sub, result, exitStatus, restarts = 0 } = this.units.get(name) ?? loadedUnit;
    this.units.set(name, { load, active, sub, result, exitStatus, restarts, ...state });
  }
}
