import { readFile } from "node:fs/promises";
import { describe, expect, test } from "@jest/globals";
import { loadRules } from "../../../handler/diagnosis/load-rules.ts";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { wellLinesOf } from "../../../handler/diagnosis/went-well.ts";
import { rulesFile } from "../../../scripts/dev/build-rules.ts";
import { named } from "./named-cause.ts";
import { causeOf, quiet } from "./reading/cause-of.ts";

interface Story {
  readonly name: string;
  readonly begins: readonly string[];
  /** How it was got over, and how it would have ended otherwise. */
  readonly well: readonly string[];
  readonly badly: readonly string[];
  readonly cause: string;
}

const noImds = "request to http://169.254.169.254/metadata/instance failed: connection timed out";
const noSocket = "dial unix /run/containerd/containerd.sock: connect: no such file or directory";
const noApi = 'Get "https://10.61.0.4:6443/version": dial tcp 10.61.0.4:6443: connect: connection refused';

const stories: readonly Story[] = [
  {
    name: "a watch that starts over, and its list that comes",
    begins: [
      `time="2026-04-02 08:15:11" level=error msg="Failed to watch endpoints, starting over in 10s ..." error="${noApi.replaceAll('"', String.raw`\"`)}"`,
    ],
    well: [`time="2026-04-02 08:15:21" level=info msg="Updated the list of addresses: [10.61.0.4]"`],
    badly: [
      `time="2026-04-02 08:15:21" level=fatal msg="Failed to watch endpoints" error="${noApi.replaceAll('"', String.raw`\"`)}"`,
    ],
    cause: "api-server-unreachable",
  },
  {
    name: "a numbered attempt",
    begins: [`WARNING: ${noImds}. Retry 1/6`, `WARNING: ${noImds}. Retry 2/6`],
    well: ["instance metadata retrieved"],
    badly: [`WARNING: ${noImds}. Retry 6/6`, `ERROR: ${noImds}`],
    cause: "imds-unreachable",
  },
  {
    name: "another attempt that the next line announces",
    begins: [`level=error msg="probe failed" error="${noSocket}"`, 'level=info msg="retrying in 5s"'],
    well: ['level=info msg="probe succeeded"'],
    badly: [`level=fatal msg="probe failed" error="${noSocket}"`],
    cause: "container-runtime-not-running",
  },
  {
    name: "the same address",
    begins: [`level=error msg="${noApi.replaceAll('"', '\\"')}"`],
    well: ['level=info msg="10.61.0.4:6443 is ready"'],
    badly: [`level=error msg="${noApi.replaceAll('"', '\\"')}"`, 'level=error msg="giving up"'],
    cause: "api-server-unreachable",
  },
  {
    name: "what recovered in the agent's own words",
    begins: [
      "2026-04-02T08:15:10.000000Z ERROR ExtHandler Error fetching the goal state: [HTTP Failed] [502: Bad Gateway]",
    ],
    well: ["2026-04-02T08:15:19.000000Z INFO ExtHandler Fetching the goal state recovered from previous errors"],
    badly: ["2026-04-02T08:15:19.000000Z ERROR Daemon Provisioning failed: [ProtocolError] goal state, giving up"],
    cause: "guest-agent-failed",
  },
  {
    name: "a mount that systemd tried again",
    begins: [
      "Apr 02 08:15:10 n1 systemd[1]: mnt-made.mount: Mount process exited, code=exited, status=32/n/a",
      "Apr 02 08:15:10 n1 systemd[1]: mnt-made.mount: Failed with result 'exit-code'.",
    ],
    well: ["Apr 02 08:15:31 n1 systemd[1]: Mounted /mnt/made."],
    badly: ["Apr 02 08:15:31 n1 systemd[1]: Dependency failed for Local File Systems."],
    cause: "disk-mount-failed",
  },
];

describe.each(stories)("$name", ({ begins, well, badly, cause }) => {
  test("that went well in the end is no cause", () => {
    expect(causeOf(...begins, ...well)).toBe("unclassified");
  });

  test("that did not go well is the cause", () => {
    expect(causeOf(...begins, ...badly)).toBe(cause);
  });

  test("is the cause where it went well before", () => {
    expect(causeOf(...well, ...begins, ...badly)).toBe(cause);
  });
});

test("what a program ended with is not got over by what another one tells of the same address", () => {
  const lines = [`level=fatal msg="${noApi.replaceAll('"', '\\"')}"`, 'level=info msg="10.61.0.4:6443 is ready"'];
  expect(causeOf(...lines)).toBe("api-server-unreachable");
});

test("what a program failed at before it ended is not got over by what went well behind its end", () => {
  const lines = [
    `ERROR: ${noImds}`,
    'level=fatal msg="the made-up agent ended"',
    "http://169.254.169.254 is reachable",
  ];
  expect(causeOf(...lines)).toBe("imds-unreachable");
});

