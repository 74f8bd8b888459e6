import { expect, test } from "@jest/globals";
import { errorWeight } from "../../../handler/diagnosis/error-lines.ts";
import { named } from "./named-cause.ts";

const at = "Mar 02 07:14:09 node-1";

/** What a machine says at its boot or of its own services, and beside it the same of something that a node needs. */
test.each([
  [
    `${at} amazon-ssm-agent[1591]: Error: AccessDeniedException: is not authorized to perform ssm:UpdateInstanceInformation`,
    `${at} kubelet[1591]: Error: AccessDeniedException: is not authorized to perform ec2:DescribeInstances`,
  ],
  [
    `${at} apachectl[611]: Error: could not open configuration file /etc/apache2/sites-enabled/site.conf: No such file or directory`,
    `${at} kubelet[611]: Error: could not open configuration file /etc/kubernetes/kubelet.conf: No such file or directory`,
  ],
  [
    `${at} /usr/libexec/gdm-x-session[1861]: Error: '/run/made-up' Permission denied`,
    `${at} /usr/bin/containerd[1861]: Error: '/run/made-up' Permission denied`,
  ],
  [
    `${at} sudo[13105]:     root : PWD=/srv ; USER=root ; COMMAND=/usr/bin/kubectl --request-timeout=5s get kubeapiserver failed`,
    `${at} bootstrap.sh[13105]: kubectl --request-timeout=5s get kubeapiserver failed`,
  ],
  [
    "type=USER_ERR msg=audit(1550969814.404:4632): pid=4980 uid=0 msg='op=PAM:bad_ident res=failed'",
    'type=AVC msg=audit(1550969814.404:4632): avc:  denied  { write } for  pid=4980 comm="kubelet" permissive=0',
  ],
  ["+ exec kubelet --fail-swap-on=false --cgroup-driver=failed", "+ kubelet --fail-swap-on=false: failed"],
  [
    `${at} audit[1510]: AVC apparmor="DENIED" operation="open" class="file" profile="snap.made-up.made-up" name="/etc/os-release" pid=1510 comm="made-up"`,
    `${at} audit[1510]: AVC apparmor="DENIED" operation="open" class="file" profile="snap.microk8s.daemon-kubelite" name="/etc/os-release" pid=1510 comm="kubelite"`,
  ],
  [
    `${at} audit[1510]: AVC apparmor="DENIED" operation="capable" class="cap" profile="/snap/snapd/20092/usr/lib/snapd/snap-confine" pid=1510 comm="snap-confine"`,
    `${at} audit[1510]: AVC apparmor="DENIED" operation="capable" class="cap" profile="cri-containerd.apparmor.d" pid=1510 comm="runc"`,
  ],
  [
    'type=AVC msg=audit(1550016553.760:317): avc:  denied  { write } for  pid=18328 comm="httpd" name="a.php" permissive=0',
    'type=AVC msg=audit(1550016553.760:317): avc:  denied  { write } for  pid=18328 comm="runc" name="a.sock" permissive=0',
  ],
  [
    `${at} systemd-udevd[1033]: dm-0: Process '/usr/bin/unshare -m /usr/bin/snap auto-import --mount=/dev/dm-0' failed with exit code 1.`,
    `${at} made-up[1033]: dm-0: Process '/usr/bin/mount /dev/dm-0' failed with exit code 1.`,
  ],
  [
    `${at} snapd[929]: storehelpers.go:438: cannot refresh: snap has no updates available: "core"`,
    `${at} snapd[929]: storehelpers.go:438: cannot refresh: too many requests`,
  ],
  [
    "debconf: apt-extracttemplates failed: No such file or directory",
    "debconf: made-up failed: No such file or directory",
  ],
  [
    "dracut: dracut module 'nbd' will not be installed, because command 'nbd-client' could not be found!",
    "error: command 'nbd-client' could not be found!",
  ],
  [
    `${at} kernel: nvidia: module verification failed: signature and/or required key missing - tainting kernel`,
    `${at} kernel: nvidia: module verification failed: signature and/or required key missing - rejecting module`,
  ],
  [
    `${at} systemd[1]: Failed to open libbpf, cgroup BPF features disabled: Operation not supported`,
    `${at} systemd[1]: Failed to open /run/made-up: Operation not supported`,
  ],
  [
    `${at} systemd[6111]: app-1.scope: Couldn't move process 6540 to requested cgroup '/user.slice/app-1.scope': No such process`,
    `${at} systemd[1]: kubelet.service: Couldn't move process 6540 to requested cgroup '/system.slice': Permission denied`,
  ],
  [
    `${at} made-up[3956]: failed to set SELinux context for /mnt/sys/fs/selinux: [Errno 95] Operation not supported`,
    `${at} made-up[3956]: failed to set SELinux context for /usr/bin/kubelet: Permission denied`,
  ],
  [
    `${at} conmon[3906]: conmon 4e886709363fe16350e2 <nwarn>: Failed to open cgroups file: /sys/fs/cgroup/a/memory.events`,
    `${at} conmon[3906]: conmon 4e886709363fe16350e2 <error>: Failed to open cgroups file: /sys/fs/cgroup/a/memory.events`,
  ],
  [
    `${at} kubelet[2473]: W0512 04:58:17.416145    2473 manager.go:1169] Failed to process watch event {EventType:0}: Error finding container 46845dbb9cdd`,
    `${at} kubelet[2473]: W0512 04:58:17.416145    2473 manager.go:1169] Failed to process watch event {EventType:0}: Error reading cgroups`,
  ],
  [`${at} systemd[1]: Failed to mount /vagrant_data.`, `${at} systemd[1]: Failed to mount /data.`],
  ["systemd[1]: Dependency failed for Remote File Systems.", "systemd[1]: Dependency failed for Local File Systems."],
  [
    `${at} kernel: nvidia-gpu 0000:01:00.3: i2c timeout error e0000000`,
    `${at} kernel: nvidia-gpu 0000:01:00.3: probe failed with error -12`,
  ],
  [
    `${at} NetworkManager[3811]: <info>  [1548708958.4496] device (eth0): failed to get lease`,
    `${at} NetworkManager[3811]: <warn>  [1548708958.4496] device (eth0): failed to get lease`,
  ],
  [
    'E1125 13:47:26.578670       1 run.go:74] "command failed" err="finished without leader elect"',
    'E1125 13:47:26.578670       1 run.go:74] "command failed" err="leaderelection lost"',
  ],
  [
    "dd: error writing '/var/tmp/zeros': No space left on device",
    "dd: error writing '/var/lib/etcd/spare': No space left on device",
  ],
  [
    "W1125 16:47:40.126253   71661 api_server.go:170] stopped: unable to get apiserver pid: sudo pgrep: Process exited with status 1",
    "W1125 16:47:40.126253   71661 api_server.go:170] unable to start apiserver: Process exited with status 1",
  ],
  [
    `bootkube.sh[4356]: Failed to create "a-config.yaml" configmaps.v1./a -n made-up: namespaces "made-up" not found`,
    "bootkube.sh[4356]: Failed to create the made-up: not found",
  ],
  [
    'cluster-bootstrap[4418]: Error: "99_a.yaml": unable to get REST mapping for "99_a.yaml": no matches for kind "MadeUp"',
    'cluster-bootstrap[4418]: Error: unable to get REST mapping: no matches for kind "MadeUp"',
  ],
  [
    "2026/03/11 22:14:07.612240 INFO [HTTP Retry] Attempt 2 of 3: [HTTP Failed] HTTP PUT IOError timed out",
    "2026/03/11 22:14:07.612240 ERROR [HTTP Failed] HTTP PUT IOError timed out",
  ],
  ["failed mounting /dev/sr1: no medium found", "failed mounting /dev/sda1: no medium found"],
  [
    "Error: open servers store: stat /var/snap/microk8s/2501/var/kubernetes/backend/cluster.yaml: no such file or directory",
    "Error: open servers store: stat /var/snap/microk8s/2501/var/kubernetes/backend/cluster.yaml: permission denied",
  ],
  [
    'level=warning msg="Proxy error: write failed: write tcp 127.0.0.1:9345: broken pipe"',
    'level=error msg="Proxy error: read failed: write tcp 127.0.0.1:9345: broken pipe"',
  ],
  [
    'E1021 06:50:33.110236     914 summary_sys_containers.go:47] Failed to get system container stats for "/kubepods": unknown container',
    'E1021 06:50:33.110236     914 made_up.go:47] Failed to get stats for "/kubepods": unknown container',
  ],
  [
    'E1021 06:50:33.110331     914 helpers.go:713] eviction manager: failed to construct signal: "allocatableMemory.available" error: system container "pods" not found',
    "E1021 06:50:33.110331     914 helpers.go:713] eviction manager: failed to get summary stats: not found",
  ],
  [
    "W0425 10:46:31.402988    2190 docker_sandbox.go:394] failed to read pod IP from plugin/docker: invalid network status for a",
    "W0425 10:46:31.402988    2190 docker_sandbox.go:394] failed to read pod IP from made-up: invalid network status for a",
  ],
])("%s", (normal, failed) => {
  expect(errorWeight(normal)).toBeUndefined();
  expect(errorWeight(failed)).toBeDefined();
});

