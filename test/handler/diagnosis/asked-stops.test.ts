import { expect, test } from "@jest/globals";
import { rangesOfAskedStops } from "../../../handler/diagnosis/asked-stops.ts";
import { causeOf } from "./reading/cause-of.ts";

const at = (second: number, words: string): string => `Apr 02 08:15:${String(second)} n1 systemd[1]: ${words}`;
const exited = "kubelet.service: Main process exited, code=exited, status=1/FAILURE";
const failed = "kubelet.service: Failed with result 'exit-code'.";

test.each([
  ["Stopping kubelet.service - kubelet: The Made-up Agent...", "Stopped kubelet.service - kubelet: The Made-up Agent."],
  ["Stopping Made-up Kubelet Server...", "Stopped Made-up Kubelet Server."],
])("how a unit ended that was stopped is no cause: %s", (stopping, stopped) => {
  const story = [at(10, stopping), at(11, exited), at(12, failed), at(13, stopped), at(14, "Reached made-up target")];
  expect(causeOf(...story)).toBe("unclassified");
  expect(causeOf(...story.slice(1))).toBe("kubelet-not-running");
  // It ended before it was stopped, and another was stopped as it ended.
  expect(causeOf(at(9, exited), at(9, failed), ...story.slice(0, 1), ...story.slice(3))).toBe("kubelet-not-running");
  expect(causeOf(at(10, "Stopping chrony..."), ...story.slice(1, 3), at(13, "Stopped chrony."))).toBe(
    "kubelet-not-running",
  );
});

test("a stop that has no end in sight hides nothing", () => {
  expect(rangesOfAskedStops([at(10, "Stopping kubelet..."), at(11, exited)].join("\n"))).toEqual([]);
});
