import type { SourceId, Stage } from "../diagnosis.ts";

/** Who speaks, and the step of the bootstrap that it carries out. */
export const programs = {
  kubeadm: "kubeadm-join",
  kubelet: "kubelet",
  containerd: "runtime",
  crio: "runtime",
  docker: "runtime",
  runc: "runtime",
  etcd: "kubeadm-init",
  "kube-apiserver": "kubeadm-init",
  k3s: "distribution",
  rke2: "distribution",
  rancher: "distribution",
  k0s: "distribution",
  microk8s: "distribution",
  "k8s-snap": "distribution",
  talos: "distribution",
  "cloud-init": "cloud-init",
  waagent: "provisioning",
  "cloudbase-init": "provisioning",
  ignition: "provisioning",
  nodeadm: "provisioning",
  "azure-cni": "network",
  calico: "network",
  cilium: "network",
  "cni-plugin": "network",
  "kube-proxy": "network",
  systemd: "any",
  kernel: "any",
  apt: "packages",
  yum: "packages",
  snap: "packages",
  download: "packages",
  shell: "cloud-init",
  powershell: "any",
  "aks-cse": "azure",
  azure: "azure",
} as const satisfies Readonly<Record<string, Stage>>;

export type Program = keyof typeof programs;

type Named = readonly (readonly [RegExp, Program])[];

