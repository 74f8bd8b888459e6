import fc from "fast-check";
import {
  adminActs,
  type Attempt,
  type Command,
  type History,
  type Image,
  joinOutcomes,
  type Life,
  providers,
  userDataKinds,
} from "./history.ts";

/** Draws histories; the first value of each choice is the plainest, so that a counterexample shrinks to the fewest odd things. */
const weighted = <const Value>(...choices: readonly (readonly [number, Value])[]): fc.Arbitrary<Value> =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

const commandOutcome = weighted([6, "none"], [2, "ok"], [2, "fails"], [1, "hangs"]);

const attempt = (system: "linux" | "windows"): fc.Arbitrary<Attempt> =>
  fc
    .record({
      before: commandOutcome,
      join: fc.oneof(
        { weight: 5, arbitrary: fc.constant("ok" as const) },
        { weight: 6, arbitrary: fc.constantFrom(...joinOutcomes) },
      ),
      after: commandOutcome,
      unrelatedError: weighted([8, false], [1, true]),
      queued: weighted([10, false], [1, true]),
      restarts: weighted([12, "no"], [1, "before-join"], [1, "at-end"]),
      exitCode:
        system === "windows" ? weighted([10, undefined], [1, 1001], [1, 1002], [1, 1003]) : fc.constant(undefined),
    })
    .map(({ exitCode, ...rest }) => ({ ...rest, ...(exitCode === undefined ? {} : { exitCode }) }));

const life = (system: "linux" | "windows"): fc.Arbitrary<Life> =>
  fc.record({
    provider:
      system === "windows"
        ? fc.constant("kubeadm" as const)
        : fc.oneof(
            { weight: 5, arbitrary: fc.constant("kubeadm" as const) },
            { weight: 6, arbitrary: fc.constantFrom(...providers) },
          ),
    role:
      system === "windows"
        ? fc.constant("join-worker" as const)
        : weighted([4, "join-worker" as const], [2, "init" as const], [2, "join-control-plane" as const]),
    userData: fc.oneof(
      { weight: 7, arbitrary: fc.constant("provider" as const) },
      { weight: 4, arbitrary: fc.constantFrom(...userDataKinds) },
    ),
    attempts: fc.tuple(attempt(system), attempt(system)),
    nodeName: weighted([5, "host" as const], [1, "other" as const]),
    setting: weighted([4, "auto" as const], [1, "named" as const]),
    metadata: weighted([14, "found" as const], [1, "missing" as const]),
  });

const image = (system: "linux" | "windows"): fc.Arbitrary<Image> =>
  fc.record({
    cloudInit:
      system === "windows"
        ? fc.constantFrom("new" as const)
        : weighted([5, "new" as const], [4, "old" as const], [1, "absent" as const], [1, "disabled" as const]),
    leftovers: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.subarray([...providers], { maxLength: 2 }) },
    ),
    kubelet: weighted([6, "enabled" as const], [1, "disabled" as const]),
    runIsMemory: system === "windows" ? fc.constant(false) : weighted([9, true], [1, false]),
    builderTraces: weighted([4, false], [1, true]),
    sharedIdentity: system === "windows" ? fc.constant(false) : weighted([14, false], [1, true]),
    sentinel: weighted([6, false], [1, true]),
    sharesLog: weighted([6, false], [1, system === "windows"]),
    clusterAgeDays: weighted([1, 0], [1, 3], [1, 200]),
    certificateDays: weighted([8, 365], [1, 30]),
  });

const pause = fc.constantFrom(500, 4_000, 15_000, 40_000, 120_000, 400_000, 1_800_000);
const downTime = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(15_000, 90_000) },
  { weight: 1, arbitrary: fc.constantFrom(86_400_000, 35 * 86_400_000, 400 * 86_400_000) },
);

const command = (system: "linux" | "windows"): fc.Arbitrary<Command> =>
  fc.oneof(
    { weight: 10, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: pause }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant("look" as const),
        memory: weighted([3, "kept" as const], [1, "lost" as const]),
        silence: weighted([4, 0], [1, 0.1], [1, 0.5]),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("watch" as const), ms: pause }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("reboot" as const), offMs: downTime }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("power-cut" as const), offMs: downTime }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("clone" as const),
        hostName: weighted([3, "other" as const], [1, "same" as const]),
        prepared: fc.constantFrom("not" as const, "prototype" as const, "deprovisioned" as const, "cleaned" as const),
        offMs: fc.constantFrom(3_600_000, 86_400_000, 300 * 86_400_000),
        life: life(system),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("step-clock" as const),
        ms: fc.constantFrom(3_000, -3_000, 3_600_000, -3_600_000, 86_400_000),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("set-time-zone" as const), minutes: fc.constantFrom(0, 120, -480) }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("admin" as const), act: fc.constantFrom(...adminActs) }) },
  );

const systemHistory = (system: "linux" | "windows"): fc.Arbitrary<History> =>
  fc.record({
    system: fc.constant(system),
    image: image(system),
    life: life(system),
    commands: fc.array(command(system), { maxLength: 10, size: "max" }),
    seed: fc.nat(),
  });

export const linuxHistory = systemHistory("linux");
export const windowsHistory = systemHistory("windows");
export const anyHistory = fc.oneof({ weight: 3, arbitrary: linuxHistory }, { weight: 1, arbitrary: windowsHistory });
