/** What words of many messages name; more telling subjects go before them. */
export const commonSubjects = [
  { subject: "image-layer", pattern: /ProcessBaseLayer|extract layer|layer verification/u },
  { subject: "system-folder", pattern: /(?:^|[\s"'=])\/(?:usr|opt|s?bin|boot|lib)\//u },
  /** The address of VirtualBox's NAT adapter, the same on every machine. */
  { subject: "nat-address", pattern: /\b10\.0\.2\.15:\d/u },
  /** What the kubelet calls what it got from the cluster to show there who it is. */
  {
    subject: "client-certificate",
    pattern:
      /\bkubelet-client-[\w-]{4,40}\.pem|existing bootstrap client config|client certificate manager|load bootstrap kubeconfig|valid client certificate/u,
  },
  /** Expired or of tomorrow: the words are the same where no dates stand behind them. */
  { subject: "undated-certificate", pattern: /expired or is not yet valid(?!: current time)/u },
  /** Servers that all the world asks: that their certificate is out of its time is not so. */
  {
    subject: "public-certificate",
    pattern:
      /https:\/\/(?:[\w-]{1,60}\.){0,4}(?:docker\.(?:io|com)|quay\.io|gcr\.io|k8s\.io|pkg\.dev|ghcr\.io|github\.com|githubusercontent\.com|googleapis\.com|microsoft\.com|amazonaws\.com|ubuntu\.com)[/:"\\].{0,600}\bcertificate has expired or is not yet valid/u,
  },
  /** What k3s and RKE2 give to everybody: who asks back who asks is another server, mostly the API server alone. */
  { subject: "public-path", pattern: /https:\/\/[^\s"\\/]{3,260}\/cacerts\b/u },
  /** An address that nobody filled in, and a port that is not quite the usual one. */
  { subject: "unwritten-address", pattern: /https?:\/\/(?:0\.0\.0\.0|\[::\])?:\d{2,5}\//u },
  {
    subject: "other-endpoint",
    pattern: /stable controlPlaneEndpoint|\/cacerts: 401\b/u,
  },
  /** A row of kubeadm's list of certificates, whose time is over. */
  {
    subject: "expired-row",
    pattern:
      /(?:admin\.conf|apiserver[\w-]{0,20}|controller-manager\.conf|scheduler\.conf|etcd-[\w-]{2,24}|front-proxy-\w{2,8}|\bca) {1,30}[A-Z][a-z]{2} \d\d, \d{4} .{4,40}<invalid>/u,
  },
  /** What kubeadm writes for the kubelet as the node joins. */
  { subject: "kubelet-kubeconfig", pattern: /(?:stat|open) \/etc\/kubernetes\/kubelet\.conf: no such/u },
  /** What kubeadm says before the list of what is wrong with a version. */
  { subject: "version-list", pattern: /--version argument is invalid due to these/u },
  /** What the API server finds of its store as it is asked for its health. */
  { subject: "etcd-check", pattern: /\[-\]etcd(?:-readiness)? failed/u },
  /** What RKE started, which does not answer as it should: in its answer is what it says to strangers. */
  {
    subject: "started-service",
    pattern: /Failed to verify healthcheck: Service \[kube-(?:apiserver|scheduler|contr)/u,
  },
  {
    subject: "control-plane-wait",
    pattern:
      /wait-control-plane|initialize a Kubernetes cluster|check failed at https:|\/livez\?timeout=\d|apiserver process never appeared/iu,
  },
  /** Steps of kubeadm whose names say what they are about. */
  {
    subject: "certificate-phase",
    pattern: /phase (?:certs|kubeconfig|renew|control-plane-prepare\/(?:certs|kubeconfig))\b/u,
  },
  { subject: "copied-certificates-phase", pattern: /phase (?:upload-certs|control-plane-prepare\/download-certs)\b/u },
  { subject: "etcd-phase", pattern: /phase (?:etcd-join|etcd\/local|control-plane-join\/etcd)\b/u },
  { subject: "check-etcd-phase", pattern: /phase check-etcd\b/u },
  { subject: "bootstrap-phase", pattern: /phase kubelet-wait-bootstrap\b/u },
  { subject: "loaded-kubeconfig", pattern: /\bloading config file "[^"]{3,120}"/u },
  /** What clouds call the versions of a group of nodes beside its control plane's. */
  { subject: "pool-version", pattern: /\b(?:(?:node|agent) ?pool|nodegroup)\b.{0,80}\bversion\b|NodePoolMcVersion/iu },
  { subject: "old-kubelets", pattern: /kubelets in this cluster that are too old/u },
  { subject: "media-type", pattern: /unexpected media type/u },
  { subject: "image-backoff", pattern: /ImagePullBackOff|Back-off pulling image/u },
  { subject: "api-port", pattern: /\bport \[?6443\b|:6443\b/u },
  { subject: "mistyped-port", pattern: /https:\/\/[^\s"\\/]{1,253}:6(?!44[345]\/)\d{3}\/api/u },
  {
    subject: "exec-step",
    pattern: /status=203\/EXEC|Failed to (?:locate executable|execute (?:command|["']?\/))|step EXEC spawning/u,
  },
  { subject: "node-address", pattern: /\bnode ?IP\b/iu },
  { subject: "environment-file", pattern: /load environment files/iu },
  { subject: "disk-module", pattern: /Running module (?:disk[_-]setup|mounts)\b/u },
  { subject: "data-module", pattern: /(?:Running|run) module (?:write|users)[_-](?:files|groups)\b/u },
  { subject: "repository-module", pattern: /Running module apt[_-]configure\b/u },
  {
    subject: "command-module",
    pattern: /Running module (?:bootcmd|runcmd)\b|Failed to run (?:bootcmd|runcmd) module\b/u,
  },
  { subject: "init-stage", pattern: /failed (?:run of )?stage init/iu },
  { subject: "os-provisioning", pattern: /OS ?Provisioning/iu },
  {
    subject: "package",
    pattern:
      /packages?\b|target not found|matching distribution\b|satisfies the requirement|installation candidate|E: (?:Version|Unable|Package)|No match for argument|\.deb\b|\.rpm\b/iu,
  },
  /** The API to which a system that has no other door is told its settings. */
  { subject: "settings-api", pattern: /\b(?:PATCH|POST)ing (?:settings\b|\/)|\/settings\?tx=/u },
  { subject: "etcd-service", pattern: /\bservice\[etcd\]\(Failed\)/u },
  /** What the runtime says of the network add-on when it is asked for its own state. */
  {
    subject: "network-state",
    pattern:
      /NetworkReady=false\b|[Nn]o (?:valid )?networks found in\b|\bcni (?:plugin not initialized|config uninitialized)/u,
  },
  {
    subject: "service-network",
    pattern:
      /(?:dial tcp|https?:\/\/)\[?(?:10\.(?:0|43|96|152)\.\d{1,3}\.1|172\.(?:17|20)\.0\.1|10\.152\.183\.1|fd\w+::1)\]?:443|\bClusterIP\b|kubernetes\.default|service network/iu,
  },
  {
    subject: "supervisor",
    pattern:
      /:9345|\/cacerts|\/v1-(?:k3s|rke2)|(?<!process )supervisor|--server|K3S_URL|:25000|:9443|\/v1beta1\/(?:ca|etcd)|cluster agent|\/k8sd\/|:3988\/|bootstrap (?:cluster )?data\b|\/bootstrap"/iu,
  },
  {
    subject: "api-server",
    pattern:
      /:6443\b|:16443\b|server API group list|:443\/api|api[- ]?server|\bKubeAPI\b|\bconnect to the server: (?:net\/http|dial|(?:unexpected )?EOF|context|read|write|Get|i\/o|tls|x509|Service|Gateway)|\/api\/v1|\/apis\/|cluster-info|control[- ]?plane|kube-system|kube-public|\/healthz|\/livez|\/readyz|azmk8s|kubernetes API|cluster API|register node|\/version\b|\bkubectl\b|list(?:ing)? nodes|node lease|discovery|from server \((?:ServiceUnavailable|InternalError|Timeout)\)/iu,
  },
  /** Where a cloud is asked, and not the cluster. */
  {
    subject: "cloud-endpoint",
    pattern: /management\.azure\.com|login\.microsoftonline|\bfrom (?:EC2|AWS)\b|\.amazonaws\.com\b/u,
  },
  /** A daemon's own socket: who waits there waits for this machine. */
  { subject: "own-socket", pattern: /http:\/\/control\.socket\b/u },
  /** A peer at the port where the world serves its files. */
  { subject: "remote-https", pattern: /(?:dial|read|write) tcp \S{0,60}(?:->)?\[?[\da-f.:]{7,40}\]?:443\b/u },
  {
    subject: "host-name",
    pattern:
      /host ?name|Rename-Computer|RFC ?1123|DNS-1123 subdomain|node ?name|\bFQDN\b|computer name|name (?:of the|for a (?:Kubernetes )?)node/iu,
  },
  { subject: "node", pattern: /\bnodes?\b/iu },
  {
    subject: "node-program",
    pattern:
      /(?:^|[\s"'`/\\])(?:kube(?:adm|let|ctl)|containerd|crictl|ctr|crio|runc|dockerd?|conntrack|socat|ethtool|ebtables|iptables|nft|ipset|ip|mount|umount|modprobe|systemctl|systemd-run|cloud-init|snap|k3s|rke2|k0s|microk8s|nssm|wins|curl|wget|git|tar|unzip|jq|lvm|mkfs\.\w+|apt-get|yum|dnf)(?:\.exe)?["'`]?:? (?:command not found|not found, but can be installed|not found in|executable file not found|is not recognized|to be installed in|: not found|: No such file or directory$)|[‘'"`](?:kube(?:adm|let|ctl)|containerd|crictl|ctr|crio|runc|dockerd?|conntrack|socat|ethtool|ebtables|ipset)[’'"`]: No such file or directory$|No such file or directory: b?['"](?:kube(?:adm|let|ctl)|containerd|crictl|ctr|crio|runc|docker|conntrack|modprobe|systemctl)['"]|(?:required|find) executable ["']?(?:kube(?:adm|let|ctl)|containerd|crictl|conntrack|modprobe|sysctl|iptables|systemctl|mount)\b|\biptables not found|exec(?:utable)?:? "[^"]{1,60}": executable file not found/iu,
  },
  {
    subject: "file-url",
    pattern:
      /https?:\/\/[^\s"'<>]{3,300}\.(?:ya?ml|json|sh|ps1|psm1|t?gz|xz|zip|exe|msi|deb|rpm|ign|gpg|asc|raw|img)\b/iu,
  },
  { subject: "port", pattern: /\bport\b|listen (?:tcp|udp)|\bbind\b|:\d{4,5}\b/iu },
  {
    subject: "disk",
    pattern:
      /partition|\bfile ?systems?\b|mkfs|mke2fs|fsck|fdisk|sgdisk|parted|\/dev\/\w|\bdisk\b|block device|\bLUN\b|luks|\braid\b|growpart|resize2fs|ephemeral (?:device|disk)|sector|\bxfs\b|ext4|volume\b|\b(?:sd|vd|xvd)[a-z]\d?\b|\bnvme\d|\bdm-\d/iu,
  },
  /** A program or script begins with its own first line: what a shell stumbles over there is the page that a server sent in its place. */
  {
    subject: "answer-page",
    pattern:
      /(?:^(?:ba|da)?sh|\/[\w.-]{2,60}): (?:line )?1: (?:syntax error near unexpected token [`'](?:<|newline)'|Syntax error: (?:newline|redirection) unexpected|[`']?<[?!a-z]|[`']?Not: (?:command )?not found)/iu,
  },
  /** What a module of the kernel lets its owner set: in a container that is somebody else. */
  { subject: "module-parameter", pattern: /\/sys\/module\/[\w-]{2,40}\/parameters\//u },
  /** An add-on asks the kernel for a link of a type that it has not. */
  {
    subject: "link-type",
    pattern:
      /\b(?:flannel|vxlan|wireguard|ipip|geneve|link|netlink|tunnel|veth\w{0,12}|bridge|macvlan|ipvlan)\b.{0,120}: operation not supported$/iu,
  },
  /** What the kernel answers root only where it is not the root of the machine. */
  { subject: "not-permitted", pattern: /\boperation not permitted\b/iu },
  /** What a container shares with its host, and may not change. */
  {
    subject: "shared-kernel",
    pattern:
      /\/sys\/fs\/cgroup|session key|\/run\/netns\/|network namespace|mount namespace|\/proc\/self\/(?:oom|uid_map|gid_map|exe)|oom_score_adj|control group\b|\bunshare\b|\bsetns\b|\brlimit\b|\b(?:u|g)id_map\b|(?:mount|mounting|mountpoint)\b.{1,80}\bto .{0,3}(?:rootfs|proc|sysfs|cgroup2?)\b/iu,
  },
  /** The users of a container that may not be all users: owners and devices of an image's files are then not to be had. */
  {
    subject: "mapped-users",
    pattern: /whiteout|\blchown\b|\bmknod\b|UIDs or GIDs|subuids?\b|(?:uid|gid) ?map/iu,
  },
  /** The table of mounts, whose fields a path with a space in it makes one more. */
  {
    subject: "mount-table",
    pattern: /wrong number of fields \(expected \d|\/proc\/(?:self|\d{1,9})\/mount(?:s|info)\b/iu,
  },
  /** How to ask systemd for anything: where nobody answers, this is a container without it. */
  {
    subject: "service-bus",
    pattern: /get D-Bus connection|connect to (?:system )?bus\b|booted with systemd|\/run\/systemd\/private/iu,
  },
  /** An old kubeadm falls back to Docker where it sees no other runtime. */
  { subject: "runtime-program", pattern: /exec: "(?:docker|containerd|crio)":|is required for container runtime/u },
  { subject: "config-source", pattern: /failed to (?:acquire|fetch) config/u },
  {
    subject: "account",
    pattern: /users\/groups|\b(?:user|group)(?:add|mod)\b|createUsers|(?:resolve|configure|create) (?:user|group)s?\b/u,
  },
  { subject: "runtime-folder", pattern: /\/run\/containerd\b(?!\/)|containerd (?:socket|base|state) (?:folder|dir)/u },
  { subject: "runtime-listener", pattern: /listener for .{0,40}\/pipe\/containerd/u },
  { subject: "extension-time", pattern: /\[ExtensionError\] Timeout\(\d/u },
  { subject: "artifact", pattern: /primary and fallback channels|handler pkgs|download artifacts/u },
  { subject: "service-unit", pattern: /Init already exists/u },
  /** What an installer needs to start its service by. */
  { subject: "init-system", pattern: /systemd or openrc|process supervisor/u },
  /** A script that does not say which program is to run it. */
  { subject: "shebang", pattern: /Missing #! in script/u },
  /** With this containerd ends, whatever kept it from serving. */
  {
    subject: "runtime-end",
    pattern: /^Failed to run CRI service|^validating \w{3,8} config: |invalid plugin config\b/iu,
  },
  { subject: "mount", pattern: /\bmount(?:ed|ing|s)?\b|\.mount\b|fstab/iu },
  { subject: "kubelet", pattern: /\bkubel(?:et|ite)\b|:10248|:10250/iu },
  { subject: "unit", pattern: /\.service\b|\bsystemd\b|systemctl|\bservice\b|\bunit\b|Start-Service|nssm/iu },
  {
    subject: "binary",
    pattern:
      /\bkubeadm\b|conntrack|socat|crictl|ethtool|ebtables|executable|\bbinary\b|\bbinaries\b|\bcommand\b|system path|\$PATH|\bprogram\b|nologin shell/iu,
  },
  /** The release that is to be installed, and not the one of a program. */
  {
    subject: "kubernetes-version",
    pattern:
      /\b(?:kubernetes[ _-]?|kube[ _-]|k8s[ _-])version\b|K8sVersionNotSupported|^invalid version, .{0,40}supported values|version \S{0,3}v?[\d.]{3,12}\S{0,3} of kubernetes|version of kubernetes|versions? for kubernetes/iu,
  },
  { subject: "kubernetes-release", pattern: /(?<!of etcd for )\bkubernetes \S{0,2}v?1\.\d{1,2}\b/iu },
  { subject: "version", pattern: /\bversion\b|\bv?\d\.\d{1,2}\.\d{1,2}\b/iu },
  {
    subject: "configuration",
    pattern:
      /config(?:uration)?\b|\bflags?\b|\boption\b|\bargument|\.ya?ml\b|\.json\b|\.conf\b|\bsetting|\bprofile\b|registries/iu,
  },
  { subject: "bad-medium", pattern: /input\/output error|\bEIO\b|structure needs cleaning|bad superblock/iu },
  { subject: "etcd-peer", pattern: /cluster[- ]id|\bpeers?\b/iu },
  {
    subject: "sandbox-start",
    pattern: /create (?:pod )?sandbox|get sandbox runtime|OCI runtime (?:create|start)|runc (?:create|start) failed/iu,
  },
  { subject: "plugin", pattern: /\bplugin\b/iu },
  {
    subject: "script",
    pattern: /script|cloud-final\.service|failed (?:run of )?stage modules|runparts|\.sh\b|\.ps1\b/iu,
  },
] as const satisfies readonly { readonly subject: string; readonly pattern: RegExp }[];
