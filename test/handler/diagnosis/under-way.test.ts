import { describe, expect, test } from "@jest/globals";
import { causeOf, quiet } from "./reading/cause-of.ts";

interface Start {
  readonly name: string;
  /** What a start says that has not come to an end, or went on; and what it says where it fails. */
  readonly unfinished: readonly string[];
  readonly failed: readonly string[];
  readonly cause: string;
}

const noImage = String.raw`rke2[7]: level=error msg="import of /srv/made-up.txt: image \"registry.example/made-up:1\": not found"`;
const running = 'rke2[7]: level=info msg="Running kubelet --node-ip=10.61.0.9"';
const noEtcd = "https://etcd-0.made-up.example:2379 is unhealthy: context deadline exceeded";
const noConfig =
  'Apr 02 08:15:10 n1 kubelet[81]: E0402 08:15:10.123456      81 run.go:74] "command failed" err="failed to load kubelet config file, error: open /var/lib/kubelet/config.yaml: no such file or directory"';
const restarted = (times: number): string =>
  `Apr 02 08:15:20 n1 systemd[1]: kubelet.service: Scheduled restart job, restart counter is at ${String(times)}.`;
const fetching = (op: number, words: string): string =>
  `ignition[9]: op(${String(op)}): ${words} fetching config from "http://169.254.169.254/made-up"`;
const noRoute = `${fetching(1, "[failed]  ")}: dial tcp 169.254.169.254:80: connect: network is unreachable`;
const attempt = (number: number): string => `ignition[9]: GET http://192.0.2.7/made-up.ign: attempt #${String(number)}`;
const noAnswer =
  'ignition[9]: GET error: Get "http://192.0.2.7/made-up.ign": dial tcp 192.0.2.7:80: connect: network is unreachable';
const asked = (seconds: number): string =>
  `2026-04-02 08:15:10,101 - url_helper.py[WARNING]: Calling 'http://192.0.2.9/made-up/meta-data/instance-id' failed [${String(seconds)}/120s]: request error [Network is unreachable]`;
const lock = (seconds: number): string =>
  `Waiting for cache lock: Could not get lock /var/lib/dpkg/made-up. It is held by process 7 (made-up)... ${String(seconds)}s`;
const waiting = (what: string): string =>
  `level=warning msg="Waiting for the made-up information" error="${what}" subsys=made-up`;

const starts: readonly Start[] = [
  {
    name: "a program that goes on to its next step",
    unfinished: [noImage, running],
    failed: [running, noImage],
    cause: "image-pull-not-found",
  },
  {
    name: "a step that comes round again as the complaint does",
    unfinished: [noImage, running],
    failed: [running, noImage, running, noImage, running],
    cause: "image-pull-not-found",
  },
  {
    name: "a step behind which the program complains of something else",
    unfinished: [noImage, running],
    failed: [noImage, running, 'rke2[7]: level=error msg="made-up step: unexpected answer"'],
    cause: "image-pull-not-found",
  },
  {
    name: "the next step of another program",
    unfinished: [noImage, running],
    failed: [noImage, running.replace("rke2[7]", "k3s[8]")],
    cause: "image-pull-not-found",
  },
  {
    name: "a plug-in without which the runtime serves nothing",
    unfinished: [noImage, running],
    failed: [
      'containerd[7]: level=warning msg="failed to load plugin io.containerd.grpc.v1.cri" error="invalid plugin config: no such file or directory"',
      'containerd[7]: level=info msg="Start made-up monitor"',
    ],
    cause: "container-runtime-not-running",
  },
  {
    name: "a wait for the next attempt",
    unfinished: [noEtcd, "Error: unhealthy cluster", "etcdctl failed. Retrying in 5 seconds..."],
    failed: [noEtcd, noEtcd, noEtcd, "Error: unhealthy cluster", "etcdctl failed. Retrying in 5 seconds..."],
    cause: "etcd-unhealthy",
  },
  {
    name: "a wait behind the end of a helper",
    unfinished: [
      "W0402 08:15:10.123456 1 made_up.go:46] error: failed to fetch https://made-up.example/os: connection refused",
      ": exit status 1",
      "I0402 08:15:10.123457 1 made_up.go:47] Sleeping 1 minute for retry",
    ],
    failed: [
      "W0402 08:15:10.123456 1 made_up.go:46] error: failed to fetch https://made-up.example/os: connection refused",
      ": exit status 1",
      "I0402 08:15:10.123457 1 made_up.go:47] Sleeping 1 minute for retry",
      "F0402 08:16:10.123457 1 made_up.go:49] error: failed to fetch https://made-up.example/os: connection refused",
    ],
    cause: "http-download-failed",
  },
  {
    name: "what Ignition begins once more",
    unfinished: [noRoute, fetching(3, "[started] ")],
    failed: [fetching(1, "[started] "), noRoute],
    cause: "ignition-fetch-failed",
  },
  {
    name: "the first starts of a kubelet that kubeadm has not configured",
    unfinished: [noConfig, restarted(4)],
    failed: [noConfig, restarted(4), restarted(61)],
    cause: "kubeadm-not-run",
  },
  {
    name: "a package manager that waits for its lock",
    unfinished: [lock(0), lock(9)],
    failed: [lock(0), lock(301)],
    cause: "apt-lock-held",
  },
  {
    name: "the first attempts of what is counted",
    unfinished: [...quiet(2), attempt(1), noAnswer, attempt(2), noAnswer],
    failed: [...quiet(2), attempt(31), noAnswer, attempt(32), noAnswer],
    cause: "ignition-fetch-failed",
  },
  {
    name: "a first attempt and the end of its program",
    unfinished: [...quiet(2), attempt(1), noAnswer, ...quiet(1)],
    failed: [...quiet(2), attempt(1), noAnswer, "ignition[9]: Ignition failed: made-up stage: context canceled"],
    cause: "ignition-fetch-failed",
  },
  {
    name: "the first seconds of a wait",
    unfinished: [...quiet(3), asked(2)],
    failed: [...quiet(3), asked(55), asked(61)],
    cause: "cloud-init-datasource-failed",
  },
  {
    name: "a wait for what is not there yet",
    unfinished: [waiting("made-up range not available"), waiting("made-up range not available"), ...quiet(1)],
    failed: [waiting("made-up range not supported"), waiting("made-up range not supported"), ...quiet(1)],
    cause: "cni-install-failed",
  },
];

