import type { Identity } from "./evidence.ts";
import { bootAt, sameTimeMs, type Moment } from "./observed.ts";

/** Since when files can be this instance's own, and what else tells a donor's certificate from this node's. */
export interface Origin {
  /** When this instance began, by the clock of that time; undefined when nothing on the machine says. */
  readonly since?: number;
  /** How wrong `since` may be. */
  readonly slackMs?: number;
  /** Times cannot be compared: the clock went back in between. */
  readonly clockWentBack: boolean;
  /** What is newer than the instance was made by it: not on Windows where the clock may have gone back, since a donor's may then be newer, too. */
  readonly newerTells: boolean;
  /** The instance began in this boot, so that all of it is newer than the boot, also by a clock that went back since. */
  readonly beganInThisBoot: boolean;
  /** Would it be seen if the clock had gone back after this instance began? Not where all that orders its times is of an earlier boot. */
  readonly orderIsSure: boolean;
  /** When this system was set up on this disk (sysprep): nothing older is this machine's own, whatever its name. */
  readonly setUpAt?: number;
  /** Nothing on this machine dates its instance, and none names its node otherwise: then the name alone tells. */
  readonly nameTells: boolean;
  /** What is newer than this boot was made on this machine; not where user data is still to make something newer. */
  readonly bootTells: boolean;
  /** The earliest sign of this boot where files tell it, too: the present clock may have been set since. */
  readonly bootedAt?: number;
  /** The user data of this instance bootstraps: then a certificate older than it is not this node's, whatever its name. */
  readonly bootstraps: boolean;
  /**
   * With user data that bootstraps, and a certificate that nothing dates: when does this host's name in it prove that it is not a donor's?
   * `of-this-boot`: only if it was written in this boot, since the clock went back and no later boot tells by how much.
   */
  readonly nameProves: "always" | "unless-failed" | "of-this-boot";
}

/** Clocks that were set wrong are most often wrong by time zones: 26 hours lie between the two that are farthest apart. */
const clockStepMs = 26 * 3_600_000;

/** So long a first boot may have run before it set up the system. */
const firstBootMs = 1_800_000;

interface Ownership {
  readonly moment: Moment;
  readonly origin: Origin;
  /** The node's name in the certificate. */
  readonly name: string;
  readonly at: number | undefined;
  readonly isNew: boolean;
}

/**
 * Whose certificate is it? Its own if this machine was seen to make it, if it is newer than this instance, or if it names
 * this host and nothing in this instance makes another one (a disk that came back as the same node).
 */
export function own({ moment, origin, name, at, isNew }: Ownership): Identity {
  if (isNew) return { kind: "own", why: "it was made while this machine was watched", by: "age" };
  const age = ageOf(origin, at, moment);
  const namesHost = isSameHost(name, moment.machine.hostName);
  if (age === "before-set-up") {
    const why = `is older than the set-up of this system, and belongs to node ${name}`;
    return { kind: "foreign", why, sure: !namesHost || isFarBefore(origin, at) };
  }
  if (age === "of-this-instance") return { kind: "own", why: "it is newer than this instance", by: "age" };
  if (namesHost && !(age === "older" && origin.bootstraps)) {
    return { kind: "own", why: `it names this host (${name})`, by: byName(origin, at, moment) };
  }
  if (namesHost) return { kind: "foreign", why: "is older than this instance's user data", sure: origin.orderIsSure };
  return { kind: "foreign", why: `belongs to node ${name}`, sure: age === "older" || origin.nameTells };
}

function byName(
  { bootstraps, nameProves }: Origin,
  at: number | undefined,
  moment: Moment,
): "name" | "undated-name" | "old-name" {
  if (!bootstraps || nameProves === "always") return "name";
  const isOld = at === undefined || at < bootAt(moment);
  return nameProves === "of-this-boot" && isOld ? "old-name" : "undated-name";
}

/** By more than a clock that was set back after the set-up would make of it: what names this host may then be its own. */
function isFarBefore({ setUpAt = Number.NEGATIVE_INFINITY }: Origin, at: number | undefined): boolean {
  return at !== undefined && at < setUpAt - clockStepMs;
}

/** A host may have got its domain, or lost it, since its node was named. */
function isSameHost(name: string, hostName: string): boolean {
  const [one, other] = [name.toLowerCase(), hostName.toLowerCase()];
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/**
 * The instance began in this boot, and the clock was set forward since. What it made lies soon after its beginning, or after the boot by the
 * present clock: what lies in between, far from both, is a donor's.
 */
export function isBetweenClocks(
  moment: Moment,
  { since, beganInThisBoot, clockWentBack }: Origin,
  at: number,
): boolean {
  if (since === undefined || !beganInThisBoot || clockWentBack) return false;
  return at > since + moment.boot.uptimeMs + clockStepMs && at < bootAt(moment) - clockStepMs;
}

/** Older than this instance, where nothing dates that than this boot, by more than any clock was set. */
export function isFarOlder(moment: Moment, origin: Origin, at: number | undefined): boolean {
  if (at === undefined || origin.clockWentBack) return false;
  return at < (origin.since ?? bootAt(moment)) - clockStepMs || isBetweenClocks(moment, origin, at);
}

type Age = "of-this-instance" | "older" | "before-set-up" | "not-told";

/** User data, or a boot, before the set-up by more than a first boot takes: the clock was set back in between, and the two compare nothing. */
function isDoubtful({ clockWentBack, since, bootedAt = Number.POSITIVE_INFINITY, setUpAt }: Origin): boolean {
  if (clockWentBack || setUpAt === undefined) return clockWentBack;
  return (since !== undefined && since < setUpAt) || bootedAt < setUpAt - firstBootMs;
}

function ageOf(origin: Origin, at: number | undefined, moment: Moment): Age {
  if (at === undefined || at > moment.wallMs + sameTimeMs) return "not-told";
  if (isBetweenClocks(moment, origin, at)) return "older";
  const ofThisBoot = at >= bootAt(moment);
  if (ofThisBoot && origin.bootTells) return "of-this-instance";
  if (isNewer(origin, at) && !isBeforeSetUp(origin, at, ofThisBoot)) return "of-this-instance";
  // What was written in this boot was not brought by an image, though a donor's kubelet may have renewed it.
  const mayBeOfThisBoot = ofThisBoot || at >= (origin.bootedAt ?? Number.POSITIVE_INFINITY);
  return mayBeOfThisBoot ? "not-told" : ageOfEarlierBoot(origin, at);
}

function isNewer({ since, newerTells }: Origin, at: number): boolean {
  return newerTells && since !== undefined && at > since;
}

/** What is of this boot is of this machine, also where the clock was set back after the set-up. */
function isBeforeSetUp({ setUpAt }: Origin, at: number, ofThisBoot: boolean): boolean {
  return setUpAt !== undefined && !ofThisBoot && at < setUpAt;
}

function ageOfEarlierBoot(origin: Origin, at: number): Age {
  if (isBeforeSetUp(origin, at, false)) return isDoubtful(origin) ? "not-told" : "before-set-up";
  const { since, slackMs = 0, clockWentBack, beganInThisBoot } = origin;
  const isInOrder = !clockWentBack || beganInThisBoot;
  return since !== undefined && isInOrder && at < since - slackMs ? "older" : "not-told";
}
