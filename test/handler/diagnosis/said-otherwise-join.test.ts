import { describe, expect, test } from "@jest/globals";
import { named } from "./named-cause.ts";

const endpoint = "10.61.0.4:6443";
const upgradeHead = "[upgrade/version] FATAL: the --version argument is invalid due to these fatal errors:";
const commandFailed = (said: string): string =>
  `E0402 08:15:10.123456       1 run.go:74] "command failed" err="${said}"`;
const kubelet = (said: string): string => `Apr 02 08:15:10 n1 kubelet[811]: E0402 08:15:10.123456     811 ${said}`;
const phase = (name: string, said: string): string => `error execution phase ${name}: ${said}`;
const advice = "To see the stack trace of this error execute with --v=5 or higher";
const discovery = (said: string): string =>
  phase("preflight", `couldn't validate the identity of the API Server: ${said}`);
const row = (name: string, left: string): string =>
  `${name.padEnd(26)} Mar 01, 2026 08:15 UTC   ${left}       ca                      no`;
const pod = (state: string): string => `kube-system   kube-apiserver-n1          ${state}    58m`;

/** What kubeadm, the control plane and those around them say of a join, by its cause. */
const said: readonly (readonly [cause: string, ...lines: readonly string[]])[] = [
  ["api-server-unreachable", "Unable to connect to the server: net/http: TLS handshake timeout"],
  ["api-server-unreachable", `Unable to connect to the server: context deadline exceeded`],
  [
    "api-server-unreachable",
    "Error from server (ServiceUnavailable): the server is currently unable to handle the request",
  ],
  [
    "api-server-unreachable",
    'time="2026-04-02T08:15:10Z" level=fatal msg="[network] Can\'t access KubeAPI port [6443] on Control Plane host: 10.61.0.4"',
  ],
  ["api-server-unreachable", "[ALERT] 091/081510 (7) : backend 'kube-apiserver' has no server available!"],
  ["api-server-unreachable", "nc: connect to 10.61.0.4 port 6443 (tcp) failed: Connection refused"],
  ["api-server-unreachable", "nc: connect to 10.61.0.4 port 6443 (tcp) timed out: Operation now in progress"],
  [
    "api-server-unreachable",
    'F0402 08:15:10.123456       1 controllermanager.go:237] error building controller context: failed to wait for apiserver being healthy: timed out waiting for the condition: failed to get apiserver /healthz status: Get "https://10.61.0.4:6443/healthz?timeout=32s": net/http: TLS handshake timeout',
  ],
  [
    "control-plane-endpoint-mismatch",
    "One or more conditions for hosting a new control plane instance is not satisfied.",
    "",
    "unable to add a new control plane instance to a cluster that doesn't have a stable controlPlaneEndpoint address",
    "",
    "Please ensure that:",
    "* The cluster has a stable controlPlaneEndpoint address.",
  ],
  [
    "control-plane-endpoint-mismatch",
    `F0402 08:15:10.123456       1 controlplane.go:211] Unable to find suitable network address.error='no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"'. Try to set the AdvertiseAddress directly`,
  ],
  [
    "control-plane-endpoint-mismatch",
    `[discovery] Created cluster-info discovery client, requesting info from "https://203.0.113.20:6443"`,
    "Get https://10.61.0.4:6443/api/v1/namespaces/kube-system/configmaps/kubelet-config-1.11: dial tcp 10.61.0.4:6443: i/o timeout",
  ],
  [
    "bootstrap-token-invalid-or-expired",
    discovery("failed to verify JWS signature of received cluster info object, can't trust this API Server"),
  ],
  [
    "bootstrap-token-invalid-or-expired",
    discovery(
      "there is no kubeconfig key in the cluster-info ConfigMap. This API Server isn't set up for token bootstrapping, can't connect",
    ),
  ],
  [
    "bootstrap-token-invalid-or-expired",
    "[preflight] running pre-flight checks",
    'failed to validate the discovery token: token [made.up] was not of form ["^([a-z0-9]{6})\\.([a-z0-9]{16})$"]',
  ],
  [
    "ca-cert-hash-mismatch",
    discovery(
      "the second kubeconfig from the cluster-info ConfigMap (using validated TLS) was different from the first",
    ),
  ],
  ["api-server-cert-invalid", row("admin.conf", "<invalid>"), row("apiserver", "<invalid>")],
  ["api-server-cert-invalid", row("apiserver", "<invalid>"), row("apiserver-kubelet-client", "<invalid>")],
  [
    "tls-bootstrap-failed",
    'E0402 08:15:10.123456       1 certificate_controller.go:159] "Unhandled Error" err="recognized csr \\"csr-4x7kq\\" as [selfnodeclient nodeclient] but subject access review was not approved"',
    'E0402 08:15:20.123456       1 certificate_controller.go:159] "Unhandled Error" err="recognized csr \\"csr-4x7kq\\" as [selfnodeclient nodeclient] but subject access review was not approved"',
    'E0402 08:15:30.123456       1 certificate_controller.go:159] "Unhandled Error" err="recognized csr \\"csr-4x7kq\\" as [selfnodeclient nodeclient] but subject access review was not approved"',
  ],
  ["tls-bootstrap-failed", phase("kubelet-wait-bootstrap", "the kubelet's kubeconfig is made up")],
  [
    "hostname-invalid-or-mismatch",
    kubelet(
      `kubelet_node_status.go:113] "Unable to register node with API server, error getting existing node" err="nodes \\"n1\\" is forbidden: User \\"system:node:n2\\" cannot get resource \\"nodes\\" in API group \\"\\" at the cluster scope: node 'n2' cannot read 'n1', only its own Node object" node="n1"`,
    ),
  ],
  [
    "kubeadm-not-run",
    "error: failed to run Kubelet: invalid kubeconfig: stat /etc/kubernetes/kubelet.conf: no such file or directory",
  ],
  [
    "kubeadm-not-run",
    "● kubelet.service - kubelet: The Kubernetes Node Agent",
    "   Active: activating (auto-restart) (Result: exit-code) since Thu 2026-04-02 08:15:10 UTC; 3s ago",
    "  Process: 9811 ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS (code=exited, status=255)",
    'Apr 02 08:15:10 n1 kubelet[9811]: F0402 08:15:10.123456    9811 server.go:189] failed to load Kubelet config file /var/lib/kubelet/config.yaml, error failed to read kubelet config file "/var/lib/kubelet/config.yaml", error: open /var/lib/kubelet/config.yaml: no such file or directory',
  ],
  [
    "join-timeout-unknown",
    "[control-plane-check] kube-apiserver is not healthy after 4m0.00803s",
    "",
    phase(
      "wait-control-plane",
      `failed while waiting for the control plane to start: kube-apiserver check failed at https://${endpoint}/livez: Get "https://${endpoint}/livez?timeout=10s": dial tcp ${endpoint}: connect: connection refused`,
    ),
  ],
  ["pki-file-missing-or-invalid", phase("certs/front-proxy-ca", "certificate front-proxy-ca is not a CA")],
  [
    "pki-file-missing-or-invalid",
    phase("certs/ca", "the private key file /etc/kubernetes/pki/ca.key is neither in RSA nor ECDSA format"),
  ],
  [
    "pki-file-missing-or-invalid",
    "Could not read private key of CA from /etc/kubernetes/pki/ca.key",
    "40A7:error:1608010C:STORE routines:ossl_store_handle_load_result:unsupported:../crypto/store/store_result.c:151:",
  ],
  [
    "pki-file-missing-or-invalid",
    'error loading config file "/etc/kubernetes/admin.conf": illegal base64 data at input byte 1404',
  ],
  [
    "pki-file-missing-or-invalid",
    commandFailed("unable to load client CA provider: open /srv/made-up/ca.crt: no such file or directory"),
  ],
  ["control-plane-component-crash", commandFailed("unknown flag: --cloud-provider")],
  ["control-plane-component-crash", commandFailed("[--etcd-servers must be specified]")],
  [
    "control-plane-component-crash",
    commandFailed(
      'failed to initialize admission: couldn\'t init admission plugin \\"EventRateLimit\\": no configuration has been provided',
    ),
  ],
  [
    "control-plane-component-crash",
    "Error: [service-account-issuer is a required flag, --service-account-signing-key-file is a required flag]",
  ],
  ["control-plane-component-crash", 'Error: enable-admission-plugins plugin "Bogus" is unknown'],
  ["control-plane-component-crash", pod("0/1     Running             14 (12s ago)")],
  [
    "control-plane-component-crash",
    "  Warning  BackOff    100s (x33 over 9m)   kubelet  Back-off restarting failed container kube-apiserver in pod kube-apiserver-n1_kube-system(8d2)",
  ],
  [
    "control-plane-component-crash",
    "CONTAINER ID   IMAGE          COMMAND                  CREATED          STATUS                      PORTS     NAMES",
    '77aa01b2c3d4   f1ff9b7e3d6e   "kube-apiserver --ad…"   18 seconds ago   Exited (1) 12 seconds ago             k8s_kube-apiserver_kube-apiserver-n1_kube-system_8d2_41',
  ],
  [
    "control-plane-component-crash",
    'time="2026-04-02T08:15:10Z" level=fatal msg="[controlPlane] Failed to bring up Control Plane: [Failed to verify healthcheck: Service [kube-apiserver] is not healthy on host [10.61.0.4]. Response code: [403], response body: {}, log: made up]"',
  ],
  [
    "etcd-unhealthy",
    "2026-04-02 08:15:10.123456 E | rafthttp: the member has been permanently removed from the cluster",
  ],
  ["etcd-unhealthy", "[+]ping ok", "[-]etcd failed: reason withheld", "livez check failed"],
  ["etcd-member-add-failed", phase("etcd-join", "the new member is made up")],
  [
    "kubeadm-config-invalid",
    "unknown flag: --cri-socket-path",
    "Usage:",
    "  kubeadm join [api-server-endpoint] [flags]",
  ],
  ["kubeadm-config-invalid", "unknown flag: --experimental-control-plane"],
  ["kubeadm-config-invalid", "unknown shorthand flag: 'k' in -k", "Usage:", "  kubeadm init [flags]"],
  ["kubeadm-config-invalid", "accepts at most 1 arg(s), received 3", advice],
  [
    "kubeadm-config-invalid",
    "error parsing LocalAPIEndpoint AdvertiseAddress 10.61: is not a valid textual representation of an IP address",
  ],
  ["kubeadm-config-invalid", "unable to get first IP address from the given CIDR: 10.96.0.0/99"],
  [
    "kubelet-version-skew",
    upgradeHead,
    "",
    "\t- There are kubelets in this cluster that are too old that have these versions [v1.24.3]",
  ],
  ["kubeadm-config-invalid", 'Error: kubeadm: unknown command "token-create" for "kubeadm"'],
  [
    "join-timeout-unknown",
    "[api-check] Waiting for a healthy API server. This can take up to 4m0s",
    "[api-check] The API server is not healthy after 4m0.000731s",
    "",
    "Unfortunately, an error has occurred, likely caused by:",
    "\tthe wait is made up",
  ],
  [
    "join-timeout-unknown",
    "X Exiting due to K8S_APISERVER_MISSING: wait 6m0s for node: wait for apiserver proc: apiserver process never appeared",
    "* Suggestion: Check that the provided apiserver flags are valid, and that SELinux is disabled",
  ],
  [
    "etcd-unhealthy",
    '{"level":"warn","ts":"2026-04-02T08:15:10.123467Z","logger":"client","caller":"v3@v3.5.17/retry_interceptor.go:63","msg":"retrying of unary invoker failed","target":"etcd-endpoints://0xc0004/10.61.0.4:2379","attempt":0,"error":"rpc error: code = DeadlineExceeded desc = latest balancer error: last connection error: connection error: desc = \\"transport: authentication handshake failed: tls: failed to verify certificate: x509: certificate is valid for 127.0.0.1, not 10.61.0.4\\""}',
    "Failed to get the status of endpoint https://10.61.0.4:2379 (context deadline exceeded)",
  ],
  [
    "unsupported-kubernetes-version",
    upgradeHead,
    "",
    '\t- Specified version to upgrade to "v1.31.0" is too high; kubeadm can upgrade only 1 minor version at a time',
  ],
];

