import { expect, test } from "@jest/globals";
import { joinBlocks, recoveredRanges, speakerAt, speakersOf } from "../../../handler/diagnosis/pasted-text.ts";
import { causeOf, quiet } from "./reading/cause-of.ts";

test.each([
  ["==> etcd [8d2f0c11] <==", "etcd"],
  ["* ==> kubelet <==", "kubelet"],
  ["[root@made-up ~]# journalctl -u kubelet --no-pager", "kubelet"],
  ["$ kubectl -n kube-system logs kube-apiserver-made-up", "kube-apiserver"],
  ["ubuntu@made-up:~$ sudo kubeadm init --config made-up.yaml", "kubeadm"],
  ["ubuntu@made-up:~$ sudo ETCDCTL_API=3 MADE_UP=1 etcdctl member list", "etcd"],
  ["$ kubectl get pods", undefined],
])("the lines after %j are of %s", (line, program) => {
  expect(speakerAt(speakersOf(`before\n${line}\nsaid\n`), 3)).toBe(program);
});

test("a line is of the last that was announced before it", () => {
  const speakers = speakersOf("==> kubelet <==\none\n==> containerd <==\ntwo\n");
  expect([speakerAt(speakers, 2), speakerAt(speakers, 4)]).toEqual(["kubelet", "containerd"]);
});

test("a log without headings and commands has no speakers", () => {
  expect(speakersOf(quiet(4).join("\n"))).toEqual([]);
});

const status = (unit: string, state: string): string =>
  [
    `● ${unit}.service - A made-up daemon`,
    "   Loaded: loaded (/lib/systemd/system/made-up.service; enabled)",
    `   Active: ${state}`,
    "  Process: 811 ExecStart=/usr/bin/made-up (code=exited, status=1/FAILURE)",
  ].join("\n");

test("a unit's status is one statement with its state and its end", () => {
  const [block] = joinBlocks(`before\n${status("kubelet", "failed (Result: exit-code) since Thu")}\n`);
  expect(block?.from).toBe(2);
  expect(block?.text).toMatch(/^● kubelet\.service - .*Active: failed .*status=1\/FAILURE\)$/u);
});

test("of a unit's status only its own lines are taken", () => {
  const text = `${status("quiet", "inactive (dead)").split("\n").slice(0, 3).join("\n")}\n${status("kubelet", "failed (Result: exit-code)")}`;
  expect(joinBlocks(text).map(({ text: joined }) => joined)).toEqual([expect.stringContaining("kubelet.service")]);
});

test("a unit that failed is told from its status, and one that runs is not", () => {
  expect(causeOf(status("kubelet", "failed (Result: exit-code) since Thu"))).toBe("kubelet-not-running");
  expect(causeOf(status("kubelet", "active (running) since Thu").split("\n").slice(0, 3).join("\n"))).toBe(
    "unclassified",
  );
});

test("the usage behind an error says which command it was", () => {
  const [joined] = joinBlocks("Error: unknown flag: --made-up\nUsage:\n  kubeadm join [flags]\n");
  expect(joined?.text).toBe("Error: unknown flag: --made-up Usage: kubeadm join [flags]");
  expect(joinBlocks("Error: unknown flag: --made-up\nno more\n")).toEqual([]);
});

test("the checks that an old kubeadm lists without a mark are its errors, up to its next step", () => {
  const list =
    "[preflight] Some fatal errors occurred:\n\tPort 10250 is in use\n\tswap is made up\n[preflight] If you know\n";
  expect(joinBlocks(list).map(({ from, text }) => `${from}: ${text}`)).toEqual([
    "2: [preflight] Some fatal errors occurred: Port 10250 is in use",
    "3: [preflight] Some fatal errors occurred: swap is made up",
  ]);
});

test("a record of a container's log that a page broke is one again", () => {
  const record = JSON.stringify({
    log: "cannot reach made-up: connection refused\n",
    stream: "stderr",
    time: "2026-04-02T08:15:00Z",
  });
  const broken = `{"log":"whole","time":"2026-04-02T08:15:00Z"}\n${record.slice(0, 30)}\n${record.slice(30)}\nnext`;
  expect(joinBlocks(broken)).toEqual([{ from: 2, to: 3, text: record, certain: false }]);
  expect(joinBlocks(`${record.slice(0, 30)}\n${record}`)).toEqual([]);
});

test("a command's trace says whose lines follow", () => {
  const said = "unable to decode made-up: madeUp: expects a value, error found in #10 byte of ...";
  expect(causeOf("+ kubeadm init --config /etc/made-up.yaml", said)).toBe("kubeadm-config-invalid");
  expect(causeOf("+ made-up init", said)).toBe("unclassified");
});

const lease = "\t- cloud-init made-up: Unable to obtain a DHCP lease on eth7";
const listed = ["recoverable_errors:", "WARNING:", lease, lease, lease];

test("what cloud-init lists as got over is no failure, where its end was a good one", () => {
  expect(causeOf("status: done", "errors: []", ...listed)).toBe("unclassified");
  expect(causeOf("status: error", "errors: []", ...listed)).toBe("cloud-init-dhcp-failed");
  expect(recoveredRanges(["status: done", ...listed, "last_update: now"].join("\n"))).toEqual([{ from: 2, to: 6 }]);
  expect(recoveredRanges('"status": "done",\n"recoverable_errors": {\n "WARNING": [\n')).toEqual([{ from: 2, to: 3 }]);
});

