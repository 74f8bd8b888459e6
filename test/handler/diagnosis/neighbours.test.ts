import { describe, expect, test } from "@jest/globals";
import { createMatcher } from "../../../handler/diagnosis/match.ts";
import { rankFindings } from "../../../handler/diagnosis/rank.ts";
import { causeOf } from "./reading/cause-of.ts";
import { named, rules } from "./named-cause.ts";

const kubelet = (second: number, said: string): string =>
  `Apr 02 08:15:${10 + second} n1 kubelet[81]: E0402 08:15:${10 + second}.123456      81 ${said}`;
const often = (said: string): readonly string[] => [0, 7, 14, 21].map((second) => kubelet(second, said));
const registered =
  'Apr 02 08:15:59 n1 kubelet[81]: I0402 08:15:59.123456      81 kubelet_node_status.go:78] "Successfully registered node" node="n1"';
const notRegistered = (address: string, answer: string): string =>
  `kubelet_node_status.go:96] "Unable to register node with API server" err="Post \\"https://${address}/api/v1/nodes\\": dial tcp 10.61.0.4:${address.split(":").at(-1)}: connect: ${answer}" node="n1"`;

const validity = "x509: certificate has expired or is not yet valid";
const given = "kubeadm join 10.61.0.4:6443 --token q2w3e4.0123456789abcdef --discovery-token-ca-cert-hash sha256:4f";
const reading = "[preflight] Reading configuration from the cluster...";
const noConfigMap = (address: string): string =>
  `error execution phase preflight: unable to fetch the kubeadm-config ConfigMap: failed to get config map: Get "https://${address}/api/v1/namespaces/kube-system/configmaps/kubeadm-config?timeout=10s": dial tcp ${address}: i/o timeout`;
const etcdPods =
  'Get "https://10.61.0.4:6443/api/v1/namespaces/kube-system/pods?labelSelector=component%3Detcd": dial tcp 10.61.0.4:6443: connect: connection refused';
const release = "https://dl.k8s.io/release/v1.33.77/bin/linux/amd64/kubelet";
const noImage = (why: string): string =>
  `kuberuntime_image.go:55] "Failed to pull image" err="failed to pull and unpack image \\"registry.made-up.example/etcd:3.5\\": ${why}" image="registry.made-up.example/etcd:3.5"`;

const bridge = [
  "[preflight] Running pre-flight checks",
  "error execution phase preflight: [preflight] Some fatal errors occurred:",
  "\t[ERROR FileContent--proc-sys-net-bridge-bridge-nf-call-iptables]: /proc/sys/net/bridge/bridge-nf-call-iptables does not exist",
  "[preflight] If you know what you are doing, you can make a check non-fatal with `--ignore-preflight-errors=...`",
];
const scriptFailed =
  "2026-04-02 08:15:10,123 - cc_scripts_user.py[WARNING]: Failed to run module scripts-user (scripts in /var/lib/cloud/instance/scripts)";
const unwritten = often(
  'run.go:74] "command failed" err="failed to load kubelet config file, path: /var/lib/kubelet/config.yaml, error: open /var/lib/kubelet/config.yaml: no such file or directory"',
);
const noMirror = "failure: repodata/repomd.xml from made-up: [Errno 256] No more mirrors to try.";

