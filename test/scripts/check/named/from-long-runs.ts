import { active, certificateFor, failedUnit, restarting } from "../machine-of.ts";
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
  outputLog,
  runsCommands,
  scriptsError,
  sentinelCommand,
  userCommands,
  windows,
  windowsJoinData,
  windowsNode,
} from "./parts.ts";

const sentinel = { "/run/cluster-api/bootstrap-success.complete": { text: "", at: 80 } };
const copies = {
  "/etc/rancher/k3s/config.yaml": { text: "", at: 95 },
  "/etc/k0s.token": { text: "", at: 95 },
  "/capi-scripts/10-join.sh": { text: "", at: 95 },
};
const bootstraps = { "/etc/kubernetes/bootstrap-kubelet.conf": { text: "", at: -90_000 } };
const starting = { active: "activating", sub: "start" };
const k3sNode = (at: number) => ({
  "/etc/rancher/k3s/config.yaml": { text: "", at: -90_000 },
  "/var/lib/rancher/k3s/agent/kubelet.kubeconfig": { text: "", at },
  "/var/lib/rancher/k3s/agent/client-kubelet.crt": { ...certificateFor("node-1"), at },
});
const ignition = {
  "/etc/kubeadm.sh": "",
  "/etc/systemd/system/kubeadm.service": "",
  "/etc/.ignition-result.json": "{}",
};
const controlPlane = { "/run/kubeadm/kubeadm.yaml": { text: "", at: 25 } };
const failedScript = [executes(12), runsCommands(13), ends(61, 1)];

type Look = NamedScenario["looks"][number];
const one = (
  ...[name, what, provider, state, look]: readonly [string, string, string, string, Look]
): NamedScenario => ({
  name,
  what,
  provider,
  state,
  looks: [look],
});

