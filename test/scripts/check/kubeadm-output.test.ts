import { expect, test } from "@jest/globals";
import { readKubeadmOutput } from "../../../scripts/check/kubeadm-output.ts";

const attempt = "[preflight] Running pre-flight checks";
const error = "error execution phase kubelet-start: timed out waiting for the condition";
const success = "This node has joined the cluster:";
const reset = "[reset] Stopping the kubelet service";

function outcomeOf(...lines: readonly string[]): string {
  const reader = readKubeadmOutput();
  for (const line of lines) reader.read(line);
  return reader.outcome("log").kind;
}

test("a reset brings back the error that it cleans up after", () => {
  expect(outcomeOf(attempt, error, attempt, reset)).toBe("failed");
});

test("a reset of a node that had joined in the end brings back no error from before it joined", () => {
  expect(outcomeOf(attempt, error, attempt, success)).toBe("completed");
  expect(outcomeOf(attempt, error, attempt, success, reset)).toBe("begun");
});