/** Two logs that differ in one thing, and the causes that it decides between. */
const pairs: readonly {
  readonly decides: string;
  readonly one: readonly string[];
  readonly other: readonly string[];
}[] = [
  {
    decides: "whose file is missing: the kubelet's own, or one that it was given",
    one: [
      "tls-bootstrap-failed",
      kubelet(
        0,
        'run.go:74] "command failed" err="failed to run Kubelet: invalid configuration: unable to read client-cert /var/lib/kubelet/pki/kubelet-client-current.pem for system:node:n1: no such file or directory"',
      ),
    ],
    other: [
      "pki-file-missing-or-invalid",
      kubelet(
        0,
        'run.go:74] "command failed" err="failed to run Kubelet: invalid configuration: unable to read client-cert /srv/made-up/n1.pem for system:node:n1: no such file or directory"',
      ),
    ],
  },
  {
    decides: "whether a certificate is whole and only of tomorrow",
    one: [
      "clock-skew",
      "error execution phase certs/ca: failure loading ca certificate: failed to load certificate: the certificate is not valid yet",
    ],
    other: [
      "pki-file-missing-or-invalid",
      "error execution phase certs/ca: failure loading ca certificate: failed to load certificate: the certificate data is made up",
    ],
  },
  {
    decides: "whether the dates are told that say that it expired",
    one: ["clock-skew", `Unable to connect to the server: ${validity}`],
    other: [
      "api-server-cert-invalid",
      `Unable to connect to the server: ${validity}: current time 2026-04-02T08:15:10Z is after 2026-04-01T08:15:10Z`,
    ],
  },
  {
    decides: "whether a kubelet that cannot tell its certificate's time also wants to register",
    one: [
      "clock-skew",
      ...often(`reflector.go:158] "Failed to list *v1.Node: ${validity}"`),
      kubelet(28, `kubelet_node_status.go:96] "Unable to register node with API server" err="${validity}" node="n1"`),
    ],
    other: ["api-server-cert-invalid", ...often(`reflector.go:158] "Failed to list *v1.Node: ${validity}"`)],
  },
  {
    decides: "whose certificate it is: one that all the world uses, or one's own",
    one: ["clock-skew", kubelet(0, noImage(`Head \\"https://registry.k8s.io/v2/etcd/manifests/3.5\\": ${validity}`))],
    other: [
      "image-pull-failed",
      kubelet(0, noImage(`Head \\"https://registry.made-up.example/v2/etcd/manifests/3.5\\": ${validity}`)),
    ],
  },
  {
    decides: "whether the join fails where it was sent to, or where it was told to begin",
    one: ["control-plane-endpoint-mismatch", reading, noConfigMap("10.99.0.4:6443")],
    other: ["api-server-unreachable", given, reading, noConfigMap("10.61.0.4:6443")],
  },
  {
    decides: "whether the kubelet asks where the node was joined",
    one: ["control-plane-endpoint-mismatch", given, ...often(notRegistered("10.99.0.4:6443", "no route to host"))],
    other: ["api-server-unreachable", given, ...often(notRegistered("10.61.0.4:6443", "no route to host"))],
  },
  {
    decides: "whether the port is the usual one, mistyped",
    one: ["control-plane-endpoint-mismatch", ...often(notRegistered("cp.made-up.example:6434", "connection refused"))],
    other: ["api-server-unreachable", ...often(notRegistered("cp.made-up.example:6443", "connection refused"))],
  },
  {
    decides: "whether there is an address at all",
    one: ["control-plane-endpoint-mismatch", ...often(notRegistered(":6443", "connection refused"))],
    other: ["api-server-unreachable", ...often(notRegistered("cp:6443", "connection refused"))],
  },
  {
    decides: "who is asked: the API server for etcd's pods, or etcd",
    one: [
      "api-server-unreachable",
      `error execution phase check-etcd: etcd cluster is not healthy: failed to list etcd pods: ${etcdPods}`,
    ],
    other: [
      "etcd-unhealthy",
      "error execution phase check-etcd: etcd cluster is not healthy: failed to dial endpoint https://10.61.0.4:2379 with maintenance client: context deadline exceeded",
    ],
  },
  {
    decides: "what a program that downloads asks at this port",
    one: [
      "api-server-unreachable",
      "curl: (7) Failed to connect to 10.61.0.4 port 6443 after 130001 ms: Connection timed out",
    ],
    other: [
      "http-download-failed",
      "curl: (7) Failed to connect to 10.61.0.4 port 8443 after 130001 ms: Connection timed out",
    ],
  },
  {
    decides: "whether the server of the releases answers",
    one: [
      "unsupported-kubernetes-version",
      `+ curl -fsSLO ${release}`,
      "curl: (22) The requested URL returned error: 404",
    ],
    other: [
      "http-download-failed",
      `+ curl -fsSLO ${release}`,
      "curl: (28) Operation timed out after 130001 milliseconds",
    ],
  },
  {
    decides: "whether the registry answers",
    one: [
      "image-pull-failed",
      kubelet(
        0,
        noImage(
          "unexpected status from HEAD request to https://registry.made-up.example/v2/: 500 Internal Server Error",
        ),
      ),
    ],
    other: ["image-pull-timeout", kubelet(0, noImage("dial tcp 10.61.0.9:443: i/o timeout"))],
  },
  {
    decides: "whether the container of etcd has its image",
    one: [
      "image-pull-failed",
      ...often(
        'pod_workers.go:1301] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"etcd\\" with ImagePullBackOff: \\"Back-off pulling image\\"" pod="kube-system/etcd-n1"',
      ),
    ],
    other: [
      "control-plane-component-crash",
      ...often(
        'pod_workers.go:1301] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"etcd\\" with CrashLoopBackOff: \\"back-off 5m0s restarting failed container=etcd\\"" pod="kube-system/etcd-n1"',
      ),
    ],
  },
  {
    decides: "whether the CA, which all may have, or what only nodes may have is refused",
    one: [
      "control-plane-endpoint-mismatch",
      ...often("x").map(
        (_, at) =>
          `rke2[7]: time="2026-04-02T08:15:1${at}Z" level=error msg="failed to get CA certs: https://127.0.0.1:6444/cacerts: 401 Unauthorized"`,
      ),
    ],
    other: [
      "bootstrap-token-invalid-or-expired",
      'rke2[7]: time="2026-04-02T08:15:10Z" level=error msg="failed to get client cert: https://127.0.0.1:6444/v1-rke2/client-kubelet.crt: 401 Unauthorized"',
    ],
  },
  {
    decides: "whose certificate another CA signed: a file on this disk, or a peer's",
    one: [
      "pki-file-missing-or-invalid",
      "error execution phase certs/apiserver-etcd-client: [certs] certificate apiserver-etcd-client not signed by CA certificate etcd/ca: x509: certificate signed by unknown authority",
    ],
    other: [
      "api-server-cert-invalid",
      "error execution phase preflight: couldn't validate the identity of the API Server: x509: certificate signed by unknown authority",
    ],
  },
  {
    decides: "whether the kubelet tells a version that does not fit, or none",
    one: [
      "kubelet-version-skew",
      '\t[ERROR KubeletVersion]: the kubelet version is higher than the control plane version. Kubelet version: "1.33.77" Control plane version: "1.32.77"',
    ],
    other: ["kubelet-not-running", "\t[ERROR KubeletVersion]: couldn't get kubelet version: exit status 2"],
  },
  {
    decides: "whether the script that was to run kubeadm ended with an error",
    one: ["cloud-init-scripts-failed", scriptFailed, ...unwritten],
    other: ["kubeadm-not-run", ...unwritten],
  },
  {
    decides: "how the mirror of an index answered",
    one: [
      "apt-repository-failed",
      "Errors during downloading metadata for repository 'made-up':",
      "  - Status code: 404 for https://pkgs.made-up.example/rpm/repodata/repomd.xml",
    ],
    other: [
      "http-download-failed",
      "Errors during downloading metadata for repository 'made-up':",
      "  - Curl error (28): Timeout was reached for https://pkgs.made-up.example/rpm/repodata/repomd.xml [Connection timed out after 30001 milliseconds]",
    ],
  },
  {
    decides: "whether the signature of the index or the way to it fails",
    one: [
      "apt-repository-failed",
      noMirror,
      "https://pkgs.made-up.example/rpm/repodata/repomd.xml: [Errno -1] repomd.xml signature could not be verified for made-up",
    ],
    other: [
      "http-download-failed",
      noMirror,
      "https://pkgs.made-up.example/rpm/repodata/repomd.xml: [Errno 12] Timeout on https://pkgs.made-up.example/rpm/repodata/repomd.xml: (28, 'Connection timed out after 30001 milliseconds')",
    ],
  },
  {
    decides: "who does not answer apt: the proxy, or the server",
    one: [
      "proxy-misconfigured",
      "Err:1 https://pkgs.made-up.example/deb  InRelease",
      "  Reading from proxy failed - read (115: Operation now in progress)",
    ],
    other: [
      "http-download-failed",
      "Err:1 https://pkgs.made-up.example/deb  InRelease",
      "  Could not connect to pkgs.made-up.example:443 (10.61.0.9), connection timed out",
    ],
  },
];

