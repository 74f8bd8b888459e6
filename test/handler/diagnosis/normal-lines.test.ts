import { expect, test } from "@jest/globals";
import { errorWeight } from "../../../handler/diagnosis/error-lines.ts";
import { named } from "./named-cause.ts";

/** What is normal, and beside it what says the same of something that a node needs. */
test.each([
  [
    "cp: cannot stat '/var/snap/microk8s/6809/var/kubernetes/backend/localnode.yaml': No such file or directory",
    "cp: cannot stat '/etc/kubernetes/admin.conf': No such file or directory",
  ],
  [
    'Executable in PATH: modprobe: exec: "modprobe": executable file not found in $PATH (warning)',
    'Executable in PATH: modprobe: exec: "modprobe": executable file not found in $PATH (rejected)',
  ],
  [
    `Error: status: can't get "status" via "/run/k0s/status.sock": dial unix /run/k0s/status.sock: connect: no such file or directory`,
    "Error: dial unix /run/containerd/containerd.sock: connect: no such file or directory",
  ],
  [
    'level=error msg="Command execution failed" cmd="[iptables -t mangle -n -L CILIUM_PRE_mangle]" error="exit status 1"',
    'level=error msg="Command execution failed" cmd="[iptables -t mangle -A PREROUTING]" error="exit status 1"',
  ],
  ["systemd[1]: Dependency failed for Swap Partition.", "systemd[1]: Dependency failed for Local File Systems."],
  [
    "systemd[1]: dev-sda2.swap: Job dev-sda2.swap/start failed with result 'dependency'.",
    "systemd[1]: var-lib-etcd.mount: Job var-lib-etcd.mount/start failed with result 'dependency'.",
  ],
  [
    "systemd[1]: Timed out waiting for device /dev/disk/cloud/azure_resource-part1.",
    "systemd[1]: Timed out waiting for device /dev/disk/azure/scsi1/lun0.",
  ],
  ["systemd[1]: Dependency failed for /mnt.", "systemd[1]: Dependency failed for /mnt/data."],
  [
    "systemd[1]: mnt.mount: Job mnt.mount/start failed with result 'dependency'.",
    "systemd[1]: var-mnt.mount: Job var-mnt.mount/start failed with result 'dependency'.",
  ],
  [
    "kernel: blk_update_request: I/O error, dev sr0, sector 0",
    "kernel: blk_update_request: I/O error, dev sda, sector 0",
  ],
  [
    "health check failed: rpc error: code = Unavailable desc = etcdserver: rpc not supported for learner",
    "health check failed: rpc error: code = Unavailable desc = etcdserver: no leader",
  ],
  [
    "level=error msg=Failed to add IPIP tunnel device error=exit status 1",
    "level=error msg=Failed to add VXLAN tunnel device error=exit status 1",
  ],
  [
    "level=error msg=Failed configure IPIP tunnel device, retrying... error=Link not found",
    "level=error msg=Failed configure VXLAN tunnel device error=Link not found",
  ],
  [
    'E0402 08:15:00.448160    1 server_others.go:1] "No iptables support for family" ipFamily="IPv6" error="exit status 3"',
    'E0402 08:15:00.448160    1 server_others.go:1] "No iptables support for family" ipFamily="IPv4" error="exit status 3"',
  ],
  ["kubelet: FAILED", "kubelet: failed to start"],
])("%s", (normal, failed) => {
  expect(errorWeight(normal)).toBeUndefined();
  expect(errorWeight(failed)).toBeDefined();
});

const noHost = "dial tcp: lookup made-up.example on 10.0.0.2:53: no such host";

/** What failed, how it is said to be over, and the cause where it is not. */
test.each([
  ["dns-resolution-failed", "curl: (6) Could not resolve host: made-up.example", "Setting up kubelet (1.30.4-1.1) ..."],
  [
    "dns-resolution-failed",
    `time="2026-01-10T10:00:31Z" level=error msg="Get https://made-up.example: ${noHost}"`,
    'time="2026-01-10T10:49:31Z" level=info msg="Install complete!"',
  ],
  [
    "dns-resolution-failed",
    `time="2026-01-10T10:00:31Z" level=error msg="Get https://made-up.example: ${noHost}"`,
    'time="2026-01-10T10:09:31Z" level=info msg="API v1.30.5 up"',
  ],
  [
    "dns-resolution-failed",
    `machine-config-daemon[1501]: Error: pinging container registry made-up.example: ${noHost}`,
    "machine-config-daemon[1501]: I0110 10:01:22.100012    1501 daemon.go:1100] initiating reboot: Completing firstboot provisioning to rendered-worker",
  ],
  [
    "http-download-failed",
    "curl: (28) Failed to connect to made-up.example port 443 after 30001 ms: Connection timed out",
    "Custom script finished. API server connection check code: 0",
  ],
  [
    "cloud-init-dhcp-failed",
    "2026-04-06 10:00:05,112 - azure.py[DEBUG]: No lease found; using default endpoint: 168.63.129.16",
    "2026-04-06 10:00:05,212 - handlers.py[DEBUG]: finish: azure-ds/_get_data: SUCCESS: _get_data",
  ],
  [
    "guest-agent-failed",
    "2026/11/01 10:00:02.110000 INFO Protocol endpoint not found: WireProtocol, [ProtocolError] [Wireserver Exception] [HttpError] GET http://168.63.129.16/?comp=versions -- Network is unreachable -- 6 attempts made\n2026/11/01 10:00:04.110000 INFO Daemon [ProtocolError] [Wireserver Exception] [HttpError] GET http://168.63.129.16/?comp=versions -- Network is unreachable -- 6 attempts made",
    "2026/11/01 10:00:22.130000 INFO Wire protocol version:2012-11-30",
  ],
])("%s is over where its program says so", (cause, failed, over) => {
  // Longer than a log of which every success counts.
  const between = Array.from({ length: 24 }, (_, at) => `made-up[${String(at)}]: at work`);
  expect(named(...failed.split("\n"), ...between, over)).toBe("unclassified");
  expect(named(...failed.split("\n"), ...between)).toBe(cause);
});
