import { active, certificateFor, failedUnit, type MachineShape, restarting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  all,
  cloudInitDone,
  cloudInitRuns,
  day,
  earlier,
  fails,
  file,
  type Files,
  initCommands,
  instance,
  joinCommands,
  joinData,
  joinedNode,
  joins,
  kubeletActive,
  outputLog,
  outputLogAt,
  passes,
  ran,
  rebooted,
  runs,
  scenario,
  scriptsError,
  scriptsMark,
  sentinel,
  told,
  userCommands,
  userData,
  waits,
} from "./parts.ts";

const bootstraps: Files = file("/etc/kubernetes/bootstrap-kubelet.conf", "", 60);
const began = "[preflight] Running pre-flight checks";
const gaveUp = "error execution phase kubelet-start: error uploading crisocket: timed out waiting for the condition";
const controlPlane: Files = all(
  file("/run/kubeadm/kubeadm.yaml", "", 25),
  file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", 60),
);

/** cloud-init between two stages: its user data has come, and the next stage is still to begin. */
const between: Files = all(
  cloudInitRuns(""),
  file(`${instance}/scripts/runcmd`, `#!/bin/sh\n${joinCommands}\n`, 30),
  joinData,
);
const inactive = { active: "inactive", sub: "dead" };
const exited = { active: "active", sub: "exited" };
/** The boot is over, and systemd shows the unit of cloud-init's last stage, and that of the one process, like this. */
const booted = (final: object, main: object = active, more: Partial<MachineShape> = {}): MachineShape => ({
  ...more,
  units: {
    ...runs("multi-user.target"),
    "kubelet.service": {},
    "cloud-final.service": final,
    "cloud-init-main.service": main,
  },
});
const inMain = (name: string): Partial<MachineShape> => ({
  processes: { "cloud-init-main.service": [{ name, ageMs: 40_000 }] },
});