test("what went well in a long log says nothing of an earlier failure", () => {
  expect(wellLinesOf([...quiet(30), "node made-up is ready"].join("\n"))).toEqual([]);
});

test.each([
  "StopPodSandbox for made-up returns successfully",
  "the daemon is not ready",
  "waiting until the node is ready",
  "cleaned up successfully",
  'level=error msg="gave up, 0 pods are ready"',
])("%j does not say that something went well", (line) => {
  expect(wellLinesOf(line).filter(({ kind }) => kind === "well")).toEqual([]);
});

test("what fails while the machine goes down is no cause", () => {
  const lines = ["Apr 02 08:15:10 n1 agent[4]: initiating reboot", `Apr 02 08:15:11 n1 kubelet[7]: ${noSocket}`];
  expect(causeOf(...lines)).toBe("unclassified");
  expect(causeOf(...lines.toReversed())).toBe("container-runtime-not-running");
});

async function ruledKindOf(...lines: readonly string[]): Promise<string> {
  const matcher = createMatcher(loadRules(await readFile(rulesFile, "utf8")), { platform: "linux" });
  matcher.feed({ source: "cloud-init", origin: "a.log" }, Buffer.from(`${lines.join("\n")}\n`));
  return rankFindings(matcher.finish()).kind;
}

test("what cloud-init's status lists as got over matches no rule", async () => {
  const listed = ["recoverable_errors:", "WARNING:", "\t- No DHCP client found: dhclient exit code: 1"];
  expect(await ruledKindOf("status: done", ...listed)).toBe("unclassified");
  expect(await ruledKindOf("status: error", ...listed)).toBe("classified");
});

test("a kubelet that was told its node is known is over what it could not ask the API server, in a long log too", async () => {
  const watch = (seconds: number): string =>
    `n1: {"ts":17581067010${String(seconds)}.7,"caller":"cache/reflector.go:205","msg":"Failed to watch","err":"failed to list *v1.Service: Get \\"https://127.0.0.1:7445/api/v1/services?fieldSelector=spec.clusterIP%21%3DNone\\": EOF"}`;
  const watches = [10, 11, 12].map(watch);
  const known =
    'n1: {"ts":1758106701099.2,"caller":"kubelet/kubelet_node_status.go:78","msg":"Successfully registered node"}';
  expect(await ruledKindOf(...quiet(30), ...watches)).toBe("classified");
  expect(await ruledKindOf(...quiet(30), ...watches, known)).toBe("unclassified");
  expect(await ruledKindOf(...quiet(30), known, ...watches)).toBe("classified");
});

test("an etcd that the node has joined when kubeadm marks it has been promoted", async () => {
  const refused = "etcdserver: can only promote a learner member which is in sync with leader";
  const marked = "[mark-control-plane] Marking the node n1 as control-plane by adding the labels: [a b]";
  expect(await ruledKindOf(...quiet(30), refused, marked)).toBe("unclassified");
  expect(await ruledKindOf(...quiet(30), marked, refused)).toBe("classified");
});

describe("a kubelet that holds its pods back", () => {
  const skip = (second: number) =>
    `I0402 08:15:${String(10 + second)}.370298   32911 kubelet.go:1799] skipping pod synchronization - [container runtime is down]`;
  const begins = "I0402 08:15:09.266610   32911 volume_manager.go:247] Starting Kubelet Volume Manager";
  const next = "I0402 08:15:40.971887   32911 reconciler.go:154] Reconciler: start to sync state";

  test("in its first seconds, and goes on, says nothing of its runtime", () => {
    expect(causeOf(begins, ...[1, 2, 3, 4].map(skip), next)).toBe("unclassified");
  });

  test("for longer has none that runs", () => {
    expect(causeOf(begins, ...[1, 2, 3, 4, 5, 6, 7, 8].map(skip), next)).toBe("container-runtime-not-running");
  });
});

test("the head of a list of file systems mounts nothing", () => {
  const failed =
    'Apr 02 08:15:10 n1 k3s[41]: time="2026-04-02T08:15:10Z" level=info msg="Waiting to retrieve agent configuration; server is not ready: \\"overlayfs\\" snapshotter cannot be enabled: failed to mount overlay: permission denied"';
  const listed = ["Filesystem      Size  Used Avail Use% Mounted on", "tank/vol-1   40G 1005M   40G   3% /"];
  expect(causeOf(failed, "root@md-0:~# df -h", ...listed)).toBe("host-environment-restricted");
});