describe("one thing decides between two causes", () => {
  test.each(pairs)("$decides", ({ one, other }) => {
    for (const [cause, ...lines] of [one, other]) expect(named(...lines)).toBe(cause);
  });
});

/** What a healthy or unfinished log says of the same. */
const healthy: readonly (readonly [string, ...(readonly string[])])[] = [
  [
    "a join that gets its configuration later",
    reading,
    'Get "https://10.99.0.4:6443/api/v1/namespaces/kube-system/configmaps/kubeadm-config?timeout=10s": dial tcp 10.99.0.4:6443: connect: connection refused',
    "[kubelet-start] Starting the kubelet",
    "This node has joined the cluster:",
  ],
  [
    "a kubelet of before, joined elsewhere",
    given,
    kubelet(0, notRegistered("10.99.0.4:6443", "no route to host")),
    "This node has joined the cluster:",
    registered,
  ],
  ["an odd port that is right", kubelet(0, notRegistered("cp.made-up.example:6434", "connection refused")), registered],
  [
    "requests that wait for seconds, or for a serving certificate",
    "csr-4xk2p   9s    kubernetes.io/kube-apiserver-client-kubelet   system:bootstrap:q2w3e4   <none>   Pending",
    "csr-7bq9t   45m   kubernetes.io/kubelet-serving   system:node:n1   <none>   Pending",
  ],
  [
    "a mirror that lacks a release which the next one has",
    "[INFO]  Downloading hash https://github.com/k3s-io/k3s/releases/download/v1.33.2+k3s1/sha256sum-amd64.txt",
    "curl: (22) The requested URL returned error: 404",
    "[INFO]  Verifying binary download",
    "[INFO]  Installing k3s to /usr/local/bin/k3s",
  ],
  [
    "an expired certificate in whose place another is got",
    kubelet(
      0,
      "bootstrap.go:264] Part of the existing bootstrap client certificate is expired: 2026-02-01 07:14:09 +0000 UTC",
    ),
    "Apr 02 08:15:12 n1 kubelet[81]: I0402 08:15:12.123456      81 certificate_manager.go:356] kubernetes.io/kube-apiserver-client-kubelet: Rotating certificates",
  ],
  [
    "a layer that is fetched again",
    "filesystem layer verification failed for digest sha256:0dac37",
    "Status: Downloaded newer image for registry.made-up.example/etcd:3.5",
  ],
  [
    "a token that the API server does not know",
    'E0402 08:15:10.123456       1 authentication.go:73] "Unable to authenticate the request" err="[invalid bearer token, Token has been invalidated]"',
    "I0402 08:15:11.123456       1 controller.go:615] quota admission added evaluator for: leases",
  ],
  [
    "warnings whose lines a page broke behind their marks",
    "[preflight] Running pre-flight checks",
    "\t[WARNING DirAvailable--etc-kubernetes-manifests]:",
    "/etc/kubernetes/manifests is not empty",
    "[preflight] Pulling images required for setting up a Kubernetes cluster",
  ],
  [
    "certificates that are made anew after a reset",
    "[certs] certificate apiserver not signed by CA certificate ca: crypto/rsa: verification error",
    "root@n1:~# kubeadm reset -f",
    '[certs] Generating "apiserver" certificate and key',
    "Your Kubernetes control-plane has initialized successfully!",
  ],
  [
    "a kubelet that kubeadm only warns of",
    "\t[WARNING KubeletVersion]: couldn't get kubelet version: cannot execute 'kubelet --version': executable file not found in $PATH",
    "[preflight] Pulling images required for setting up a Kubernetes cluster",
  ],
  [
    "a module that comes with another package",
    "+ modprobe br_netfilter",
    "modprobe: FATAL: Module br_netfilter not found in directory /lib/modules/6.8.0-made",
    "+ apt-get install -y linux-modules-extra-6.8.0-made",
    "+ modprobe br_netfilter",
    "+ sysctl --system",
  ],
  [
    "a kubelet that waited for the script that ran kubeadm",
    ...unwritten,
    "This node has joined the cluster:",
    registered,
  ],
  [
    "a mirror that has not what the next one has",
    "Errors during downloading metadata for repository 'made-up':",
    "  - Status code: 404 for https://pkgs.made-up.example/rpm/repodata/repomd.xml",
    "  kubelet-1.33.77-150500.1.1.x86_64",
    "Complete!",
  ],
  [
    "a proxy that answers apt the second time",
    "Err:1 https://pkgs.made-up.example/deb  InRelease",
    "  Reading from proxy failed - read (115: Operation now in progress)",
    "Get:1 https://pkgs.made-up.example/deb  InRelease [1,190 B]",
    "Reading package lists...",
  ],
];

