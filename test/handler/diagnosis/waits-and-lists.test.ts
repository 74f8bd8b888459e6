import { expect, test } from "@jest/globals";
import { rangesOfTriedEndpoints } from "../../../handler/diagnosis/tried-endpoints.ts";
import { named } from "./named-cause.ts";

const tried = [
  "WARN[0000] runtime connect using default endpoints: [unix:///var/run/dockershim.sock unix:///run/containerd/containerd.sock]. As the default settings are now deprecated, you should set the endpoint instead.",
  'ERRO[0000] validate service connection: validate CRI v1 runtime API for endpoint "unix:///var/run/dockershim.sock": rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /var/run/dockershim.sock: connect: no such file or directory"',
];

test("an endpoint that crictl tried is nothing where its table follows, and the runtime's where none does", () => {
  const header = "POD ID              CREATED             STATE               NAME";
  const row = "c70f1be0d38a2       26 minutes ago      Ready               kube-proxy-made-up";
  expect(named("# crictl pods", ...tried, header, row)).toBe("unclassified");
  expect(named("# crictl pods", ...tried)).toBe("container-runtime-not-running");
  expect(rangesOfTriedEndpoints(["# crictl pods", ...tried, header].join("\n"))).toEqual([{ from: 2, to: 3 }]);
  expect(rangesOfTriedEndpoints(["default endpoints", "others", header].join("\n"))).toEqual([]);
});

test("a wait of kubeadm's that somebody ended is one in vain, a command that somebody ended is not", () => {
  const asks = '[discovery] Created cluster-info discovery client, requesting info from "https://192.0.2.7:6443"';
  expect(named("[preflight] Running pre-flight checks", asks, "^C")).toBe("join-timeout-unknown");
  expect(named("[preflight] Running pre-flight checks", asks, "", "^Z")).toBe("join-timeout-unknown");
  expect(named("[preflight] Running pre-flight checks", asks)).toBe("unclassified");
  expect(named(asks, "[discovery] Successfully established connection", "$ journalctl -f", "^C")).toBe("unclassified");
  expect(named(asks, "^C", "# kubeadm join", "This node has joined the cluster:")).toBe("healthy");
});

test("what a command printed is no later success, though Ansible shows it below how the command ended", () => {
  const forbidden =
    'configmaps \\"kubelet-config-1.11\\" is forbidden: User \\"system:bootstrap:abcdef\\" cannot get configmaps';
  const task = (printed: string): readonly string[] => [
    "fatal: [made-up]: FAILED! => {",
    '    "msg": "non-zero return code",',
    `    "stderr": "${forbidden}",`,
    `    ${printed}`,
    "}",
  ];
  expect(named(...task('"stdout": "[discovery] Successfully established connection with API Server"'))).toBe(
    "kubelet-version-skew",
  );
});

test("a name that the API server's certificate lacks is told by kubeadm of its own file, too", () => {
  const told = (certificate: string): string =>
    `error execution phase control-plane-prepare/certs: error creating PKI assets: failed to write or validate certificate "${certificate}": certificate ${certificate} is invalid: x509: certificate is valid for n1, kubernetes, not n2`;
  expect(named(told("apiserver"))).toBe("api-server-cert-invalid");
  expect(named(told("etcd-peer"))).toBe("pki-file-missing-or-invalid");
});

test.each([
  [
    "tls-bootstrap-failed",
    "<node/csr> failed to request signed certificate from the API server [watch channel closed]",
  ],
  ["join-timeout-unknown", "error uploading crisocket"],
  [
    "tls-bootstrap-failed",
    'kubelet[5520]: E0402 08:15:00.448160    5520 server.go:302] "Failed to run kubelet" err="failed to run Kubelet: unable to load bootstrap kubeconfig: stat /etc/kubernetes/boot>',
  ],
  [
    "hostname-invalid-or-mismatch",
    " WARNING:  This is not a valid name for a Kubernetes node, causing node registration to fail.",
  ],
])("%s: %s", (cause, line) => {
  expect(named(line)).toBe(cause);
});

test("a flag that goes one day is no state of the machine, and what kubeadm warned of is no failed check", () => {
  const deprecated = "Flag --fail-swap-on has been deprecated, This parameter should be set via the config file";
  expect(named("systemd[1]: Started kubelet.", `kubelet[2604]: ${deprecated}`)).toBe("unclassified");
  const warned =
    "[preflight] WARNING: Running with swap on is not supported. Please disable swap or set kubelet's --fail-swap-on flag to false.";
  const list = ["[preflight] Some fatal errors occurred:", "\t/var/lib/kubelet is not empty"];
  expect(named(warned, ...list)).toBe("node-already-joined");
  expect(named("Running pre-flight checks", "preflight check errors:", "\tebtables not found in system path")).toBe(
    "preflight-binary-missing",
  );
});

const join = "kubeadm join 192.0.2.7:6000 --token abcdef.0123456789abcdef";
const refused = (port: string): string =>
  `Get https://192.0.2.7:${port}/api/v1/namespaces/kube-system/configmaps/kubelet-config-1.12: dial tcp 192.0.2.7:${port}: connect: connection refused`;

