import { describe, expect, test } from "@jest/globals";
import { named } from "./named-cause.ts";

const scripts =
  "cc_scripts_user.py[WARNING]: Failed to run module scripts_user (scripts in /var/lib/cloud/instance/scripts)";
const dated = (said: string): string => `2026-04-02 08:15:10,123 - ${said}`;
const going = ["[preflight] Running pre-flight checks", "[preflight] Reading configuration from the cluster..."];
const noLock = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 901 (unattended-upgr)";
const noRuntime =
  'time="2026-04-02T08:15:10Z" level=fatal msg="validate service connection: validate CRI v1 runtime API for endpoint \\"unix:///run/containerd/containerd.sock\\": rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: no such file or directory\\""';
const nodeup = (left: string, why: string): string =>
  `nodeup[81]: W0402 08:15:10.000001      81 executor.go:139] error running task "LoadImage/made-up" (${left} remaining to succeed): ${why}`;
const noArtifact =
  "error fetching https://artifacts.made-up.example/made-up.tar.gz: dial tcp 10.61.0.9:443: i/o timeout";
const asserted = (what: string, said: string): string =>
  `fatal: [k1]: FAILED! => {"assertion": "${what}", "changed": false, "evaluated_to": false, "msg": "${said}"}`;
const nodeadm = (level: string, said: string, error: string): string =>
  `nodeadm[81]: {"level":"${level}","ts":1712.1,"caller":"nodeadm/main.go:36","msg":"${said}","error":"${error}"}`;
const aws = (code: string, operation: string, why: string): string =>
  `An error occurred (${code}) when calling the ${operation} operation: ${why}`;
const fatal = (said: string): string => `time="2026-04-02T08:15:10Z" level=fatal msg="${said}"`;

