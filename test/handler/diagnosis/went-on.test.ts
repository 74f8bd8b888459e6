import { expect, test } from "@jest/globals";
import { named } from "./named-cause.ts";

const noApi = "curl: (7) Failed to connect to localhost port 6443 after 0 ms: Couldn't connect to server";

test("what k0sctl saw fail is over where it says that the cluster is installed", () => {
  const failed = [`ERRO [ssh] 192.0.2.21:22: ${noApi}`, `ERRO [ssh] 192.0.2.21:22: ${noApi}`];
  const begun = ["INFO ==> Running phase: Initialize the k0s cluster", ...failed];
  expect(named(...begun, "INFO k0s cluster version v1.30.2+k0s.0 is now installed")).toBe("healthy");
  expect(named(...begun, "FATA apply failed - log file saved")).toBe("api-server-unreachable");
});

const noIdentity =
  "cloud-init[411]: 2026-03-22 19:55:14,902 - util.py[WARNING]: Failed fetching dynamic instance identity from url http://169.254.169.254/2016-09-02/dynamic/instance-identity";
const finished = (source: string): string =>
  `cloud-init[934]: Cloud-init v. 24.1 finished at Sun, 22 Mar 2026 19:55:24 +0000. Datasource ${source}.  Up 17.33 seconds`;

test("metadata that cloud-init did not get at first is nothing where it ended with a data source, in whatever order", () => {
  expect(named(noIdentity, finished("DataSourceEc2"))).toBe("unclassified");
  expect(named(noIdentity, finished("DataSourceNone"))).toBe("cloud-init-datasource-failed");
  expect(named(finished("DataSourceEc2"), noIdentity)).toBe("cloud-init-datasource-failed");
});

test("a lock that a script waited for is nothing where the script ended well", () => {
  const locked = [
    "+ apt-mark unhold walinuxagent",
    "dpkg: error: dpkg frontend is locked by another process",
    "+ sleep 5",
  ];
  expect(named(...locked, "Custom script finished successfully")).toBe("unclassified");
  expect(named(...locked)).toBe("apt-lock-held");
});

test("a mirror that lacks a file is nothing where the next one had it", () => {
  const attempt = ["curl: (22) The requested URL returned error: 404 Not Found", "== Download failed with curl -f =="];
  const failed = Array.from({ length: 14 }, () => attempt).flat();
  expect(named(...failed, "== Downloaded https://downloads.example/nodeup (SHA256 = 0b1a7c) ==")).toBe("unclassified");
  expect(named(...failed, "== Download failed with wget ==")).toBe("http-download-failed");
});

test("what Puppet shows of a command is read as the command wrote it", () => {
  const puppet = (line: string): string =>
    `Notice: /Stage[main]/Kubernetes::Cluster_roles/Kubernetes::Kubeadm_init[n1]/Exec[kubeadm init]/returns: ${line}`;
  const warning =
    'W0508 10:44:19.072511   15140 strict.go:54] error unmarshaling configuration schema.GroupVersionKind{Group:"kubeproxy.config.k8s.io", Version:"v1alpha1", Kind:"KubeProxyConfiguration"}: error unmarshaling JSON: while decoding JSON: json: unknown field "max"';
  expect(named(puppet(warning), puppet("[preflight] Running pre-flight checks"))).toBe("unclassified");
  expect(named(puppet("[ERROR Port-10250]: Port 10250 is in use"))).toBe("port-in-use");
});

test.each([
  [
    "hostname-invalid-or-mismatch",
    [
      "Inspecting AppArmor configuration",
      " WARNING:  This machine's hostname contains capital letters and/or underscores.",
      "Building the report tarball",
      "  Report tarball is at /var/snap/microk8s/1769/inspection-report.tar.gz",
    ],
  ],
  [
    "image-pull-not-found",
    [
      "[ERROR ImagePull]: failed to pull image hub.example/k8s/coredns:v1.10.1",
      "hub.example/k8s/coredns:v1.10.1: not found",
    ],
  ],
  [
    "image-pull-auth",
    [
      'kubelet[4502]: E0520 09:13:56.310418    4502 manager.go:1372] Failed to pull image "registry.example/ops/web": image pull failed for registry.example/ops/web, this may be because there are no credentials on this request. details: (Authentication is required.); Skipping pod "web_default" container "web"',
    ],
  ],
  [
    "api-server-unreachable",
    [
      "fatal: [n1]: FAILED! => {",
      '"attempts": 10,',
      '"cmd": ["/usr/local/bin/kubeadm", "alpha", "phase", "addon", "kube-proxy", "--config=/etc/kubernetes/kubeadm-config.yaml"],',
      '"msg": "non-zero return code",',
      '"rc": 1,',
      '"stderr": "error when creating kube-proxy service account: unable to create serviceaccount: Post https://192.0.2.42:6443/api/v1/namespaces/kube-system/serviceaccounts: dial tcp 192.0.2.42:6443: connect: connection refused"',
      "}",
    ],
  ],
] as const)("%s, as a program said it that is seldom met", (cause, lines) => {
  expect(named(...lines)).toBe(cause);
});