test("another port or host than discovery's is another endpoint", () => {
  const asks = '[discovery] Created cluster-info discovery client, requesting info from "https://192.0.2.7:6000"';
  expect(named(join, asks, refused("6443"))).toBe("control-plane-endpoint-mismatch");
  expect(named(join, asks, refused("6000"))).toBe("api-server-unreachable");
  const old = (host: string): readonly string[] => [
    '<node/discovery> created cluster info discovery client, requesting info from "http://192.0.2.7:9898/cluster-info/v1/?token-id=abcdef"',
    `error: <node/csr> failed to request signed certificate from the API server [cannot create certificate signing request: Post https://${host}:443/apis/certificates.k8s.io/v1alpha1/certificatesigningrequests: dial tcp ${host}:443: connection refused]`,
  ];
  expect(named(...old("10.0.2.15"))).toBe("control-plane-endpoint-mismatch");
  expect(named(...old("192.0.2.7"))).not.toBe("control-plane-endpoint-mismatch");
});

test("who holds yum's lock waits for what a download shows not to answer", () => {
  const held = "Another app is currently holding the yum lock; waiting for it to exit...";
  const curl = "curl: (7) Failed to connect to mirror.made-up.example port 80: Connection timed out";
  expect(named(held, "  The other application is: yum", curl)).toBe("http-download-failed");
  expect(named(held, "  The other application is: yum")).toBe("apt-lock-held");
});

test("a task that begins its error with what kubeadm only warned of is read to its end, broken or not", () => {
  const task = (glue: string): readonly string[] =>
    [
      'fatal: [n1]: FAILED! => {"changed": true, "rc": 1, "msg": "non-zero return code",',
      '"stderr": "\\t[WARNING FileExisting-crictl]: crictl not found in system path\\ntimed out waiting for the condition",',
      '"stdout_lines": ["[preflight] running pre-flight checks"]}',
    ]
      .join(glue)
      .split("\n");
  expect(named(...task("\n"))).toBe("join-timeout-unknown");
  expect(named(...task(" "))).toBe("join-timeout-unknown");
});

test("a kubelet that is told no as it registers is not allowed to, one that came too early is", () => {
  const register = (answer: string): string =>
    `E0402 08:15:00.602217 3809 kubelet_node_status.go:103] Unable to register node "n1" with API server: ${answer}`;
  expect(named("a", "b", "c", register("Unauthorized"), "d", "e", "f")).toBe("kubelet-identity-forbidden");
  const early = register('nodes "n1" is forbidden: not yet ready to handle request');
  expect(named("a", "b", "c", early, "d", "e", "f")).toBe("unclassified");
});

test("cloud-init that says that it has no data source has none, whatever it says that it is done with", () => {
  const source = "DataSourceEc2[WARNING]: The instance must have at least one eligible NIC";
  expect(named("status: done", "detail: DataSourceNone", "errors: []", source)).toBe("cloud-init-datasource-failed");
  expect(named("status: done", "detail: DataSourceEc2", "errors: []")).not.toBe("cloud-init-datasource-failed");
  const gaveUp =
    "2026-02-28 22:05:11,532 - CRITICAL cloudinit.sources.DataSourceEc2:589 Giving up on md from ['http://169.254.169.254/2009-04-04/meta-data/instance-id'] after 119 seconds";
  const ended =
    "2026-02-28 22:05:11,540 - DEBUG cloudinit.handlers:127 finish: init-network/search-Ec2: SUCCESS: no network data found from DataSourceEc2";
  expect(named(gaveUp, ended)).toBe("cloud-init-datasource-failed");
});

test("a first node that stays unready, and what kubectl says of its condition, have no network add-on", () => {
  const reason =
    "runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized";
  const waits = "[apiclient] First node has registered, but is not ready yet";
  expect(
    named(waits, "Conditions:", `  Ready \tFalse \tThu, 02 Apr 2026 08:15:00 +0000 \tKubeletNotReady \t${reason}`),
  ).toBe("cni-not-ready");
  expect(named("a", "b", "c", "d", `  kubelet[1]: ${reason}`)).toBe("unclassified");
});

test("a request for a certificate that the controllers hold back is one in vain", () => {
  expect(
    named(
      'E0402 08:15:00.816209       1 certificate_controller.go:139] Sync csr-7l4xv failed with : recognized csr "csr-7l4xv" as [nodeclient] but subject access review was not approved',
    ),
  ).toBe("tls-bootstrap-failed");
});

test("what kubeadm only warned of is no cause, however it was put", () => {
  const docker =
    "\t[WARNING SystemVerification]: failed to get docker info: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";
  expect(named("[preflight] running pre-flight checks", docker, "[discovery] Trying to connect")).toBe("unclassified");
  const cri =
    '\t[WARNING CRI]: container runtime is not running: output: time="2026-04-02T08:15:00Z" level=fatal msg="getting status of runtime failed: rpc error: code = Unimplemented desc = unknown service runtime.v1alpha2.RuntimeService"';
  expect(
    named("[preflight] Running pre-flight checks", cri, ", error: exit status 1", "[certs] a", "[certs] b"),
  ).not.toBe("cri-api-unimplemented");
  expect(named(cri.replace("WARNING", "ERROR"))).toBe("cri-api-unimplemented");
});

test("a node that is not there is not one that was told no", () => {
  const phase = "error execution phase kubelet-start: error uploading crisocket: ";
  expect(named('error uploading crisocket: nodes "n1" not found')).toBe("join-timeout-unknown");
  expect(named(`${phase}Unauthorized`)).toBe("tls-bootstrap-failed");
});

test("the token of a registry is not the join's", () => {
  const page = "unable to decode token response: invalid character '<' looking for beginning of value";
  const pull = `\t[ERROR ImagePull]: failed to pull image k8s.gcr.io/pause:3.1: output: Error response from daemon: Head "https://k8s.gcr.io/v2/pause/manifests/3.1": ${page}`;
  expect(named(pull)).toBe("image-pull-failed");
});
