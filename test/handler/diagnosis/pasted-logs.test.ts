import { expect, test } from "@jest/globals";
import { readMessage } from "../../../handler/diagnosis/reading/read-line.ts";
import { readStatement } from "../../../handler/diagnosis/reading/statement.ts";
import { named } from "./named-cause.ts";

const calico =
  '2026-06-19 07:41:32.518 [ERROR][6420] startup/startup.go 111: Unable to ensure datastore is migrated. error=connection is unauthorized: clusterinformations.crd.projectcalico.org "default" is forbidden: User "system:serviceaccount:kube-system:calico-node" cannot get resource "clusterinformations"';
const pods = [
  "Events:",
  "  Type    Reason          Age                        From     Message",
  "  Normal  SandboxChanged  2m11s (x9817 over 1d11h)   kubelet  Pod sandbox changed, it will be killed and re-created.",
  "  Normal  Pulled          2m10s (x9817 over 1d11h)   kubelet  Container image already present on machine",
];

test("the last word of a command's output is its last word, though another command's output stands behind it", () => {
  expect(
    named("PS C:\\k> kubectl logs calico-node-8wq2k", calico, "", "PS C:\\k> kubectl describe pod a", ...pods),
  ).toBe("cni-install-failed");
  // A trace begins no other log.
  expect(named("+ kubectl logs calico-node-8wq2k", calico, "", "+ kubectl describe pod a", ...pods)).toBe(
    "unclassified",
  );
});

test("whose container talosctl shows the log of is whose panic it is", () => {
  const stderr = (text: string): string => `192.0.2.5: 2026-05-13T08:21:41.930772385Z stderr F ${text}`;
  const log = [
    stderr("I0513 08:21:40.811371       1 server.go:147] Version: v1.33.0"),
    stderr("panic: runtime error: invalid memory address or nil pointer dereference"),
  ];
  const shown = (container: string): string => `$ talosctl -n 192.0.2.5 logs -k kube-system/${container}:0f1c7b82aa3d`;
  expect(named(shown("kube-apiserver-n1:kube-apiserver"), ...log)).toBe("control-plane-component-crash");
  expect(named(shown("made-up-n1:made-up"), ...log)).toBe("unclassified");
});

const retrying = (left: number): string =>
  `FAILED - RETRYING: [n1]: Master | wait for the apiserver to be running (${String(left)} retries left).`;

test("a task that Ansible gives up says by its name what it was about", () => {
  const recap = ["PLAY RECAP ****", "n1 : ok=216  changed=12   unreachable=0    failed=1"];
  expect(named(retrying(2), retrying(1), ...recap)).toBe("api-server-unreachable");
  expect(named(retrying(3), retrying(2), ...recap)).toBe("unclassified");
  expect(named(retrying(2), retrying(1), "PLAY RECAP ****", "n1 : ok=217  changed=12  unreachable=0  failed=0")).toBe(
    "unclassified",
  );
  const reason =
    '"msg": "Failed to connect", "stderr": "error execution phase preflight: [ERROR Swap]: running with swap on"';
  expect(named(retrying(2), retrying(1), `fatal: [n1]: FAILED! => {"attempts": 4, ${reason}}`)).toBe("swap-enabled");
});

test("keys that cloud-init does not know are not missed where it came to its end", () => {
  const begin = "Cloud-init v. 22.2 running 'init' at Mon, 20 Jun 2026 04:31:10 +0000. Up 8.47 seconds.";
  const warned = [
    "2026-06-20 04:31:10,935 - schema.py[WARNING]: Invalid cloud-config provided:",
    "users.0: Additional properties are not allowed ('made-up' was unexpected)",
  ];
  const end =
    "Cloud-init v. 22.2 finished at Mon, 20 Jun 2026 04:31:31 +0000. Datasource DataSourceAzure.  Up 28.96 seconds";
  expect(named(begin, ...warned, end)).not.toBe("cloud-init-userdata-invalid");
  expect(named(begin, ...warned)).toBe("cloud-init-userdata-invalid");
  expect(named(end, begin, ...warned)).toBe("cloud-init-userdata-invalid");
  const failed = "2026-06-20 04:31:20,935 - util.py[WARNING]: Failed to run module write-files";
  expect(named(begin, ...warned, failed, end)).toBe("cloud-init-userdata-invalid");
});

