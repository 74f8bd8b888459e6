import { active, certificateFor, failedUnit, type MachineShape, restarting, starting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  all,
  cloudInitDone,
  cloudInitRuns,
  day,
  earlier,
  emptyUserData,
  fails,
  file,
  type Files,
  joinedNode,
  k3sCommands,
  kubeletActive,
  passes,
  ran,
  rancherNode,
  rke2Commands,
  runs,
  scenario,
  scriptsError,
  sentinel,
  sentinelCommand,
  userCommands,
  waits,
  joinData,
  told,
} from "./parts.ts";

const k3sUnit: Files = {
  "/etc/systemd/system/k3s-agent.service": { text: "ExecStart=/usr/local/bin/k3s agent\n", at: 50 },
};
const rke2Config = (more = ""): Files => ({
  "/etc/rancher/rke2/config.yaml": { text: `server: https://10.0.0.4:9345\n${more}`, at: 25 },
});
const stopping = { active: "deactivating", sub: "stop-post" } as const;
const restartAt = (seconds: number): Files =>
  file(
    "/run/systemd/shutdown/scheduled",
    `USEC=${(1_768_032_000 + seconds) * 1_000_000}\nWARN_WALL=1\nMODE=reboot\n`,
    99,
  );
const inFinal = (seconds: number, name: string): Pick<MachineShape, "processes"> => ({
  processes: { "cloud-init-main.service": [{ name, ageMs: seconds * 1000 }] },
});
const ignitionRke2 = all(
  file("/etc/.ignition-result.json", "{}", 8),
  file("/etc/rke2-install.sh", "", 7),
  file("/etc/rancher/rke2/config.yaml", "server: https://10.0.0.4:9345\n", 7),
);

const ignitionK0s = all(
  file("/etc/.ignition-result.json", "{}", 8),
  file("/etc/k0s.token", "", 7),
  file("/etc/systemd/system/k0s-bootstrap.service", "", 7),
);
const canonicalNode: Files = {
  "/capi/scripts/join-cluster.sh": { text: "", at: 25 },
  "/etc/kubernetes/kubelet.conf": { text: "", at: 60 },
  "/etc/kubernetes/pki/kubelet-client.crt": { ...certificateFor("node-1"), at: 60 },
  ...sentinel,
};
const kubelite = runs("snap.microk8s.daemon-kubelite.service");
const microk8sCertificate: Files = {
  "/var/snap/microk8s/current/credentials/kubelet.config": { text: "", at: 60 },
  "/var/snap/microk8s/current/certs/kubelet.crt": { ...certificateFor("node-1"), at: 60 },
};
const microk8sNode = all(
  microk8sCertificate,
  file("/capi-scripts/10-join.sh", "", 25),
  file("/var/snap/microk8s/current/var/lock/clustered.lock", "", 65),
);
const ofDonor = { ...certificateFor("donor-7", { from: -90 }), at: -30 * day };
const microk8sOfDonor: Files = {
  "/var/snap/microk8s/current/credentials/kubelet.config": { text: "", at: -30 * day },
  "/var/snap/microk8s/current/certs/kubelet.crt": ofDonor,
};
const rancherOfDonor: Files = {
  "/var/lib/rancher/rke2/agent/kubelet.kubeconfig": { text: "kind: Config\n", at: -30 * day },
  "/var/lib/rancher/rke2/agent/client-kubelet.crt": ofDonor,
};
const beginsMicrok8s = all(
  userCommands("/capi-scripts/00-install-microk8s.sh\n/capi-scripts/10-configure-apiserver.sh"),
  file("/capi-scripts/00-install-microk8s.sh", "", 25),
);