/** The same words where it goes on well. */
const well: readonly (readonly string[])[] = [
  [
    "Unable to connect to the server: net/http: TLS handshake timeout",
    "NAME   STATUS   ROLES           AGE   VERSION",
    "n1     Ready    control-plane   2m    v1.31.2",
  ],
  [
    "Waiting for the API server at https://10.61.0.4:6443 ...",
    "curl: (7) Failed to connect to 10.61.0.4 port 6443: Connection refused",
    "curl: (7) Failed to connect to 10.61.0.4 port 6443: Connection refused",
    "API server is healthy",
  ],
  [
    "FAILED - RETRYING: [n2]: Check if etcd cluster is healthy (4 retries left).",
    "FAILED - RETRYING: [n2]: Check if etcd cluster is healthy (3 retries left).",
    "ok: [n2]",
  ],
  [
    "[ALERT] 091/081510 (8) : proxy 'apiservers' has no server available!",
    "[WARNING] 091/081540 (8) : Server apiservers/cp1 is UP, reason: Layer6 check passed, check duration: 3ms. 1 active and 0 backup servers online.",
  ],
  [row("admin.conf", "361d"), row("apiserver", "361d")],
  [pod("0/1     Running             0")],
  [pod("1/1     Running             14 (9d ago)")],
  [
    '1a1b2c3d4e5f   b1d2   "kube-apiserver --ad…"   3 hours ago   Exited (1) 3 hours ago   k8s_kube-apiserver_kube-apiserver-n1_kube-system_6d1_3',
    '2a1b2c3d4e5f   b1d2   "kube-apiserver --ad…"   3 hours ago   Up 3 hours               k8s_kube-apiserver_kube-apiserver-n1_kube-system_6d1_4',
  ],
  [
    "  Warning  BackOff    3m (x2 over 4m)   kubelet  Back-off restarting failed container kube-scheduler in pod kube-scheduler-n1_kube-system(8d2)",
    "  Normal   Pulled     2m                kubelet  Container image already present on machine",
    "  Normal   Started    2m                kubelet  Started container kube-scheduler",
  ],
  ["[-]etcd failed: reason withheld", "livez check failed", "[+]ping ok", "[+]etcd ok", "livez check passed"],
  [
    "[upgrade/versions] Cluster version: v1.29.4",
    '[upgrade/versions] WARNING: Couldn\'t fetch latest stable version from the internet: Get "https://dl.k8s.io/release/stable.txt": context deadline exceeded',
    "[upgrade/versions] WARNING: Falling back to the local kubeadm version as latest stable version",
  ],
  [
    "[upgrade/versions] Cluster version: v1.29.4",
    '[upgrade/apply] Upgrading your Static Pod-hosted control plane to version "v1.30.2" (timeout: 5m0s)...',
  ],
  [
    "Apr 02 08:15:10 cp1 systemd[1]: kube-apiserver.service: Main process exited, code=exited, status=1/FAILURE",
    "Apr 02 08:15:15 cp1 systemd[1]: kube-apiserver.service: Scheduled restart job, restart counter is at 1.",
    "Apr 02 08:15:18 cp1 kube-apiserver[2230]: I0402 08:15:18.123456    2230 secure_serving.go:213] Serving securely on [::]:6443",
  ],
  [
    "I0402 08:15:10.123456    7704 etcd.go:410] Failed to add etcd member: etcdserver: unhealthy cluster",
    "[etcd] Announced new etcd member joining to the existing etcd cluster",
    '[etcd] Creating static Pod manifest for "etcd"',
  ],
  [
    `I0402 08:15:10.123456    7704 token.go:249] [discovery] Retrying due to error: could not find a JWS signature in the cluster-info ConfigMap for token ID "q2w3e4"`,
    `I0402 08:15:16.223456    7704 token.go:153] [discovery] Cluster info signature and contents are valid and TLS certificate validates against pinned roots, will use API Server "${endpoint}"`,
  ],
];

describe("what is said of a join in other words", () => {
  test.each(said.map(([cause, ...lines]) => ({ cause, lines, end: lines.at(-1) })))(
    "is named $cause: $end",
    ({ cause, lines }) => {
      expect(named(...lines)).toBe(cause);
    },
  );

  test.each(well.map((lines) => ({ lines, end: lines.at(-1) })))("is not blamed before: $end", ({ lines }) => {
    expect(named(...lines)).not.toMatch(/^[a-z]+-/u);
  });
});