test("a disk that cloud-init tried for its seed is none that cannot be mounted", async () => {
  const probed = (head: string): readonly string[] => [
    `2026-04-02 08:15:10,101 - util.py[DEBUG]: ${head}: Unexpected error while running command.`,
    "Stderr: mount: wrong fs type, bad option, bad superblock on /dev/sdz1,",
    "2026-04-02 08:15:10,102 - util.py[DEBUG]: Recursively deleting /tmp/made-up",
  ];
  const probes = probed("Failed mount of '/dev/sdz1' as 'iso9660'");
  expect(await ruledKindOf(...probes)).toBe("unclassified");
  expect(await ruledKindOf(...probes, ...probed("Running mount -a failed"))).toBe("classified");
});

test("a first try of minikube is over where a later one is done", async () => {
  const failed = ["error execution phase wait-control-plane: could not initialize a Kubernetes cluster", ...quiet(30)];
  const done = '* Done! kubectl is now configured to use "minikube" cluster and "default" namespace by default';
  expect(await ruledKindOf(...failed)).toBe("classified");
  expect(await ruledKindOf(...failed, done)).not.toBe("classified");
});

test("what is tried for one of the first times as the log ends is not yet a cause", () => {
  const failed =
    "ignition[9]: op(2): GET error: Get http://made-up.example/a.tgz: dial tcp: lookup made-up.example on [::1]:53: read udp: connection refused";
  const attempt = (number: number): string =>
    `ignition[9]: op(2): GET http://made-up.example/a.tgz: attempt #${String(number)}`;
  expect(causeOf(failed, attempt(4))).toBe("unclassified");
  expect(causeOf(failed, attempt(40))).not.toBe("unclassified");
  expect(causeOf(failed, "made-up: setting it up: attempt #4")).not.toBe("unclassified");
  expect(causeOf(attempt(4), failed)).not.toBe("unclassified");
});

test("the same step that went well on the same thing is got over", () => {
  const failed = (seconds: number): string =>
    `E0402 08:15:${String(seconds)}.1 1 made_up.go:124] Failed to retrieve widget info: Get https://localhost:8443/api/v1/x: dial tcp 127.0.0.1:8443: connect: connection refused`;
  const failures = [10, 11, 12].map(failed);
  const well = (what: string): string =>
    `I0402 08:15:16.2 1 made_up.go:135] Successfully retrieved ${what} IP: 10.1.0.3`;
  expect(causeOf(...failures, well("widget"))).toBe("unclassified");
  expect(causeOf(...failures, well("another"))).not.toBe("unclassified");
});

test("a program that is not there is not missing where its user leaves it out", async () => {
  const missing = 'exec: "runc": executable file not found in $PATH';
  expect(await ruledKindOf(`made-up failed: ${missing}`)).toBe("classified");
  expect(await ruledKindOf(`WARN[0000] runc is being ignored due to: ${missing}`)).toBe("unclassified");
});

test("a wait that ended in vain announces no other attempt", () => {
  const vain =
    "[upgrade/apply] FATAL: couldn't upgrade control plane. Errors faced: [timed out waiting for the condition]";
  const quoted = ["[preflight] Running pre-flight checks.", "[upgrade] Making sure the made-up cluster is healthy:"];
  expect(causeOf(vain, ...quoted)).toBe("join-timeout-unknown");
});

test("in a long log what else goes well says nothing of what failed", () => {
  const inLong = (...lines: readonly string[]): string => named(...quiet(30), ...lines, ...quiet(20));
  const wanted = "registry.k8s.io/kube-apiserver:v1.99.0";
  const missing = `time="2026-04-02T08:20:00Z" level=error msg="PullImage \\"${wanted}\\" failed" error="rpc error: code = NotFound desc = failed to pull and unpack image \\"${wanted}\\": failed to resolve reference \\"${wanted}\\": ${wanted}: not found"`;
  const other =
    'time="2026-04-02T08:20:02Z" level=info msg="PullImage \\"registry.k8s.io/pause:3.9\\" returns image reference \\"sha256:e6f1\\""';
  expect(inLong(missing, other)).toBe("image-pull-not-found");
  const unknown = "curl: (6) Could not resolve host: pkgs.made-up.example";
  expect(inLong(unknown, "Setting up curl (7.88.1) ...", "ntp: time set after 3 attempts")).toBe(
    "dns-resolution-failed",
  );
  expect(inLong(unknown, "+ sleep 30", "+ break", "[preflight] Running pre-flight checks")).toBe(
    "dns-resolution-failed",
  );
  const refused =
    'error execution phase preflight: couldn\'t validate the identity of the API Server: token id "abcdef" is invalid for this cluster or it has expired';
  expect(inLong(refused, "+ sleep 30", "[preflight] Running pre-flight checks")).toBe(
    "bootstrap-token-invalid-or-expired",
  );
});
