import { certificateFor, certificateOfName, restarting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudInitDone,
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
  kubeletActive,
  kubeletIdle,
  outputLog,
  passes,
  ran,
  rebooted,
  runs,
  scenario,
  sentinelCommand,
  told,
  userCommands,
  userData,
  waits,
} from "./parts.ts";

const kubeletCertificate = "/var/lib/kubelet/pki/kubelet-client-current.pem";
/** What CABPK's script for joins that are tried again says of a control plane: it runs kubeadm phase by phase. */
const retryCommands = `/usr/local/bin/kubeadm-bootstrap-script.sh && ${sentinelCommand}`;
const retryEnd = "cluster.x-k8s.io kubeadm bootstrap script /usr/local/bin/kubeadm-bootstrap-script.sh";
const phases = [
  "+++ [2026-01-10T08:00:41+00:00] running 'kubeadm join phase preflight --ignore-preflight-errors=DirAvailable--etc-kubernetes-manifests'",
  "[preflight] Running pre-flight checks",
  "+++ [2026-01-10T08:00:43+00:00] kubeadm reported successful execution for 'kubeadm join phase preflight'",
  "+++ [2026-01-10T08:00:52+00:00] running 'kubeadm join phase kubelet-start'",
  "[kubelet-start] Starting the kubelet",
];
const manifests = (at: number): Files => ({
  "/etc/kubernetes/manifests/kube-apiserver.yaml": { text: "", at },
  "/etc/kubernetes/manifests/etcd.yaml": { text: "", at },
});

