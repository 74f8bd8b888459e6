import { expect, test } from "@jest/globals";
import { lookAt, type MachineShape } from "./machine-of.ts";
import { cloudbaseRun, executes, windows, windowsJoinData, windowsSentinel } from "./named/parts.ts";

const log = cloudbaseRun(10, { lines: [executes(15)], end: "" });
const running = { log, files: windowsJoinData, service: "running" } as const;

/** What a look asks of programs: each is a process that a busy machine has to start. */
function programsAskedOf(shape: MachineShape): { readonly verdict: string; readonly asked: readonly string[] } {
  const asked: string[] = [];
  const { verdict } = lookAt({
    ...shape,
    silent: ({ ask }) => {
      if (["services", "registry", "processes"].includes(ask)) asked.push(ask);
      return false;
    },
  });
  return { verdict, asked };
}

test("a sentinel that was seen to appear in this boot needs no program for its verdict", () => {
  const { memory } = lookAt(windows(running));
  const files = { ...windowsJoinData, [windowsSentinel]: { text: "success \r\n", at: 600 } };
  expect(programsAskedOf(windows({ ...running, files }, { memory }))).toEqual({ verdict: "bootstrapped", asked: [] });
  // Not seen to appear: whose it is, only the registry can tell.
  expect(programsAskedOf(windows({ ...running, files })).asked).toContain("registry");
  const earlier = { ...windowsJoinData, [windowsSentinel]: { text: "success \r\n", at: -600 } };
  expect(programsAskedOf(windows({ ...running, files: earlier }, { memory, bootId: "boot-2" })).asked).toContain(
    "services",
  );
});

test("while user data runs, nothing is asked that only a finished one needs", () => {
  expect(programsAskedOf(windows(running))).toEqual({ verdict: "not-yet", asked: ["services"] });
});
