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