/** Machines as operators run them, which neither the check's authors nor the model had thought of. */
export const operatorScenarios: readonly NamedScenario[] = [
  scenario(
    ["control-plane-of-the-retry-script-rebooted", "kubeadm", "rebooted"],
    "A control plane that CABPK's retry script joined phase by phase, rebooted: kubeadm itself never says that it is through.",
    passes(
      { units: kubeletActive, providers: ["kubeadm"] },
      rebooted(40, retryCommands),
      manifests(-40 * day + 50),
      outputLog(...phases, `+++ [2026-01-10T08:01:30+00:00] ${retryEnd} finished`),
    ),
  ),
  scenario(
    ["retry-script-failed-and-reset", "kubeadm", "failed"],
    "The retry script gave up and reset kubeadm; the error that it gave up for stands before the reset.",
    fails(
      { units: kubeletIdle, reason: "CloudInitFailed", says: "kubelet-start: timed out waiting" },
      cloudInitDone({
        errors: ["('scripts_user', RuntimeError('Runparts: 1 failures (runcmd) in 1 attempted commands'))"],
      }),
      userCommands(retryCommands),
      joinData,
      outputLog(
        ...phases,
        "error execution phase kubelet-start: timed out waiting for the condition",
        "!!! [2026-01-10T08:05:30+00:00] too many errors, exiting",
        "+++ [2026-01-10T08:05:30+00:00] Resetting kubeadm",
        "[preflight] Running pre-flight checks",
        '[reset] Deleted contents of the etcd data directory: "/var/lib/etcd"',
        "[reset] Stopping the kubelet service",
        `!!! [2026-01-10T08:05:33+00:00] ${retryEnd} exiting with status 1`,
      ),
    ),
  ),
  scenario(
    ["clone-whose-kubelet-renewed-its-donor's-certificate", "kubeadm", "cloned"],
    "A clone of a node of nearly a year: its kubelet renews the donor's certificate at once, in the donor's name.",
    fails(
      { units: kubeletActive, uptime: 130, reason: "ForeignNodeIdentity" },
      cloudInitDone(),
      emptyUserData,
      joinedNode("donor-7", -300 * day, { from: -300, to: 60 }),
    ),
    fails(
      { units: kubeletActive, reason: "ForeignNodeIdentity" },
      cloudInitDone(),
      emptyUserData,
      joinedNode("donor-7", -300 * day),
      { [kubeletCertificate]: { ...certificateFor("donor-7", { from: 0.001 }), at: 140 } },
    ),
  ),
  scenario(
    ["node-that-renewed-its-own-certificate", "kubeadm", "rebooted"],
    "A node of nearly a year that renewed its certificate and was rebooted; it is named otherwise than its host.",
    passes({ units: kubeletActive }, earlier(300, joinCommands), joinedNode("worker-a", -300 * day + 60), {
      [kubeletCertificate]: { ...certificateFor("worker-a"), at: -20 * day },
    }),
  ),
  scenario(
    ["clone-whose-kubelet-folder-is-mounted-late", "kubeadm", "cloned"],
    "A clone whose /var/lib/kubelet is a data disk that is mounted after the first look: the donor's certificate appears, and was not made.",
    waits(
      { units: { "kubelet.service": restarting }, uptime: 120, silent: ({ ask }) => ask === "names" },
      cloudInitDone(),
      emptyUserData,
      file("/etc/kubernetes/kubelet.conf", "kind: Config\n", -9 * day),
    ),
    fails(
      { units: kubeletActive, reason: "ForeignNodeIdentity" },
      cloudInitDone(),
      emptyUserData,
      joinedNode("donor-7", -9 * day),
    ),
  ),
  scenario(
    ["no-metadata-and-the-fallback-datasource", "none", "failed"],
    "cloud-init found no metadata and took its fallback, DataSourceNone: no error stands anywhere, and no user data was seen.",
    fails(
      { reason: "CloudInitFailed", says: "DataSourceNone" },
      cloudInitDone(),
      file("/run/cloud-init/result.json", JSON.stringify({ v1: { datasource: "DataSourceNone", errors: [] } }), 100),
      emptyUserData,
    ),
  ),
  scenario(
    ["node-of-another-name-after-a-boot-with-the-fallback-datasource", "kubeadm", "rebooted"],
    "A good node that is named otherwise than its host; at this boot cloud-init found no metadata and took its fallback.",
    waits(
      { units: kubeletActive },
      cloudInitDone(),
      file("/run/cloud-init/result.json", JSON.stringify({ v1: { datasource: "DataSourceNone", errors: [] } }), 100),
      emptyUserData,
      joinedNode("worker-a", -30 * day),
    ),
  ),
  ...[
    ["compressed", "\u001F\uFFFD\b\u0000\uFFFDqP\uFFFD"],
    [
      "base64",
      "Content-Type: multipart/mixed\n\n--x\nContent-Transfer-Encoding: base64\n\nI2Nsb3VkLWNvbmZpZwo=\n--x--\n",
    ],
    ["of-configuration-management", "#cloud-config\npuppet:\n  conf:\n    agent: {server: puppet.example.net}\n"],
    ["of-packages", "#cloud-config\npackages: [example-node-agent]\n"],
  ].map(([kind = "", text = ""]): NamedScenario =>
    scenario(
      [`user-data-without-a-script-${kind}`, "custom", "waiting"],
      `User data that leaves no script and is ${kind.replaceAll("-", " ")}: it may have begun something that goes on.`,
      waits({}, cloudInitDone(), { [userData]: { text, at: 20 } }),
    ),
  ),
  scenario(
    ["image-that-bootstraps-itself-by-a-service-of-its-own", "none", "joining"],
    "Empty user data: a unit of the image runs kubeadm, and multi-user.target waits for it.",
    waits(
      { units: { "multi-user.target": { active: "inactive", sub: "dead", job: "start" } } },
      cloudInitDone(),
      emptyUserData,
    ),
    waits(
      {
        units: runs("multi-user.target"),
        processes: { "join.service": [{ name: "kubeadm", ageMs: 4000 }] },
        stage: "kubeadm-running",
      },
      cloudInitDone(),
      emptyUserData,
    ),
    fails({ units: runs("multi-user.target"), reason: "NoBootstrapData" }, cloudInitDone(), emptyUserData),
  ),
  scenario(
    ["control-plane-by-a-later-part", "kubeadm", "failed"],
    "kubeadm init stands in the second part of multi-part user data; its late failure left words only there and in the log.",
    fails(
      { units: kubeletActive, reason: "KubeadmFailed" },
      cloudInitDone(),
      userCommands("", 40),
      file("/var/lib/cloud/instance/scripts/runcmd", "#!/bin/sh\ntrue\n", 30),
      file("/var/lib/cloud/instance/scripts/part-002", `#!/bin/sh\n${initCommands}\nexit 0\n`, 30),
      joinedNode(),
      file("/etc/kubernetes/kubelet.conf", "client-certificate-data: x\n", 60),
    ),
  ),
  scenario(
    ["control-plane-with-scripts-of-the-vendor", "kubeadm", "failed"],
    "Vendor data holds a script: cloud-init keeps it in a folder beside the user's scripts, and the user's words count all the same.",
    fails(
      { units: kubeletActive, reason: "KubeadmFailed" },
      ran(initCommands),
      file("/var/lib/cloud/instance/scripts/vendor/part-001", "#!/bin/sh\ntrue\n", 30),
      joinedNode(),
      file("/etc/kubernetes/kubelet.conf", "client-certificate-data: x\n", 60),
    ),
  ),
  scenario(
    ["clone-whose-clock-was-set-after-its-first-minute", "kubeadm", "cloned"],
    "A clone whose clock began in 2020 and was set when the network came: its donor's certificate is not newer than it.",
    fails(
      { units: kubeletActive, reason: "ForeignNodeIdentity" },
      cloudInitDone({ instanceAt: -2000 * day }),
      file("/run/cloud-init/enabled", "", -2000 * day - 5),
      emptyUserData,
      file("/var/lib/cloud/instance/sem/config_scripts_user", "", 40),
      joinedNode("donor-7", -9 * day),
    ),
  ),
  scenario(
    ["node-whose-clock-was-set-after-its-first-minute", "kubeadm", "joined"],
    "A new node of another name whose clock was set in mid-bootstrap: what it made before is of this instance, too.",
    passes(
      { units: kubeletActive },
      cloudInitDone({ instanceAt: -2000 * day }),
      file("/run/cloud-init/enabled", "", -2000 * day - 5),
      userCommands("kubeadm join --config x", -2000 * day + 20),
      joinedNode("worker-a", -2000 * day + 60),
    ),
  ),
  scenario(
    ["node-reimaged-with-its-old-kubelet-folder", "kubeadm", "joining"],
    "A VM that was re-imaged while /var/lib/kubelet lies on its data disk: the certificate of its life before names this host.",
    waits(
      { units: kubeletActive, stage: "kubelet-tls-bootstrap" },
      joins(),
      { [kubeletCertificate]: { ...certificateFor("node-1"), at: -9 * day } },
      file("/etc/kubernetes/bootstrap-kubelet.conf", "", 60),
      outputLog("[preflight] Running pre-flight checks", "error execution phase kubelet-start: timed out waiting"),
    ),
  ),
  scenario(
    ["external-etcd-control-plane-rebooted", "kubeadm", "rebooted"],
    "A control plane with an external etcd, rebooted: it has no manifest of etcd.",
    passes(
      { units: kubeletActive },
      rebooted(40, initCommands),
      file("/etc/kubernetes/manifests/kube-apiserver.yaml", "", -40 * day + 50),
      outputLog(
        "[init] Using Kubernetes version: v1.33.1",
        "Your Kubernetes control-plane has initialized successfully!",
        'error: the server doesn\'t have a resource type "ippools"',
      ),
    ),
  ),
  scenario(
    ["certificate-of-no-node-on-a-clone", "kubeadm", "cloned"],
    "A certificate that names no node where kubeadm's kubelet keeps its own: it proves nothing of this machine.",
    waits({ units: kubeletActive }, cloudInitDone(), emptyUserData, joinedNode("x", -9 * day), {
      [kubeletCertificate]: { ...certificateOfName("kubernetes-admin"), at: -9 * day },
    }),
  ),
  ...[
    ["upgrade", "[preflight] Running pre-flight checks", "[upgrade] Reading configuration from the cluster..."],
    ["phase-that-failed", "error execution phase upload-certs: error uploading certs: etcdserver: request timed out"],
  ].map(([kind = "", ...lines]): NamedScenario =>
    scenario(
      [`control-plane-whose-user-data-ran-kubeadm-again-${kind}`, "kubeadm", "rebooted"],
      `A control plane, rebooted, whose user data ran kubeadm once more after its success: ${kind.replaceAll("-", " ")}.`,
      passes(
        { units: kubeletActive },
        rebooted(40, initCommands),
        manifests(-40 * day + 50),
        outputLog(
          "[init] Using Kubernetes version: v1.33.1",
          "Your Kubernetes control-plane has initialized successfully!",
          ...lines,
        ),
      ),
    ),
  ),
  scenario(
    ["user-commands-at-every-boot", "kubeadm", "failed"],
    "An image whose cloud-init runs the user's commands at every boot (scripts-user: always), and so keeps no mark of them; kubeadm failed.",
    fails(
      { units: { "kubelet.service": restarting }, reason: "KubeadmFailed", says: "Unauthorized" },
      cloudInitDone(),
      file("/var/lib/cloud/instance/scripts/runcmd", `#!/bin/sh\n${joinCommands}\nexit 0\n`, 30),
      file(userData, "#cloud-config\nruncmd: []\n", 20),
      joinData,
      outputLog("[preflight] Running pre-flight checks", "error execution phase preflight: Unauthorized"),
    ),
  ),
  ...[
    ["no port", "healthzBindAddress: 127.0.0.1\nhealthzPort: 0\n", "success"] as const,
    ["another address", "healthzBindAddress: 10.0.0.7\nhealthzPort: 10248\n", "success"] as const,
    ["kubeadm's own settings", "healthzBindAddress: 127.0.0.1\nhealthzPort: 10248\n", "waiting"] as const,
  ].map(([kind, config, verdict]): NamedScenario =>
    scenario(
      [`rebooted-node-whose-kubelet-refuses-with-${kind.replaceAll(/[^a-z]/gu, "-")}`, "kubeadm", "rebooted"],
      `A rebooted node on whose usual port nothing listens; its kubelet is configured with ${kind} for its health.`,
      told(
        verdict,
        { units: kubeletActive, healthz: { kind: "refused" } },
        rebooted(),
        file("/var/lib/kubelet/config.yaml", config, -9 * day + 50),
      ),
    ),
  ),
];
