import { expect, test } from "@jest/globals";
import { kindsOf } from "../../../handler/diagnosis/reading/kinds.ts";
import { named, namedOnWindows } from "./named-cause.ts";

const noApi = "curl: (7) Failed to connect to localhost port 6443 after 0 ms: Couldn't connect to server";

test("what k0sctl saw fail is over where it says that the cluster is installed", () => {
  const failed = [`ERRO [ssh] 192.0.2.21:22: ${noApi}`, `ERRO [ssh] 192.0.2.21:22: ${noApi}`];
  const begun = ["INFO ==> Running phase: Initialize the k0s cluster", ...failed];
  expect(named(...begun, "INFO k0s cluster version v1.30.2+k0s.0 is now installed")).toBe("unclassified");
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

test("user data that cloudbase-init does not know is not valid, though it says so at a warning's level", () => {
  const log = [
    "2026-10-29 07:12:08.204 1980 INFO cloudbaseinit.init [-] Executing plugin 'UserDataPlugin'",
    "2026-10-29 07:12:08.611 1980 WARNING cloudbaseinit.plugins.common.userdatautils [-] Unsupported user_data format",
    "2026-10-29 07:12:08.611 1980 INFO cloudbaseinit.init [-] Plugins execution done",
  ];
  expect(namedOnWindows(...log)).toBe("cloud-init-userdata-invalid");
});

test("a blob store of a registry is not taken for one that sent broken bytes by its name", () => {
  const kinds = kindsOf("Get https://mcrcus0.blob.example/data: dial tcp 192.0.2.36:443: i/o timeout").map(
    ({ kind }) => kind,
  );
  expect(kinds).toEqual(["timed-out"]);
});

test("k3OS reads its user data as JSON first, and says so", () => {
  expect(named("Could not unmarshall userdata: invalid character '#' looking for beginning of value")).toBe(
    "unclassified",
  );
  expect(named("Could not unmarshall userdata: invalid character 'x' looking for beginning of value")).toBe(
    "cloud-init-userdata-invalid",
  );
});

test("a log that was searched for one thing and then for another is put in order by the times of its process", () => {
  const at = (time: string, process: string, said: string): string =>
    `May 30 11:${time} n2 ${process}: I0530 11:${time}.327704    1263 kubelet_node_status.go:75] ${said}`;
  const known = "Successfully registered node n2";
  const refused =
    'Unable to register node "n2" with API server: nodes is forbidden: User "system:anonymous" cannot create resource "nodes" in API group "" at the cluster scope';
  const shown = (success: string, failure: string, process: string): string =>
    named(
      "# journalctl -u kubelet | grep 'registered node'",
      at(success, "hyperkube[1263]", known),
      "# journalctl -u kubelet | grep forbidden",
      at(failure, process, refused),
    );
  expect(shown("12:51", "12:44", "hyperkube[1263]")).toBe("unclassified");
  expect(shown("12:51", "12:59", "hyperkube[1263]")).toBe("kubelet-identity-forbidden");
  expect(shown("12:51", "12:44", "hyperkube[2001]")).toBe("kubelet-identity-forbidden");
});

test("what Rancher's agent probes before RKE2 has written it is normal, and an argument of a kubelet is no end", () => {
  const file = "/var/lib/rancher/rke2/server/tls/kube-scheduler/kube-scheduler.crt";
  const probe = [
    `rancher-system-agent[11]: time="2026-09-01T05:11:02Z" level=error msg="error loading CA cert for probe (kube-scheduler) ${file}: open ${file}: no such file or directory"`,
    'rancher-system-agent[11]: time="2026-09-01T05:11:02Z" level=error msg="error while appending ca cert to pool for probe kube-scheduler"',
  ];
  expect(named(...probe, ...probe, ...probe)).toBe("unclassified");
  const kubelet =
    "--pod-infra-container-image=index.docker.io/rancher/pause:3.6 --serialize-image-pulls=false --stderrthreshold=FATAL}";
  expect(namedOnWindows(`10/27/2026 3:02:41 PM {Running RKE2 kubelet [${kubelet}`)).toBe("unclassified");
});

test("who asks for a token before it shows its authorities is no server of k3s", () => {
  const asked =
    'level=error msg="failed to get CA certs at https://127.0.0.1:34205/cacerts: https://127.0.0.1:34205/cacerts:';
  const lines = (answer: string): readonly string[] => [
    'time="2026-03-29T17:41:02Z" level=info msg="Starting k3s agent v1.30.2+k3s1"',
    `time="2026-03-29T17:41:02Z" ${asked} ${answer}"`,
    `time="2026-03-29T17:41:04Z" ${asked} ${answer}"`,
  ];
  expect(named(...lines("401 Unauthorized"))).toBe("control-plane-endpoint-mismatch");
  expect(named(...lines("503 Service Unavailable"))).not.toBe("control-plane-endpoint-mismatch");
});

test("no configuration at all is nothing to Ignition, and one that is none is refused", () => {
  const fetched = (why: string): readonly string[] => [
    "ignition[381]: Ignition v0.19.0",
    `ignition[381]: failed to fetch config: ${why}`,
    `ignition[381]: ${why}: ignoring user-provided config`,
    "ignition[381]: disks: op(1): [finished] waiting for udev to settle",
  ];
  expect(named(...fetched("not a config (empty)"))).toBe("unclassified");
  expect(named(...fetched("not a config (found cloud-config)"))).toBe("ignition-config-invalid");
});

test("what Docker and its containerd do without, whatever form their logs have, is no lack", () => {
  const lines = (why: string): readonly string[] => [
    `WARN[2026-01-08T10:04:48.270334758Z] failed to load plugin io.containerd.snapshotter.v1.aufs error="${why}"`,
    `WARN[2026-01-08T10:04:48.270734758Z] could not use snapshotter aufs in metadata plugin error="${why}"`,
    `INFO[2026-01-08T10:04:48.267839573Z] skip loading plugin "io.containerd.snapshotter.v1.aufs"... error="aufs is not supported (${why}): skip plugin"`,
    "WARN[2026-01-08T10:04:48.273842737Z] Your kernel does not support swap memory limit",
    "WARN[2026-01-08T10:04:48.275233674Z] Your kernel does not support cgroup rt period",
    "WARN[2026-01-08T10:04:48.282800872Z] Running modprobe bridge br_netfilter failed with message: ip: can't find device 'bridge'",
    'bridge                172032  1 br_netfilter error="exit status 1"',
  ];
  const noModule =
    "modprobe aufs failed: modprobe: FATAL: Module aufs not found in directory /lib/modules/6.8.0: exit status 1";
  expect(named(...lines(noModule), ...lines(noModule), "INFO[2026-01-08T10:04:48Z] API listen on [::]:2375")).toBe(
    "unclassified",
  );
});

test("a kubelet whose certificate ran out, and an upgrade that cannot read what it stored, are named", () => {
  expect(
    named(
      "kubelet[1288]: F0113 02:55:07.911402    1288 transport.go:110] the currently active client certificate has expired and the server is responsive, exiting.",
      "systemd[1]: kubelet.service: main process exited, code=exited, status=255/n/a",
      "systemd[1]: kubelet.service holdoff time over, scheduling restart.",
      "systemd[1]: Started kubelet: The Kubernetes Node Agent.",
    ),
  ).toBe("tls-bootstrap-failed");
  expect(
    named(
      "[upgrade/config] Reading configuration from the cluster...",
      '[upgrade/config] FATAL: could not decode configuration: unable to decode config from bytes: v1alpha1.MasterConfiguration: KubeProxy: v1alpha1.KubeProxyConfiguration: FeatureGates: ReadMapCB: expect { or n, but found "',
    ),
  ).toBe("kubeadm-config-invalid");
});

test("a clock that was set back, and a machine that booted again, put no success behind a failure", () => {
  const journal = (time: string, process: string, said: string): string => `Nov 14 ${time} n2 ${process}: ${said}`;
  const registered = "I1114 14:00:05.327704    1263 kubelet_node_status.go:75] Successfully registered node n2";
  const refused =
    'Unable to register node "n2" with API server: nodes is forbidden: User "system:anonymous" cannot create resource "nodes" in API group "" at the cluster scope';
  const after = (time: string, process: string): string =>
    named(
      journal("14:00:05", process, registered),
      journal(time, process, `E1114 ${time}.327704    1263 kubelet_node_status.go:94] ${refused}`),
    );
  expect(after("14:00:01", "hyperkube[1263]")).toBe("unclassified");
  expect(after("12:00:39", "hyperkube[1263]")).toBe("kubelet-identity-forbidden");
  expect(after("14:00:01", "hyperkube[1]")).toBe("kubelet-identity-forbidden");
});

test.each([
  "snapd[640]: stateengine.go:149: state ensure error: Get https://api.snapcraft.io/api/v1/snaps/sections: dial tcp: lookup api.snapcraft.io: Temporary failure in name resolution",
  "sudo: unable to resolve host n1: Name or service not known",
  "kernel: print_req_error: I/O error, dev fd0, sector 0",
  "systemd-udevd[512]: Could not generate persistent MAC address for vxlan.calico: No such file or directory",
  'audit: type=1400 apparmor="DENIED" operation="ptrace" profile="cri-containerd.apparmor.d" pid=3312 comm="ps" requested_mask="read" denied_mask="read" peer="unconfined"',
  'kubelet[1288]: E0113 02:55:07.911402    1288 remote_runtime.go:432] "ContainerStatus from runtime service failed" err="rpc error: code = NotFound desc = an error occurred when try to find container: not found"',
  'kubelet[1288]: E0113 02:55:07.911402    1288 kubelet.go:1711] "Failed creating a mirror pod for" err="pods \\"kube-proxy-n1\\" already exists" pod="kube-system/kube-proxy-n1"',
  "kube-controller-manager[1]: E0113 02:55:07.911402       1 resource_quota_controller.go:440] unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale GroupVersion discovery: metrics.k8s.io/v1beta1",
  'rke2[1490]: time="2026-11-14T06:02:14Z" level=error msg="Failed to check local etcd status for learner management: context deadline exceeded"',
  "2026-01-10T10:02:05.2Z ERROR ExtHandler ExtHandler Event: name=Microsoft.Azure.Monitor.AzureMonitorLinuxAgent, op=Install, message=[ExtensionOperationError] Non-zero exit code: 52, ./shim.sh -install, duration=1100",
])("what every machine may say is no cause, often and alone: %s", (line) => {
  expect(named("systemd[1]: Started made-up.service.", line, line, line)).toBe("unclassified");
  expect(named("systemd[1]: Started made-up.service.", line)).toBe("unclassified");
});

test("what Ansible ignores is ignored behind the name that Packer puts in front", () => {
  const task = (end: string): string =>
    named(
      "    qemu: TASK [setup : swap] ***",
      '    qemu: fatal: [default]: FAILED! => {"changed": true, "cmd": "kubeadm reset", "msg": "non-zero return code", "rc": 2, "stderr": "context deadline exceeded"}',
      end,
    );
  expect(task("    qemu: ...ignoring")).toBe("unclassified");
  expect(task("    qemu: PLAY RECAP ***")).not.toBe("unclassified");
});