/** What a script, a play or an installer met, as its log shows it. */
const failing: readonly (readonly [cause: string, ...lines: readonly string[]])[] = [
  [
    "cloud-init-userdata-invalid",
    "yaml.scanner.ScannerError: while scanning for the next token",
    "found character '\\t' that cannot start any token",
    '  in "<unicode string>", line 22, column 1:',
  ],
  [
    "cloud-init-userdata-invalid",
    dated("util.py[WARNING]: Failed to run module write_files (write-files)"),
    "Traceback (most recent call last):",
    '  File "/usr/lib/python3/dist-packages/cloudinit/config/cc_write_files.py", line 40, in write_files',
    "    path = os.path.abspath(path)",
    "TypeError: expected str, bytes or os.PathLike object, not NoneType",
  ],
  [
    "cloud-init-userdata-invalid",
    dated("cc_write_files.py[WARNING]: Failed to write content for /etc/made-up.yaml: Incorrect padding"),
    "binascii.Error: Incorrect padding",
  ],
  [
    "cloud-init-userdata-invalid",
    nodeadm("fatal", "Command failed", 'strict decoding error: unknown field \\"spec.clustr\\"'),
  ],
  ["cloud-init-userdata-invalid", nodeadm("fatal", "Command failed", "could not find NodeConfig within UserData")],
  [
    "cloud-init-datasource-failed",
    dated(
      "DataSourceAzure.py[WARNING]: Unable to fetch ovf-env.xml from provisioning media; failed to mount /dev/sr0: no medium found on /dev/sr0.",
    ),
    dated("azure.py[ERROR]: Could not crawl Azure metadata: No OVF or IMDS available"),
  ],
  ["cloud-init-datasource-failed", "coreos-cloudinit[81]: No datasources available in time"],
  [
    "cloud-init-scripts-failed",
    dated("cc_bootcmd.py[WARNING]: Failed to run bootcmd module bootcmd"),
    "Traceback (most recent call last):",
    '  File "/usr/lib/python3/dist-packages/cloudinit/config/cc_bootcmd.py", line 63, in handle',
    "    subp.subp(cmd, env=env, capture=False)",
    "cloudinit.subp.ProcessExecutionError: Unexpected error while running command.",
    "Exit code: 2",
  ],
  [
    "cloud-init-scripts-failed",
    "+ python3 /opt/made-up/render.py",
    "Traceback (most recent call last):",
    '  File "/opt/made-up/render.py", line 3, in <module>',
    "ModuleNotFoundError: No module named 'jinja2'",
    dated("subp.py[WARNING]: Failed running /var/lib/cloud/instance/scripts/runcmd [1]"),
  ],
  [
    "cloud-init-scripts-failed",
    "made-up-bootstrap: no role, aborting",
    "cloud-final.service: Main process exited, code=exited, status=1/FAILURE",
  ],
  ["cloud-provider-auth-failed", fatal("failed to create hcloud client: unable to authenticate (unauthorized)")],
  [
    "cloud-provider-auth-failed",
    "+ az login --identity",
    "ERROR: Failed to connect to MSI. Please make sure MSI is configured correctly.",
  ],
  [
    "cloud-provider-auth-failed",
    "+ aws s3 cp s3://made-up/join.sh join.sh",
    `fatal error: ${aws("403", "HeadObject", "Forbidden")}`,
    "+ bash join.sh",
    "bash: join.sh: No such file or directory",
  ],
  [
    "cloud-provider-auth-failed",
    aws("UnrecognizedClientException", "GetParameter", "The security token included in the request is invalid."),
  ],
  [
    "cloud-provider-auth-failed",
    'nodeup[81]: F0402 08:15:10.000001      81 main.go:133] error reading config from s3: error loading NodeupConfig "s3://made-up/igconfig/node/nodes/nodeupconfig.yaml": AccessDenied: Access Denied status code: 403',
  ],
  [
    "cloud-provider-auth-failed",
    nodeadm(
      "fatal",
      "Command failed",
      "operation error EC2: DescribeInstances, get identity: get credentials: failed to refresh cached credentials, no EC2 IMDS role found, operation error ec2imds: GetMetadata, http response error StatusCode: 404, request to EC2 IMDS failed",
    ),
  ],
  [
    "imds-unreachable",
    nodeadm(
      "fatal",
      "Command failed",
      "operation error EC2: DescribeInstances, get identity: get credentials: failed to refresh cached credentials, no EC2 IMDS role found, operation error ec2imds: GetMetadata, canceled, context deadline exceeded",
    ),
  ],
  [
    "cloud-provider-auth-failed",
    'E0402 08:15:10.000001       1 made_up.go:90] failed to init: GET https://api.digitalocean.com/v2/account: 401 (request "1f") Unable to authenticate you',
  ],
  [
    "cloud-provider-auth-failed",
    "made-up[81]: The request you have made requires authentication. (HTTP 401) (Request-ID: req-1f)",
    "made-up[81]: + exit 1",
  ],
  [
    "cloud-provider-auth-failed",
    "made-up-init[81]: bootstrap failed: Service error:NotAuthorizedOrNotFound. Authorization failed or requested resource not found. http status code: 404",
  ],
  [
    "cloud-provider-auth-failed",
    "ERROR: (gcloud.secrets.versions.access) PERMISSION_DENIED: Permission 'secretmanager.versions.access' denied for resource 'projects/made-up/secrets/join-token/versions/latest' (or it may not exist).",
  ],
  [
    "cloud-provider-auth-failed",
    "ERROR: (Forbidden) The user, group or application 'appid=1' does not have secrets get permission on key vault 'made-up;location=made'.",
  ],
  [
    "cloud-provider-auth-failed",
    "AccessDeniedException: 403 made@made-up.iam.gserviceaccount.com does not have storage.objects.get access to the Google Cloud Storage object.",
  ],
  [
    "cloud-provider-auth-failed",
    "failed to perform copy command due to error: no SAS token or OAuth token is present and the resource is not public",
  ],
  [
    "cloud-provider-auth-failed",
    'E0402 08:15:10.000001       1 made_up.go:99] failed to list servers: Expected HTTP response code [200 204 300] when accessing [GET https://nova.made-up.example/v2.1/servers/detail], but got 401 instead {"error": {"code": 401, "title": "Unauthorized"}}',
  ],
  [
    "cloud-provider-init-pending",
    ...["05", "12", "19"].map(
      (minute) =>
        `E0402 08:${minute}:10.000001      81 kubelet_node_status.go:92] "Node is waiting" err="node n1 has taint node.cloudprovider.kubernetes.io/uninitialized"`,
    ),
  ],
  [
    "distribution-config-invalid",
    'time="2026-04-02T08:15:10Z" level=error msg="failed to parse registries.yaml: yaml: unmarshal errors:\\n  line 3: cannot unmarshal !!seq into map[string]made.Up"',
  ],
  ["distribution-config-invalid", fatal("invalid cluster-cidr 10.42.0.0/33: invalid CIDR address: 10.42.0.0/33")],
  ["distribution-config-invalid", fatal("cannot parse node-ip: invalid IP address 10.61.0")],
  ["distribution-config-invalid", fatal("cannot use --datastore-endpoint with --cluster-init")],
  [
    "distribution-config-invalid",
    fatal("--server is required with --etcd-disable-snapshots; cluster-init and server are mutually exclusive"),
  ],
  ["distribution-config-invalid", fatal("--flannel-backend=made-up: unknown flannel backend")],
  [
    "distribution-config-invalid",
    "Error: Failed to bootstrap the cluster.",
    "",
    'The error was: unable to bootstrap the cluster: invalid cluster configuration: invalid pod CIDR "10.61.0".',
  ],
  ["http-download-failed", nodeup("9m41s", noArtifact), nodeup("7m41s", noArtifact)],
  [
    "http-download-failed",
    '    made-up: fatal: [default]: FAILED! => {"attempts": 5, "changed": false, "dest": "/usr/bin", "msg": "Request failed", "response": "HTTP Error 404: Not Found", "url": "https://made-up.example/v9/kubeadm"}',
    "==> made-up: Provisioning step had errors: Running the cleanup provisioner, if present...",
  ],
  [
    "http-download-failed",
    "An exception occurred during task execution. The error was: urllib.error.URLError: <urlopen error timed out>",
    'fatal: [k1]: FAILED! => {"censored": "hidden", "changed": false}',
  ],
  [
    "http-download-failed",
    "fatal: [n1]: FAILED! => changed=false",
    "  attempts: 4",
    "  dest: /opt/releases/kubeadm",
    "  msg: 'Request failed: <urlopen error [Errno 110] Connection timed out>'",
    "  url: https://made-up.example/kubeadm",
  ],
  [
    "bootstrap-token-invalid-or-expired",
    "fatal: [n1]: FAILED! =>",
    "    changed: true",
    "    msg: non-zero return code",
    "    stderr: |-",
    '        error execution phase preflight: couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "ab12cd"',
    "    stdout: '[preflight] Running pre-flight checks'",
  ],
  ["preflight-insufficient-resources", asserted("ansible_memtotal_mb >= minimal_master_memory_mb", "Assertion failed")],
  ["swap-enabled", asserted("ansible_swaptotal_mb == 0", "Assertion failed")],
  ["kernel-unsupported", asserted("ansible_kernel.split('-')[0] is version('4.9.17', '>=')", "Assertion failed")],
  [
    "unsupported-kubernetes-version",
    asserted(
      "kube_version is version(kube_version_min_required, '>=')",
      "The current release of Kubespray only support newer version of Kubernetes than v1.26.0",
    ),
  ],
  [
    "api-server-unreachable",
    "FATA[0095] apply failed: failed on 1 hosts: [ssh] 10.61.0.3:22: failed to connect from worker to kubernetes api at https://10.61.0.2:6443 - check networking",
  ],
  [
    "image-pull-auth",
    "made-up-download.sh[81]: Error: initializing source docker://registry.made-up.example/ocp/release@sha256:44: reading manifest sha256:44: unauthorized: access to the requested resource is not authorized",
  ],
  [
    "package-not-found",
    "E: Package 'containerd.io' has no installation candidate",
    "Failed to restart containerd.service: Unit containerd.service not found.",
  ],
  [
    "preflight-kernel-params",
    "modprobe: FATAL: Module br_netfilter not found in directory /lib/modules/6.1",
    ...going,
    "\t[ERROR FileContent--proc-sys-net-bridge-bridge-nf-call-iptables]: /proc/sys/net/bridge/bridge-nf-call-iptables does not exist",
  ],
  ["apt-lock-held", "apt is locked, waiting 5 seconds (59/60)", noLock, dated(scripts)],
  [
    "container-runtime-not-running",
    "+ crictl info",
    noRuntime,
    "+ sleep 2",
    "+ crictl info",
    noRuntime,
    "+ sleep 2",
    "+ crictl info",
    noRuntime,
    "+ exit 1",
  ],
];