/** Machines of the other providers: distributions in one service each, Ignition, Talos. */
export const distributionScenarios: readonly NamedScenario[] = [
  scenario(
    ["microk8s-refresh-between-two-revisions", "microk8s", "rebooted after success"],
    "snapd refreshes MicroK8s: the service of the old revision is stopped, that of the new one not begun.",
    waits(
      { units: { "snap.microk8s.daemon-kubelite.service": {} } },
      earlier(9, "/capi-scripts/10-join.sh"),
      file("/capi-scripts/10-join.sh", "microk8s join", -9 * day),
      file("/var/snap/microk8s/current/credentials/kubelet.config", "", -9 * day + 60),
      { "/var/snap/microk8s/current/certs/kubelet.crt": { ...certificateFor("node-1"), at: -9 * day + 60 } },
    ),
  ),
  scenario(
    ["k3s-configured-by-several-files", "k3s", "good"],
    "k3s whose configuration lies in config.yaml.d alone, with a data folder of its own.",
    passes(
      { units: runs("k3s-agent.service"), providers: ["k3s"] },
      ran(k3sCommands),
      k3sUnit,
      file("/etc/rancher/k3s/config.yaml.d/10-cluster.yaml", "server: https://10.0.0.4:6443\n", 25),
      file("/etc/rancher/k3s/config.yaml.d/20-disk.yaml", "data-dir: /data/k3s\n", 25),
      sentinel,
    ),
  ),
  scenario(
    ["rke2-configured-by-several-files", "rke2", "good"],
    "RKE2 with the same in its own folder.",
    passes(
      { units: runs("rke2-server.service"), providers: ["rke2"] },
      ran(rke2Commands("server")),
      file("/etc/rancher/rke2/config.yaml", "server: https://10.0.0.4:9345\n", 25),
      file("/etc/rancher/rke2/config.yaml.d/50-disk.yaml", "data-dir: /data/rke2\n", 25),
      sentinel,
    ),
  ),
  scenario(
    ["k3s-clone-with-several-files", "k3s", "cloned"],
    "A clone of such a node without user data of its own: the folder's files are the donor's.",
    waits(
      { units: runs("k3s-agent.service") },
      cloudInitDone(),
      emptyUserData,
      file("/etc/systemd/system/k3s-agent.service", "ExecStart=/usr/local/bin/k3s agent\n", -9 * day),
      file("/etc/rancher/k3s/config.yaml.d/20-disk.yaml", "data-dir: /data/k3s\n", -9 * day),
    ),
  ),
  scenario(
    ["k3s-several-files-in-the-usual-folder", "k3s", "good"],
    "k3s with several files and its node where it usually is.",
    passes(
      { units: runs("k3s-agent.service") },
      ran(k3sCommands),
      k3sUnit,
      file("/etc/rancher/k3s/config.yaml.d/10-cluster.yaml", "server: https://10.0.0.4:6443\n", 25),
      rancherNode("k3s"),
      sentinel,
    ),
  ),
  scenario(
    ["rke2-server-waits-for-etcd", "rke2", "hung"],
    "An RKE2 server whose etcd has no quorum yet: the unit is activating for minutes, the sentinel is written.",
    waits(
      { uptime: 1500, units: { "rke2-server.service": starting } },
      ran(rke2Commands("server")),
      file("/etc/rancher/rke2/config.yaml", "server: https://10.0.0.4:9345\n", 25),
      rancherNode("rke2"),
      sentinel,
    ),
  ),
  scenario(
    ["rke2-server-start-timed-out", "rke2", "hung"],
    "The same when systemd ended the start by its own limit and begins anew.",
    waits(
      { uptime: 1500, units: { "rke2-server.service": { ...restarting, result: "timeout" } } },
      cloudInitDone({ errors: [scriptsError] }),
      userCommands(rke2Commands("server")),
      file("/etc/rancher/rke2/config.yaml", "server: https://10.0.0.4:9345\n", 25),
      sentinel,
    ),
  ),
  scenario(
    ["installed-by-coreos-installer", "kubeadm-ignition", "hung"],
    "Flatcar or Fedora CoreOS put on its disk by an installer, whose own first start wrote Ignition's mark; kubeadm.service runs.",
    waits(
      { units: { "kubeadm.service": starting }, stage: "kubeadm-running" },
      file("/etc/.ignition-result.json", '{"provisioningDate":"2026-01-09T08:00:00Z"}', -day),
      file("/etc/kubeadm.sh", "", -day),
      file("/etc/kubeadm.yml", "", -day),
      file("/etc/systemd/system/kubeadm.service", "[Service]\n", -day),
    ),
  ),
  scenario(
    ["installed-by-coreos-installer-joined", "kubeadm-ignition", "rebooted after success"],
    "The same, joined; the sentinel went with a later restart.",
    passes(
      { units: { ...kubeletActive, "kubeadm.service": {} } },
      file("/etc/.ignition-result.json", '{"provisioningDate":"2026-01-09T08:00:00Z"}', -2 * day),
      file("/etc/kubeadm.sh", "", -2 * day),
      file("/etc/systemd/system/kubeadm.service", "[Service]\n", -2 * day),
      joinedNode("node-1", -day),
    ),
  ),
  scenario(
    ["k3s-configuration-by-variable", "k3s", "good"],
    "k3s reads the file that K3S_CONFIG_FILE names, and that names a data folder: nothing where the check looks says so.",
    waits(
      { units: runs("k3s-agent.service") },
      ran(k3sCommands),
      file("/etc/systemd/system/k3s-agent.service", "Environment=K3S_CONFIG_FILE=/data/k3s.yaml\n", 50),
      file("/data/k3s.yaml", "data-dir: /data/k3s\n", 25),
      sentinel,
    ),
  ),
  scenario(
    ["rke2-agent-with-its-own-data-folder", "rke2", "joined"],
    "RKE2 with data-dir on a data disk (CAPRKE2's dataDir): its node's files are not where they usually are.",
    passes(
      { units: runs("rke2-agent.service"), providers: ["rke2"] },
      ran(rke2Commands()),
      rke2Config("data-dir: /data/rke2\n"),
      sentinel,
    ),
  ),
  scenario(
    ["rke2-agent-with-its-own-data-folder-not-joined", "rke2", "joining"],
    "The same, whose service runs and whose kubelet does not answer: nothing proves it.",
    waits(
      { units: runs("rke2-agent.service"), healthz: { kind: "refused" } },
      ran(rke2Commands()),
      rke2Config("data-dir: /data/rke2\n"),
      sentinel,
    ),
  ),
  scenario(
    ["rke2-clone-with-its-donor's-data-folder", "rke2", "cloned"],
    "A clone of such a node without user data of its own: its configuration is the donor's, and there is no sentinel.",
    waits(
      { units: runs("rke2-agent.service") },
      cloudInitDone(),
      emptyUserData,
      file("/etc/rancher/rke2/config.yaml", "data-dir: /data/rke2\n", -9 * day),
    ),
  ),
  scenario(
    ["k3s-node-with-its-own-data-folder-in-the-service", "k3s", "joined"],
    "k3s whose data-dir is an argument of its service.",
    passes(
      { units: runs("k3s-agent.service"), providers: ["k3s"] },
      ran(`curl -sfL https://get.k3s.io | sh -s - agent --data-dir /data/k3s && ${sentinelCommand}`),
      file("/etc/systemd/system/k3s-agent.service", "ExecStart=k3s agent '--data-dir' '/data/k3s'\n", 55),
      sentinel,
    ),
  ),
  scenario(
    ["ignition-node-whose-host-name-has-a-domain", "kubeadm-ignition", "rebooted"],
    "A Flatcar node, rebooted: its host has got a domain from DHCP since, its node the short name.",
    passes(
      { units: { ...kubeletActive, "kubeadm.service": {} }, hostName: "Node-1.internal.cloudapp.net" },
      file("/etc/.ignition-result.json", "{}", -30 * day),
      file("/etc/kubeadm.sh", "", -30 * day),
      file("/etc/systemd/system/kubeadm.service", "", -30 * day),
      file("/var/lib/waagent/provisioned", "", 12),
      joinedNode("node-1", -30 * day + 60),
    ),
  ),
  scenario(
    ["k3s-on-a-machine-without-systemd", "k3s", "joined"],
    "k3s under OpenRC: nothing tells of its service, and its kubelet answers well.",
    passes(
      { units: { "k3s.service": { load: "no-systemd" }, "k3s-agent.service": { load: "no-systemd" } } },
      ran(`curl -sfL https://get.k3s.io | sh -s - agent && ${sentinelCommand}`),
      sentinel,
      file("/var/lib/rancher/k3s/agent/kubelet.kubeconfig", "kind: Config\n", 70),
      { "/var/lib/rancher/k3s/agent/client-kubelet.crt": { ...certificateFor("node-1"), at: 70 } },
    ),
  ),
  scenario(
    ["rke2-agent-rebooted-with-a-rotated-certificate", "rke2", "rebooted"],
    "A working RKE2 agent after a reboot: its certificate was made anew at the start of its service, the sentinel is gone.",
    passes({ units: runs("rke2-agent.service") }, earlier(90, rke2Commands()), rke2Config(), rancherNode("rke2", 25)),
  ),
  scenario(
    ["power-state-restarts-into-the-service", "rke2", "hung"],
    "The user data enables RKE2 without starting it; cloud-init's power_state restarts the machine in two minutes, and then it starts.",
    waits(
      { units: { "rke2-agent.service": {} }, uptime: 130 },
      ran("systemctl enable rke2-agent.service"),
      rke2Config(),
      restartAt(220),
    ),
    passes(
      { units: runs("rke2-agent.service"), uptime: 90, bootId: "boot-2" },
      earlier(0.01, "systemctl enable rke2-agent.service"),
      rke2Config(),
      rancherNode("rke2", 30),
    ),
  ),
  scenario(
    ["update-restarts-at-night", "rke2", "failed"],
    "Unattended upgrades will restart the machine in some hours: that helps no bootstrap whose service was never started.",
    fails(
      { units: { "rke2-agent.service": {} }, reason: "BootstrapServiceNotStarted" },
      ran("systemctl enable rke2-agent.service"),
      rke2Config(),
      restartAt(30_000),
    ),
  ),
  ...(["rke2-agent.service", "k3s-agent.service"] as const).map((unit) =>
    scenario(
      [`${unit.split(".")[0] ?? ""}-between-two-starts`, unit.slice(0, 4).replace("-", ""), "hung"],
      "The service ended because its server does not answer yet, and cleans up behind itself (ExecStopPost) before systemd starts it again.",
      waits(
        { units: { [unit]: stopping } },
        ran(unit.startsWith("k3s") ? k3sCommands : rke2Commands()),
        unit.startsWith("k3s") ? file(`/etc/systemd/system/${unit}`, "", 50) : rke2Config(),
        sentinel,
      ),
    ),
  ),
  scenario(
    ["rke2-by-ignition-installs", "rke2", "hung"],
    "RKE2 on Flatcar: the unit that Ignition wrote downloads it.",
    waits({ units: { "rke2-install.service": starting } }, ignitionRke2),
  ),
  scenario(
    ["rke2-by-ignition-not-installed", "rke2", "failed"],
    "The same unit failed: nothing begins it again in this boot.",
    fails({ units: { "rke2-install.service": failedUnit }, reason: "BootstrapServiceFailed" }, ignitionRke2),
  ),
  scenario(
    ["rke2-by-ignition-rebooted", "rke2", "rebooted after success"],
    "The same, joined and rebooted: the unit does not run again, since its own mark lies in /etc.",
    passes(
      { units: { "rke2-install.service": {}, "rke2-agent.service": active } },
      all(
        ignitionRke2,
        rancherNode("rke2", 40),
        file("/var/lib/waagent/provisioned", "x", 12),
        file("/etc/cluster-api/bootstrap-success.complete", "success", -day),
      ),
    ),
  ),
  scenario(
    ["k3s-without-a-network", "k3s", "good"],
    "k3s from files that the image brings: its script does not name get.k3s.io.",
    passes(
      { units: runs("k3s-agent.service"), providers: ["k3s"] },
      ran("INSTALL_K3S_SKIP_DOWNLOAD=true sh /opt/install.sh && touch s"),
      file("/etc/rancher/k3s/config.yaml", "", 25),
      file("/etc/systemd/system/k3s-agent.service", "", 50),
      rancherNode("k3s"),
      sentinel,
    ),
  ),
  scenario(
    ["k0s-by-ignition-joined", "k0s", "good"],
    "k0s on Flatcar, where no cloud-init is: its worker runs and has its certificate.",
    passes(
      { units: runs("k0sworker.service") },
      file("/var/lib/waagent/provisioned", "x", 12),
      file("/etc/k0s.token", "", 8),
      file("/etc/systemd/system/k0sworker.service", "", 40),
      file("/var/lib/k0s/kubelet.conf", "", 70),
      { "/var/lib/k0s/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: 75 } },
    ),
  ),
  scenario(
    ["canonical-kubernetes-refused", "canonical-kubernetes", "failed"],
    "The join of Canonical Kubernetes was refused, and its last command wrote the sentinel all the same.",
    fails(
      { units: { "snap.k8s.kubelet.service": {} } },
      cloudInitDone({ errors: [scriptsError] }),
      userCommands("/capi/scripts/join-cluster.sh\n/capi/scripts/create-sentinel-bootstrap.sh"),
      file("/capi/scripts/join-cluster.sh", "", 25),
      sentinel,
    ),
  ),
  scenario(
    ["microk8s-still-installs", "microk8s", "hung"],
    "snapd still downloads MicroK8s; cloud-init runs its script.",
    waits(
      { ...inFinal(200, "snap"), stage: "installing-packages" },
      cloudInitRuns("modules-final"),
      file("/capi-scripts/00-install-microk8s.sh", "", 25),
    ),
  ),
  scenario(
    ["ignition-again-on-a-node", "kubeadm-ignition", "rebooted after success"],
    "Ignition was asked to run again on a Flatcar worker: kubeadm.service fails at the node's own files, and the node is well.",
    passes(
      { units: { ...kubeletActive, "kubeadm.service": failedUnit } },
      file("/etc/.ignition-result.json", "{}", 8),
      file("/etc/kubeadm.sh", "", 7),
      file("/etc/kubeadm.yml", "", 7),
      file("/etc/systemd/system/kubeadm.service", "", 7),
      joinedNode("node-1", -9 * day),
    ),
  ),
  ...(
    [
      [
        "rke2-server-stopped",
        "rke2-server.service",
        ran(rke2Commands("server")),
        all(rke2Config(), rancherNode("rke2")),
      ],
      ["k3s-under-a-name-of-its-own", "k3s-agent.service", ran(k3sCommands), all(rancherNode("k3s"), sentinel)],
      [
        "canonical-kubernetes-refreshed",
        "snap.k8s.kubelet.service",
        ran("/capi/scripts/join-cluster.sh"),
        canonicalNode,
      ],
      ["microk8s-refreshed", "snap.microk8s.daemon-kubelite.service", ran("/capi-scripts/10-join.sh"), microk8sNode],
    ] as const
  ).map(([name, unit, commands, node]) =>
    scenario(
      [name, name.replace(/-(?:server|under|refreshed).*$/u, ""), "joined"],
      "A node of this boot whose service does not run: a restore, an upgrade or a person stopped it, or it has another name.",
      waits({ units: name.startsWith("k3s") ? {} : { [unit]: {} } }, commands, node),
    ),
  ),
  scenario(
    ["k0s-with-a-kubelet-folder-of-its-own", "k0s", "joined"],
    "k0s whose kubelet keeps its certificate in another folder (--kubelet-root-dir).",
    passes(
      { units: runs("k0sworker.service"), providers: ["k0s"] },
      ran(`k0s install worker --token-file /etc/k0s.token --kubelet-root-dir=/var/lib/kubelet\ntouch s`),
      file("/etc/systemd/system/k0sworker.service", "ExecStart=k0s worker --kubelet-root-dir=/var/lib/kubelet\n", 50),
      file("/var/lib/k0s/kubelet.conf", "", 70),
      sentinel,
    ),
  ),
  ...(
    [
      ["microk8s", kubelite, microk8sOfDonor, "success"],
      ["rke2", runs("rke2-agent.service"), rancherOfDonor, "waiting"],
    ] as const
  ).map(([donor, units, left, verdict]) =>
    scenario(
      [
        `kubeadm-node-made-from-a-${donor}-node`,
        "kubeadm",
        verdict === "success" ? "rebooted after success" : "joining",
      ],
      `No record dates the node, which has its host's name; the image was a ${donor} node, whose service runs with the donor's certificate.`,
      told(verdict, { units: { ...units, ...kubeletActive } }, joinData, joinedNode("node-1", -9 * day), left),
    ),
  ),
  scenario(
    ["k0s-by-ignition-not-installed", "k0s", "failed"],
    "k0smotron's unit on Flatcar downloads k0s, and then has failed: nothing begins it again in this boot.",
    waits({ units: { "k0s-bootstrap.service": starting } }, ignitionK0s),
    fails({ units: { "k0s-bootstrap.service": failedUnit }, reason: "BootstrapServiceFailed" }, ignitionK0s),
  ),
  scenario(
    ["microk8s-gets-the-keys-of-its-cluster", "microk8s", "joining"],
    "The first MicroK8s of a cluster runs as one of its own until the commands behind its installation have ended.",
    waits(
      { ...inFinal(30, "snap"), units: kubelite },
      cloudInitRuns("modules-final"),
      beginsMicrok8s,
      microk8sCertificate,
    ),
    passes({ units: kubelite }, cloudInitDone(), beginsMicrok8s, microk8sCertificate),
  ),
];
