import { expect, test } from "@jest/globals";
import { errorWeight } from "../../../handler/diagnosis/error-lines.ts";

/** What healthy machines say in an error's words, and beside it what says the same of a failure. */
test.each([
  [
    'audit: apparmor="DENIED" operation="capable" profile="snap.microk8s.hook.configure" comm="ip"',
    'audit: apparmor="DENIED" operation="capable" profile="snap.microk8s.daemon-kubelite" comm="ip"',
  ],
  [
    "ERROR ExtHandler Event: name=WALinuxAgent, op=HealthObservation, message=failed",
    "ERROR ExtHandler Event: name=WALinuxAgent, op=ProcessGoalState, message=failed",
  ],
  [
    'err="orphaned pod \\"b1fd\\" found, but error not a directory"',
    'err="made-up pod found, but error not a directory"',
  ],
  [
    "Error: failed to sync configmap cache: timed out waiting for the condition",
    'Error: failed to sync configmap cache: configmaps is forbidden: User "system:anonymous"',
  ],
  [
    "Error: failed to sync secret cache: timed out waiting for the condition",
    'Error: failed to sync secret cache: secrets is forbidden: User "system:anonymous"',
  ],
  [
    '"DeleteContainer returned error" err="rpc error: code = NotFound desc = made-up"',
    '"DeleteContainer returned error" err="rpc error: code = Unavailable desc = made-up"',
  ],
  [
    '"Failed to get node when trying to set owner ref to the node lease" err="nodes \\"w7\\" not found"',
    '"Failed to get node when trying to set owner ref to the node lease" err="Unauthorized"',
  ],
  [
    'Error while processing event ("/sys/fs/cgroup/a": 0x40000100): inotify_add_watch /sys/fs/cgroup/a: no such file or directory',
    'Error while processing event ("/sys/fs/cgroup/a": 0x40000100): too many open files',
  ],
  [
    'readString: Failed to read "/sys/fs/cgroup/memory/a": read: no such device',
    'readString: Failed to read "/sys/fs/cgroup/memory/a": permission denied',
  ],
  [
    'Failed to update statusUpdateNeeded field: nodeName="w1" does not exist',
    'Failed to update node: nodeName="w1" does not exist',
  ],
  [
    'loading OpenAPI spec for "v1beta1.metrics.k8s.io" failed with: Error, could not get list',
    'loading OpenAPI spec for "v1.made-up" failed with: Error, could not get list',
  ],
  [
    'level=error msg="Sending HTTP/1.1 502 response to 127.0.0.1:48996: write: connection reset by peer"',
    'level=error msg="Sending HTTP/1.1 502 response to 192.0.2.4:48996: write: connection reset by peer"',
  ],
  [
    "Error encountered when checking whether cri-o should wipe containers: open /var/run/crio/version: no such file or directory",
    "Error encountered when starting cri-o: open /etc/crio/crio.conf: no such file or directory",
  ],
  [
    "Writing clean shutdown supported file: open /var/lib/crio/clean.shutdown.supported: no such file or directory",
    "Writing pid file: open /var/lib/crio/pid: no such file or directory",
  ],
  [
    `'runc is being ignored due to: "exec: \\"runc\\": executable file not found in $PATH"`,
    `'crio.conf is being ignored due to: "open /etc/crio/crio.conf: permission denied"`,
  ],
  ["util.py[WARNING]: Failed to find userdata at None", "util.py[WARNING]: Failed to find userdata at /dev/sr0"],
  [
    'failed to read system config "/usr/lib/ignition/user.ign": no such file or directory; not a config URL',
    'failed to read system config "/usr/lib/ignition/base.ign": permission denied',
  ],
  [
    `overlayfs: "xino" feature enabled using 3 upper inode bits; fs does not support file handles, falling back to xino=off.`,
    "overlayfs: upper fs does not support file handles",
  ],
  [
    'EXT4-fs (sda1): mounting with "discard" option, but the device does not support discard',
    "EXT4-fs (sda1): mounting failed, the device does not support it",
  ],
  [
    "systemd-fstab-generator[240]: Failed to create unit file, as it already exists. Duplicate entry in '/etc/fstab'?",
    "systemd-fstab-generator[240]: Failed to create unit file: Read-only file system",
  ],
  ["error trying to compare the snap system key: system-key missing on disk", "error trying to install the snap"],
  [
    '[talos] controller failed, retrying {"error": "dial tcp 127.0.0.1:7445: connect: connection refused"}',
    '[talos] controller failed, retrying {"error": "Get \\"https://127.0.0.1:7445/api\\": Unauthorized"}',
  ],
  [
    "Unable to ensure that BPF JIT compilation is enabled. This can be ignored when it runs inside a network namespace",
    "Unable to ensure that BPF JIT compilation is enabled.",
  ],
  [
    "cilium_host: Could not bring up interface, ignoring: No such device",
    "eth0: Could not bring up interface: No such device",
  ],
  [
    "ERROR Daemon Daemon Failed to mount resource disk [ResourceDiskError] unable to detect disk topology",
    "ERROR Daemon Daemon Failed to mount resource disk [ResourceDiskError] Could not mount /dev/sdb1",
  ],
  [
    "ERROR EnvHandler ExtHandler Failed to get the PID of the DHCP client: invalid literal",
    "ERROR EnvHandler ExtHandler Failed to get a lease of the DHCP server",
  ],
  [
    "ERROR ExtHandler ExtHandler Unable to setup the persistent firewall rules: Read-only file system",
    "ERROR ExtHandler ExtHandler Unable to setup the extension's folder: Read-only file system",
  ],
])("%s", (normal, failed) => {
  expect(errorWeight(normal)).toBeUndefined();
  expect(errorWeight(failed)).toBeDefined();
});

test.each([
  'level=fatal msg="failed to get CA certs: 503: runtime core not ready"',
  'level=error msg="failed to get CA certs: 503: runtime core not ready"',
  "[preflight] Some fatal errors occurred: Module configs not found",
  'level=error msg="failed to load cni during init" error="cni config load failed: failed to load CNI config list file /etc/cni/net.d/a.conflist: unexpected end"',
])("what is normal by itself is none where the line gives up: %s", (line) => {
  expect(errorWeight(line)).toBeDefined();
});
