import { expect, test } from "@jest/globals";
import type { LineEvent } from "../../../handler/diagnosis/line-event.ts";
import { show } from "../../../handler/text/shown-text.ts";
import { fillSummary } from "../../../handler/diagnosis/summary.ts";

function filled(value: string): string {
  const event: LineEvent = {
    source: "kubelet",
    origin: "kubelet.log",
    originIndex: 0,
    line: 1,
    fileLine: 1,
    text: show(value),
    groups: { what: show(value) },
  };
  return fillSummary("It says {what}", [event]);
}

test.each([
  ['ExitCode": "51', "ExitCode: 51"],
  ['ExitCode\\": \\"51', "ExitCode: 51"],
  ['2026-03-28T11:02:07Z"', "2026-03-28T11:02:07Z"],
  ["registry.k8s.io/kube-proxy:v1.30.4:", "registry.k8s.io/kube-proxy:v1.30.4"],
  ["An adapter was not found. (0x803b0006) {\\", "An adapter was not found. (0x803b0006)"],
  ['unknown field \\"maxPodz\\"', 'unknown field "maxPodz"'],
  ["C:\\k\\kubelet.exe", "C:\\k\\kubelet.exe"],
  ["no such  file\tor directory)", "no such file or directory"],
])("a summary takes %s without the marks that its line left on it", (value, shown) => {
  expect(filled(value)).toBe(`It says ${shown}`);
});

test("a summary falls back when no line names the value", () => {
  expect(fillSummary("{image|An image} cannot be pulled", [])).toBe("An image cannot be pulled");
});