test.each(healthy)("nothing is named for %s", (_, ...lines) => {
  expect(["healthy", "unclassified"]).toContain(named(...lines));
});

test("an error whose line a page broke behind its mark is one all the same", () => {
  expect(named("\t[ERROR DirAvailable--var-lib-etcd]:", "/var/lib/etcd is not empty")).toBe("node-already-joined");
});

test.each([
  ["clock-skew", `level=error msg="Failed to validate connection" error="${validity}"`],
  [
    "http-download-failed",
    " One of the configured repositories failed (Unknown),",
    " and yum doesn't have enough cached data to continue.",
  ],
  ["ca-cert-hash-mismatch", "couldn't validate the identity of the API Server: encoding/hex: invalid byte: U+0078 'x'"],
  [
    "etcd-unhealthy",
    "member 4e5f6a7b8c9d0e1f is unreachable: [https://10.61.0.4:2379] are all unreachable",
    "failed to check the health of member 4e5f6a7b8c9d0e1f on https://10.61.0.4:2379: connection refused",
  ],
])("without a rule, %s is read", (cause, ...lines) => {
  expect(causeOf(...lines)).toBe(cause);
});

/** Whether one rule, by itself, knows a log. */
function isKnownTo(id: string, lines: readonly string[]): boolean {
  const only = rules.rules.filter((rule) => rule.id === id);
  const matcher = createMatcher({ ...rules, rules: only }, { platform: "linux" });
  matcher.feed({ source: "system", origin: "a.log" }, Buffer.from(`${lines.join("\n")}\n`));
  const diagnosis = rankFindings(matcher.finish());
  return diagnosis.kind === "classified" && [diagnosis.primary, ...diagnosis.others].some((one) => one.ruleId === id);
}