/** Machines from runs of tens of thousands of histories. */
export const longRunScenarios: readonly NamedScenario[] = [
  one(
    "copied-files-beside-rke2",
    "Files of other providers were copied here: RKE2's sentinel still needs RKE2's service.",
    "rke2",
    "failed",
    {
      machine: {
        files: {
          ...cloudInitDone(),
          ...userCommands("systemctl start rke2-agent.service"),
          ...copies,
          ...sentinel,
          "/etc/rancher/rke2/config.yaml": { text: "", at: 25 },
        },
        units: { "kubelet.service": restarting },
      },
      verdict: "failed",
      reason: "BootstrapServiceNotStarted",
      providers: ["rke2"],
    },
  ),
  one(
    "sentinel-of-two-providers",
    "Nothing tells whose the sentinel is: one of the providers writes it before its node has joined.",
    "several",
    "hung",
    {
      machine: {
        files: { ...cloudInitDone(), ...userCommands(joinCommands), ...joinData, ...copies, ...sentinel },
        units: { "kubelet.service": restarting },
        silent: ({ ask }) => ask === "mentions",
      },
      verdict: "waiting",
    },
  ),
  one(
    "donor's-data-in-run-on-the-disk",
    "/run is a folder of the disk: kubeadm's data in it are the donor's.",
    "canonical-kubernetes",
    "cloned",
    {
      machine: {
        files: {
          ...cloudInitDone(),
          ...userCommands("/capi/scripts/join-cluster.sh"),
          ...sentinel,
          "/capi/scripts/join-cluster.sh": { text: "", at: 25 },
          "/run/kubeadm/kubeadm-join-config.yaml": { text: "", at: -90_000 },
        },
        units: { "snap.k8s.kubelet.service": starting },
        runIsMemory: false,
      },
      verdict: "waiting",
      providers: ["canonical-kubernetes"],
    },
  ),
  one(
    "clone-of-k3s-with-its-own-script",
    "The user's script failed; k3s of the image has made this machine a node.",
    "custom",
    "cloned",
    {
      machine: {
        files: { ...cloudInitDone({ errors: [scriptsError] }), ...userCommands("/opt/set-up.sh"), ...k3sNode(45) },
        units: { "k3s-agent.service": active, "kubelet.service": restarting },
      },
      verdict: "success",
    },
  ),
  one(
    "donor's-k0s-still-starts",
    "The user's script failed; k0s of the image starts and may make this machine a node.",
    "custom",
    "cloned",
    {
      machine: {
        files: {
          ...cloudInitDone({ errors: [scriptsError] }),
          ...userCommands("/opt/join.sh"),
          "/etc/k0s.yaml": { text: "", at: -90_000 },
        },
        units: { "k0scontroller.service": starting, "kubelet.service": restarting },
      },
      verdict: "waiting",
    },
  ),
  one(
    "own-script-failed-kubelet-asks",
    "The user's script failed; the kubelet of the image asks for a certificate with its donor's token.",
    "custom",
    "cloned",
    {
      machine: {
        files: { ...cloudInitDone({ errors: [scriptsError] }), ...userCommands("/opt/join.sh"), ...bootstraps },
        units: kubeletActive,
      },
      verdict: "waiting",
    },
  ),
  one(
    "k0s-not-installed-kubelet-asks",
    "k0s was not installed; the kubelet of the image asks for a certificate with its donor's token.",
    "k0s",
    "cloned",
    {
      machine: {
        files: {
          ...cloudInitDone(),
          ...userCommands("k0s install worker"),
          "/etc/k0s.token": { text: "", at: 25 },
          ...bootstraps,
        },
        units: kubeletActive,
      },
      verdict: "waiting",
      stage: "kubelet-tls-bootstrap",
    },
  ),
  one(
    "same-name-clock-went-back",
    "A clone with the donor's name failed; the clock went back, so that nothing dates the certificate.",
    "kubeadm",
    "cloned",
    {
      machine: {
        files: {
          ...cloudInitDone({ errors: [scriptsError], instanceAt: 3620 }),
          ...userCommands(joinCommands, 3640),
          ...joinData,
          ...joinedNode("node-1", -3000),
        },
        units: kubeletActive,
      },
      verdict: "waiting",
      stage: "waiting-for-kubelet",
    },
  ),
  one(
    "control-plane-cut-off-kubelet-stopped",
    "kubeadm was killed on a control plane, and its kubelet was stopped: it never will be one.",
    "kubeadm",
    "failed",
    {
      machine: {
        files: {
          ...cloudInitDone({ errors: [scriptsError] }),
          ...userCommands(initCommands),
          ...controlPlane,
          ...joinedNode(),
          ...outputLog("[init] Using Kubernetes version: v1.31.4"),
        },
        units: { "kubelet.service": { active: "inactive", sub: "dead" } },
      },
      verdict: "failed",
      reason: "KubeadmFailed",
    },
  ),
  one(
    "control-plane-without-its-log",
    "A control plane's kubelet is well, the sentinel is missing, and the log that would say why is gone.",
    "kubeadm",
    "hung",
    {
      machine: {
        files: {
          ...cloudInitDone({ errors: [scriptsError] }),
          ...userCommands(initCommands),
          ...controlPlane,
          ...joinedNode(),
        },
        units: kubeletActive,
      },
      verdict: "waiting",
      stage: "waiting-for-sentinel",
    },
  ),
  one(
    "control-plane-script-without-an-answer",
    "Nothing tells whether the user data promises a sentinel: a control plane's kubelet alone is no proof.",
    "kubeadm",
    "hung",
    {
      machine: {
        files: { ...cloudInitDone(), ...userCommands(initCommands), ...controlPlane, ...joinedNode() },
        units: kubeletActive,
        silent: ({ ask }) => ask === "mentions",
      },
      verdict: "waiting",
      stage: "check-incomplete",
    },
  ),
  one(
    "init-cut-off-before-the-kubelet",
    "The machine restarted when kubeadm had written kubelet.conf and nothing for the kubelet to run with.",
    "kubeadm",
    "failed",
    {
      machine: {
        files: {
          ...cloudInitDone({ instanceAt: -90_000 }),
          ...userCommands(initCommands, -89_980),
          "/etc/kubernetes/kubelet.conf": { text: "client-certificate-data: x\n", at: -89_960 },
          ...outputLog("[init] Using Kubernetes version: v1.31.4"),
        },
        units: { "kubelet.service": restarting },
      },
      verdict: "failed",
      reason: "BootstrapInterrupted",
    },
  ),
  one(
    "cloud-init-killed-service-joined",
    "cloud-init was killed; the service that it had started has joined since.",
    "k3s",
    "good",
    {
      machine: {
        files: {
          ...cloudInitRuns("modules-final"),
          ...userCommands(`curl -sfL https://get.k3s.io | sh - && ${sentinelCommand}`),
          ...k3sNode(70),
          "/etc/rancher/k3s/config.yaml": { text: "", at: 25 },
        },
        units: { "cloud-final.service": failedUnit, "k3s-agent.service": active },
      },
      verdict: "success",
    },
  ),
  one(
    "ignition-failed-after-kubeadm",
    "A command after kubeadm failed: the script had already moved kubeadm's file away.",
    "kubeadm-ignition",
    "good",
    {
      machine: { files: { ...ignition, ...joinedNode() }, units: { ...kubeletActive, "kubeadm.service": failedUnit } },
      verdict: "success",
    },
  ),
  one(
    "ignition-failed-beside-copied-files",
    "kubeadm.service failed; files of other providers that were copied here do not hold that up.",
    "kubeadm-ignition",
    "failed",
    {
      machine: {
        files: { ...ignition, "/etc/kubeadm.yml": "", ...copies },
        units: { "kubeadm.service": failedUnit, "kubelet.service": restarting },
      },
      verdict: "failed",
      reason: "KubeadmFailed",
      providers: ["kubeadm-ignition"],
    },
  ),
  one(
    "interrupted-kubelet-is-queued",
    "The machine restarted in mid-join; the kubelet has its token and waits for its turn at this boot.",
    "kubeadm",
    "rebooted",
    {
      machine: {
        files: { ...cloudInitDone({ instanceAt: -90_000 }), ...userCommands(joinCommands, -89_980), ...bootstraps },
        units: { "kubelet.service": { active: "inactive", sub: "dead", job: "start" } },
      },
      verdict: "waiting",
      stage: "kubelet-tls-bootstrap",
    },
  ),
  one(
    "result-that-the-clock-made-old",
    "/run is on the disk and the clock was set a day forward: the result of this boot looks old.",
    "kubeadm",
    "hung",
    {
      machine: {
        files: {
          ...cloudInitDone({ errors: [scriptsError] }),
          ...cloudInitRuns(""),
          ...userCommands(joinCommands),
          ...joinData,
          ...joinedNode(),
        },
        units: { "cloud-final.service": failedUnit, "kubelet.service": { active: "inactive", sub: "dead" } },
        runIsMemory: false,
        clockStep: 86_400,
      },
      verdict: "waiting",
    },
  ),
  one(
    "no-metadata-while-it-runs",
    "cloud-init has found no metadata and still runs: its folder is the donor's, and so is the certificate.",
    "canonical-kubernetes",
    "cloned",
    {
      machine: {
        files: {
          ...cloudInitRuns("modules-final"),
          "/run/cloud-init/status.json": {
            text: JSON.stringify({
              v1: { stage: "modules-final", init: { errors: ["No instance datasource found."] } },
            }),
            at: 30,
          },
          "/var/lib/cloud/instance/sem/config_write_files": { text: "", at: -90_000 },
          "/capi/scripts/install.sh": { text: "", at: -90_000 },
          "/etc/kubernetes/kubelet.conf": { text: "", at: -89_900 },
          "/etc/kubernetes/pki/kubelet-client.crt": { ...certificateFor("donor"), at: -89_900 },
        },
        units: { "snap.k8s.kubelet.service": active },
      },
      verdict: "waiting",
    },
  ),
  one(
    "windows-set-up-with-a-clock-ahead",
    "The clock was set back after the set-up: this machine's own certificate looks older, and its user data failed when it ran again.",
    "kubeadm",
    "good",
    {
      machine: windows({
        log: cloudbaseRun(10, { lines: failedScript }),
        files: { ...windowsJoinData, ...windowsNode("other-name", -2000) },
        plugins: { "vm-1": "1" },
        kubelet: "running",
        installAt: 3000,
      }),
      verdict: "waiting",
    },
  ),
];