test.each([
  '{"level":"fatal","msg":"failed to start made-up: dial tcp 10.0.0.4:6443: connect: connection refused"}',
  "[wrapper] kubelet made-up: dial tcp 10.0.0.4:6443: connect: connection refused",
  '"kubelet made-up": dial tcp 10.0.0.4:6443: connect: connection refused',
])("what stands right behind the list is not of it: %s", (line) => {
  expect(recoveredRanges(["status: done", ...listed, line].join("\n"))).toEqual([{ from: 2, to: 6 }]);
  expect(causeOf("status: done", ...listed, line)).toBe("api-server-unreachable");
});

test("a list is got over by the verdict that was printed with it, above or below it, and by no other one", () => {
  const bad = ["$ cloud-init status --long", "status: error", ...listed];
  const good = ["$ cloud-init status --long", "status: done", ...listed];
  expect(causeOf(...bad, ...good)).toBe("cloud-init-dhcp-failed");
  expect(recoveredRanges([...bad, ...good].join("\n"))).toEqual([{ from: 10, to: 14 }]);
  expect(causeOf("$ kubectl get job made-up", "status: done", ...bad)).toBe("cloud-init-dhcp-failed");
  expect(causeOf(...listed, "stage: null", "status: done")).toBe("unclassified");
  expect(causeOf("status: error", ...listed, "status: done")).toBe("cloud-init-dhcp-failed");
  const json = ["{", '"recoverable_errors": {', ' "ERROR": [', `  "${lease.trim()}"`, " ]", "},"];
  expect(recoveredRanges([...json, '"stage": null,', '"status": "done"'].join("\n"))).toEqual([{ from: 2, to: 6 }]);
  expect(recoveredRanges([...json, '"stage": null,', '"status": "error"'].join("\n"))).toEqual([]);
});

test("a table's last column that was broken below its head is one line again, the next event another", () => {
  const head = "4/2/2026 8:15:00 AM {Failed to load runtime image made-up from tarball: no";
  const rest = `${" ".repeat(21)}local image available for made-up: image not found}`;
  const [joined, ...more] = joinBlocks(`${head}\n${rest}\n4/2/2026 8:15:01 AM {Pulling made-up}\n`);
  expect(joined?.text).toBe(`${head} ${rest.trim()}`);
  expect(more).toEqual([]);
  expect(causeOf(head, rest)).toBe("unclassified");
  // A column of the head's own, or a log's own second line, is not below the last one.
  expect(joinBlocks(`${head}\n    ${rest.trim()}\n`)).toEqual([]);
});

test("a record that was broken within its quote is one statement again, and nothing of it stays", () => {
  const lines = [
    '"command failed" err="failed to run made-up:',
    'cannot read \\"/etc/made-up.yaml\\":',
    'permission denied"',
    "Apr 02 08:15:01 node-1 systemd[1]: made-up.service: Failed with result 'exit-code'.",
  ];
  expect(joinBlocks(lines.join("\n"))).toEqual([
    {
      from: 1,
      to: 3,
      text: '"command failed" err="failed to run made-up: cannot read \\"/etc/made-up.yaml\\": permission denied"',
      certain: true,
    },
  ]);
});

test.each([
  ["a record of its own follows", ['made-up err="first', 'Apr 02 08:15:01 node-1 made-up[7]: other err="second"']],
  ["it is never closed", ['made-up err="first', "second", "third"]],
  ["the text is whole", ['made-up err="first"', "second"]],
])("a quote is left alone where %s", (_, lines) => {
  expect(joinBlocks(lines.join("\n"))).toEqual([]);
});

test("a reason that stands indented below the step that failed belongs to it", () => {
  const text =
    "error execution phase made-up: error uploading:\n  the made-up secret was not found:\n    nobody has it";
  expect(joinBlocks(text)[0]?.text).toBe(
    "error execution phase made-up: error uploading: the made-up secret was not found: nobody has it",
  );
});

test("a list below its heading is no reason", () => {
  expect(joinBlocks("an error has occurred:\n\t- the made-up one is down")).toEqual([]);
  expect(joinBlocks("the step failed, do the following steps:\n\tread the made-up log")).toEqual([]);
});

const printedTask = (fields: readonly string[]): string =>
  ["TASK [made-up : asks] ***", "fatal: [n1]: FAILED! => {", ...fields.map((one) => `    ${one}`), "}"].join("\n");

test("what Ansible prints of a task with a field on each line is one statement", () => {
  const text = printedTask(['"assertion": "ansible_distribution in made_up",', '"evaluated_to": false']);
  expect(joinBlocks(text).map(({ from, to }) => [from, to])).toContainEqual([2, 5]);
  expect(causeOf(text)).toBe("unsupported-os");
  expect(causeOf(text.replace("false", "true"))).toBe("unclassified");
  expect(causeOf(text.replace("distribution", "made_up"))).toBe("unclassified");
});

test("a task whose brace nobody closes is joined with nothing", () => {
  const text = printedTask(['"made_up": 1']).slice(0, -1);
  expect(joinBlocks(text).filter(({ from }) => from === 2)).toEqual([]);
});