/** By words that only this program's messages have, whatever log they stand in. */
const texts: Named = [
  [
    /error execution phase|^<(?:node|master|util|cmd)\/[\w-]{2,30}> |^timed out waiting for the condition$|kubeadm cannot validate|failed to load admin kubeconfig|kubeadm\.k8s\.io\/v|Group:"kubeadm\.k8s\.io"|\bv\d(?:alpha|beta)\d\.(?:(?:Cluster|Init|Join|Upgrade|Master|Node)Configuration|NodeRegistrationOptions|Arg\b)|Go struct field (?:APIServer|ControlPlaneComponent|NodeRegistrationOptions|(?:Cluster|Init|Join)Configuration)\.|"apiserver-advertise-address"|(?:decode|unmarshal) config from bytes|kubernetesVersion in ClusterConfiguration|interpret GroupVersionKind|stack trace of this error execute with|hosting a new control plane instance|add a new control plane instance|validate the identity of the API Server|\[(?:api-check|control-plane-check|download-certs|wait-control-plane|upload-config|mark-control-plane|check-expiration|upgrade|bootstrap-token|renew|reset)\] |Exiting due to (?:RSRC|K8S|GUEST)_[A-Z]|\b[lL]ocalAPIEndpoint\b|first IP address from the given CIDR|the number of available CPUs \d|\blocalAPIEndpoint\b|local etcd static pod manifest file|static Pod hash for component|upgrade control plane\b|kubeadm-\w{1,20}-config\.ya?ml|^(?:controlPlaneEndpoint|localAPIEndpoint|discovery|networking|nodeRegistration)[\w.]{0,60}: (?:Invalid|Required)|\[(?:preflight|upgrade\/\w{2,20}|init|kubelet-check|kubelet-start|upload-certs|control-plane-join|discovery)\]|\[ERROR [A-Z]|\bkubeadm timed out$|unknown command \S{1,60} for "kubeadm|^unknown flag: --(?:experimental-(?:upload-certs|control-plane)|discovery-|certificate-key|upload-certs|ignore-preflight|skip-(?:phases|preflight)|cri-socket|control-plane-endpoint|apiserver-(?:advertise|cert)|pod-network|patches)| Usage: kubeadm\b/u,
    "kubeadm",
  ],
  [
    /failed to run kubelet|unknown flag: --(?:cni-(?:bin|conf)-dir|network-plugin|pod-infra-container-image|docker-|image-pull-progress)|ContainerManager|\b(?:kubelet\w*|container_manager\w*|eviction_manager|kuberuntime\w*|reconciler_common|remote_(?:runtime|image))\.go:\d|kubelet (?:flag|config(?:uration)?)|kubelet_node_status|unable to register node with api server/iu,
    "kubelet",
  ],
  [
    /ERR_[A-Z\d]+_\w+|WINDOWS_CSE_ERROR|vmssCSE|cse-agent|cse_(?:start|main|helpers|install|cmd)\b|CSEResult|AzureData|csecmd|opt\/azure\/containers/iu,
    "aks-cse",
  ],
  [
    /ERROR CODE: |VMExtension(?:Provisioning|Handler)|reported a failure when processing|"?code"?[:=] ?"?[A-Z]\w+(?:Exceeded|Failed|NotAvailable|NotFound|InUse|Disallowed)|OSProvisioning|AllocationFail|\bAADSTS\d/u,
    "azure",
  ],
  [/\bcloudbaseinit\b|cloudbase-init/iu, "cloudbase-init"],
  [/has no server available|^nc: (?:connect|getaddrinfo)|^telnet: /u, "shell"],
  [/"caller":"(?:nodeadm|init)\/|\bnodeadm: /u, "nodeadm"],
  [/\[talos\]|machined|talosctl|^error (?:executing bootstrap|applying new configuration): /u, "talos"],
  [/\bignition\b|op\(\d{1,4}\)/iu, "ignition"],
  [
    /(?<!\.(?:io|com|org)\/)\bcalico(?!"|\.ya?ml)|\bfelix\b|\bbirdcl\b|BIRD|auto-?detect an IPv[46] address/iu,
    "calico",
  ],
  [/(?<!\.(?:io|com|org)\/(?:cilium\/)?)\bcilium\b|\bsubsys=[a-z]/iu, "cilium"],
  [
    /looking up interface|valid interface to use|SubnetManager|Error registering network|Error fetching backend|\bweave\b|\bantrea\b|flanneld|\/flannel\/(?!\S{1,120}\.ya?ml)|kube-flannel(?!\.ya?ml)|\bflannel: /iu,
    "cni-plugin",
  ],
  [/azure-(?:vnet|cns|ipam|cni)|\[(?:azure-)?cni-net\]|\[azure[- ]cns\]/iu, "azure-cni"],
  [
    /^(?:\w{4,8} ?: )?[^:]{0,40}\bsnap "[\w-]{2,40}"|^ ?- (?:Run|Mount|Setup|Download|Fetch|Ensure) .{0,80}\bsnap\b/u,
    "snap",
  ],
  [/\bmicrok8s\b|^Contacting cluster at |\bjoining node\b|Refusing join/iu, "microk8s"],
  [
    /\bk8sd\b|\bk8s-dqlite\b|failed to (?:bootstrap|join) the cluster(?: using|\. The error was)|read bootstrap configuration from|^The error was: /iu,
    "k8s-snap",
  ],
  [
    /cc_\w{3,40}(?:\.py)?\b|\b[a-z_]{3,30}\.py\[[A-Z]{4,8}\]|cloud-init|cloudinit|DataSource[A-Z]|\bagent=Cloud-Init\b|\bGCEMetadataScripts?\b|google_metadata_script_runner|scripts[-_]user|read iid from metadata|instance-id of datasource|(?:user|meta)-data from datasource|[Ee]xecute cloud user\/final scripts|cloud-final/u,
    "cloud-init",
  ],
  [/\bname=WALA\b|\bop=Provision\b|WALinuxAgent|Azure Linux Agent|\bovf-env\.xml/u, "waagent"],
  [
    /^E: |^W: (?:Failed to fetch|GPG error|An error occurred during the signature) |^Err ?:\d|^gpg: |dpkg|apt-get\b|\bdebconf\b|\bapt for exclusive|\bapt\.cache\.|\[IP: [\da-f.:]{3,45} \d{2,5}\]|\bapt cache\b|installation candidate for /u,
    "apt",
  ],
  // apk, pacman, and what Ansible says of packages for any of them.
  [
    /^ERROR: (?:unable to select packages|unsatisfiable constraints)|^(?:ERROR|WARNING): (?:(?:fetching|opening|Ignoring|updating) )?(?:https?:\/\/\S{5,200}(?: {1,2}|: )|APKINDEX)|(?:lock|open apk) database: |^:: unable to satisfy dependency|^error: (?:failed (?:to (?:prepare|commit) transaction|retrieving file '|to (?:synchronize all|update \S{2,40} \(download|init transaction))|could not lock database|\S{3,90}: signature from )|matching distribution found for|obtain the transaction lock|no package provides |mentioned in index not found|Transaction (?:test|check) error|\brepo '[\w.-]{1,80}'|^Error: Package: |^error: target not found: |^No package matching '|\byum lock\b/u,
    "yum",
  ],
  [
    /^Problem: |none of the providers can be installed|nothing provides |Valid metadata not found|Repository type can't be|^Package '[^']{1,80}' not found|^'[^']{1,80}' not found in package names|^Repository '[^']{1,80}' is invalid|^File '[^']{1,80}' not found on medium|is needed by \S{1,80}-\d|\.rpm is not signed|conflicts with .{2,80}\.(?:el|fc|amzn)\d|^Public key for |\bOne of the configured repositories failed/u,
    "yum",
  ],
  [/\b(?:yum|dnf|rpm|tdnf|microdnf|zypper)\b|^Error\(\d{3,5}\) : |mirrorlist|repomd\.xml/u, "yum"],
  [
    /^gzip: stdin|^Giving up\.$|^(?:tar|xz|bzip2|unzip): .{0,40}(?:not look like|not recognized|not in )|directory signature not found|^Read error at byte \d|cannot verify \S{3,200}'s certificate, issued|^fatal: (?:unable to access '|early EOF|index-pack failed|fetch-pack|the remote end hung up)|^error: RPC failed; |^\* {1,4}(?:Immediate connect fail|connect to |Could not resolve|Failed to connect)|^Unable to establish SSL connection|\bcurl: \(\d|\bwget:|Invoke-WebRequest|DownloadFile|WebClient/u,
    "download",
  ],
  [
    /\bsnap(?:d| "|store|-confine|-update-ns)|^error: snap |<exceeded maximum runtime of |error: cannot (?:install|refresh|perform the following tasks)/iu,
    "snap",
  ],
  [
    /\bDocker daemon|failed to load listeners|via socket activation|failed to start daemon|Error starting daemon|graphdriver|dockerd\b/u,
    "docker",
  ],
  [/(?<!proxy-)\bcrio\b|cri-o\b|^validating (?:root|runtime|network|image|api) config: /iu, "crio"],
  [/OCI runtime|\b(?:runc|crun) (?:create|run|init)|\bcrun: |runc did not/u, "runc"],
  [/^Failed to run CRI service|hcsshim|\bHNS\b|hnsCall|hcn[A-Z]/u, "containerd"],
  [
    /etcdserver|\betcdmain\b|\brafthttp\b|"logger":"etcd|etcd-endpoints:|"caller":"(?:client|etcd|storage|embed|membership|backend|raft|mvcc|wal|version\/)|\braft\b(?! metadata)|\bwal\b .{0,40}crc|walpb/u,
    "etcd",
  ],
  [
    /^[\w@.-]{1,80}\.(?:service|mount|socket|scope|target|slice): |^Failed to (?:mount|listen on) |^Failed to start [^:]{2,80}\.$|^Dependency failed for |^Timed out waiting for device/u,
    "systemd",
  ],
  [
    /Out of memory: Kill|oom-kill|I\/O error, dev|EXT4-fs|XFS \(|BTRFS[ :](?:info|warning|error|critical)|blk_update_request|Kernel panic/iu,
    "kernel",
  ],
];

/** By words that are this program's unless another one is known. */
const lastTexts: Named = [
  [
    /\bcontrollermanager\.go:\d|service-account-(?:issuer|signing-key-file)\b|\benable-admission-plugins\b|\baudit policy file\b|\bencryption provider config|\bPostStartHook \W|KubeSchedulerConfiguration\b|\bleaderelection lost$|\binitial IP (?:and Port )?allocation\b|\bservice-cluster-ip-range\b/u,
    "kube-apiserver",
  ],
  [/run\.go:\d{1,4}\] "command failed"|built-in cloud providers are disabled/u, "kubelet"],
  // k3s and RKE2 share these words.
  [/invalid cluster config\b|load cluster config\b|v1beta1\.ClusterSpec/u, "k0s"],
  [/\bkine\b|Transaction commit failed: sql: /u, "k3s"],
  // What k3s and RKE2 are told, and containerd and Docker, which log alike, are not.
  [
    /\blevel=fatal\b.{0,600}(?:\b(?:cluster-(?:cidr|init|dns|domain|reset)|service-(?:cidr|node-port-range)|node-(?:ip|external-ip|label|taint)|datastore-endpoint|tls-san|advertise-address|kube(?:let|-apiserver|-proxy|-scheduler|-controller-manager)-arg|protect-kernel-defaults|private-registry|egress-selector-mode|servicelb|disable-(?:agent|scheduler|cloud-controller|kube-proxy|etcd))\b|\bflannel[- ](?:backend|iface|conf)|--(?:server|token|cni|profile|etcd-[a-z-]{3,40})\b)/u,
    "rancher",
  ],
  [/\bpreparing server: |\bregistries\.yaml\b|bootstrap cluster data|flag provided but not defined: -/u, "rancher"],
  [
    /^(?:OSError|RuntimeError|ValueError|TypeError|KeyError|AttributeError|Unicode\w{6,12}Error|cloudinit\.[\w.]{3,60}|binascii\.Error|yaml\.[a-z]{5,12}\.[\w.]{3,60}): /u,
    "cloud-init",
  ],
];

/** By the name in front of the line: the unit's, the container's, the syslog tag. */
const units: Named = [
  [/^(?:kubelet|origin-node|atomic-openshift-node)/u, "kubelet"],
  [/^kubeadm/u, "kubeadm"],
  [/^containerd/u, "containerd"],
  [/^(?:crio|cri-o)/u, "crio"],
  [/^(?:docker|cri-docker)/u, "docker"],
  [/^rke2/u, "rke2"],
  [/^rancher/u, "rancher"],
  [/^k3s/u, "k3s"],
  [/^k0s/u, "k0s"],
  [/^(?:snap\.)?microk8s\.daemon-(?:apiserver|controller-manager|scheduler)/u, "kube-apiserver"],
  [/^(?:snap\.)?microk8s\.daemon-etcd/u, "etcd"],
  [/^(?:microk8s|snap\.microk8s)/u, "microk8s"],
  [/^(?:k8s|snap\.k8s)/u, "k8s-snap"],
  [/^etcd/u, "etcd"],
  [/^kube-(?:apiserver|controller-manager|scheduler)/u, "kube-apiserver"],
  [/^kube-proxy/u, "kube-proxy"],
  [/^(?:cloud-init|cloud-final|cloud-config|coreos-cloudinit)/u, "cloud-init"],
  [/^(?:waagent|python3?|walinuxagent)/u, "waagent"],
  [/^ignition/u, "ignition"],
  [/^nodeadm/u, "nodeadm"],
  [/^(?:azure-vnet|azure-cns)/u, "azure-cni"],
  [/^(?:calico|felix)/u, "calico"],
  [/^cilium/u, "cilium"],
  [
    /^(?:kube-flannel|flannel|install-cni|weave|antrea|canal|kindnet|aws-node|kube-router|kube-ovn|multus)/u,
    "cni-plugin",
  ],
  // systemd in the child that has not become the program yet has the program's name in brackets.
  [/^(?:systemd|init|\()/u, "systemd"],
  [/^kernel/u, "kernel"],
  [/^snapd/u, "snap"],
];

const ofSource: Partial<Record<SourceId, Program>> = {
  kubeadm: "kubeadm",
  kubelet: "kubelet",
  runtime: "containerd",
  "cloud-init": "cloud-init",
  kernel: "kernel",
  units: "systemd",
  "guest-agent": "waagent",
  ignition: "ignition",
  "cloudbase-init": "cloudbase-init",
  azure: "azure",
};

/** The guest agent alone writes its day with slashes and its clock to the microsecond. */
const agentForm = /^\d{4}\/\d\d\/\d\d [\d:]{8}\.\d{6} (?:INFO|WARNING|ERROR|VERBOSE) /u;

/** calico's logger puts level and process into boxes, and names its file without a colon. */
const calicoForm = /\[(?:DEBUG|INFO|WARNING|ERROR|FATAL|PANIC)\]\[\d{1,8}\] [\w/-]{2,60}(?:\.go)? (?:\d{1,5}: )?/u;

/** The first process of its container; a node's kubelet is none. */
const containerForm =
  /[\d.] {1,8}1 run\.go:\d{1,4}\] "command failed" (?!err="failed complete|.{0,600}(?:[Kk]ubelet|kube-proxy))/u;

export function programOfForm(line: string): Program | undefined {
  if (containerForm.test(line)) return "kube-apiserver";
  if (agentForm.test(line)) return "waagent";
  return calicoForm.test(line) ? "calico" : undefined;
}

export function programOfText(message: string): Program | undefined {
  return find(texts, message);
}

/** What systemctl, and who calls it, says of a unit that it could not start. */
const ofUnit =
  /^(?:A dependency job for|Job for|Failed to (?:re)?start|Unable to (?:re)?start service|Could not find the requested service) (?<unit>[\w@-]{2,60})(?:\.service)?(?=[ :]|$)/u;

/** systemd speaks of another: "kubelet.service: Main process exited". */
export function programOfSystemd(message: string): Program | undefined {
  const own = /^(?<unit>\w[\w@.-]{1,80})\.service(?:: | - | lacks | has )/u.exec(message.replace(/^[^\w@.]{1,4}/u, ""));
  return programOfUnit((own ?? ofUnit.exec(message))?.groups?.["unit"] ?? "");
}

/** A tool that copies, unpacks or edits: whose file it is about did not say so, and may not even be there yet. */
export const toolForm = /^(?:install|cp|tar|sed|ln|chown|tee|unzip|swapoff): /u;

/** A shell that a task or a daemon called: what stands in its command is not who speaks. */
export function programOfShell(message: string): Program | undefined {
  if (toolForm.test(message)) return "shell";
  return /^(?:non-zero return code )?(?:\/(?:usr\/)?bin\/)?(?:ba|da)?sh: (?:line )?\d{1,4}: /u.test(message)
    ? "shell"
    : undefined;
}

export function programOfUnit(unit: string): Program | undefined {
  return unit === "" ? undefined : find(units, unit);
}

/** The runtime keeps a container's log under the container's name. */
const containerLog = /\/pods\/[^/]{3,300}\/(?<container>[\w.-]{2,80})\/\d{1,6}\.log/u;

export function programOfOrigin(origin: string): Program | undefined {
  return programOfUnit(containerLog.exec(origin)?.groups?.["container"] ?? "");
}

const shellForm =
  /^The SSH command responded|^(?:\\?-|\/(?:usr\/)?bin\/)?(?:ba|da|z)?sh: |(?:^|[\s/])(?!yaml|toml|json|errors)[\w.-]{1,60}: (?:line )?\d{1,5}: |command not found|^\+ /u;
const powerShellForm = /CategoryInfo|FullyQualifiedErrorId|Exception calling|^At [A-Z]:\\|: The term '/u;
const distributions: Named = [
  [/rancher-system-agent|system-agent installation|\bconnection info file\b|\[Applyinator\]/u, "rancher"],
  [/\brke2\b|INSTALL_RKE2/iu, "rke2"],
  [/\bk3s\b|\bK3S_[A-Z]{3}|INSTALL_K3S/iu, "k3s"],
  [/\bk0s\b/iu, "k0s"],
  [/\bExtHandler\b|\bDaemon\b/u, "waagent"],
  [/\bkubelet\b/iu, "kubelet"],
  [/\bcontainerd\b/iu, "containerd"],
  [/(?<!--)\betcd\b/iu, "etcd"],
  [/\bdqlite\b/iu, "microk8s"],
  [/\bkubeadm(?: |\\*", ?\\*")(?:init|join|reset|alpha|upgrade)\b/u, "kubeadm"],
  // Not where it names an image.
  [/(?<![/\w-])kube-(?:apiserver|controller-manager|scheduler)\b(?!:v)/u, "kube-apiserver"],
  [/(?<![/\w-])kube-proxy\b(?!:v)/u, "kube-proxy"],
];

/** What is left: words that others use as well, the shell's own form, and the log it stood in. */
export function programOfSource(source: SourceId, message: string): Program | undefined {
  if (powerShellForm.test(message)) return "powershell";
  if (shellForm.test(message)) return "shell";
  return ofSource[source] ?? find(distributions, message) ?? find(lastTexts, message);
}

function find(table: Named, text: string): Program | undefined {
  return table.find(([pattern]) => pattern.test(text))?.[1];
}
