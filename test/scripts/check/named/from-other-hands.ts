import {
  active,
  certificateFor,
  failedUnit,
  type FileShape,
  type MachineShape,
  restarting,
  starting,
} from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudbaseRun,
  cloudInitDone,
  cloudInitRuns,
  ends,
  executes,
  initCommands,
  joinCommands,
  joinData,
  joinedNode,
  kubeletActive,
  line,
  outputLog,
  runsCommands,
  scriptsError,
  sentinelCommand,
  userCommands,
  windows,
  windowsJoinData,
  windowsNode,
  windowsSentinel,
} from "./parts.ts";

type Files = Readonly<Record<string, FileShape | string>>;
type Look = NamedScenario["looks"][number];

const day = 86_400;
const instance = "/var/lib/cloud/instance";
const userData = `${instance}/user-data.txt`;
const sentinel: Files = { "/run/cluster-api/bootstrap-success.complete": { text: "success\n", at: 90 } };
const joined = ["[preflight] Running pre-flight checks", "This node has joined the cluster:"];

/** A machine that is looked at once. */
function once(
  [name, what, provider, state]: readonly [name: string, what: string, provider: string, state: string],
  machine: MachineShape,
  expected: Omit<Look, "machine">,
): NamedScenario {
  return { name, what, provider, state, looks: [{ machine, ...expected }] };
}

/** What k3s and RKE2 keep of a node, in the folder that is theirs. */
const rancherNode = (which: "k3s" | "rke2", at = 70): Files => ({
  [`/var/lib/rancher/${which}/agent/kubelet.kubeconfig`]: { text: "kind: Config\n", at },
  [`/var/lib/rancher/${which}/agent/client-kubelet.crt`]: { ...certificateFor("node-1"), at },
});
const k3sCommands = `curl -sfL https://get.k3s.io | sh -s - agent && ${sentinelCommand}`;
const k3sUnit: Files = {
  "/etc/systemd/system/k3s-agent.service": { text: "ExecStart=/usr/local/bin/k3s agent\n", at: 50 },
};
const rke2Commands = `systemctl enable rke2-server.service\nsystemctl start rke2-server.service\n${sentinelCommand}`;

const log = (...lines: readonly string[]): string => cloudbaseRun(10, { lines });
const joinsWindows = [executes(15), runsCommands(16), ends(70, 0)];

