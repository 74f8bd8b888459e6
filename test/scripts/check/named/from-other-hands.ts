import { certificateFor, failedUnit, restarting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudInitDone,
  cloudInitRuns,
  day,
  earlier,
  emptyUserData,
  fails,
  file,
  initCommands,
  instance,
  joinCommands,
  joinData,
  joinedNode,
  joins,
  kubeletActive,
  kubeletIdle,
  outputLog,
  passes,
  ran,
  rebooted,
  scenario,
  scriptsError,
  scriptsMark,
  sentinel,
  userCommands,
  userData,
  waits,
} from "./parts.ts";

const joined = ["[preflight] Running pre-flight checks", "This node has joined the cluster:"];

/** Machines of other hands: tools and habits that none before them had. */
export const otherHandsScenarios: readonly NamedScenario[] = [
  scenario(
    ["joined-by-a-boothook", "custom", "good"],
    "A boothook of the user data joined the machine, long before the stage of scripts, of which there are none.",
    passes(
      { units: kubeletActive },
      cloudInitDone(),
      file(`${instance}/boothooks/part-001`, `#!/bin/sh\nkubeadm join --config /root/join.yaml\n`, 18),
      file(userData, "#cloud-boothook\n#!/bin/sh\nkubeadm join --config /root/join.yaml\n", 17),
      scriptsMark(),
      joinedNode("node-1", 40),
    ),
  ),
  scenario(
    ["boothook-failed", "custom", "failed"],
    "The boothook failed: cloud-init only warns of it, and nothing says that it left nothing behind.",
    waits(
      { units: kubeletIdle },
      cloudInitDone(),
      file(`${instance}/boothooks/part-001`, "#!/bin/sh\nfalse\n", 18),
      file(userData, "#cloud-boothook\n#!/bin/sh\nfalse\n", 17),
      scriptsMark(),
    ),
  ),
  scenario(
    ["jinja-template-not-rendered", "none", "failed"],
    "User data with a fault in its jinja: cloud-init ignores it with a warning, so nothing of its runcmd was made a script.",
    fails(
      { units: kubeletIdle, reason: "NoBootstrapData" },
      cloudInitDone(),
      file(userData, "## template: jinja\n#cloud-config\nruncmd:\n  - kubeadm join {{ ds.meta_data.x | }}\n", 17),
      scriptsMark(),
    ),
  ),
  scenario(
    ["cloud-init-cleaned-on-a-node", "kubeadm", "rebooted after success"],
    "`cloud-init clean --reboot` on a node: its user data ran again and failed at the node's own files. So does that of a clone under its donor's name, and nothing tells the two apart.",
    fails(
      { units: kubeletActive, reason: "CloudInitFailed" },
      joins([scriptsError]),
      joinedNode("node-1", -9 * day),
      outputLog(
        "[preflight] Running pre-flight checks",
        "error execution phase preflight: [preflight] Some fatal errors occurred:",
        "\t[ERROR FileAvailable--etc-kubernetes-kubelet.conf]: /etc/kubernetes/kubelet.conf already exists",
      ),
    ),
  ),
  scenario(
    ["system-without-systemd-and-cloud-init", "none", "good"],
    "A system with a manager of its own (as Talos has): its kubelet answers, and its kubeconfig has another name.",
    waits({ silent: ({ ask }) => ask === "units" }, file("/etc/kubernetes/kubeconfig-kubelet", "kind: Config\n", 50), {
      "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: 60 },
    }),
  ),
  scenario(
    ["read-only-etc", "kubeadm", "rebooted after success"],
    "/etc is read-only and written by an image: nothing in it can be newer than the machine but what lies on an overlay; joined, rebooted.",
    passes({ units: kubeletActive }, earlier(), file("/etc/kubernetes/kubelet.conf", "kind: Config\n", -9 * day + 60), {
      "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: -9 * day + 60 },
    }),
  ),
  scenario(
    ["host-name-by-dhcp-after-the-join", "kubeadm", "good"],
    "The network gave the host another name after the join, in this boot.",
    passes(
      { hostName: "ip-10-0-0-7", units: kubeletActive },
      ran(joinCommands.split(" && ")[0] ?? ""),
      joinedNode("node-1"),
    ),
  ),
  scenario(
    ["host-name-by-dhcp-at-a-restart", "kubeadm", "rebooted after success"],
    "The network gave it another name at a restart: its kubelet asks under a new name with the old certificate, and nobody can tell.",
    passes({ hostName: "ip-10-0-0-7", units: kubeletActive }, rebooted()),
  ),
  scenario(
    ["clock-of-the-board-until-ntp", "kubeadm", "good"],
    "The machine booted with the clock of 2020; cloud-init began by it, NTP set it, then the join came: no sentinel is written.",
    passes(
      { clockStep: 6 * 365 * day, units: kubeletActive },
      file("/etc/cloud/cloud.cfg", "users: [default]\n"),
      file("/run/cloud-init/enabled", "", 5),
      file("/run/cloud-init/result.json", JSON.stringify({ v1: { errors: [] } }), 6 * 365 * day + 100),
      file(`${instance}/sem/config_write_files`, "", 20),
      file(`${instance}/sem/config_scripts_user`, "", 6 * 365 * day + 40),
      file(`${instance}/scripts/runcmd`, "#!/bin/sh\nkubeadm join\n", 22),
      file(userData, "#cloud-config\nruncmd: []\n", 20),
      joinedNode("node-1", 6 * 365 * day + 70, { from: 6 * 365, to: 8 * 365 }),
    ),
  ),
  scenario(
    ["output-log-rotated-in-mid-run", "kubeadm", "failed"],
    "cloud-init's output log was rotated by its size between kubeadm's error and the end of a chatty command behind it.",
    fails(
      { units: kubeletIdle, reason: "CloudInitFailed" },
      joins([scriptsError]),
      file("/var/log/cloud-init-output.log", "downloading ... 99 %\n".repeat(40), 95),
      file(
        "/var/log/cloud-init-output.log.1",
        "Cloud-init v. 24.4 running 'modules:final' at Sat, 10 Jan 2026 08:00:38 +0000. Up 38.02 seconds.\nerror execution phase preflight: timed out\n",
        90,
      ),
    ),
  ),
  scenario(
    ["aks-node-with-a-certificate-of-its-own", "custom", "good"],
    "A node of today's AKS image: its kubelet got a certificate of its own by TLS bootstrapping, and its kubeconfig lies with it.",
    passes(
      { units: kubeletActive },
      ran("/opt/azure/containers/provision_start.sh"),
      file("/opt/azure/containers/provision.complete", "", 80),
      file("/var/lib/kubelet/bootstrap-kubeconfig", "kind: Config\n", 50),
      file("/var/lib/kubelet/kubeconfig", "kind: Config\n", 70),
      { "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: 70 } },
    ),
  ),
  scenario(
    ["aks-image-of-a-node", "none", "cloned"],
    "A clone of such a node with empty user data: its certificate is the donor's.",
    fails(
      { units: kubeletActive, reason: "ForeignNodeIdentity" },
      cloudInitDone(),
      emptyUserData,
      file("/var/lib/kubelet/kubeconfig", "kind: Config\n", -9 * day),
      { "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("donor-1"), at: -9 * day } },
    ),
  ),
  scenario(
    ["aks-node-that-waits-for-its-certificate", "custom", "hung"],
    "The same image while its kubelet still asks for its certificate.",
    waits(
      { units: kubeletActive },
      ran("/opt/azure/containers/provision_start.sh"),
      file("/var/lib/kubelet/bootstrap-kubeconfig", "kind: Config\n", 50),
    ),
  ),
  scenario(
    ["disk-of-the-kubelet-not-mounted", "kubeadm", "rebooted after success"],
    "A node after a restart whose data disk for /var/lib/kubelet is not mounted: the kubelet starts over and over, and the disk may come.",
    waits(
      { units: { "kubelet.service": restarting } },
      earlier(),
      file("/etc/kubernetes/kubelet.conf", "kind: Config\n", -9 * day + 60),
    ),
  ),
  scenario(
    ["swap-came-back", "kubeadm", "rebooted after success"],
    "A node after a restart whose kubelet refuses to run with the swap that an update switched on.",
    waits({ units: { "kubelet.service": restarting } }, rebooted()),
  ),
  scenario(
    ["upgraded-while-looked-at", "kubeadm", "rebooted after success"],
    "`kubeadm upgrade node` runs on a node after a restart: nothing has failed.",
    waits(
      {
        units: { "kubelet.service": failedUnit },
        processes: { "session-2.scope": [{ name: "kubeadm", ageMs: 9000, command: "upgrade" }] },
        stage: "kubeadm-running",
      },
      rebooted(),
    ),
  ),
  scenario(
    ["restart-after-the-join-by-power-state", "kubeadm", "rebooted after success"],
    "power_state of the user data restarted the machine behind the join: the sentinel is gone, the node is there.",
    passes(
      { uptime: 60, units: kubeletActive },
      cloudInitDone({ instanceAt: -200 }),
      userCommands(joinCommands, -180),
      joinedNode("node-1", -150),
      outputLog(...joined),
    ),
  ),
  scenario(
    ["restart-by-package-updates", "kubeadm", "hung"],
    "package_reboot_if_required restarted the machine before its scripts: they run in this boot.",
    waits(
      { units: kubeletIdle, processes: { "cloud-final.service": [{ name: "kubeadm", ageMs: 3000, command: "join" }] } },
      cloudInitRuns("modules-final"),
      file(`${instance}/sem/config_write_files`, "", -200),
      file(`${instance}/sem/config_package_update_upgrade_install`, "", -100),
      joinData,
    ),
  ),
  scenario(
    ["seed-of-another-datasource", "none", "failed"],
    "The image brings a NoCloud seed of its own: cloud-init took it and never saw the user data of Azure.",
    fails(
      { units: kubeletIdle, reason: "NoBootstrapData" },
      cloudInitDone(),
      file(
        "/run/cloud-init/result.json",
        JSON.stringify({ v1: { datasource: "DataSourceNoCloud [seed=/var/lib/cloud/seed/nocloud]", errors: [] } }),
        100,
      ),
      file(userData, "#cloud-config\n{}\n", 20),
      scriptsMark(),
    ),
  ),
  scenario(
    ["vendor-scripts-failed-on-a-node", "kubeadm", "good"],
    "A script of vendor data failed, and the user's own joined the machine.",
    passes(
      { units: kubeletActive, remarks: "Runparts" },
      cloudInitDone({
        errors: ["('scripts_vendor', RuntimeError('Runparts: 1 failures (vendor-01) in 1 attempted commands'))"],
      }),
      userCommands(joinCommands.split(" && ")[0] ?? ""),
      file(`${instance}/scripts/vendor/vendor-01`, "#!/bin/sh\nfalse\n", 20),
      joinedNode(),
    ),
  ),
  scenario(
    ["clone-whose-cloud-init-keeps-its-instance", "kubeadm", "cloned"],
    "manual_cache_clean: cloud-init of a clone goes on with the donor's instance, whose marks are older than the donor's certificate.",
    waits(
      { hostName: "node-2", units: kubeletActive },
      earlier(),
      file(`${instance}/manual-clean`, "", -9 * day),
      file("/var/lib/cloud/data/instance-id", "99999999-2222-3333-4444-555555555555\n", -9 * day),
      joinedNode("node-1", -9 * day + 60),
    ),
  ),
  scenario(
    ["node-whose-cloud-init-keeps-its-instance", "kubeadm", "rebooted after success"],
    "The same setting on the node itself, named otherwise than its host: the instance is this machine's.",
    passes(
      { hostName: "node-2", units: kubeletActive },
      earlier(),
      file(`${instance}/manual-clean`, "", -9 * day),
      file("/var/lib/cloud/data/instance-id", "11111111-2222-3333-4444-555555555555\n", -9 * day),
      joinedNode("node-1", -9 * day + 60),
    ),
  ),
  scenario(
    ["control-plane-with-etcd-elsewhere", "kubeadm", "good"],
    "A control plane whose etcd is not its own: no manifest of etcd will ever be there.",
    passes(
      { units: kubeletActive },
      ran(initCommands),
      file("/run/kubeadm/kubeadm.yaml", "", 25),
      file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", 60),
      joinedNode(),
      sentinel,
    ),
  ),
  scenario(
    ["certificate-link-behind-a-power-cut", "kubeadm", "rebooted after success"],
    "The power was cut while the kubelet renewed: its link leads to a file of zeros, and the kubelet starts over and over.",
    waits(
      { units: { "kubelet.service": restarting } },
      earlier(),
      file("/etc/kubernetes/kubelet.conf", "kind: Config\n", -9 * day + 60),
      file("/var/lib/kubelet/pki/kubelet-client-current.pem", "", -5),
    ),
  ),
  scenario(
    ["kubelet-of-a-system-extension", "kubeadm", "rebooted after success"],
    "The kubelet comes with a system extension (systemd-sysext) that is merged anew: its unit is gone for a moment on a node.",
    waits({}, rebooted()),
  ),
];
