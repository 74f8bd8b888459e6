import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { RunResult } from "../../../../handler/process-port.ts";
import { exited, makeMachine, windowsMachine } from "./made-machine.ts";

test.each(["sys/fs/cgroup", "sys/fs/cgroup/systemd"])(
  "processes of a unit are found below %s, with their age",
  async (hierarchy) => {
    const { put, ask } = makeMachine();
    put("proc/uptime", "100.50 1.0\n");
    put(`${hierarchy}/system.slice/cloud-final.service/cgroup.procs`, "7\n9\n");
    put(`${hierarchy}/system.slice/cloud-final.service/below/cgroup.procs`, "8\n");
    put("proc/7/stat", "7 (kube) adm (x) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 2650 1 1\n");
    put("proc/8/stat", "8 (curl) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 10050 1 1\n");
    put("proc/9/stat", "9 (gone) Z 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 100 1 1\n");
    put("proc/10/stat", "10 (other) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 100 1 1\n");
    const seen = [
      { name: "kube) adm (x", ageMs: 74_000 },
      { name: "curl", ageMs: 0 },
    ];
    expect(await ask({ ask: "processes", unit: "cloud-final.service" })).toEqual(seen);
    expect(await ask({ ask: "processes", unit: "none.service" })).toEqual([]);
    expect(await ask({ ask: "processes" })).toEqual([{ name: "other", ageMs: 99_500 }, ...seen]);
  },
);