const configMapOf = (address: string): string =>
  `Get "https://${address}/api/v1/namespaces/kube-system/configmaps/kubeadm-config?timeout=10s"`;
const noWay = "dial tcp 10.99.0.4:6443: connect: no route to host";
const unjoined = 'level=error msg="failed to get CA certs: https://127.0.0.1:6444';
const notFound = "curl: (22) The requested URL returned error: 404";
const pending =
  "csr-4xk2p   45m   kubernetes.io/kube-apiserver-client-kubelet   system:bootstrap:q2w3e4   <none>   Pending";

/** What a rule knows, and what resembles it and is something else, or is got over. */
test.each<readonly [string, readonly string[], readonly string[]]>([
  [
    "kubeadm-endpoint-not-given",
    [reading, noConfigMap("10.99.0.4:6443")],
    [reading, noConfigMap("cp.made-up.example:6443").replace("dial tcp", "dial tcp: lookup cp.made-up.example: read")],
  ],
  [
    "kubeadm-endpoint-not-given",
    [reading, `${configMapOf("10.99.0.4:6443")}: ${noWay}`],
    [`${configMapOf("10.99.0.4:6443")}: ${noWay}`],
  ],
  [
    "kubeadm-endpoint-not-given",
    [reading, noConfigMap("10.99.0.4:6443")],
    [reading, noConfigMap("10.99.0.4:6443"), "This node has joined the cluster:"],
  ],
  [
    "endpoint-of-former-address",
    [given, ...often(notRegistered("10.99.0.4:6443", "no route to host"))],
    [given, ...often(notRegistered("10.99.0.4:6443", "no route to host")), registered],
  ],
  ["bootstrap-token-answer-alone", ["[preflight] Running pre-flight checks", "Unauthorized"], ["Unauthorized"]],
  [
    "bootstrap-token-answer-alone",
    ["[preflight] Running pre-flight checks", "Unauthorized"],
    ["[preflight] Running pre-flight checks", "error uploading crisocket", "Unauthorized"],
  ],
  [
    "kubernetes-release-absent",
    [`+ curl -fsSLO ${release}`, notFound],
    ["+ curl -fsSLO https://made-up.example/v1.33.77/kubelet", notFound],
  ],
  ["kubelet-request-pending", [pending], [pending, registered]],
  [
    "etcd-member-not-added",
    [
      "error execution phase control-plane-join/etcd: error creating local etcd static pod manifest file: context deadline exceeded",
    ],
    [
      `error execution phase control-plane-join/etcd: error creating local etcd static pod manifest file: ${etcdPods}: context deadline exceeded`,
    ],
  ],
  [
    "kubeadm-api-server-unreachable",
    [
      "error execution phase preflight: couldn't validate the identity of the API Server: dial tcp 10.61.0.4:6443: connect: connection refused",
    ],
    [
      "error execution phase preflight: couldn't validate the identity of the API Server: dial tcp 10.61.0.4:2379: connect: connection refused",
    ],
  ],
  [
    "kubelet-api-server-refused",
    often(notRegistered("cp.made-up.example:6443", "connection refused")),
    often(notRegistered("cp.made-up.example:6434", "connection refused")),
  ],
  [
    "image-pull-no-answer",
    [kubelet(0, noImage("net/http: request canceled (Client.Timeout exceeded while awaiting headers)"))],
    [
      kubelet(
        0,
        noImage("StatusCode: 503, net/http: request canceled (Client.Timeout exceeded while awaiting headers)"),
      ),
    ],
  ],
  [
    "pki-file-unusable",
    [
      "error execution phase certs/ca: failure loading ca certificate: failed to load certificate: the certificate data is made up",
    ],
    [
      "error execution phase certs/ca: failure loading ca certificate: failed to load certificate: the certificate is not valid yet",
    ],
  ],
  [
    "rancher-token-rejected",
    [`${unjoined}/v1-k3s/client-kubelet.crt: 401 Unauthorized"`],
    [`${unjoined}/cacerts: 401 Unauthorized"`],
  ],
  [
    "rancher-token-rejected",
    [`${unjoined}/v1-k3s/client-kubelet.crt: 401 Unauthorized"`],
    [`${unjoined}/v1-k3s/client-kubelet.crt: 401 Unauthorized: token is not valid yet"`],
  ],
  [
    "preflight-sysctl",
    bridge,
    [...bridge, "modprobe: FATAL: Module br_netfilter not found in directory /lib/modules/6.8.0-made"],
  ],
])("%s knows the one and not the other", (id, one, other) => {
  expect([isKnownTo(id, one), isKnownTo(id, other)]).toEqual([true, false]);
});
