import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { kernelProbes } from "../../../../handler/diagnosis/probes/kernel.ts";
import { portProbes } from "../../../../handler/diagnosis/probes/ports.ts";
import { askProbe, probeLine, type Probe } from "../../../../handler/diagnosis/probes/probe.ts";
import {
  judgeDisk,
  judgeMemory,
  resourceProbes,
  windowsResourceProbes,
} from "../../../../handler/diagnosis/probes/resources.ts";
import { runtimeProbe } from "../../../../handler/diagnosis/probes/runtime-socket.ts";
import { fakeHost } from "../fake-host.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "machine-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

async function answers(probes: readonly Probe[]): Promise<readonly string[]> {
  const results = await Promise.all(probes.map((probe) => askProbe(probe, fakeHost({ root }))));
  return results.map((result) => `${result.state} ${probeLine(result)}`);
}

test("judgeDisk() fails at the kubelet's eviction thresholds", () => {
  const disk = { bsize: 4096, blocks: 1_000_000, bavail: 500_000, files: 1000, ffree: 500 };
  expect(judgeDisk(disk)).toEqual({ state: "passed", message: "50% of 3906 MiB free, 50% of inodes free" });
  expect(judgeDisk({ ...disk, bavail: 99_999 })).toEqual({
    state: "failed",
    message: "nearly full, 9% of 3906 MiB free, 50% of inodes free",
  });
  expect(judgeDisk({ ...disk, ffree: 49 })).toEqual({
    state: "failed",
    message: "out of inodes, 50% of 3906 MiB free, 4% of inodes free",
  });
  expect(judgeDisk({ ...disk, files: 0, ffree: 0 })).toEqual({ state: "passed", message: "50% of 3906 MiB free" });
});

test("reads memory, out-of-memory kills and swap", async () => {
  await put("proc/meminfo", "MemTotal:        1987000 kB\nMemFree: 1 kB\nMemAvailable:     122880 kB\n");
  await put("proc/vmstat", "nr_free 1\noom_kill 3\n");
  await put("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/sdb1 partition 2097148 0 -2\n");
  expect(await answers(resourceProbes(root).slice(-2))).toEqual([
    "failed probe memory this machine: out of memory, the kernel ended 3 processes; total 1940 MiB, available 120 MiB, oom_kill 3",
    "failed probe swap this machine: on (/dev/sdb1), the kubelet does not allow it",
  ]);
  await put("var/lib/kubelet/config.yaml", "failSwapOn: false\n");
  await put("proc/vmstat", "oom_kill 0\n");
  expect(await answers(resourceProbes(root).slice(-2))).toEqual([
    "passed probe memory this machine: total 1940 MiB, available 120 MiB, oom_kill 0",
    "passed probe swap this machine: on (/dev/sdb1), allowed by failSwapOn: false",
  ]);
});

test("without /proc the machine's probes are not run, and say so", async () => {
  expect((await answers(resourceProbes(root).slice(-2))).every((line) => line.startsWith("not-run"))).toBe(true);
  expect((await answers(portProbes(root))).every((line) => line.startsWith("not-run"))).toBe(true);
  expect((await answers(kernelProbes(root))).every((line) => line.startsWith("not-run"))).toBe(true);
});

test("a Windows machine is asked for its drive by its own name, and for its memory without /proc", async () => {
  const [disk = "", memory = ""] = await answers(windowsResourceProbes(root));
  expect(disk).toMatch(/^(?:passed|failed) probe disk /u);
  expect(disk).toContain(root);
  expect(memory).toMatch(/^passed probe memory this machine: total \d+ MiB, available \d+ MiB$/u);
  expect(judgeMemory(4 * 2 ** 30, 50 * 2 ** 20)).toEqual({
    state: "failed",
    message: "low memory, total 4096 MiB, available 50 MiB",
  });
});

test("compares the cgroup drivers and looks for modules and settings", async () => {
  await put("sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  await put("var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\ncgroupDriver: systemd\n");
  await put("etc/containerd/config.toml", '[plugins."x".options]\n            SystemdCgroup = false\n');
  await put("proc/modules", "overlay 155648 0 - Live 0x0\n");
  await put("proc/filesystems", "nodev\ttmpfs\n");
  await put("proc/sys/net/ipv4/ip_forward", "0\n");
  expect(await answers(kernelProbes(root))).toEqual([
    "failed probe cgroup this machine: driver mismatch, v2, kubelet systemd, containerd cgroupfs",
    "passed probe kernel-module overlay: loaded",
    "passed probe kernel-module br_netfilter: not loaded; only bridge-based network plugins need it",
    "failed probe sysctl net.ipv4.ip_forward: 0, Kubernetes needs 1",
    "not-run probe sysctl net.bridge.bridge-nf-call-iptables: no such setting",
  ]);
});

test("names the process that holds a port", async () => {
  const row = (port: number, inode: number) =>
    `   0: 00000000:${port.toString(16).toUpperCase().padStart(4, "0")} 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0 100 0 0 10 0`;
  await put("proc/net/tcp", `  sl  local_address rem_address   st\n${row(6443, 111)}\n${row(8080, 112)}\n`);
  await put("proc/net/tcp6", `  sl  local_address rem_address   st\n${row(10250, 222)}\n${row(2379, 333)}\n`);
  await put("proc/41/comm", "haproxy\n");
  await put("proc/42/comm", "kubelet\n");
  for (const [pid, inode] of [
    [41, 111],
    [42, 222],
  ] as const) {
    await mkdir(join(root, `proc/${pid}/fd`), { recursive: true });
    await symlink(`socket:[${inode}]`, join(root, `proc/${pid}/fd/5`));
  }
  const lines = await answers(portProbes(root));
  expect(lines).toContain("failed probe port 6443: in use by haproxy (pid 41), which is not part of Kubernetes");
  expect(lines).toContain("passed probe port 10250: in use by kubelet (pid 42)");
  expect(lines).toContain("passed probe port 2379: in use by a process that is not known");
  expect(lines).toContain("passed probe port 2380: free");
});

test("tells a missing runtime socket from a dead one and from one that answers", async () => {
  const path = "/run/containerd/containerd.sock";
  const host = fakeHost({
    root,
    outputs: {
      "crictl --runtime-endpoint":
        "Version:  0.1.0\nRuntimeName:  containerd\nRuntimeVersion:  v2.1.4\nRuntimeApiVersion:  v1\n",
    },
  });
  const message = async () => (await askProbe(runtimeProbe(host, undefined), host)).message;
  expect(await message()).toBe("no socket, the container runtime does not run");
  await put(path, "");
  expect(await message()).toMatch(/^socket dead, /);
  await rm(join(root, path));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, path), resolve));
  expect(await message()).toBe("containerd v2.1.4, CRI v1");
  const without = fakeHost({ root });
  expect((await askProbe(runtimeProbe(without, undefined), without)).message).toBe(
    "accepts connections; crictl is not installed",
  );
  await new Promise((resolve) => server.close(resolve));
});
