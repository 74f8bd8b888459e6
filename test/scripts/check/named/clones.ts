import { active, certificateFor, certificateOfName, restarting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudInitDone,
  cloudInitRuns,
  joinCommands,
  joinData,
  joinedNode,
  kubeletActive,
  scriptsError,
  userCommands,
} from "./parts.ts";

const emptyUserData = { "/var/lib/cloud/instance/user-data.txt": { text: "#cloud-config\n", at: 20 } };
const aksNode = {
  "/var/lib/kubelet/kubeconfig": { text: "kind: Config\n", at: -90_000 },
  "/etc/kubernetes/certs/client.crt": { ...certificateOfName("client"), at: -90_000 },
} as const;
const ignition = {
  "/etc/systemd/system/kubeadm.service": { text: "", at: -90_000 },
  "/etc/kubeadm.sh": { text: "", at: -90_000 },
} as const;

/** Clones, leftovers in images, and nodes that are named otherwise than their hosts. */
export const cloneScenarios: readonly NamedScenario[] = [
  ...(["auto", "custom"] as const).map((setting): NamedScenario => ({
    name: `clone-of-aks-engine-node-${setting}`,
    what: `A prototype's clone of an AKS Engine node, empty user data, bootstrapProvider ${setting}: all nodes share one certificate.`,
    provider: "none",
    state: "cloned",
    looks: [
      {
        machine: {
          files: { ...cloudInitDone(), ...emptyUserData, ...aksNode },
          units: kubeletActive,
          provider: setting,
        },
        verdict: "success",
      },
    ],
  })),
  {
    name: "clone-of-aks-engine-node-starting",
    what: "The same while its kubelet starts.",
    provider: "none",
    state: "cloned",
    looks: [
      {
        machine: {
          files: { ...cloudInitDone(), ...emptyUserData, ...aksNode },
          units: { "kubelet.service": restarting },
        },
        verdict: "waiting",
        stage: "waiting-for-kubelet",
      },
    ],
  },
  {
    name: "clone-without-flags-file",
    what: "A clone with empty user data that is a node in its own name; nothing of kubeadm but its node is left.",
    provider: "none",
    state: "cloned",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...emptyUserData,
            "/etc/kubernetes/kubelet.conf": { text: "", at: -90_000 },
            "/var/lib/kubelet/pki/kubelet-client-current.pem": { ...certificateFor("node-1"), at: 90 },
          },
          units: kubeletActive,
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "clone-with-the-donor's-name-while-joining",
    what: "A clone with its donor's host name and user data of its own, whose kubeadm failed: the donor's certificate proves nothing.",
    provider: "kubeadm",
    state: "cloned",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitRuns("modules-final"),
            ...userCommands(joinCommands),
            ...joinData,
            ...joinedNode("node-1", -90_000),
          },
          units: kubeletActive,
          processes: { "cloud-final.service": [{ name: "kubeadm", ageMs: 5000 }] },
        },
        verdict: "waiting",
      },
      {
        machine: {
          files: {
            ...cloudInitDone({ errors: [scriptsError] }),
            ...userCommands(joinCommands),
            ...joinData,
            ...joinedNode("node-1", -90_000),
          },
          units: kubeletActive,
        },
        verdict: "failed",
        reason: "CloudInitFailed",
      },
    ],
  },
  {
    name: "leftovers-of-rke2-beside-kubeadm",
    what: "The image carries RKE2's settings; kubeadm wrote the sentinel.",
    provider: "several",
    state: "good",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitRuns("modules-final"),
            ...userCommands(joinCommands),
            ...joinData,
            ...joinedNode(),
            "/etc/rancher/rke2/config.yaml": { text: "", at: -90_000 },
            "/run/cluster-api/bootstrap-success.complete": { text: "success\n", at: 80 },
          },
          units: kubeletActive,
        },
        verdict: "success",
        providers: ["kubeadm"],
      },
    ],
  },
  {
    name: "leftovers-of-k3s-beside-a-failed-kubeadm",
    what: "The image carries k3s' settings; they do not keep kubeadm's failure away.",
    provider: "several",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ errors: [scriptsError] }),
            ...userCommands(joinCommands),
            ...joinData,
            "/etc/rancher/k3s/config.yaml": { text: "", at: -90_000 },
          },
          units: { "kubelet.service": restarting, "k3s.service": { active: "activating", sub: "auto-restart" } },
        },
        verdict: "failed",
        reason: "CloudInitFailed",
        providers: ["kubeadm"],
      },
    ],
  },
  {
    name: "ignition-named-otherwise",
    what: "An Ignition node whose name is not its host's: its certificate is newer than the first boot of this machine.",
    provider: "kubeadm-ignition",
    state: "rebooted after success",
    looks: [
      {
        machine: {
          files: {
            ...ignition,
            ...joinedNode("capz-md-0-other", -89_000),
            "/var/lib/waagent/provisioned": { text: "", at: -90_000 },
          },
          units: { "kubelet.service": active, "kubeadm.service": {} },
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "ignition-named-otherwise-undated",
    what: "The same where only Ignition's own mark is left, which goes into images, too: not told from a clone, so no failure.",
    provider: "kubeadm-ignition",
    state: "rebooted after success",
    looks: [
      {
        machine: {
          files: {
            ...ignition,
            ...joinedNode("capz-md-0-other", -89_000),
            "/etc/.ignition-result.json": { text: "{}", at: -90_000 },
          },
          units: { "kubelet.service": active, "kubeadm.service": {} },
        },
        verdict: "waiting",
        stage: "waiting-for-kubelet",
      },
    ],
  },
];
