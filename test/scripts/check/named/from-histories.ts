import { active, certificateFor, failedUnit, restarting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudInitDone,
  cloudInitRuns,
  joinCommands,
  joinData,
  joinedNode,
  kubeletActive,
  userCommands,
} from "./parts.ts";

const microk8s = (lockAt?: number) => ({
  ...cloudInitDone(),
  ...userCommands("/capi-scripts/00-install-microk8s.sh\n/capi-scripts/20-microk8s-join.sh yes 10.0.0.4:25000/token"),
  "/capi-scripts/00-install-microk8s.sh": { text: "", at: 21 },
  "/var/snap/microk8s/current/credentials/kubelet.config": { text: "", at: 70 },
  "/var/snap/microk8s/current/certs/kubelet.crt": { ...certificateFor("node-1"), at: 70 },
  ...(lockAt !== undefined && { "/var/snap/microk8s/current/var/lock/clustered.lock": { text: "", at: lockAt } }),
});
const kubelite = { "snap.microk8s.daemon-kubelite.service": active };
const k0sController = {
  ...cloudInitDone(),
  ...userCommands("/usr/local/bin/k0s install controller"),
  "/etc/k0s.yaml": { text: "", at: 21 },
  "/run/cluster-api/bootstrap-success.complete": { text: "", at: 80 },
};

