import { expect, test } from "@jest/globals";
import { named } from "./named-cause.ts";

test.each([
  [
    "hostname-invalid-or-mismatch",
    [
      "Inspecting AppArmor configuration",
      " WARNING:  This machine's hostname contains capital letters and/or underscores.",
      "  This is not a valid name for a Kubernetes node, causing node registration to fail.",
      "Building the report tarball",
      "  Report tarball is at /var/snap/microk8s/1769/inspection-report.tar.gz",
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
  [
    "selinux-or-apparmor-denied",
    [
      "[root@n1 ~]# sestatus | head -1",
      "SELinux status:                 enabled",
      "[root@n1 ~]# tail -2 /var/lib/rancher/rke2/agent/logs/kubelet.log",
      String.raw`E1204 09:26:07.330518    3702 pod_workers.go:965] "Error syncing pod, skipping" err="failed to \"CreatePodSandbox\" for \"etcd-n1_kube-system(0f27)\" with CreatePodSandboxError: \"Failed to create sandbox for pod: rpc error: code = Unknown desc = failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: write /proc/self/attr/keycreate: invalid argument: unknown\""`,
    ],
  ],
  [
    "ignition-fetch-failed",
    [
      'ignition[588]: no config at "/usr/lib/ignition/base.ign"',
      "ignition[588]: GET http://192.0.2.9/boot/node.ign attempt #1",
      "ignition[588]: GET result : OK",
      "ignition[588]: failed to fetch config: context canceled",
      "ignition[588]: failed to acquire config: context canceled",
    ],
  ],
  [
    "datastore-failed",
    [
      'microk8s.daemon-k8s-dqlite[1290]: time="2026-10-05T07:31:19+02:00" level=fatal msg="Failed to start server: start node: raft_start(): io: LZ4F_decompress ERROR_contentChecksum_invalid"',
    ],
  ],
  [
    "node-already-joined",
    [
      "$ microk8s kubectl get node",
      'error: error loading config file "/var/snap/microk8s/5735/credentials/client.config": yaml: line 5: mapping values are not allowed in this context',
      "$ microk8s join 192.0.2.10:25000/77c1e08fa3d94b60a5d2cf8b16e0394d",
      "Connection failed. The joining node (192.0.2.11) is already known to dqlite (504).",
    ],
  ],
  [
    "hns-network-failed",
    [
      ...Array.from(
        { length: 8 },
        (_, at) =>
          `I0412 08:55:19.220711    2944 service.go:421] Adding new service port "default/made-up-${String(at)}:https" at 10.96.0.${String(at)}:443/TCP`,
      ),
      ...["19", "49"].flatMap((second) => [
        `E0412 08:55:${second}.236402    2944 proxier.go:998] "Source Vip endpoint creation failed" err="hcnCreateEndpoint failed in Win32: An address provided is invalid or reserved. (0x803b002f)"`,
        `I0412 08:55:${second}.236402    2944 proxier.go:955] "syncProxyRules complete" elapsed="17.203ms"`,
        `I0412 08:55:${second}.236402    2944 bounded_frequency_runner.go:296] sync-runner: ran, next possible in 1s, periodic in 30s`,
      ]),
    ],
  ],
  [
    "api-server-unreachable",
    [
      "kubelet[11]: E0402 08:15:00.448160 11 x.go:1] Get https://192.0.2.8:6443/api: dial tcp 192.0.2.8:6443: connect: no route",
    ],
  ],
  [
    "tls-bootstrap-failed",
    [
      "Sep 30 18:40:19 w-2 kubelet[21470]: I0930 18:40:19.207115   21470 bootstrap.go:239] Failed to connect to apiserver: the server has asked for the client ",
      "Sep 30 18:40:21 w-2 kubelet[21470]: I0930 18:40:21.518330   21470 bootstrap.go:239] Failed to connect to apiserver: the server has asked for the client ",
    ],
  ],
  [
    "cloud-init-userdata-invalid",
    [
      "  oem-cloudinit.service",
      "systemd[1]: Starting Cloudinit from platform metadata...",
      'coreos-cloudinit[752]: 2018/11/23 08:40:11 Checking availability of "cloud-drive"',
      "coreos-cloudinit[752]: 2018/11/23 08:40:11 Fetching data from http://169.254.169.254/2009-04-04/user-data. Attempt #1",
      "coreos-cloudinit[752]: 2018/11/23 08:40:11 line 4: error: could not find expected ':'",
    ],
  ],
  [
    "join-timeout-unknown",
    [
      ...Array.from({ length: 24 }, (_, at) => `[certificates] Generated made-up-${String(at)} certificate and key.`),
      "[markmaster] Marking the node n1 as master by adding the taints [node-role.kubernetes.io/master:NoSchedule]",
      "error marking master: timed out waiting for the condition",
    ],
  ],
  [
    "join-timeout-unknown",
    [
      "I0412 08:17:02.440911     171 round_trippers.go:454] GET https://made-up:6443/healthz?timeout=10s  in 0 milliseconds",
      "I0412 08:17:02.941203     171 round_trippers.go:454] GET https://made-up:6443/healthz?timeout=10s  in 0 milliseconds",
      "",
      "\tUnfortunately, an error has occurred:",
    ],
  ],
  [
    "etcd-unhealthy",
    [
      "for ip in ${NODE_IPS}; do etcdctl --endpoints=https://${ip}:2379 endpoint health; done",
      "2026-06-12 10:07:02.551470 I | warning: ignoring ServerName for user-provided CA for backwards compatibility is deprecated",
      "2026-06-12 10:07:02.552318 I | warning: ignoring ServerName for user-provided CA for backwards compatibility is deprecated",
      "192.0.2.43:2379 is healthy: successfully committed proposal: took = 2.904115ms",
      "192.0.2.42 is unhealthy: failed to connect: grpc: timed out when dialing",
      "https://192.0.2.41 is unhealthy: failed to connect: grpc: timed out when dialing",
    ],
  ],
  [
    "unsupported-os",
    [
      'startup-script: INFO startup-script: W0622 10:15:30.704803    1961 main.go:141] got error running nodeup (will retry in 30s): error determining OS distribution: unhandled debian version "stretch/sid"',
    ],
  ],
  [
    "cloud-init-datasource-failed",
    [
      "2021-06-02 07:20:41,583 - main.py[DEBUG]: [net] Exiting without datasource",
      "2021-06-02 07:20:41,585 - util.py[DEBUG]: cloud-init mode 'init' took 0.471 seconds (0.47)",
    ],
  ],
  [
    "control-plane-component-crash",
    [
      '5d0c91be27aa        2e91c0d47ab6                  "kube-apiserver --ad…"   8 seconds ago       Up 7 seconds                                 k8s_kube-apiserver_kube-apiserver-n1_kube-system_61f2a7cb903fb92d9160f89dd75b1e04_484',
      'kubelet[15102]: E0715 09:20:33.310418   15102 kubelet.go:2263] node "n1" not found',
    ],
  ],
  [
    "datastore-failed",
    [
      'microk8s.daemon-k8s-dqlite[48117]: time="2026-06-27T09:14:11Z" level=error msg="error while range on /registry/health : query (try: 0): context deadline exceeded"',
      'microk8s.daemon-k8s-dqlite[48117]: time="2026-06-27T09:14:12Z" level=error msg="error in txn: query (try: 0): context canceled"',
      'microk8s.daemon-k8s-dqlite[48117]: time="2026-06-27T09:14:21Z" level=error msg="error while range on /registry/health : query (try: 0): context deadline exceeded"',
    ],
  ],
  [
    "etcd-unhealthy",
    [
      "$ docker logs --tail 6 etcd",
      ...["22.310", "22.402", "23.102", "23.310"].map(
        (second) =>
          `{"level":"warn","ts":"2026-09-11T04:17:${second}Z","caller":"rafthttp/stream.go:653","msg":"request sent was ignored by remote peer due to cluster ID mismatch","remote-peer-id":"8d96c13987d37e2"}`,
      ),
    ],
  ],
  [
    "etcd-member-add-failed",
    [
      String.raw`k3s[4117]: {"level":"warn","ts":"2026-09-28T09:55:41.232907+0200","caller":"etcdserver/cluster_util.go:79","msg":"failed to get cluster response","address":"https://192.0.2.11:2380/members","error":"Get \"https://192.0.2.11:2380/members\": EOF"}`,
      'k3s[4117]: {"level":"info","ts":"2026-09-28T09:55:41.235538+0200","caller":"embed/etcd.go:378","msg":"closed etcd server","name":"made-up"}',
    ],
  ],
  [
    "image-pull-failed",
    [
      'docker[5120]: time="2026-04-15T02:14:08.713390255Z" level=error msg="Not continuing with pull after error: Error pulling image (v1.5.3) from registry.example/hyp',
      "systemd[1]: kubelet.service: Main process exited, code=exited, status=125/n/a",
    ],
  ],
] as const)("%s, as a program said it that is seldom met", (cause, lines) => {
  expect(named(...lines)).toBe(cause);
});
