import { expect, test } from "@jest/globals";
import { rangesDoneAgain } from "../../../handler/diagnosis/done-again.ts";

/** The lines, from 1, that count for nothing. */
function passed(...lines: readonly string[]): readonly number[] {
  return rangesDoneAgain(lines.join("\n"))
    .flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at))
    .toSorted((a, b) => a - b);
}

const failed = [
  "+ modprobe br_netfilter",
  "modprobe: FATAL: Module br_netfilter not found in directory /lib/modules/6.8.0",
];
const refused = [
  "Err:1 https://pkgs.made-up.example/deb  InRelease",
  "  Temporary failure resolving 'pkgs.made-up.example'",
];
const old = "W: Some index files failed to download. They have been ignored, or old ones used instead.";

test("a traced command that fails and is then run again without a complaint is over", () => {
  expect(passed(...failed, "+ apt-get install -y extra", "+ modprobe br_netfilter", "+ sysctl --system")).toEqual([
    1, 2,
  ]);
});

test.each([
  ["it fails again", [...failed, "+ apt-get install -y extra", ...failed]],
  ["the log ends with it", [...failed, "+ apt-get install -y extra", "+ modprobe br_netfilter"]],
  ["something fails behind it", [...failed, "+ modprobe br_netfilter", "+ sysctl --system", "sysctl: error: made up"]],
  ["another one goes well", [...failed, "+ modprobe overlay", "+ sysctl --system"]],
  [
    "it only shows a log",
    ["root@n1:~# systemctl status kubelet", "kubelet: error: made up", "root@n1:~# systemctl status kubelet", "Active"],
  ],
])("it is not where %s", (_, lines) => {
  expect(passed(...lines)).toEqual([]);
});

test("what is typed again at the prompt and prints no error is over", () => {
  const typed = "root@n1:~# ./made-up-install.sh";
  expect(passed(typed, "curl: (7) Failed to connect to 10.61.0.9", typed, "installed kubelet")).toEqual([1, 2]);
});

test("an index that a later update fetches is over, with what apt says of it", () => {
  const got = "Get:1 https://pkgs.made-up.example/deb InRelease [1,190 B]";
  expect(passed(...refused, old, got, "Reading package lists...")).toEqual([1, 2, 3]);
});

test("it is not where another index of the same host is fetched", () => {
  expect(passed(...refused, old, "Hit:2 https://pkgs.made-up.example/deb other InRelease")).toEqual([]);
});

test("it is not where something fails behind the later update", () => {
  const got = "Get:1 https://pkgs.made-up.example/deb InRelease [1,190 B]";
  expect(passed(...refused, old, got, "E: Unable to locate package kubelet")).toEqual([]);
});