test("processes are told of numbers alone, and of what says whole who it is and still runs", async () => {
  const { put, ask } = makeMachine();
  expect(await ask({ ask: "processes" })).toBe("/proc/uptime cannot be read");
  put("proc/uptime", "100 1.0\n");
  const stat = (name: string, state = "S") => `7 ${name} ${state} 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 9900 1 1\n`;
  put("proc/7/stat", stat("(one)"));
  put("proc/8/stat", stat("(dead)", "X"));
  put("proc/9/stat", stat("none"));
  put("proc/10/stat", stat(")odd("));
  put("proc/11/stat", stat("()"));
  put("proc/x7/stat", stat("(of no number)"));
  put("proc/7x/stat", stat("(of no number)"));
  put("proc/12/other", "");
  const one = { name: "one", ageMs: 1000 };
  const all = (await ask({ ask: "processes" })) as readonly { readonly name: string }[];
  expect(all.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([{ name: "", ageMs: 1000 }, one]);
  put("sys/fs/cgroup/system.slice/a.service/cgroup.procs", "7\nx7\n7x\n\n0x7\n");
  put("sys/fs/cgroup/system.slice/a.service/below/cgroup.procs/of/a/folder", "");
  put("sys/fs/cgroup/system.slice/deep.service/1/2/cgroup.procs", "7\n");
  put("sys/fs/cgroup/system.slice/deep.service/1/2/3/cgroup.procs", "11\n");
  expect(await ask({ ask: "processes", unit: "a.service" })).toEqual([one]);
  expect(await ask({ ask: "processes", unit: "deep.service" })).toEqual([one]);
  for (const unit of ["../a", "", "a b", "-a", "a/b", "x".repeat(202)])
    expect(await ask({ ask: "processes", unit })).toBe("it is not the name of a unit");
});

test("a unit whose processes lie in systemd's own hierarchy alone is found there", async () => {
  const { put, ask } = makeMachine();
  put("proc/uptime", "100 1.0\n");
  put("proc/17/stat", "17 (one) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 9900 1 1\n");
  put("sys/fs/cgroup/system.slice/other.service/cgroup.procs", "");
  put("sys/fs/cgroup/systemd/system.slice/a.service/cgroup.procs", "17\n");
  expect(await ask({ ask: "processes", unit: "a.service" })).toEqual([{ name: "one", ageMs: 1000 }]);
});

const ourMounts =
  "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n26 25 8:17 / /var/lib/kubelet rw - ext4 /dev/sdb1 rw\n";
const container =
  "812 790 0:58 / / rw - overlay overlay rw\n813 812 8:1 /var/lib/docker/1/hosts /etc/hosts rw - ext4 /dev/sda1 rw\n";
const begun = (...args: readonly string[]): string => [...args, ""].join("\0");

test.each<readonly [what: string, args: string, mounts: string | undefined, told: object]>([
  [
    "that joins",
    begun("kubeadm", "join", "10.0.0.4:6443", "--token", "abcdef.0123456789abcdef"),
    undefined,
    { command: "join" },
  ],
  [
    "behind flags",
    begun("/usr/bin/kubeadm", "-v", "5", "--v=6", "init", "phase", "certs"),
    undefined,
    { command: "init" },
  ],
  [
    "run by a script of its name",
    begun("/bin/sh", "/usr/local/bin/kubeadm", "upgrade", "node"),
    undefined,
    { command: "upgrade" },
  ],
  ["that takes a node apart", begun("kubeadm", "reset"), undefined, { command: "reset" }],
  ["that asks", begun("kubeadm", "token", "list"), undefined, { command: "token" }],
  ["that pulls images", begun("kubeadm", "config", "images", "pull"), undefined, { command: "config images pull" }],
  ["that lists images", begun("kubeadm", "config", "images", "list"), undefined, { command: "config" }],
  ["with two words that say different things", begun("kubeadm", "version", "join"), undefined, { command: "join" }],
  ["whose value is a word of kubeadm's", begun("kubeadm", "--kubeconfig", "/root/a", "version"), undefined, {}],
  ["of a word that nobody knows", begun("kubeadm", "abcdef.0123456789abcdef"), undefined, {}],
  ["of no word", begun("kubeadm"), undefined, {}],
  ["that names itself otherwise", begun("runs kubeadm join"), undefined, {}],
  ["in a container", begun("kubeadm", "init"), container, { command: "init", elsewhere: true }],
  ["in a container without arguments that can be read", "", container, { elsewhere: true }],
  ["on this machine", begun("kubeadm", "join"), ourMounts, { command: "join" }],
  [
    "in a container with this machine's folder of the kubelet",
    begun("kubeadm", "join"),
    `${container}814 812 8:17 / /var/lib/kubelet rw - ext4 /dev/sdb1 rw\n`,
    { command: "join" },
  ],
  [
    "in a container that has this machine's root below its own",
    begun("kubeadm", "join"),
    "812 790 0:58 / / rw - overlay overlay rw\n813 812 8:1 / / rw - ext4 /dev/sda1 rw\n",
    { command: "join" },
  ],
  [
    "in a container with this machine's /etc under its own, which lies on top",
    begun("kubeadm", "join"),
    "812 790 8:1 / / rw - ext4 /dev/sda1 rw\n813 812 0:58 / /etc rw - overlay overlay rw\n814 812 0:59 / /var rw - overlay overlay rw\n",
    { command: "join", elsewhere: true },
  ],
  [
    "that goes to this machine's root by itself",
    begun("kubeadm", "join", "--rootfs=/host"),
    container,
    { command: "join" },
  ],
  [
    "in a root that is no mount",
    begun("kubeadm", "join"),
    "813 812 0:5 / /proc rw - proc proc rw\n",
    { command: "join" },
  ],
])("of a kubeadm %s no more is told than what it does and where", async (...[, args, mounts, told]) => {
  const { put, ask } = makeMachine();
  put("proc/uptime", "100 1.0\n");
  put("proc/self/mountinfo", ourMounts);
  put("proc/7/stat", "7 (kubeadm) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 9900 1 1\n");
  put("proc/7/cmdline", args);
  if (mounts !== undefined) put("proc/7/mountinfo", mounts);
  const seen = (await ask({ ask: "processes" })) as readonly object[];
  expect(seen).toEqual([{ name: "kubeadm", ageMs: 1000, ...told }]);
});

test("where /etc/kubernetes has two names nothing tells where a kubeadm in a container writes; of other processes nothing is read", async () => {
  const { put, ask, host } = makeMachine();
  put("proc/uptime", "100 1.0\n");
  put("proc/self/mountinfo", ourMounts);
  for (const [pid, name] of [
    ["7", "kubeadm"],
    ["8", "vi"],
  ] as const) {
    put(`proc/${pid}/stat`, `${pid} (${name}) S 1 7 7 0 -1 0 9 0 0 0 5 2 0 0 20 0 8 0 9900 1 1\n`);
    put(`proc/${pid}/cmdline`, begun(name, "join"));
    put(`proc/${pid}/mountinfo`, container);
  }
  mkdirSync(join(host.root, "etc"), { recursive: true });
  symlinkSync("../mnt/kubernetes", join(host.root, "etc/kubernetes"));
  const seen = (await ask({ ask: "processes" })) as readonly { readonly name: string }[];
  expect(seen.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
    { name: "kubeadm", ageMs: 1000, command: "join" },
    { name: "vi", ageMs: 1000 },
  ]);
});