describe.each(starts)("$name", ({ unfinished, failed, cause }) => {
  test("is no cause while it goes on", () => {
    expect(causeOf(...unfinished)).toBe("unclassified");
  });

  test("is the cause where it fails", () => {
    expect(causeOf(...failed)).toBe(cause);
  });
});

test("a warning that numbers one of the first attempts is not what an excerpt was cut out for", () => {
  const warned = (attempt: number): string =>
    `level=warning msg="allocation failed" attempt=${String(attempt)} error="the made-up name server: no such host" subsys=made-up`;
  expect(causeOf("level=info msg=begun subsys=made-up", warned(0))).toBe("unclassified");
  expect(causeOf("level=info msg=begun subsys=made-up", warned(9))).not.toBe("unclassified");
});

test.each([
  [
    'kubelet[7]: W0402 08:15:10.1 7 driver-call.go:149] FlexVolume: driver call failed: executable: /made-up/uds, error: fork/exec /made-up/uds: no such file or directory, output: ""',
    'kubelet[7]: E0402 08:15:10.2 7 driver-call.go:262] Failed to unmarshal output for command: init, output: "", error: unexpected end of JSON input',
  ],
  ["2026-04-02 08:15:10.120 [ERROR][40] logutils.go 147: Failed to connect to syslog error=made-up delivery error"],
  [
    "[made-up] Waiting for the made-up parts. This can take up to 4m0s",
    "[kubelet-check] Initial timeout of 40s passed.",
  ],
  ['containerd[7]: level=error msg="made-up cleanup: failed to delete container from containerd: no such container"'],
  [
    'containerd[7]: level=info msg="cleaning up a made-up shim"',
    'containerd[7]: level=warning msg="failed to read init pid file" error="open /run/containerd/io.containerd.runtime.v2.task/made-up/init.pid: no such file or directory"',
  ],
  [
    'dockerd[7]: level=info msg="made-up booted"',
    'dockerd[7]: level=warning msg="Your kernel does not support made-up limits"',
  ],
  [
    "2026-04-02 08:15:10,101 - cc_resizefs.py[WARNING]: Device '/dev/made-up' did not exist. cannot resize: dev=/dev/root mnt_point=/",
  ],
  [
    'rke2[7]: level=info msg="Checking local image archives in /srv for registry.example/made-up:1"',
    'rke2[7]: level=info msg="Failed to find registry.example/made-up:1 in /srv/made-up.tar: tag made-up:1 not found in tarball"',
  ],
])("what a program does without is no cause: %j", (...lines) => {
  expect(causeOf(...lines)).toBe("unclassified");
});

test("what a daemon warns of is no cause where it says more than that", () => {
  const begun = "I0402 08:15:10.1 1 serving.go:312] Generated a made-up certificate";
  const warned = (level: string): string =>
    `${level}0402 08:15:11.2 1 made_up.go:102] unable to load initial CA bundle for: "client-ca::made-up" due to: configmap "made-up" not found`;
  expect(causeOf(begun, warned("W"), warned("W"))).toBe("unclassified");
  expect(causeOf(warned("W"))).toBe("pki-file-missing-or-invalid");
  expect(causeOf(begun, begun, warned("E"), warned("E"))).toBe("pki-file-missing-or-invalid");
});
