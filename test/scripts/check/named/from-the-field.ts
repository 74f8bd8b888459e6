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
  initCommands,
  joinCommands,
  joinData,
  joinedNode,
  joins,
  k3sCommands,
  kubeletActive,
  linux,
  outputLog,
  outputLogAt,
  passes,
  rancherNode,
  rebooted,
  rke2Commands,
  scenario,
  scriptsError,
  scriptsMark,
  sentinel,
  userCommands,
  userData,
  waits,
} from "./parts.ts";

const idle = { "kubelet.service": {} };
const bootstraps: Files = file("/etc/kubernetes/bootstrap-kubelet.conf", "", 60);
const stopping = { active: "deactivating", sub: "stop-post" } as const;
const began = "[preflight] Running pre-flight checks";
const gaveUp = "error execution phase kubelet-start: error uploading crisocket: timed out waiting for the condition";
const result = (v1: object, at = 100): Files => file("/run/cloud-init/result.json", JSON.stringify({ v1 }), at);
const commands = (script: string): Files => all(cloudInitDone(), userCommands(script));
const handMade = "/opt/prepare.sh\nkubeadm join --config /etc/join.yaml";
const restartAt = (seconds: number): Files =>
  file(
    "/run/systemd/shutdown/scheduled",
    `USEC=${(1_768_032_000 + seconds) * 1_000_000}\nWARN_WALL=1\nMODE=reboot\n`,
    99,
  );
const rke2Config = file("/etc/rancher/rke2/config.yaml", "server: https://10.0.0.4:9345\n", 25);
const controlPlane: Files = all(
  file("/run/kubeadm/kubeadm.yaml", "", 25),
  file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", 60),
);
const inFinal = (seconds: number, name: string): Pick<MachineShape, "processes"> => ({
  processes: { "cloud-init-main.service": [{ name, ageMs: seconds * 1000 }] },
});
const ignitionRke2 = all(
  file("/etc/.ignition-result.json", "{}", 8),
  file("/etc/rke2-install.sh", "", 7),
  file("/etc/rancher/rke2/config.yaml", "server: https://10.0.0.4:9345\n", 7),
);

