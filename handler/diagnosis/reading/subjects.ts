import { commonSubjects } from "./subjects-common.ts";
import { nodeSubjects } from "./subjects-node.ts";
import { transferSubjects } from "./subjects-transfer.ts";
import { provisioningSubjects } from "./subjects-provisioning.ts";

/** What a failure was about, most telling first. A message may be about several; meanings.ts decides which counts. */
export const subjects = [
  {
    subject: "plugin-end",
    pattern:
      /plugin '[^']{1,60}' failed with error|error occurred during \w{1,30} execution|^cloudbaseinit\.init \[-\] (?!executing|plugin )/iu,
  },
  {
    subject: "named-download",
    pattern:
      /(?:failed|unable|could not|cannot|can't) (?:to )?(?:download|fetch|retrieve) ["']?https?:|failed to download \\{0,3}"[^"]{2,200}"|\bunable to read URL \W{0,2}https?:|\bdownload(?:ing)? (?:of )?["']?https?:\S{4,300} failed/iu,
  },
  {
    subject: "preflight-check",
    pattern: /\[ERROR [A-Z]|\[preflight\]|(?<!ignore-)pre-?flight (?:check|error|phase)|phase preflight/u,
  },
  /** What a kubelet that has a certificate asks the API server for. */
  {
    subject: "node-object",
    pattern:
      /failed to (?:list|watch) \*v\d|register node|node lease|ensure lease|CSINode|updating node status|getting node "/iu,
  },
  /** What another machine showed of itself. */
  {
    subject: "peer-certificate",
    pattern: /\b(?:Get|Post|Put|Head) "?https:\/\/(?!\S{1,90}\/v[12]\/)[^\s"]{1,200}"?: (?:tls: .{1,40}: )?x509/u,
  },
  {
    subject: "runtime-answer",
    pattern:
      /status of (?:the )?runtime|get docker version|create kubelet: rpc error|pleg was last seen active|determine (?:the )?runtime API version/iu,
  },
  { subject: "vm-extension", pattern: /VM ?Extension|extension '|Dependent extension|\[Extension\w{0,20}Error\]/iu },
  {
    subject: "os",
    pattern:
      /^platform not supported|\bos (?:support module|release)\b|^\W?un(?:supported|known) (?:architecture|platform|arch|OS)\b|\bunknown (?:architecture|OS)\b|No prebuilt binary for|\b(?:Ubuntu|Debian|CentOS|Fedora|RHEL|Red Hat|SLES|SUSE|Alpine|Amazon Linux|Rocky|Alma\w{0,5}|Photon|Flatcar|Mariner|Azure ?Linux|Oracle Linux|Raspbian|Arch)\b[^:]{0,40}\b(?:is|are) not (?:yet )?supported\b|not a supported (?:release|platform|operating system|OS)\b|\bplatform \S{3,20} is not supported|(?:script|installer|playbook) does not support|(?:detect|determine|identify|recogni[sz]e) (?:the |your |this )?(?:OS|platform)\b|\bOS family\b|\bansible_(?:distribution|os_family)|\b(?:AL20\d\d|\w{2,20})-based (?:\w{2,10} )?(?:AMIs?|images?)\b|(?:linux )?distribution\b|operating system(?! (?:does not|doesn't) support)|\b(?:known|your|this|host) OS\b|\bOS (?:\S{1,30} )?is not supported|\bdistro\b|os-release/iu,
  },
  {
    subject: "windows-service",
    pattern: /Service Control Manager|\bStart-Service\b(?!-)|service did not (?:respond|start)|\[SC\] StartService/iu,
  },
  {
    subject: "named-node",
    pattern:
      /Node with name|\bhostname (?:\S{1,90} )?is not unique\b|node name \S{0,80} ?(?:is )?(?:already )?(?:taken|in use|exists)/iu,
  },
  {
    subject: "setting",
    pattern:
      /(?:^|[\s"'`])--?[a-z][a-z\d]{1,30}(?:-[a-z\d]{1,30}){0,6}\b|(?<!kernel )\bflags?\b|-cidr\b|(?:cluster|server) config(?:uration)?\b|validate config\b|unsupported value|supported values|storage type|(?:config|registries|k0s|k8s|bootstrap)\.ya?ml|bootstrap config|node config|configuration variables|resource (?:limit|request)|(?:memory|cpu) (?:limit|request)s?\b|\bprofile\b|(?:invalid|unsupported) taint|\bK3S_[A-Z]{3}|INSTALL_[A-Z\d]{3,}_|unsupported CNI|multus is|endpoint; scheme|flannel-backend|servicelb-namespace/iu,
  },
  {
    subject: "kubelet-health",
    pattern:
      /(?:localhost|127\.0\.0\.1|\[::1\])(?::| port )102(?:48|50|55)|\bK8S_KUBELET_NOT_RUNNING\b|kubelet is (?:not healthy|unhealthy|not running)/iu,
  },
  /** What OpenShift's installer makes everything from. */
  { subject: "install-config", pattern: /\bInstallConfig\.|\binstall-config\.ya?ml|load asset "Install Config"/u },
  { subject: "join", pattern: /\bjoin(?:ing)?\b/iu },
  { subject: "node-password", pattern: /node[- ]?passw(?:or)?d/iu },
  { subject: "certificate-key", pattern: /certificate[- ]key|kubeadm-certs|upload-?certs|download-certs/iu },
  {
    subject: "ca-hash",
    pattern:
      /ca[- ]cert[- ]hash|ca-?certs checksum|ca-checksum|public keys? .{0,120}pinned|none of the public keys|(?:token |cluster )?CA hash|byte SHA-256 hash|encoding\/hex: invalid byte|cluster certificate token|CA (?:certificate )?(?:does not|doesn't) match|second kubeconfig from the|fingerprint of the peer/iu,
  },
  {
    subject: "token",
    pattern:
      /(?<!(?:any|anonymous|character|expected|next|Unexpected|auth|authorization|oauth) |serviceaccount\/)\btoken\b(?! response|-based|-unsafe)|JWS signature|bootstrap[- ]?(?:signer|token)|\bjoin (?:key|secret|string)\b|bootstrap-kubelet\.conf/iu,
  },
  /** What the cluster puts into each pod: who looks for it is an agent in a pod. */
  { subject: "pod-identity", pattern: /secrets\/kubernetes\.io\/serviceaccount/u },
  /** systemd cannot make the surroundings in which a unit is to run. */
  {
    subject: "unit-surroundings",
    pattern:
      /status=2\d\d\/(?!EXEC)[A-Z]|Failed to set up (?:mount|network|user) namespac|at step (?:CGROUP|NAMESPACE|NETWORK|BPF) /u,
  },
  {
    subject: "device-tool",
    pattern:
      /^(?:Error mounting \S{1,90}: )?(?:mkfs\.\w{2,8}|mke2fs|fsck(?:\.\w{2,8})?|mount(?:\.\w{2,8})?|e2fsck|[sc]?f?gdisk|s?fdisk|parted|partprobe|growpart|xfs_\w{4,8}|tune2fs|dumpe2fs|e2label|swapon|cryptsetup|losetup|resize2fs|wipefs|blkid|pvcreate|vgcreate|lvcreate|vgextend|mdadm): |(?:physical|logical) volume\b|volume group\b|open \/dev\/\S{2,80} exclusively|ignored by filtering|excluded by a filter|will not make a filesystem|Problem opening \/dev\/|has duplicate UUID|\bDevice \/dev\/\S{2,80} (?:does not exist|not found|is not)|\/dev\/\S{2,80} is already used as|[Ff]ailed to partition\b|device-mapper: |with parted script|extents needed|Device for PV|device with uuid|PVs? are missing|\d extents\)|no size was specified|stat device \/dev\/|inform the kernel of the change|\/dev\/\S{2,80} is not a block device|(?:create|write|add|resize|format|wipe) (?:the )?(?:partitions?\b|GPT\b)/u,
  },
  /** The flag that names the runtime's socket is not there. */
  { subject: "no-endpoint", pattern: /dial unix:? missing address/iu },
  /** The kubelet's managers of what a node has, which check its reservations and policies as it starts. */
  {
    subject: "kubelet-manager",
    pattern:
      /(?:cpu|memory|topology|device) ?manager|static policy|Node Allocatable|reserved (?:CPU|memory)|\breserved[A-Z]\w{2,20}|Reserved Cgroup/iu,
  },
  /** kubeadm without the CA's key asks for every file that it cannot write itself. */
  { subject: "external-ca", pattern: /file does not exists or it is not valid|external CA\b/iu },
  { subject: "swap", pattern: /\bswap\b/iu },
  { subject: "feature-gate", pattern: /feature[- ]?gates?(?! must be enabled)/iu },
  {
    subject: "cgroup-driver",
    pattern:
      /(?<!y set |\{\.|native\.)cgroup[- ]?(?:drive?r?|manager|parent)\b(?!\.\w)|cgroupsPa|systemd cgroup flag/iu,
  },
  {
    subject: "cgroup",
    pattern: /(?<!native\.|driver=|lib)cgroup|CGROUPS_|hugetlb|\bQOS containers?\b|\[?kubepods\b/iu,
  },
  {
    subject: "kernel-parameter",
    pattern:
      /sysctl|\/proc\/sys\/|ip_forward|rp_filter|bridge-nf-call|(?<!CONFIG_\w{2,30} )kernel (?:parameter|flag|tunable)|protect-kernel-defaults|invalid kernel/iu,
  },
  {
    subject: "kernel-module",
    pattern:
      /modprobe|kernel module|load(?:ing)? module|\bmodule \S{2,40} not found|br_netfilter|nf_conntrack|\bip_tables\b|\bip_vs\b|lsmod|insmod|iptables|\bnf_?tables\b|\bipset\b/iu,
  },
  {
    subject: "host-environment",
    pattern:
      /\/dev\/kmsg|shared (?:or slave )?mount|rshared|mount propagation|overlayfs|overlay(?: snapshotter|.{0,20}mount)|snapshotter|fuse-overlayfs|user ?namespace|rootfs info|root ?fs|rootfs component|could not find device with major|mount ?table|mountinfo|\/proc\/mounts|rootless|nested container|zfs|btrfs|idmap|open_tree|newuidmap|\bfuse: |cannot enter cgroupv2|\bclock speed\b|as a supported filesystem/iu,
  },
  ...nodeSubjects,
  {
    subject: "certificate-request",
    pattern:
      /certificate (?:signing )?request|request (?:a )?signed certificate|\bCSR\b|client certificate|tls bootstrap|bootstrap (?:client|certificate)|rotate|kubelet client cert/iu,
  },
  {
    subject: "secret-file",
    pattern:
      /[\w/\\.-]{2,120}\.(?:crt|pem|key|p12|pfx)\b|\bPEM\b|(?:ca|client|server|serving|peer|etcd|root|front-proxy|apiserver|service account)[- ](?:cert(?:ificate)?s?|key|bundle)|(?:string to|split|parse) cert(?:ificate)?\b|certificates? (?:dir|file|and key|key pair|chain file)|private key|key ?pair|sa\.pub|pki\b|trusted ca/iu,
  },
  {
    subject: "kubeconfig",
    pattern:
      /kubeconfig|kubelet\.conf|admin\.conf|super-admin\.conf|controller-manager\.conf|scheduler\.conf|\\k\\config|\.kube\/config/iu,
  },
  /** A socket that another program than the runtime serves. */
  { subject: "snapd-socket", pattern: /snapd?\.socket|snapd-snap\.socket/u },
  { subject: "store-file", pattern: /\bdisk I\/O error\b/u },
  { subject: "store-socket", pattern: /(?:kine|dqlite|etcd)\.sock(?:et)?\b|kine:\/\//u },
  {
    subject: "runtime-socket",
    pattern:
      /(?:unix:\/\/|dial unix )(?!\S*(?:snapd|kine|dqlite|etcd|k8sd|control|status|plugins_registry|csi|bird|calico|cilium|multus|weave|felix)\S{0,20}\.(?:sock|ctl))|(?:containerd|docker|cri(?:-?o)?|podman|runtime)[\w/.-]{0,40}\.sock\b|npipe|\\\\\.\\pipe|pipe\/containerd|CRI v1|RuntimeService|ImageService|container runtime|validate (?:CRI|service) |cri socket|containerd(?:\.service|\.exe| service| (?:process|is|exited|failed|did not|to become|not))|cri-dockerd|docker(?:\.service|d\b| daemon| service)|crio(?:\.service)?\b|start(?:ing)? (?:containerd|docker|cri-?o)\b|runtime (?:endpoint|network|status|is|service|has been started)|ping containerd|connect to (?:the )?(?:cri|containerd|docker)/iu,
  },
  {
    subject: "runtime-config",
    pattern:
      /containerd(?:'s)? config|config\.toml|certs\.d|hosts\.toml|crio\.conf|daemon\.json|SystemdCgroup|disabled_plugins|io\.containerd\.|load (?:required )?plugin|plugin config|toml:|\.toml\b/iu,
  },
  {
    subject: "sandbox",
    pattern:
      /pod ?sandbox|sandbox|OCI runtime|runc|containerd-shim|\bshim\b|hcs(?:shim)?|CreateComputeSystem|container process/iu,
  },
  {
    subject: "hns",
    pattern:
      /(?:\b|Get)HNS(?:\b|Call|Endpoint|Network|Request)|\bhcn\w+|HostComputeNetwork|\bvfpctrl\b|vSwitch|vEthernet|0x803b/iu,
  },
  {
    subject: "hcs",
    pattern: /\bhcs(?:shim)?\b|CreateComputeSystem|Host Compute Service|\bvmcompute\b|0xc037|utility VM|Hyper-V/iu,
  },
  { subject: "kubelet-file", pattern: /failed to (?:load|read) kubelet config file/iu },
  {
    subject: "kubelet-config",
    pattern:
      /kubelet config|kubelet\.config\.k8s\.io|Node Allocatable|KubeletConfiguration|kubelet flags?|kubelet\/config\.yaml|kubeadm-flags\.env|config-v1alpha1|kubelet configuration|state file|checkpoint (?:policy|manager|file)|state from checkpoint|\b(?:eviction(?:Hard|Soft|MinimumReclaim|PressureTransitionPeriod|MaxPodGracePeriod)|podsPerCore|podPidsLimit|imageGC\w{3,4}ThresholdPercent|image(?:Minimum|Maximum)GCAge|enforceNodeAllocatable|(?:cpu|memory|topology)Manager(?:Policy|Scope)\w{0,12}|memorySwap|swapBehavior|(?:kubelet|system)Cgroups|cgroupsPerQOS|containerLogMax\w{4,8}|shutdownGracePeriod\w{0,30}|nodeStatus(?:Update|Report)Frequency|serializeImagePulls|maxParallelImagePulls|registry(?:PullQPS|Burst)|tlsCipherSuites|reserved(?:SystemCPUs|Memory)|staticPodPath|resolvConf|hairpinMode|failSwapOn|protectKernelDefaults|makeIPTablesUtilChains|iptables(?:Masquerade|Drop)Bit|healthzPort|readOnlyPort|registerWithTaints|oomScoreAdj)\b|--?[a-z]+(?:-[a-z]+)+.{0,30}kubelet|kubelet.{0,60}--[a-z]+-[a-z-]+|(?:topology|cpu|memory) manager|--node-ip|--node-labels|--register-with-taints|--(?:kube|system)-reserved|--eviction/iu,
  },
  {
    subject: "kubeadm-config",
    pattern:
      /(?:Cluster|Init|Join|Upgrade)Configuration|DiscoveryTokenCACertHashes|kubeadm\.k8s\.io|kubeadm\.ya?ml|kubeadm config|kubeadm-config|nodeRegistration|localAPIEndpoint|advertiseAddress|apiServerEndpoint|podSubnet|serviceSubnet|dnsDomain|NodeRegistrationOptions|v\d(?:alpha|beta)\d\.Arg\b|apiserver-(?:advertise-address|bind-port)|kubeadm-\w{1,20}-config\.ya?ml|controlPlaneEndpoint|networking\.|discovery\.|extraArgs|certSANs|service-cidr|pod-network-cidr/iu,
  },
  {
    subject: "etcd-member",
    pattern:
      /add (?:learner |etcd |new )?member|member add|add etcd member|:2380\/members|join(?:ing)? (?:the )?etcd cluster|build initial etcd cluster|sync etcd config|not supported for learner|promote (?:a )?(?:learner|member)|MemberAdd|local etcd static pod manifest file/iu,
  },
  /** What the API server passes on of its store, whatever was asked for. */
  {
    subject: "etcd-answer",
    pattern: /(?:secret|ConfigMap|config map|Node "[^"]{1,120}"|lease|desc =): etcdserver: /iu,
  },
  {
    subject: "etcd",
    pattern:
      /(?<!\/pods\/|kube-system\/|component(?:%3D|=)|--)\betcd|:2379|:2380|\braft\b|learner|\bquorum\b|\bWAL\b|member (?:add|list|\w{16})|member has been permanently removed/iu,
  },
  {
    subject: "datastore",
    pattern:
      /\bkine\b|dqlite|sqlite|datastore|(?<!lock |synchronize all )database|data[- ]dir(?:ectory)?\b|raft_start|(?:open|closed|contiguous) segment\b|mysql|postgres|\bsql: |error (?:in txn|while range on)\b|\bbolt\b|\.db\b|snapshot restore|node store|(?<!vxlan |flannel |host-gw |wireguard |flannel-)backend/iu,
  },
  { subject: "machine-config", pattern: /machine ?config|v1alpha1\.(?:Config|Machine)|talos config|config document/iu },
  {
    subject: "ignition-config",
    pattern:
      /ignition config|\.ign\b|butane|config version|referenced config|user config|base config|config is not valid|config fetch|fetch(?:ing)? (?:the )?config/iu,
  },
  {
    subject: "user-data",
    pattern:
      /user-?data|network[- ]config\b|yaml blob|cloud-config|#cloud|multipart|mime|vendor-?data|custom-?data|\b(?:yaml\.(?:scanner|parser|composer|constructor)|binascii)\.|schema(?!\.Group)|boothook|jinja(?!\d)|templatized|part-handler|ovf-env|runcmd|write_files|^line \d{1,4}: error: /iu,
  },
  {
    subject: "metadata-service",
    pattern:
      /169\.254\.169\.254|\bIMDS\b|MetadataNotFound|cloudbaseinit\.metadata|metadata (?:service|server|endpoint|from|request|source)|iid from metadata|of datasource|\bfetching metadata\b|config[- ]?drive|\bseedfrom\b|instance[- ]metadata|data ?source(?! file)|fd00:ec2|imds|\/meta-?data\/|^Calling 'https?:/iu,
  },
  {
    subject: "wireserver",
    pattern:
      /168\.63\.129\.16|wire ?server|goal ?state|HostGAPlugin|host ?ga|provisioning (?:media|dvd|agent)|\bdvd\b|ovf|fabric|VM ?agent|guest agent/iu,
  },
  ...provisioningSubjects,
  { subject: "dhcp", pattern: /dhcp|\blease\b(?!s?\/)|dhclient/iu },
  {
    subject: "proxy",
    pattern:
      /https?_proxy|no_proxy|proxyconnect|ProxyError\b|(?:http|forward|web|corporate) proxy|(?<!(?:remotedialer|connect to) )proxy (?:server|url|settings?|returned|error|refused)|(?:via|through|resolve|from|to the) proxy|port 3128\b|:3128\b|[\s/'"](?!kube-|ha)(?:[a-z]{2,12}-?)?(?:proxy|squid)[\w-]{0,12}\.(?!golang\.org|(?:service|socket|sock|crt|key|pem|ya?ml|conf|cfg|log)\b|\S{0,100}(?:\.svc\b|(?::| port )(?:6443|9345|16443)\b))[\w.-]{3,120}/iu,
  },
  {
    subject: "pod-network",
    pattern:
      /failed \((?:add|del|check|status)\)|failed to delegate|error adding (?:pod|container)|(?:set ?up|setup) (?:pod )?network for (?:pod|sandbox)|failed to set ?up pod/iu,
  },
  { subject: "gpu", pattern: /nvidia|\bgpu\b|cuda|dkms/iu },
  { subject: "snap", pattern: /\bsnapd?\b|snapcraft|snap store|squashfs/iu },
  {
    subject: "cni",
    pattern:
      /(?<!netns\/)\bcni\b|NetworkReady|network not ready|NetworkPlugin|(?<!\.(?:io|com|org)\/)(?:calico|cilium|flannel|antrea|weave)|felix|kube-router|azure-vnet|azure-cns|azure-ipam|network plugin|\bIPAM\b|allocate for range|no networks found|network for (?:pod|sandbox)|ovs-|uplink (?:port|interface|adapter)|ofproto|BGP|bird|PodCIDR|pod cidr/iu,
  },
  {
    subject: "image",
    pattern:
      /\bimages?\b(?! service| API)|\bpull(?:ing|ed)?\b|ErrImagePull|ImagePull|manifest (?:unknown|for)|pause:\d|reference format|docker:\/\/|container registry|reading manifest|content digest|(?:layer|config|manifest)[- ]sha|commit on ref|(?:writing|reading|copying|fetching) (?:blob|manifest|system image)|adding layer|initializing source docker|copy from source docker|\bfailed to copy: |^ctr: |for digest sha256|missing signature key|blobs?\/|\/v2\/|mcr\.microsoft|azurecr|docker\.io|gcr\.io|quay\.io|ghcr\.io|oras/iu,
  },
  {
    subject: "registry",
    pattern:
      /(?<![ "]\/)\bregistr(?:y|ies)\b|received unexpected HTTP status|error unmarshalling content|error parsing HTTP \d{3} response|\/oauth2?\/token\b|Reauthenticate and try again|artifactregistry|calling ecr\b|\becr[: ]GetAuth|registries\.conf/iu,
  },
  /** Whose name servers the kubelet is told to give to its pods. */
  { subject: "name-server-file", pattern: /\bopen \S{0,80}\/resolv\.conf\b/u },
  ...transferSubjects,
  ...commonSubjects,
] as const satisfies readonly { readonly subject: string; readonly pattern: RegExp }[];

export type Subject = (typeof subjects)[number]["subject"];