const taskOfKubeadm = '"System","4"\r\n"kubeadm.exe","77"\r\n';
const wmicTable = (...rows: readonly (readonly [string, string])[]): string =>
  [["CommandLine", "CreationDate"] as const, ...rows]
    .map(([line, date]) => `${line.padEnd(80)}  ${date.padEnd(25)}  77  \r\r\n`)
    .join("")
    .replace("  77  ", "  ProcessId  ");

test.each<readonly [what: string, wmic: RunResult | undefined, told: object]>([
  [
    "a table",
    exited(0, wmicTable(['"C:\\k\\kubeadm.exe"  join 10.0.0.4:6443 --token a.b', "19700101000050.000000+000"])),
    { ageMs: 50_000, command: "join" },
  ],
  [
    "a time before the boot",
    exited(0, wmicTable(["kubeadm.exe version", "19691231000000.000000+000"])),
    { ageMs: 90_000, command: "version" },
  ],
  [
    "a time to come",
    exited(0, wmicTable(["kubeadm.exe token list", "19700102000000.000000+000"])),
    { ageMs: 0, command: "token" },
  ],
  ["neither arguments nor time", exited(0, wmicTable(["", ""])), { ageMs: 0 }],
  ["more than tasklist", exited(0, wmicTable(["kubeadm.exe version", ""], ["kubeadm.exe version", ""])), { ageMs: 0 }],
  ["nothing", exited(0, "No Instance(s) Available.\r\n"), { ageMs: 0 }],
  ["an error", exited(44, wmicTable(["kubeadm.exe version", ""])), { ageMs: 0 }],
  ["that it is not there", undefined, { ageMs: 0 }],
])("a kubeadm of Windows is told by WMIC, which says %s", async (_, wmic, told) => {
  const { ask, calls, host } = windowsMachine({
    tasklist: exited(0, taskOfKubeadm),
    ...(wmic !== undefined && { wmic }),
  });
  mkdirSync(join(host.root, "proc"), { recursive: true });
  writeFileSync(join(host.root, "proc/uptime"), "90.0 1.0\n");
  expect(await ask({ ask: "processes" })).toEqual([
    { name: "System", ageMs: 0 },
    { name: "kubeadm.exe", ...told },
  ]);
  expect(calls[1]).toBe("wmic process where name='kubeadm.exe' get CommandLine,CreationDate,ProcessId");
});

test("processes, the host name and a key of Windows are read whatever the line ends are", async () => {
  const tasks = '"System","4","Services","0","144 K"\r\n"kube let.exe","77","x","0","1 K"\n"","5"\nx"a","6"\n"b","c"\n';
  const key = "HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters";
  const name = "\r\nHKEY\r\n    Hostname    REG_SZ    worker-1\r\n";
  const { ask, calls } = windowsMachine({ tasklist: exited(0, tasks), [`reg query ${key}`]: exited(0, name) });
  const seen = [
    { name: "System", ageMs: 0 },
    { name: "kube let.exe", ageMs: 0 },
  ];
  expect(await ask({ ask: "processes" })).toEqual(seen);
  expect(calls).toEqual(["tasklist /fo csv /nh"]);
  expect(await ask({ ask: "machine" })).toEqual({ vmId: "vm-1", hostName: "worker-1" });
  expect(await ask({ ask: "registry", key })).toEqual({
    kind: "values",
    values: { Hostname: "worker-1" },
    subkeys: [],
  });
  const many = Array.from({ length: 2001 }, (_, pid) => `"p","${String(pid)}"`).join("\n");
  expect(await windowsMachine({ tasklist: exited(0, many) }).ask({ ask: "processes" })).toHaveLength(2000);
  const none = windowsMachine({ tasklist: exited(0, "INFO: none"), reg: exited(0, name.replace("worker-1", "")) });
  expect(await none.ask({ ask: "processes" })).toBe("tasklist.exe names no process");
  expect(await none.ask({ ask: "machine" })).toBe("the host name is not known");
});