/** Machines of other hands: tools, distributions and habits that none before them had. */
export const otherHandsScenarios: readonly NamedScenario[] = [
  once(
    [
      "joined-by-a-boothook",
      "A boothook of the user data joined the machine, long before the stage of scripts, of which there are none.",
      "custom",
      "good",
    ],
    {
      files: {
        ...cloudInitDone(),
        [`${instance}/boothooks/part-001`]: { text: `#!/bin/sh\nkubeadm join --config /root/join.yaml\n`, at: 18 },
        [userData]: { text: "#cloud-boothook\n#!/bin/sh\nkubeadm join --config /root/join.yaml\n", at: 17 },
        [`${instance}/sem/config_scripts_user`]: { text: "", at: 60 },
        ...joinedNode("node-1", 40),
      },
      units: kubeletActive,
    },
    { verdict: "success" },
  ),
  once(
    [
      "boothook-failed",
      "The boothook failed: cloud-init only warns of it, and nothing says that it left nothing behind.",
      "custom",
      "failed",
    ],
    {
      files: {
        ...cloudInitDone(),
        [`${instance}/boothooks/part-001`]: { text: "#!/bin/sh\nfalse\n", at: 18 },
        [userData]: { text: "#cloud-boothook\n#!/bin/sh\nfalse\n", at: 17 },
        [`${instance}/sem/config_scripts_user`]: { text: "", at: 60 },
      },
      units: { "kubelet.service": {} },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "jinja-template-not-rendered",
      "User data with a fault in its jinja: cloud-init ignores it with a warning, so nothing of its runcmd was made a script.",
      "none",
      "failed",
    ],
    {
      files: {
        ...cloudInitDone(),
        [userData]: {
          text: "## template: jinja\n#cloud-config\nruncmd:\n  - kubeadm join {{ ds.meta_data.x | }}\n",
          at: 17,
        },
        [`${instance}/sem/config_scripts_user`]: { text: "", at: 60 },
      },
      units: { "kubelet.service": {} },
    },
    { verdict: "failed", reason: "NoBootstrapData" },
  ),
  once(
    [
      "cloud-init-cleaned-on-a-node",
      "`cloud-init clean --reboot` on a node: its user data ran again and failed at the node's own files. So does that of a clone under its donor's name, and nothing tells the two apart.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      files: {
        ...cloudInitDone({ errors: [scriptsError] }),
        ...userCommands(joinCommands),
        ...joinData,
        ...joinedNode("node-1", -9 * day),
        ...outputLog(
          "[preflight] Running pre-flight checks",
          "error execution phase preflight: [preflight] Some fatal errors occurred:",
          "\t[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists",
        ),
      },
      units: kubeletActive,
    },
    { verdict: "failed", reason: "CloudInitFailed" },
  ),
  once(
    [
      "microk8s-refresh-between-two-revisions",
      "snapd refreshes MicroK8s: the service of the old revision is stopped, that of the new one not begun.",
      "microk8s",
      "rebooted after success",
    ],
    {
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands("/capi-scripts/10-join.sh", -9 * day + 20),
        "/capi-scripts/10-join.sh": { text: "microk8s join", at: -9 * day },
        "/var/snap/microk8s/current/credentials/kubelet.config": { text: "", at: -9 * day + 60 },
        "/var/snap/microk8s/current/certs/kubelet.crt": { ...certificateFor("node-1"), at: -9 * day + 60 },
      },
      units: { "snap.microk8s.daemon-kubelite.service": {} },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "k3s-configured-by-several-files",
      "k3s whose configuration lies in config.yaml.d alone, with a data folder of its own.",
      "k3s",
      "good",
    ],
    {
      files: {
        ...cloudInitDone(),
        ...userCommands(k3sCommands),
        ...k3sUnit,
        "/etc/rancher/k3s/config.yaml.d/10-cluster.yaml": { text: "server: https://10.0.0.4:6443\n", at: 25 },
        "/etc/rancher/k3s/config.yaml.d/20-disk.yaml": { text: "data-dir: /data/k3s\n", at: 25 },
        ...sentinel,
      },
      units: { "k3s-agent.service": active },
    },
    { verdict: "success", providers: ["k3s"] },
  ),
  once(
    ["rke2-configured-by-several-files", "RKE2 with the same in its own folder.", "rke2", "good"],
    {
      files: {
        ...cloudInitDone(),
        ...userCommands(rke2Commands),
        "/etc/rancher/rke2/config.yaml": { text: "server: https://10.0.0.4:9345\n", at: 25 },
        "/etc/rancher/rke2/config.yaml.d/50-disk.yaml": { text: "data-dir: /data/rke2\n", at: 25 },
        ...sentinel,
      },
      units: { "rke2-server.service": active },
    },
    { verdict: "success", providers: ["rke2"] },
  ),
  once(
    [
      "k3s-clone-with-several-files",
      "A clone of such a node without user data of its own: the folder's files are the donor's.",
      "k3s",
      "cloned",
    ],
    {
      files: {
        ...cloudInitDone(),
        [userData]: { text: "", size: 0, at: 20 },
        "/etc/systemd/system/k3s-agent.service": { text: "ExecStart=/usr/local/bin/k3s agent\n", at: -9 * day },
        "/etc/rancher/k3s/config.yaml.d/20-disk.yaml": { text: "data-dir: /data/k3s\n", at: -9 * day },
      },
      units: { "k3s-agent.service": active },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "k3s-several-files-in-the-usual-folder",
      "k3s with several files and its node where it usually is.",
      "k3s",
      "good",
    ],
    {
      files: {
        ...cloudInitDone(),
        ...userCommands(k3sCommands),
        ...k3sUnit,
        "/etc/rancher/k3s/config.yaml.d/10-cluster.yaml": { text: "server: https://10.0.0.4:6443\n", at: 25 },
        ...rancherNode("k3s"),
        ...sentinel,
      },
      units: { "k3s-agent.service": active },
    },
    { verdict: "success" },
  ),
  once(
    [
      "rke2-server-waits-for-etcd",
      "An RKE2 server whose etcd has no quorum yet: the unit is activating for minutes, the sentinel is written.",
      "rke2",
      "hung",
    ],
    {
      uptime: 1500,
      files: {
        ...cloudInitDone(),
        ...userCommands(rke2Commands),
        "/etc/rancher/rke2/config.yaml": { text: "server: https://10.0.0.4:9345\n", at: 25 },
        ...rancherNode("rke2"),
        ...sentinel,
      },
      units: { "rke2-server.service": starting },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "rke2-server-start-timed-out",
      "The same when systemd ended the start by its own limit and begins anew.",
      "rke2",
      "hung",
    ],
    {
      uptime: 1500,
      files: {
        ...cloudInitDone({ errors: [scriptsError] }),
        ...userCommands(rke2Commands),
        "/etc/rancher/rke2/config.yaml": { text: "server: https://10.0.0.4:9345\n", at: 25 },
        ...sentinel,
      },
      units: { "rke2-server.service": { ...restarting, result: "timeout" } },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "installed-by-coreos-installer",
      "Flatcar or Fedora CoreOS put on its disk by an installer, whose own first start wrote Ignition's mark; kubeadm.service runs.",
      "kubeadm-ignition",
      "hung",
    ],
    {
      files: {
        "/etc/.ignition-result.json": { text: '{"provisioningDate":"2026-01-09T08:00:00Z"}', at: -day },
        "/etc/kubeadm.sh": { text: "", at: -day },
        "/etc/kubeadm.yml": { text: "", at: -day },
        "/etc/systemd/system/kubeadm.service": { text: "[Service]\n", at: -day },
      },
      units: { "kubeadm.service": starting },
    },
    { verdict: "waiting", stage: "kubeadm-running" },
  ),
  once(
    [
      "installed-by-coreos-installer-joined",
      "The same, joined; the sentinel went with a later restart.",
      "kubeadm-ignition",
      "rebooted after success",
    ],
    {
      files: {
        "/etc/.ignition-result.json": { text: '{"provisioningDate":"2026-01-09T08:00:00Z"}', at: -2 * day },
        "/etc/kubeadm.sh": { text: "", at: -2 * day },
        "/etc/systemd/system/kubeadm.service": { text: "[Service]\n", at: -2 * day },
        ...joinedNode("node-1", -day),
      },
      units: { ...kubeletActive, "kubeadm.service": {} },
    },
    { verdict: "success" },
  ),
  once(
    [
      "system-without-systemd-and-cloud-init",
      "A system with a manager of its own (as Talos has): its kubelet answers, and its kubeconfig has another name.",
      "none",
      "good",
    ],
    {
      files: {
        "/etc/kubernetes/kubeconfig-kubelet": { text: "kind: Config\n", at: 50 },
        "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: 60 },
      },
      silent: ({ ask }) => ask === "units",
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "read-only-etc",
      "/etc is read-only and written by an image: nothing in it can be newer than the machine but what lies on an overlay; joined, rebooted.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands(joinCommands, -9 * day + 20),
        "/etc/kubernetes/kubelet.conf": { text: "kind: Config\n", at: -9 * day + 60 },
        "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: -9 * day + 60 },
      },
      units: kubeletActive,
    },
    { verdict: "success" },
  ),
  once(
    [
      "host-name-by-dhcp-after-the-join",
      "The network gave the host another name after the join, in this boot.",
      "kubeadm",
      "good",
    ],
    {
      hostName: "ip-10-0-0-7",
      files: { ...cloudInitDone(), ...userCommands(joinCommands.split(" && ")[0] ?? ""), ...joinedNode("node-1") },
      units: kubeletActive,
    },
    { verdict: "success" },
  ),
  once(
    [
      "host-name-by-dhcp-at-a-restart",
      "The network gave it another name at a restart: its kubelet asks under a new name with the old certificate, and nobody can tell.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      hostName: "ip-10-0-0-7",
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands(joinCommands, -9 * day + 20),
        ...joinedNode("node-1", -9 * day + 60),
      },
      units: kubeletActive,
    },
    { verdict: "success" },
  ),
  once(
    [
      "clock-of-the-board-until-ntp",
      "The machine booted with the clock of 2020; cloud-init began by it, NTP set it, then the join came: no sentinel is written.",
      "kubeadm",
      "good",
    ],
    {
      clockStep: 6 * 365 * day,
      files: {
        "/etc/cloud/cloud.cfg": "users: [default]\n",
        "/run/cloud-init/enabled": { text: "", at: 5 },
        "/run/cloud-init/result.json": { text: JSON.stringify({ v1: { errors: [] } }), at: 6 * 365 * day + 100 },
        [`${instance}/sem/config_write_files`]: { text: "", at: 20 },
        [`${instance}/sem/config_scripts_user`]: { text: "", at: 6 * 365 * day + 40 },
        [`${instance}/scripts/runcmd`]: { text: "#!/bin/sh\nkubeadm join\n", at: 22 },
        [userData]: { text: "#cloud-config\nruncmd: []\n", at: 20 },
        ...joinedNode("node-1", 6 * 365 * day + 70, { from: 6 * 365, to: 8 * 365 }),
      },
      units: kubeletActive,
    },
    { verdict: "success" },
  ),
  once(
    [
      "output-log-rotated-in-mid-run",
      "cloud-init's output log was rotated by its size between kubeadm's error and the end of a chatty command behind it.",
      "kubeadm",
      "failed",
    ],
    {
      files: {
        ...cloudInitDone({ errors: [scriptsError] }),
        ...userCommands(joinCommands),
        ...joinData,
        "/var/log/cloud-init-output.log": { text: "downloading ... 99 %\n".repeat(40), at: 95 },
        "/var/log/cloud-init-output.log.1": {
          text: "Cloud-init v. 24.4 running 'modules:final' at Sat, 10 Jan 2026 08:00:38 +0000. Up 38.02 seconds.\nerror execution phase preflight: timed out\n",
          at: 90,
        },
      },
      units: { "kubelet.service": {} },
    },
    { verdict: "failed", reason: "CloudInitFailed" },
  ),
  once(
    [
      "aks-node-with-a-certificate-of-its-own",
      "A node of today's AKS image: its kubelet got a certificate of its own by TLS bootstrapping, and its kubeconfig lies with it.",
      "custom",
      "good",
    ],
    {
      files: {
        ...cloudInitDone(),
        ...userCommands("/opt/azure/containers/provision_start.sh"),
        "/opt/azure/containers/provision.complete": { text: "", at: 80 },
        "/var/lib/kubelet/bootstrap-kubeconfig": { text: "kind: Config\n", at: 50 },
        "/var/lib/kubelet/kubeconfig": { text: "kind: Config\n", at: 70 },
        "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: 70 },
      },
      units: kubeletActive,
    },
    { verdict: "success" },
  ),
  once(
    [
      "aks-image-of-a-node",
      "A clone of such a node with empty user data: its certificate is the donor's.",
      "none",
      "cloned",
    ],
    {
      files: {
        ...cloudInitDone(),
        [userData]: { text: "", size: 0, at: 20 },
        "/var/lib/kubelet/kubeconfig": { text: "kind: Config\n", at: -9 * day },
        "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("donor-1"), at: -9 * day },
      },
      units: kubeletActive,
    },
    { verdict: "failed", reason: "ForeignNodeIdentity" },
  ),
  once(
    [
      "aks-node-that-waits-for-its-certificate",
      "The same image while its kubelet still asks for its certificate.",
      "custom",
      "hung",
    ],
    {
      files: {
        ...cloudInitDone(),
        ...userCommands("/opt/azure/containers/provision_start.sh"),
        "/var/lib/kubelet/bootstrap-kubeconfig": { text: "kind: Config\n", at: 50 },
      },
      units: kubeletActive,
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "disk-of-the-kubelet-not-mounted",
      "A node after a restart whose data disk for /var/lib/kubelet is not mounted: the kubelet starts over and over, and the disk may come.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands(joinCommands, -9 * day + 20),
        "/etc/kubernetes/kubelet.conf": { text: "kind: Config\n", at: -9 * day + 60 },
      },
      units: { "kubelet.service": restarting },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "swap-came-back",
      "A node after a restart whose kubelet refuses to run with the swap that an update switched on.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands(joinCommands, -9 * day + 20),
        ...joinedNode("node-1", -9 * day + 60),
      },
      units: { "kubelet.service": restarting },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "upgraded-while-looked-at",
      "`kubeadm upgrade node` runs on a node after a restart: nothing has failed.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands(joinCommands, -9 * day + 20),
        ...joinedNode("node-1", -9 * day + 60),
      },
      units: { "kubelet.service": failedUnit },
      processes: { "session-2.scope": [{ name: "kubeadm", ageMs: 9000, command: "upgrade" }] },
    },
    { verdict: "waiting", stage: "kubeadm-running" },
  ),
  once(
    [
      "k3s-configuration-by-variable",
      "k3s reads the file that K3S_CONFIG_FILE names, and that names a data folder: nothing where the check looks says so.",
      "k3s",
      "good",
    ],
    {
      files: {
        ...cloudInitDone(),
        ...userCommands(k3sCommands),
        "/etc/systemd/system/k3s-agent.service": { text: "Environment=K3S_CONFIG_FILE=/data/k3s.yaml\n", at: 50 },
        "/data/k3s.yaml": { text: "data-dir: /data/k3s\n", at: 25 },
        ...sentinel,
      },
      units: { "k3s-agent.service": active },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "restart-after-the-join-by-power-state",
      "power_state of the user data restarted the machine behind the join: the sentinel is gone, the node is there.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      uptime: 60,
      files: {
        ...cloudInitDone({ instanceAt: -200 }),
        ...userCommands(joinCommands, -180),
        ...joinedNode("node-1", -150),
        ...outputLog(...joined),
      },
      units: kubeletActive,
    },
    { verdict: "success" },
  ),
  once(
    [
      "restart-by-package-updates",
      "package_reboot_if_required restarted the machine before its scripts: they run in this boot.",
      "kubeadm",
      "hung",
    ],
    {
      files: {
        ...cloudInitRuns("modules-final"),
        [`${instance}/sem/config_write_files`]: { text: "", at: -200 },
        [`${instance}/sem/config_package_update_upgrade_install`]: { text: "", at: -100 },
        ...joinData,
      },
      units: { "kubelet.service": {} },
      processes: { "cloud-final.service": [{ name: "kubeadm", ageMs: 3000, command: "join" }] },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "seed-of-another-datasource",
      "The image brings a NoCloud seed of its own: cloud-init took it and never saw the user data of Azure.",
      "none",
      "failed",
    ],
    {
      files: {
        ...cloudInitDone(),
        "/run/cloud-init/result.json": {
          text: JSON.stringify({
            v1: { datasource: "DataSourceNoCloud [seed=/var/lib/cloud/seed/nocloud]", errors: [] },
          }),
          at: 100,
        },
        [userData]: { text: "#cloud-config\n{}\n", at: 20 },
        [`${instance}/sem/config_scripts_user`]: { text: "", at: 60 },
      },
      units: { "kubelet.service": {} },
    },
    { verdict: "failed", reason: "NoBootstrapData" },
  ),
  once(
    [
      "vendor-scripts-failed-on-a-node",
      "A script of vendor data failed, and the user's own joined the machine.",
      "kubeadm",
      "good",
    ],
    {
      files: {
        ...cloudInitDone({
          errors: ["('scripts_vendor', RuntimeError('Runparts: 1 failures (vendor-01) in 1 attempted commands'))"],
        }),
        ...userCommands(joinCommands.split(" && ")[0] ?? ""),
        [`${instance}/scripts/vendor/vendor-01`]: { text: "#!/bin/sh\nfalse\n", at: 20 },
        ...joinedNode(),
      },
      units: kubeletActive,
    },
    { verdict: "success", remarks: "Runparts" },
  ),
  once(
    [
      "clone-whose-cloud-init-keeps-its-instance",
      "manual_cache_clean: cloud-init of a clone goes on with the donor's instance, whose marks are older than the donor's certificate.",
      "kubeadm",
      "cloned",
    ],
    {
      hostName: "node-2",
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands(joinCommands, -9 * day + 20),
        [`${instance}/manual-clean`]: { text: "", at: -9 * day },
        "/var/lib/cloud/data/instance-id": { text: "99999999-2222-3333-4444-555555555555\n", at: -9 * day },
        ...joinedNode("node-1", -9 * day + 60),
      },
      units: kubeletActive,
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "node-whose-cloud-init-keeps-its-instance",
      "The same setting on the node itself, named otherwise than its host: the instance is this machine's.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      hostName: "node-2",
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands(joinCommands, -9 * day + 20),
        [`${instance}/manual-clean`]: { text: "", at: -9 * day },
        "/var/lib/cloud/data/instance-id": { text: "11111111-2222-3333-4444-555555555555\n", at: -9 * day },
        ...joinedNode("node-1", -9 * day + 60),
      },
      units: kubeletActive,
    },
    { verdict: "success" },
  ),
  once(
    [
      "control-plane-with-etcd-elsewhere",
      "A control plane whose etcd is not its own: no manifest of etcd will ever be there.",
      "kubeadm",
      "good",
    ],
    {
      files: {
        ...cloudInitDone(),
        ...userCommands(initCommands),
        "/run/kubeadm/kubeadm.yaml": { text: "", at: 25 },
        "/etc/kubernetes/manifests/kube-apiserver.yaml": { text: "", at: 60 },
        ...joinedNode(),
        ...sentinel,
      },
      units: kubeletActive,
    },
    { verdict: "success" },
  ),
  once(
    [
      "certificate-link-behind-a-power-cut",
      "The power was cut while the kubelet renewed: its link leads to a file of zeros, and the kubelet starts over and over.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands(joinCommands, -9 * day + 20),
        "/etc/kubernetes/kubelet.conf": { text: "kind: Config\n", at: -9 * day + 60 },
        "/var/lib/kubelet/pki/kubelet-client-current.pem": { text: "", at: -5 },
      },
      units: { "kubelet.service": restarting },
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "kubelet-of-a-system-extension",
      "The kubelet comes with a system extension (systemd-sysext) that is merged anew: its unit is gone for a moment on a node.",
      "kubeadm",
      "rebooted after success",
    ],
    {
      files: {
        ...cloudInitDone({ instanceAt: -9 * day }),
        ...userCommands(joinCommands, -9 * day + 20),
        ...joinedNode("node-1", -9 * day + 60),
      },
      units: {},
    },
    { verdict: "waiting" },
  ),
  once(
    [
      "windows-plugins-and-restarts",
      "cloudbase-init restarted the machine for its host name and for a driver before the user data, which then joined.",
      "kubeadm (Windows)",
      "good",
    ],
    windows({
      log: [
        cloudbaseRun(-400, { end: "Rebooting" }),
        cloudbaseRun(-200, { end: "Rebooting" }),
        log(line(13, "Plugin 'SetHostNamePlugin' execution already done, skipping"), ...joinsWindows),
      ].join(""),
      files: { ...windowsJoinData, ...windowsNode(), [windowsSentinel]: { text: "success", at: 65 } },
      plugins: { "vm-1": "1" },
      kubelet: "running",
      installAt: -500,
    }),
    { verdict: "success" },
  ),
  once(
    [
      "windows-between-two-restarts",
      "The same behind the second restart: the service runs and has not spoken in this boot.",
      "kubeadm (Windows)",
      "hung",
    ],
    windows(
      {
        log: [cloudbaseRun(-400, { end: "Rebooting" }), cloudbaseRun(-200, { end: "Rebooting" })].join(""),
        logAt: -110,
        service: "running",
        kubelet: "stopped",
        installAt: -500,
      },
      { uptime: 20 },
    ),
    { verdict: "waiting" },
  ),
  once(
    [
      "windows-other-plugin-failed",
      "The plugin that extends volumes failed; the user data joined the machine and wrote no sentinel.",
      "kubeadm (Windows)",
      "good",
    ],
    windows({
      log: log(line(13, "plugin 'ExtendVolumesPlugin' failed with error 'not found'"), ...joinsWindows),
      files: { ...windowsJoinData, ...windowsNode() },
      plugins: { "vm-1": "1" },
      kubelet: "running",
    }),
    { verdict: "success" },
  ),
  once(
    [
      "windows-restart-without-another-run",
      "The script asked for a restart and no further run (1001) before it joined: nothing runs again behind it, and it waits.",
      "kubeadm (Windows)",
      "hung",
    ],
    windows({
      log: log(executes(15), runsCommands(16), ends(70, 1001)),
      files: windowsJoinData,
      plugins: { "vm-1": "1" },
      kubelet: "stopped",
    }),
    { verdict: "failed" },
  ),
  once(
    [
      "windows-kubelet-pending",
      "The image's kubelet service hangs in its start on a node of this boot, joined without a sentinel.",
      "kubeadm (Windows)",
      "hung",
    ],
    windows({
      log: log(...joinsWindows),
      files: { ...windowsJoinData, ...windowsNode() },
      plugins: { "vm-1": "1" },
      kubelet: "start-pending",
    }),
    { verdict: "waiting" },
  ),
  once(
    [
      "windows-script-stopped-by-a-guard",
      "A virus guard took the script away: PowerShell ended with 1, and nothing was joined.",
      "kubeadm (Windows)",
      "failed",
    ],
    windows({
      log: log(
        executes(15),
        runsCommands(16),
        "b'At line:1 char:1\\r\\nThis script contains malicious content and has been blocked by your antivirus software.\\r\\n'",
        ends(20, 1),
      ),
      files: windowsJoinData,
      plugins: { "vm-1": "1" },
      kubelet: "stopped",
    }),
    { verdict: "failed", reason: "CloudbaseInitFailed" },
  ),
];