/** Rules that know a word, and where the word says nothing of the node. */
test.each([
  [
    "disk-full",
    "dd: error writing '/EMPTY': No space left on device",
    "dd: error writing '/var/lib/etcd/wal': No space left on device",
  ],
  ["disk-mount-failed", "[FAILED] Failed to mount /vagrant.", "[FAILED] Failed to mount /data."],
  [
    "image-pull-failed",
    'kubelet[1504]: E1125 13:48:08.620309 1504 pod_workers.go:1300] "Error syncing pod, skipping" err="ImagePullBackOff: Back-off pulling image" pod="default/app-5d8"',
    'kubelet[1504]: E1125 13:48:08.620309 1504 pod_workers.go:1300] "Error syncing pod, skipping" err="ImagePullBackOff: Back-off pulling image" pod="kube-system/kube-proxy-5d8"',
  ],
  [
    "apt-lock-held",
    "Existing lock /var/run/yum.pid: another copy is running as pid 3274.\n---> Package kubelet.x86_64 0:1.30.4-0 will be installed",
    "Existing lock /var/run/yum.pid: another copy is running as pid 3274.",
  ],
  [
    "api-server-cert-invalid",
    'level=info msg="Initial connection to Kubernetes cluster failed with error Get \\"https://rancher.made-up.example/version\\": tls: failed to verify certificate: x509: certificate signed by unknown authority, removing CA data and trying again"',
    'level=info msg="Initial connection to Kubernetes cluster failed with error Get \\"https://rancher.made-up.example/version\\": tls: failed to verify certificate: x509: certificate signed by unknown authority"',
  ],
  [
    "http-download-failed",
    'operation=enable seq=1 file=1 retry=0 error="unexpected status code: actual=404 expected=200"\noperation=enable seq=1 file=1 event="download complete"',
    'operation=enable seq=1 file=1 retry=0 error="unexpected status code: actual=404 expected=200"',
  ],
])("%s is not named for what is none", (cause, none, failed) => {
  expect(named(...none.split("\n"))).toBe("unclassified");
  expect(named(failed)).toBe(cause);
});