/** Machines on which the model of machines showed that the check was wrong. */
export const historyScenarios: readonly NamedScenario[] = [
  {
    name: "microk8s-is-its-own-cluster",
    what: "The join failed: MicroK8s runs as the cluster of its own that it is from the start.",
    provider: "microk8s",
    state: "failed",
    looks: [
      {
        machine: { files: microk8s(), units: kubelite },
        verdict: "failed",
        reason: "BootstrapServiceFailed",
        says: "has joined no other",
      },
    ],
  },
  {
    name: "microk8s-joined",
    what: "The join succeeded: MicroK8s left its lock.",
    provider: "microk8s",
    state: "good",
    looks: [{ machine: { files: microk8s(90), units: kubelite }, verdict: "success" }],
  },
  {
    name: "microk8s-lock-of-the-donor",
    what: "The lock is the donor's; this machine's own join failed.",
    provider: "microk8s",
    state: "cloned",
    looks: [
      { machine: { files: microk8s(-90_000), units: kubelite }, verdict: "failed", reason: "BootstrapServiceFailed" },
    ],
  },
  {
    name: "microk8s-script-without-an-answer",
    what: "Nothing tells whether the user data joins MicroK8s to a cluster: its own cluster is no proof, and no failure.",
    provider: "microk8s",
    state: "hung",
    looks: [
      {
        machine: { files: microk8s(), units: kubelite, silent: ({ ask }) => ask === "mentions" },
        verdict: "waiting",
        stage: "check-incomplete",
      },
    ],
  },
  {
    name: "clone-with-cloud-init-disabled",
    what: "cloud-init is disabled on a clone: its folder is the donor's, so the donor's certificate is not newer than this machine.",
    provider: "kubeadm",
    state: "cloned",
    looks: [
      {
        machine: {
          files: {
            "/etc/cloud/cloud.cfg": "",
            "/run/cloud-init/disabled": { text: "", at: 5 },
            "/var/lib/cloud/instance/sem/config_write_files": { text: "", at: -90_000 },
            ...userCommands(joinCommands, -89_900),
            ...joinedNode("donor", -89_800),
          },
          units: kubeletActive,
        },
        verdict: "waiting",
        stage: "waiting-for-kubelet",
      },
    ],
  },
  {
    name: "cloud-init-in-one-process",
    what: "Since cloud-init 24.3 the scripts run in cloud-init-main.service.",
    provider: "kubeadm",
    state: "hung",
    looks: [
      {
        machine: {
          files: { ...cloudInitRuns("modules-final"), ...userCommands(joinCommands), ...joinData },
          processes: { "cloud-init-main.service": [{ name: "kubeadm", ageMs: 74_000 }] },
          units: { "cloud-final.service": failedUnit },
        },
        verdict: "waiting",
        stage: "kubeadm-join",
      },
    ],
  },
  {
    name: "cloud-init-killed-early",
    what: "cloud-init was killed before its last stage: its units have failed.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: cloudInitRuns("modules-config"),
          units: { "cloud-final.service": { ...failedUnit, result: "oom-kill" } },
        },
        verdict: "failed",
        reason: "CloudInitFailed",
        says: "oom-kill",
      },
    ],
  },
  {
    name: "cloud-init-killed-service-joins",
    what: "cloud-init was killed; the service that it had started goes on.",
    provider: "rke2",
    state: "hung",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitRuns("modules-final"),
            ...userCommands("systemctl start rke2-agent.service"),
            "/etc/rancher/rke2/config.yaml": { text: "", at: 25 },
          },
          units: { "cloud-final.service": failedUnit, "rke2-agent.service": { active: "activating", sub: "start" } },
        },
        verdict: "waiting",
        stage: "waiting-for-service",
      },
    ],
  },
  {
    name: "user-data-cannot-be-read",
    what: "The user data has commands that cloud-init could not read, so it made no script of them.",
    provider: "none",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            "/var/lib/cloud/instance/user-data.txt": { text: "#cloud-config\nruncmd:\n - kubeadm join: [\n", at: 20 },
          },
        },
        verdict: "failed",
        reason: "NoBootstrapData",
      },
    ],
  },
  {
    name: "no-datasource-on-a-clone",
    what: "cloud-init found no metadata: the certificate may be a donor's, or of a node that its configuration names.",
    provider: "kubeadm",
    state: "cloned",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ errors: ["No instance datasource found."], instanceAt: -90_000 }),
            ...userCommands(joinCommands, -89_900),
            ...joinedNode("donor", -89_800),
          },
          units: kubeletActive,
        },
        verdict: "waiting",
        stage: "waiting-for-kubelet",
        says: "No instance datasource found.",
      },
    ],
  },
  {
    name: "ignition-on-an-image-with-cloud-init",
    what: "cloud-init is installed and does not run: Ignition's kubeadm.service is what bootstraps, and it failed.",
    provider: "kubeadm-ignition",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            "/etc/cloud/cloud.cfg": "",
            "/etc/kubeadm.sh": "",
            "/etc/kubeadm.yml": "",
            "/etc/systemd/system/kubeadm.service": "",
            "/etc/.ignition-result.json": "{}",
          },
          units: { "kubeadm.service": failedUnit, "kubelet.service": restarting },
        },
        verdict: "failed",
        reason: "KubeadmFailed",
      },
    ],
  },
  {
    name: "k0s-controller-not-up",
    what: "k0s writes its sentinel at once; its controller has no kubelet and does not run an API server yet.",
    provider: "k0s",
    state: "hung",
    looks: [
      {
        machine: { files: k0sController, units: { "k0scontroller.service": active } },
        verdict: "waiting",
        stage: "joining",
      },
      {
        machine: {
          files: k0sController,
          units: { "k0scontroller.service": active },
          processes: { "k0scontroller.service": [{ name: "kube-apiserver", ageMs: 60_000 }] },
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "join-in-the-background",
    what: "A hand-made script went on in the background after cloud-init's end; a donor's kubelet.conf is there.",
    provider: "custom",
    state: "cloned",
    looks: [
      {
        machine: {
          files: { ...cloudInitDone(), ...userCommands("nohup /opt/join.sh &"), ...joinedNode("donor", -90_000) },
          units: kubeletActive,
          processes: { "cloud-final.service": [{ name: "join.sh", ageMs: 9000 }] },
        },
        verdict: "waiting",
        stage: "waiting-for-sentinel",
        providers: ["custom"],
      },
    ],
  },
];
