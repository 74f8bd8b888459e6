import { expect, test } from "@jest/globals";
import { joinBlocks } from "../../../handler/diagnosis/pasted-text.ts";
import { causeOf } from "./reading/cause-of.ts";

const frames = (name: string): readonly string[] => [
  `k8s.io/kubernetes/cmd/kubeadm/app/${name}`,
  `\tk8s.io/kubernetes/cmd/kubeadm/app/made-up.go:75`,
  "main.main",
  "\tcmd/kubeadm/kubeadm.go:25",
];

const joined = (...lines: readonly string[]) => joinBlocks(lines.join("\n"));

test("a verbose kubeadm's error is one line, from the outside in", () => {
  const lines = [
    "[preflight] Running pre-flight checks",
    "Unauthorized",
    "failed to get config map",
    ...frames("util/config.made"),
    "error execution phase preflight",
    ...frames("cmd.Up"),
  ];
  expect(joined(...lines)).toEqual([
    { from: 2, to: 8, text: "error execution phase preflight: failed to get config map: Unauthorized", certain: false },
  ]);
  expect(causeOf(...lines)).toBe("bootstrap-token-invalid-or-expired");
});

test("a trace that was cut behind its first frames is read as far as it goes", () => {
  const [block] = joined('nodes "made-up" not found', "error uploading crisocket", ...frames("cmd.Up").slice(0, 1));
  expect(block?.text).toBe('error uploading crisocket: nodes "made-up" not found');
});

test.each([
  ["an error of one piece has nothing to join", ["error execution phase preflight", ...frames("cmd.Up")]],
  ["lines without frames are no trace", ["Unauthorized", "failed to get config map", "made up"]],
  ["a step's mark is no piece", ["[discovery] made up", "Unauthorized", ...frames("cmd.Up")]],
  ["a record's head is no piece", ["I0402 08:15:10.123456 made up", "Unauthorized", ...frames("cmd.Up")]],
])("%s", (_, lines) => {
  expect(joined(...lines)).toEqual([]);
});