test.each([
  [
    "an error that a page cut at a word, where all of its clause is the beginning of a known one",
    "coreos-cloudinit[702]: Unable to fetch data: Get http://192.0.2.8:80/node.yaml: dial tcp 192.0.2.8:80: connect: network is ",
    "http-download-failed",
  ],
  [
    "what another machine's command said, at the level of whoever ran it",
    'I1009 10:02:41.024408     977 ssh.go:190] stderr | Error: name: Invalid value: "cp_1": a DNS-1123 subdomain must consist of lower case alphanumeric characters',
    "hostname-invalid-or-mismatch",
  ],
  [
    "what Lima's host passes on of cloud-init",
    "INFO[0048] [cloud-init] Job for containerd.service failed because the control process exited with error code.",
    "container-runtime-not-running",
  ],
  [
    "a damaged log of dqlite",
    "microk8s.daemon-kubelite[21440]: Error: start node: raft_start(): io: load closed segment 0000000000000513-0000000000000512: entries count in preamble is zero",
    "datastore-failed",
  ],
  [
    "a configuration that Ignition fetched and does not take",
    "ignition[231]: failed to fetch config: missing filesystem format",
    "ignition-config-invalid",
  ],
  [
    "requests of OpenShift's nodes that nobody approves",
    "csr-8zv4r   29m   kubernetes.io/kube-apiserver-client-kubelet   system:serviceaccount:openshift-machine-config-operator:node-bootstrapper   Pending",
    "tls-bootstrap-failed",
  ],
])("%s", (_, line, cause) => {
  expect(named(line)).toBe(cause);
});

test.each([
  [
    "a backend that flannel does not know ends it, at the level of an error",
    "E0314 03:22:41.284657    2708 main.go:280] Error fetching backend: unknown backend type: made-up\nWaiting for the Network to be created\nWaiting for the Network to be created\nWaiting for the Network to be created\nWaiting for the Network to be created",
    "cni-install-failed",
  ],
  [
    "an etcd cluster that a server of k3s cannot join",
    'k3s[6340]: level=fatal msg="etcd cluster join failed: cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs"',
    "etcd-member-add-failed",
  ],
  [
    "a database file that SQLite cannot read",
    "F1020 06:58:31.402716    2190 controller.go:166] Unable to perform initial IP allocation check: rpc error: code = Unknown desc = disk I/O error: no such file or directory",
    "datastore-failed",
  ],
  [
    "a check of k3s of its machine",
    "- cgroup hierarchy: cgroups V1 mounted, cpuset|memory controllers status: bad (fail)",
    "kernel-unsupported",
  ],
  [
    "a registry that gives nobody a token",
    "Error: failed to pull image: anonymous token: unexpected status: 401 Unauthorized",
    "image-pull-auth",
  ],
  [
    "colours whose escape character was lost",
    "[0;1;31m[0mE: Unable to locate package kubeadm\n[0;1;31m[0mE: Unable to locate package kubelet",
    "package-not-found",
  ],
])("%s", (_, log, cause) => {
  expect(named(...log.split("\n"))).toBe(cause);
});

test("a flannel whose etcd stays away for good is one without etcd", () => {
  const line = (second: number, text: string): string =>
    `0114 10:03:${String(second)}.208441 09318 etcd.go:91] ${text}`;
  const attempts = [17, 24, 31, 38].flatMap((second) => [
    `E${line(second, "Failed to acquire subnet: client: etcd cluster is unavailable or misconfigured")}`,
    `I${line(second + 1, "Picking subnet in range 192.0.2.0 ... 192.0.2.255")}`,
  ]);
  expect(named(...attempts)).toBe("etcd-unhealthy");
  expect(named(...attempts.slice(0, 2), ...attempts.filter((one) => one.startsWith("I")))).toBe("unclassified");
});

test("a profile that is deprecated is refused where the program ends with it", () => {
  const said = "[0000] cis-1.23 profile is deprecated. Please use 'cis' instead.";
  expect(named("$ sudo ./bin/rke2 server --profile=cis-1.23", `FATA${said}`)).toBe("distribution-config-invalid");
  expect(named("$ sudo ./bin/rke2 server --profile=cis-1.23", `WARN${said}`)).toBe("unclassified");
});

/** What the first row that fits makes of the whole text of a task. */
test.each([
  [
    "a join without a CA hash, in the words of 1.9",
    'fatal: [n1]: FAILED! => {"cmd": ["kubeadm", "join"], "msg": "non-zero return code", "rc": 3, "stderr": "\\t[WARNING FileExisting-crictl]: crictl not found in system path\\ndiscovery: Invalid value: \\"\\": using token-based discovery without DiscoveryTokenCACertHashes can be unsafe. set --discovery-token-unsafe-skip-ca-verification to continue"}',
    "kubeadm-config-invalid",
  ],
  [
    "an image beside an old kubeadm's check of the kernel",
    'fatal: [192.0.2.5]: FAILED! => {"changed": true, "cmd": "kubeadm init --config /var/tmp/kubeadm.conf", "msg": "non-zero return code", "rc": 2, "stderr": "\\t[WARNING Firewalld]: firewalld is active, please ensure ports [6443 10250] are open or your cluster may not function correctly\\nI1019 21:15:38.402519   18830 kernel_validator.go:81] Validating kernel version\\nI1019 21:15:38.402634   18830 kernel_validator.go:96] Validating kernel config\\n[preflight] Some fatal errors occurred:\\n\\t[ERROR ImagePull]: failed to pull image [192.0.2.6/library/coredns:1.1.3]: exit status 1"}',
    "image-pull-failed",
  ],
])("%s", (_, line, cause) => {
  expect(readMessage(readStatement(line, "system"))?.cause).toBe(cause);
});