/** Machines as the sources of kubeadm, of the kubelet (up to 1.35) and of cloud-init's units (up to 26.2) show them. */
export const kubeletScenarios: readonly NamedScenario[] = [
  scenario(
    ["kubelet-ended-itself-for-want-of-a-certificate", "kubeadm", "hung"],
    "kubeadm gave up; the kubelet, whose request nobody has signed for five minutes, ends and is started again, as it does every five minutes.",
    waits(
      { units: { "kubelet.service": { ...restarting, restarts: 1 } }, uptime: 400, stage: "kubelet-tls-bootstrap" },
      joins([scriptsError]),
      bootstraps,
      outputLog(began, gaveUp),
    ),
  ),
  scenario(
    ["kubelet-crashes-and-kubeadm-gave-up", "kubeadm", "failed"],
    "kubeadm gave up on a kubelet that ends as soon as it is started (swap, cgroups): no certificate will come.",
    fails(
      { units: { "kubelet.service": { ...restarting, restarts: 24 } }, uptime: 400, reason: "CloudInitFailed" },
      joins([scriptsError]),
      bootstraps,
      outputLog(began, gaveUp),
    ),
  ),
  scenario(
    ["etcd-did-not-take-the-control-plane", "kubeadm", "failed"],
    "kubeadm 1.33 joins etcd before it waits for the kubelet, which asks this machine's own API server for its certificate: without etcd there is none.",
    fails(
      { units: kubeletActive, reason: "CloudInitFailed", says: "etcd-join" },
      joins([scriptsError]),
      bootstraps,
      file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", 50),
      outputLog(
        began,
        "error execution phase etcd-join: error creating local etcd static pod manifest file: etcdserver: unhealthy cluster",
      ),
    ),
  ),
  scenario(
    ["etcd-learner-not-promoted", "kubeadm", "failed"],
    "A control plane whose etcd stayed a learner: kubeadm failed in its last phases, and the kubelet is well.",
    fails(
      { units: kubeletActive, reason: "KubeadmFailed" },
      ran(`${joinCommands} || true`),
      joinData,
      joinedNode(),
      file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", 50),
      outputLog(
        began,
        "error execution phase control-plane-join/etcd: etcdserver: can only promote a learner member which is in sync with leader",
      ),
    ),
  ),
  scenario(
    ["control-plane-whose-kubelet-does-not-rotate", "kubeadm", "rebooted after success"],
    "rotateCertificates is off: kubeadm leaves its certificate in kubelet.conf for ever. The log was rotated away.",
    waits(
      { units: kubeletActive },
      earlier(9, initCommands),
      file("/etc/kubernetes/kubelet.conf", "client-certificate-data: x", -9 * day + 60),
      file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", -9 * day + 50),
      file("/var/lib/kubelet/config.yaml", "rotateCertificates: false\n", -9 * day + 50),
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
      passes({ units: kubeletActive, healthz: { kind: "refused" } }, rebooted(), file(path, text, -9 * day)),
    ),
  ),
  scenario(
    ["kubelet-renewed-this-minute", "kubeadm", "rebooted after success"],
    "A node after ten months, rebooted: its kubelet has just renewed its certificate, the link leads to a new file.",
    passes({ units: kubeletActive }, rebooted(300), {
      "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1", { from: 0 }), at: 30 },
    }),
  ),
  scenario(
    ["static-pods-only", "custom", "good"],
    "A kubelet that runs static pods alone, and knows no cluster: its script wrote the sentinel.",
    passes(
      { units: kubeletActive },
      ran("systemctl enable --now kubelet"),
      file("/etc/kubernetes/manifests/app.yaml"),
      sentinel,
    ),
  ),
  scenario(
    ["tokens-cleaned-away-after-init", "kubeadm", "good"],
    "A command after kubeadm init removes /run/kubeadm and /run/cluster-api with their tokens, and with them the sentinel.",
    passes(
      { units: kubeletActive },
      ran(`${initCommands}\nrm -rf /run/kubeadm /run/cluster-api`),
      joinedNode(),
      file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", 60),
      outputLog(
        "[init] Using Kubernetes version: v1.35.0",
        "Your Kubernetes control-plane has initialized successfully!",
      ),
    ),
  ),
  scenario(
    ["disks-of-the-control-plane-not-made", "kubeadm", "good"],
    "disk_setup failed for a disk that is there already; kubeadm init went well.",
    passes(
      { units: kubeletActive },
      cloudInitDone({ errors: ["('disk_setup', ProcessExecutionError())"] }),
      userCommands(initCommands),
      joinedNode(),
      controlPlane,
      sentinel,
    ),
  ),
  scenario(
    ["words-in-another-language", "kubeadm", "failed"],
    "A shell that speaks German did not find kubeadm.",
    fails(
      { reason: "CloudInitFailed" },
      joins([scriptsError]),
      outputLog("/var/lib/cloud/instance/scripts/runcmd: Zeile 2: kubeadm: Kommando nicht gefunden."),
    ),
  ),
  scenario(
    ["joined-machine-of-a-pool-with-an-old-token", "kubeadm", "failed"],
    "A machine of a pool, made when the token of its user data had long expired.",
    fails(
      { units: { "kubelet.service": restarting }, reason: "CloudInitFailed", says: "JWS" },
      joins([scriptsError]),
      outputLogAt([
        38,
        began,
        'error execution phase preflight: couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"',
      ]),
    ),
  ),
  scenario(
    ["talos", "none", "hung"],
    "Talos: no systemd, no cloud-init, no sentinel, and nothing that the check could read.",
    waits({ silent: ({ ask }) => ask === "units" }, file("/etc/os-release", "ID=talos\n")),
  ),
  scenario(
    ["kubelet-with-credentials-of-a-program", "custom", "good"],
    "A node whose kubelet gets its credentials from a program (as nodeadm sets it up): there is no certificate, but its script wrote the sentinel.",
    passes(
      { units: kubeletActive },
      ran("nodeadm init -c file:///etc/nodeadm.yaml && touch s"),
      file("/var/lib/kubelet/kubeconfig", "kind: Config\n", 60),
      sentinel,
    ),
  ),
  ...[
    [
      "disabled-before-its-last-stages",
      "write_files made /etc/cloud/cloud-init.disabled: since 23.4 each stage asks for it, so those that are left never begin.",
      inactive,
    ] as const,
    ["dropped", "systemd dropped cloud-final.service to break an ordering cycle.", inactive] as const,
    ["masked", "The image masks cloud-final.service.", { load: "masked", ...inactive }] as const,
  ].map(([name, what, final]): NamedScenario =>
    scenario(
      [`last-stage-${name}`, "kubeadm", "failed"],
      what,
      waits({ ...booted({ ...inactive, job: "start" }), uptime: 32 }, between),
      // Not while the boot goes on, nor right behind the stage before it, which somebody may have begun by hand.
      waits({ units: { "kubelet.service": {}, "cloud-final.service": final, "multi-user.target": {} } }, between),
      waits({ ...booted(final), uptime: 89 }, between),
      fails({ ...booted(final), reason: "CloudInitFailed", says: "although the boot is over" }, between),
    ),
  ),
  scenario(
    ["last-stage-skipped-and-joined-by-hand", "kubeadm", "hung"],
    "The last stage was skipped, and somebody runs kubeadm.",
    waits(
      booted(inactive, active, {
        processes: { "session-1.scope": [{ name: "kubeadm", ageMs: 9000, command: "join" }] },
      }),
      between,
    ),
  ),
  scenario(
    ["one-process-was-killed-and-its-stage-ended-well", "kubeadm", "failed"],
    "cloud-final.service only waits at the socket of the process that does the work (`nc -U … | sh`): when that is killed, it ends well.",
    waits(booted(exited, failedUnit, inMain("apt-get")), between, cloudInitRuns("modules-final"), scriptsMark(40)),
    fails(
      { ...booted(exited, { ...failedUnit, result: "oom-kill" }), reason: "CloudInitFailed", says: "oom-kill" },
      between,
      cloudInitRuns("modules-final"),
      scriptsMark(40),
    ),
  ),
  ...[
    ["own", "11111111-2222-3333-4444-555555555555", "success"] as const,
    ["another-machine's", "99999999-2222-3333-4444-555555555555", "waiting"] as const,
  ].map(([whose, id, verdict]): NamedScenario =>
    scenario(
      [`cloud-init-disabled-behind-the-join-with-${whose}-instance`, "kubeadm", "rebooted after success"],
      "A command after the join disabled cloud-init; the node is named otherwise than its host. The instance that cloud-init named last tells whose it is.",
      told(
        verdict,
        { units: kubeletActive },
        file("/etc/cloud/cloud.cfg"),
        file("/etc/cloud/cloud-init.disabled", "", -9 * day + 70),
        file("/run/cloud-init/disabled", "", 5),
        file("/var/lib/cloud/data/instance-id", `${id}\n`, -9 * day),
        file(`${instance}/sem/config_write_files`, "", -9 * day),
        file(`${instance}/scripts/runcmd`, `#!/bin/sh\n${joinCommands}\n`, -9 * day + 10),
        file(userData, "#cloud-config\n", -9 * day),
        scriptsMark(-9 * day + 20),
        joinedNode("worker-a", -9 * day + 60),
      ),
    ),
  ),
  ...[
    [60, "waiting", "it may have ended itself every minute for want of a certificate"] as const,
    [61, "failed", "it crashes, however long the machine has been up"] as const,
  ].map(([restarts, verdict, why]): NamedScenario =>
    scenario(
      [`kubelet-started-${String(restarts)}-times-again`, "kubeadm", verdict === "failed" ? "failed" : "hung"],
      `kubeadm gave up ten hours ago, and its kubelet was started again ${String(restarts)} times: ${why}.`,
      told(
        verdict,
        { units: { "kubelet.service": { ...restarting, restarts } }, uptime: 36_000 },
        joins([scriptsError]),
        bootstraps,
        outputLog(began, gaveUp),
      ),
    ),
  ),
];