/** Machines as public issues, manuals and sources show them: of cloud-init, of Azure, of kubeadm's newer phases, of other providers. */
export const fieldScenarios: readonly NamedScenario[] = [
  // ---- cloud-init ----
  scenario(
    ["degraded-by-a-deprecated-key", "kubeadm", "good"],
    "cloud-init 24: deprecated keys make its end degraded; recoverable errors stand beside empty errors, and the node has joined without a sentinel of this boot.",
    passes(
      linux(
        kubeletActive,
        joins(),
        joinedNode(),
        result({
          datasource: "DataSourceAzure [seed=/dev/sr0]",
          errors: [],
          recoverable_errors: { DEPRECATED: ["x"] },
        }),
      ),
    ),
  ),
  scenario(
    ["schema-warning-and-no-commands", "none", "failed"],
    "The user data is no YAML: cloud-init 23 warns of its schema, ends without an error, and has made no script of its runcmd.",
    fails(
      "NoBootstrapData",
      linux(idle, cloudInitDone(), file(userData, "#cloud-config\nruncmd:\n  - [kubeadm\n", 20), scriptsMark()),
    ),
  ),
  scenario(
    ["one-process-runs-all-stages", "kubeadm", "hung"],
    "cloud-init 25 runs all stages in cloud-init-main.service: kubeadm is a child of that.",
    waits(
      { ...linux(idle, cloudInitRuns("modules-final"), joinData), ...inFinal(40, "kubeadm") },
      { stage: "kubeadm-join" },
    ),
  ),
  scenario(
    ["one-process-was-killed", "kubeadm", "failed"],
    "The same process was killed for want of memory: cloud-final.service fails, and no result is written.",
    fails(
      "CloudInitFailed",
      linux(
        {
          ...idle,
          "cloud-final.service": failedUnit,
          "cloud-init-main.service": { ...failedUnit, result: "oom-kill" },
        },
        cloudInitRuns("modules-final"),
        joinData,
      ),
    ),
  ),
  scenario(
    ["error-of-a-script-of-the-vendor", "custom", "hung"],
    "A script of vendor data failed; the user's own script left a join behind that goes on.",
    waits(
      linux(
        idle,
        cloudInitDone({
          errors: ["('scripts_vendor', RuntimeError('Runparts: 1 failures (part-001) in 1 attempted commands'))"],
        }),
        userCommands("/opt/join.sh &"),
      ),
    ),
  ),
  scenario(
    ["error-of-a-script-at-every-boot", "custom", "hung"],
    "A script that the image runs at every boot failed; the user's own script goes on in a service of its own.",
    waits(
      linux(
        idle,
        cloudInitDone({
          errors: ["('scripts_per_boot', RuntimeError('Runparts: 1 failures (tune.sh) in 2 attempted commands'))"],
        }),
        userCommands("systemctl start --no-block join"),
      ),
    ),
  ),
  scenario(
    ["image-joins-by-a-script-at-every-boot", "none", "failed"],
    "An image whose script for every boot joins; no user data. The script failed.",
    fails(
      "CloudInitFailed",
      linux(
        idle,
        cloudInitDone({
          errors: ["('scripts_per_boot', RuntimeError('Runparts: 1 failures (join.sh) in 1 attempted commands'))"],
        }),
        emptyUserData,
        scriptsMark(),
      ),
    ),
  ),
  scenario(
    ["two-parts-with-commands", "kubeadm", "failed"],
    "Two parts of cloud-config with a runcmd each: the later one replaced that of the provider, so kubeadm was never begun.",
    fails("KubeadmFailed", linux(idle, commands("apt-get install -y jq"), joinData)),
  ),
  scenario(
    ["interface-renamed-too-late", "kubeadm", "good"],
    "An interface was attached late: cloud-init's first stage failed over its name, and the bootstrap went well all the same.",
    passes(
      linux(
        kubeletActive,
        joins(["Not all expected physical devices present: {'00:0d:3a:11:22:33'}"]),
        joinedNode(),
        sentinel,
      ),
      { remarks: "physical devices" },
    ),
  ),
  scenario(
    ["result-not-written-on-a-full-run", "kubeadm", "good"],
    "/run is full: cloud-init ended without its result, and the sentinel with it; the node is well.",
    passes(
      linux(
        { ...kubeletActive, "cloud-final.service": failedUnit },
        cloudInitRuns("modules-final"),
        userCommands(joinCommands),
        joinedNode(),
      ),
    ),
  ),
  scenario(
    ["disk-full-at-the-first-stage", "none", "failed"],
    "The disk was full when cloud-init wrote the user data: an empty file, no scripts, and its error.",
    fails(
      "CloudInitFailed",
      linux(idle, cloudInitDone({ errors: ["OSError(28, 'No space left on device')"] }), emptyUserData),
    ),
  ),
  scenario(
    ["scripts-may-not-be-executed", "kubeadm", "failed"],
    "/var is mounted noexec, or SELinux refuses: no script of the user ran.",
    fails(
      "CloudInitFailed",
      linux(idle, joins([scriptsError]), outputLog("/var/lib/cloud/instance/scripts/runcmd: Permission denied")),
    ),
  ),
  scenario(
    ["power-state-restarts-into-the-service", "rke2", "hung"],
    "The user data enables RKE2 without starting it; cloud-init's power_state restarts the machine in two minutes, and then it starts.",
    waits({
      ...linux(
        { "rke2-agent.service": {} },
        commands("systemctl enable rke2-agent.service"),
        rke2Config,
        restartAt(220),
      ),
      uptime: 130,
    }),
    passes({
      ...linux(
        { "rke2-agent.service": active },
        earlier(0.01, "systemctl enable rke2-agent.service"),
        rke2Config,
        rancherNode("rke2", 30),
      ),
      uptime: 90,
      bootId: "boot-2",
    }),
  ),
  scenario(
    ["update-restarts-at-night", "rke2", "failed"],
    "Unattended upgrades will restart the machine in some hours: that helps no bootstrap whose service was never started.",
    fails(
      "BootstrapServiceNotStarted",
      linux(
        { "rke2-agent.service": {} },
        commands("systemctl enable rke2-agent.service"),
        rke2Config,
        restartAt(30_000),
      ),
    ),
  ),
  scenario(
    ["second-part-after-a-restart", "kubeadm", "hung"],
    "The user's script wrote a unit that joins, and restarted the machine for a driver: the boot waits for that unit, which prepares.",
    waits({
      ...linux({ ...idle, "multi-user.target": { job: "start" } }, earlier(0.01, `${handMade}\nreboot`)),
      uptime: 60,
    }),
    fails(
      "BootstrapInterrupted",
      linux({ ...idle, "multi-user.target": active }, earlier(0.01, `${handMade}\nreboot`)),
    ),
  ),
  scenario(
    ["join-in-a-unit-that-tries-again", "kubeadm", "hung"],
    "The user's script wrote and started a unit that runs kubeadm join until it succeeds; between two attempts no kubeadm runs.",
    waits(
      linux(
        { ...idle, "join.service": restarting },
        commands(
          "cat > /etc/systemd/system/join.service <<EOF\nExecStart=kubeadm join\nEOF\nsystemctl start --no-block join",
        ),
      ),
    ),
  ),
  scenario(
    ["hand-made-join-that-failed", "kubeadm", "failed"],
    "A hand-made script joins in the foreground and fails: kubeadm's own words say so.",
    fails(
      "KubeadmFailed",
      linux(
        idle,
        commands(`${handMade} || true`),
        outputLog(began, "error execution phase preflight: couldn't validate the identity of the API Server"),
      ),
      { says: "validate the identity" },
    ),
  ),
  // ---- Azure ----
  scenario(
    ["prepared-machine-taken-days-later", "kubeadm", "good"],
    "A pre-provisioned machine waited for two days in cloud-init's first stage before it was given away; then it joined, and a command removed /run/cluster-api.",
    passes({
      ...linux(
        kubeletActive,
        cloudInitDone({ instanceAt: 2 * day }),
        userCommands(joinCommands, 2 * day + 20),
        joinedNode("node-1", 2 * day + 60),
      ),
      uptime: 2 * day + 300,
    }),
  ),
  scenario(
    ["prepared-machine-still-waits", "kubeadm", "hung"],
    "The same machine while it still waits.",
    waits({ ...linux(idle, cloudInitRuns("init-local")), uptime: 2 * day }, { stage: "cloud-init-local" }),
  ),
  scenario(
    ["saved-machine-with-a-clock-that-stood", "kubeadm", "good"],
    "A machine that was saved for a week: its clock was set forward when chrony came, after the join.",
    passes({ ...linux(kubeletActive, joins(), joinedNode("worker-a")), clockStep: 7 * day }),
  ),
  scenario(
    ["renamed-by-the-platform-before-the-join", "kubeadm", "good"],
    "The image's host name stood until the second stage; the node has the name that the platform gave.",
    passes({ ...linux(kubeletActive, joins(), joinedNode("vmss000003")), hostName: "vmss000003" }),
  ),
  scenario(
    ["operating-system-disk-made-anew", "kubeadm", "hung"],
    "An ephemeral disk was re-imaged, etcd's data disk kept its folder: kubeadm init refuses, by its own words.",
    fails(
      "CloudInitFailed",
      linux(
        idle,
        cloudInitDone({ errors: [scriptsError] }),
        userCommands(initCommands),
        file("/run/kubeadm/kubeadm.yaml", "", 25),
        outputLog(
          "[init] Using Kubernetes version: v1.34.1",
          "\t[ERROR DirAvailable--var-lib-etcd]: /var/lib/etcd is not empty",
        ),
      ),
      { says: "var-lib-etcd" },
    ),
  ),
  scenario(
    ["provisioned-by-the-agent-alone", "kubeadm", "good"],
    "No cloud-init: the guest agent ran the custom data, which joined; there is no sentinel.",
    passes(
      linux(
        kubeletActive,
        file("/var/lib/waagent/provisioned", "x", 20),
        file("/var/lib/waagent/CustomData", "#!/bin/sh\nkubeadm join\n", 15),
        joinedNode(),
      ),
    ),
  ),
  scenario(
    ["metadata-service-late", "none", "hung"],
    "The metadata service does not answer yet: cloud-init asks for twenty minutes.",
    waits({ ...linux(idle, cloudInitRuns("init-local")), uptime: 900 }),
  ),
  scenario(
    ["root-on-an-overlay-rebooted", "kubeadm", "good"],
    "The root is an overlay in memory: every boot is the first one, and joined again.",
    passes({ ...linux(kubeletActive, joins(), joinedNode(), sentinel), uptime: 200, bootId: "boot-7" }),
  ),
  // ---- kubeadm and the kubelet ----
  scenario(
    ["kubelet-ended-itself-for-want-of-a-certificate", "kubeadm", "hung"],
    "kubeadm gave up; the kubelet, whose request nobody has signed for five minutes, ends and is started again, as it does every five minutes.",
    waits(
      {
        ...linux(
          { "kubelet.service": { ...restarting, restarts: 1 } },
          joins([scriptsError]),
          bootstraps,
          outputLog(began, gaveUp),
        ),
        uptime: 400,
      },
      { stage: "kubelet-tls-bootstrap" },
    ),
  ),
  scenario(
    ["kubelet-crashes-and-kubeadm-gave-up", "kubeadm", "failed"],
    "kubeadm gave up on a kubelet that ends as soon as it is started (swap, cgroups): no certificate will come.",
    fails("CloudInitFailed", {
      ...linux(
        { "kubelet.service": { ...restarting, restarts: 24 } },
        joins([scriptsError]),
        bootstraps,
        outputLog(began, gaveUp),
      ),
      uptime: 400,
    }),
  ),
  scenario(
    ["etcd-did-not-take-the-control-plane", "kubeadm", "failed"],
    "kubeadm 1.33 joins etcd before it waits for the kubelet, which asks this machine's own API server for its certificate: without etcd there is none.",
    fails(
      "CloudInitFailed",
      linux(
        kubeletActive,
        cloudInitDone({ errors: [scriptsError] }),
        userCommands(joinCommands),
        joinData,
        bootstraps,
        file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", 50),
        outputLog(
          began,
          "error execution phase etcd-join: error creating local etcd static pod manifest file: etcdserver: unhealthy cluster",
        ),
      ),
      { says: "etcd-join" },
    ),
  ),
  scenario(
    ["etcd-learner-not-promoted", "kubeadm", "failed"],
    "A control plane whose etcd stayed a learner: kubeadm failed in its last phases, and the kubelet is well.",
    fails(
      "KubeadmFailed",
      linux(
        kubeletActive,
        commands(`${joinCommands} || true`),
        joinData,
        joinedNode(),
        file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", 50),
        outputLog(
          began,
          "error execution phase control-plane-join/etcd: etcdserver: can only promote a learner member which is in sync with leader",
        ),
      ),
    ),
  ),
  scenario(
    ["control-plane-whose-kubelet-does-not-rotate", "kubeadm", "rebooted after success"],
    "rotateCertificates is off: kubeadm leaves its certificate in kubelet.conf for ever. The log was rotated away.",
    waits(
      linux(
        kubeletActive,
        earlier(9, initCommands),
        file("/etc/kubernetes/kubelet.conf", "client-certificate-data: x", -9 * day + 60),
        file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", -9 * day + 50),
        file("/var/lib/kubelet/config.yaml", "rotateCertificates: false\n", -9 * day + 50),
      ),
    ),
  ),
  ...[
    ["sysconfig", "/etc/sysconfig/kubelet", "KUBELET_EXTRA_ARGS=--healthz-port=0\n"],
    [
      "drop-in",
      "/etc/systemd/system/kubelet.service.d/20-extra.conf",
      "Environment=KUBELET_EXTRA_ARGS=--healthz-port=0\n",
    ],
  ].map(([kind = "", path = "", text = ""]) =>
    scenario(
      [`kubelet-without-health-by-${kind}`, "kubeadm", "rebooted after success"],
      `The kubelet's health is switched off in ${path}: its silence says nothing of the node.`,
      passes({ ...linux(kubeletActive, rebooted(), file(path, text, -9 * day)), healthz: { kind: "refused" } }),
    ),
  ),
  scenario(
    ["kubelet-renewed-this-minute", "kubeadm", "rebooted after success"],
    "A node after ten months, rebooted: its kubelet has just renewed its certificate, the link leads to a new file.",
    passes(
      linux(kubeletActive, rebooted(300), {
        "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1", { from: 0 }), at: 30 },
      }),
    ),
  ),
  scenario(
    ["static-pods-only", "custom", "good"],
    "A kubelet that runs static pods alone, and knows no cluster: its script wrote the sentinel.",
    passes(
      linux(
        kubeletActive,
        commands("systemctl enable --now kubelet"),
        file("/etc/kubernetes/manifests/app.yaml"),
        sentinel,
      ),
    ),
  ),
  scenario(
    ["tokens-cleaned-away-after-init", "kubeadm", "good"],
    "A command after kubeadm init removes /run/kubeadm and /run/cluster-api with their tokens, and with them the sentinel.",
    passes(
      linux(
        kubeletActive,
        commands(`${initCommands}\nrm -rf /run/kubeadm /run/cluster-api`),
        joinedNode(),
        file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", 60),
        outputLog(
          "[init] Using Kubernetes version: v1.35.0",
          "Your Kubernetes control-plane has initialized successfully!",
        ),
      ),
    ),
  ),
  scenario(
    ["disks-of-the-control-plane-not-made", "kubeadm", "good"],
    "disk_setup failed for a disk that is there already; kubeadm init went well.",
    passes(
      linux(
        kubeletActive,
        cloudInitDone({ errors: ["('disk_setup', ProcessExecutionError())"] }),
        userCommands(initCommands),
        joinedNode(),
        controlPlane,
        sentinel,
      ),
    ),
  ),
  scenario(
    ["words-in-another-language", "kubeadm", "failed"],
    "A shell that speaks German did not find kubeadm.",
    fails(
      "CloudInitFailed",
      linux(
        {},
        joins([scriptsError]),
        outputLog("/var/lib/cloud/instance/scripts/runcmd: Zeile 2: kubeadm: Kommando nicht gefunden."),
      ),
    ),
  ),
  scenario(
    ["joined-machine-of-a-pool-with-an-old-token", "kubeadm", "failed"],
    "A machine of a pool, made when the token of its user data had long expired.",
    fails(
      "CloudInitFailed",
      linux(
        { "kubelet.service": restarting },
        joins([scriptsError]),
        outputLogAt([
          38,
          began,
          'error execution phase preflight: couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"',
        ]),
      ),
      { says: "JWS" },
    ),
  ),
  // ---- other providers ----
  ...(["rke2-agent.service", "k3s-agent.service"] as const).map((unit) =>
    scenario(
      [`${unit.split(".")[0] ?? ""}-between-two-starts`, unit.slice(0, 4).replace("-", ""), "hung"],
      "The service ended because its server does not answer yet, and cleans up behind itself (ExecStopPost) before systemd starts it again.",
      waits(
        linux(
          { [unit]: stopping },
          commands(unit.startsWith("k3s") ? k3sCommands : rke2Commands()),
          unit.startsWith("k3s") ? file(`/etc/systemd/system/${unit}`, "", 50) : rke2Config,
          sentinel,
        ),
      ),
    ),
  ),
  scenario(
    ["rke2-by-ignition-installs", "rke2", "hung"],
    "RKE2 on Flatcar: the unit that Ignition wrote downloads it.",
    waits(linux({ "rke2-install.service": starting }, ignitionRke2)),
  ),
  scenario(
    ["rke2-by-ignition-not-installed", "rke2", "failed"],
    "The same unit failed: nothing begins it again in this boot.",
    fails("BootstrapServiceFailed", linux({ "rke2-install.service": failedUnit }, ignitionRke2)),
  ),
  scenario(
    ["rke2-by-ignition-rebooted", "rke2", "rebooted after success"],
    "The same, joined and rebooted: the unit does not run again, since its own mark lies in /etc.",
    passes(
      linux(
        { "rke2-install.service": {}, "rke2-agent.service": active },
        all(
          ignitionRke2,
          rancherNode("rke2", 40),
          file("/var/lib/waagent/provisioned", "x", 12),
          file("/etc/cluster-api/bootstrap-success.complete", "success", -day),
        ),
      ),
    ),
  ),
  scenario(
    ["k3s-without-a-network", "k3s", "good"],
    "k3s from files that the image brings: its script does not name get.k3s.io.",
    passes(
      linux(
        { "k3s-agent.service": active },
        commands("INSTALL_K3S_SKIP_DOWNLOAD=true sh /opt/install.sh && touch s"),
        file("/etc/rancher/k3s/config.yaml", "", 25),
        file("/etc/systemd/system/k3s-agent.service", "", 50),
        rancherNode("k3s"),
        sentinel,
      ),
      { providers: ["k3s"] },
    ),
  ),
  scenario(
    ["k0s-by-ignition-joined", "k0s", "good"],
    "k0s on Flatcar, where no cloud-init is: its worker runs and has its certificate.",
    passes(
      linux(
        { "k0sworker.service": active },
        file("/var/lib/waagent/provisioned", "x", 12),
        file("/etc/k0s.token", "", 8),
        file("/etc/systemd/system/k0sworker.service", "", 40),
        file("/var/lib/k0s/kubelet.conf", "", 70),
        { "/var/lib/k0s/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: 75 } },
      ),
    ),
  ),
  scenario(
    ["canonical-kubernetes-refused", "canonical-kubernetes", "failed"],
    "The join of Canonical Kubernetes was refused, and its last command wrote the sentinel all the same.",
    fails(
      "",
      linux(
        { "snap.k8s.kubelet.service": {} },
        cloudInitDone({ errors: [scriptsError] }),
        userCommands("/capi/scripts/join-cluster.sh\n/capi/scripts/create-sentinel-bootstrap.sh"),
        file("/capi/scripts/join-cluster.sh", "", 25),
        sentinel,
      ),
    ),
  ),
  scenario(
    ["microk8s-still-installs", "microk8s", "hung"],
    "snapd still downloads MicroK8s; cloud-init runs its script.",
    waits(
      {
        ...linux({}, cloudInitRuns("modules-final"), file("/capi-scripts/00-install-microk8s.sh", "", 25)),
        ...inFinal(200, "snap"),
      },
      { stage: "installing-packages" },
    ),
  ),
  scenario(
    ["talos", "none", "hung"],
    "Talos: no systemd, no cloud-init, no sentinel, and nothing that the check could read.",
    waits({ files: file("/etc/os-release", "ID=talos\n"), silent: ({ ask }) => ask === "units" }),
  ),
  scenario(
    ["kubelet-with-credentials-of-a-program", "custom", "good"],
    "A node whose kubelet gets its credentials from a program (as nodeadm sets it up): there is no certificate, but its script wrote the sentinel.",
    passes(
      linux(
        kubeletActive,
        commands("nodeadm init -c file:///etc/nodeadm.yaml && touch s"),
        file("/var/lib/kubelet/kubeconfig", "kind: Config\n", 60),
        sentinel,
      ),
    ),
  ),
  scenario(
    ["ignition-again-on-a-node", "kubeadm-ignition", "rebooted after success"],
    "Ignition was asked to run again on a Flatcar worker: kubeadm.service fails at the node's own files, and the node is well.",
    passes(
      linux(
        { ...kubeletActive, "kubeadm.service": failedUnit },
        file("/etc/.ignition-result.json", "{}", 8),
        file("/etc/kubeadm.sh", "", 7),
        file("/etc/kubeadm.yml", "", 7),
        file("/etc/systemd/system/kubeadm.service", "", 7),
        joinedNode("node-1", -9 * day),
      ),
    ),
  ),
];