/** The same words where it goes on well, is tried again, or is what every machine says. */
const healthy: readonly (readonly string[])[] = [
  ["made-up: error: timed out waiting for the condition on nodes/n1, trying again", "made-up: node/n1 condition met"],
  [
    nodeadm("info", "Waiting for the role", "no EC2 IMDS role found, http response error StatusCode: 404"),
    nodeadm("info", "retrying in 5s", ""),
    nodeadm("info", "Instance details populated", ""),
  ],
  [
    noLock,
    "apt is locked, waiting 5 seconds (1/60)",
    "Reading package lists...",
    "kubelet is already the newest version (1.29.1-1.1).",
  ],
  [
    nodeup("9m59s", noArtifact),
    "nodeup[81]: I0402 08:15:20.000001      81 executor.go:155] No progress made, sleeping before retrying 1 task(s)",
  ],
  [
    nodeup("9m59s", noArtifact),
    "nodeup[81]: I0402 08:15:31.000001      81 executor.go:111] Tasks: 63 done / 63 total; 0 can run",
    "nodeup[81]: success",
  ],
  [
    "+ sysctl --system",
    'sysctl: setting key "net.ipv4.conf.all.promote_secondaries": Invalid argument',
    "net.ipv4.ip_forward = 1",
  ],
  [
    'Error from server (AlreadyExists): error when creating "ns.yaml": namespaces "made-up" already exists',
    "namespace/made-up unchanged",
  ],
  ["warning: %post(containerd.io) scriptlet failed, exit status 1", "Complete!"],
  [
    dated("util.py[WARNING]: Failed to resize filesystem (cmd=['resize2fs', '/dev/root'])"),
    dated("util.py[DEBUG]: Resized root filesystem (type=ext4, val=True)"),
  ],
  [
    "curl: (18) transfer closed with 1048576 bytes remaining to read",
    "Warning: Transient problem: timeout Will retry in 1 seconds. 3 retries left.",
    "100 49.0M  100 49.0M    0     0  24.1M      0  0:00:02  0:00:02 --:--:-- 24.1M",
  ],
  [
    "[1/30] Waiting for the load balancer 10.61.0.100:6443 ...",
    "nc: connect to 10.61.0.100 port 6443 (tcp) failed: Connection refused",
    "[2/30] Waiting for the load balancer 10.61.0.100:6443 ...",
  ],
  [
    "dpkg: warning: files list file for package 'made-up' missing; assuming package has no files currently installed",
    "Setting up kubelet (1.28.2-1.1) ...",
  ],
  [
    'changed: [n1] => {"changed": true, "cmd": "kubeadm reset -f", "rc": 0, "stderr": "error: failed to list running pods: output: dial unix /run/containerd/containerd.sock: connect: no such file or directory"}',
    "TASK [made : up] ***",
  ],
  [
    'FAILED - RETRYING: [n1]: Install packages (3 retries left).Result was: {"attempts": 1, "msg": "Failed to update apt cache: Temporary failure resolving \'archive.made-up.example\'"}',
    "changed: [n1]",
  ],
  [
    'time="2026-04-02T08:15:10Z" level=warning msg="Failed to get image: Get \\"https://registry.made-up.example/v2/\\": dial tcp: lookup registry.made-up.example: no such host"',
    'time="2026-04-02T08:15:10Z" level=info msg="Trying next endpoint https://index.made-up.example/v2"',
    'time="2026-04-02T08:15:19Z" level=info msg="Imported images from /var/lib/made-up/images.txt"',
  ],
  [
    'time="2026-04-02T08:15:10Z" level=info msg="Waiting to retrieve agent configuration; server is not ready: https://127.0.0.1:6444/v1-k3s/serving-kubelet.crt: EOF"',
    'time="2026-04-02T08:15:12Z" level=info msg="Using private registry config file at /etc/rancher/k3s/registries.yaml"',
  ],
  [
    "https://mirror.made-up.example/repodata/repomd.xml: [Errno 14] HTTPS Error 503 - Service Unavailable",
    "Trying other mirror.",
    "Resolving Dependencies",
  ],
  [
    'time="2026-04-02T08:15:10Z" level=error msg="Failed to list nodes with etcd role: runtime core not ready"',
    'time="2026-04-02T08:15:12Z" level=info msg="Cluster-Http-Server http: TLS handshake error from 127.0.0.1:4: remote error: tls: bad certificate"',
  ],
  [
    nodeadm(
      "warn",
      "IMDS request failed, will retry",
      "operation error ec2imds: GetToken, http response error StatusCode: 503",
    ),
    nodeadm("info", "Loaded configuration", ""),
  ],
];

describe("what stops a bootstrap is named in the words of whoever ran it", () => {
  test.each(failing)("%s: %s", (cause, ...lines) => {
    expect(named(...lines)).toBe(cause);
  });
});

describe("what went on is not blamed", () => {
  test.each(healthy.map((lines) => [lines[0] ?? "", lines] as const))("%s", (_first, lines) => {
    expect(["unclassified", "healthy"]).toContain(named(...lines));
  });
});
