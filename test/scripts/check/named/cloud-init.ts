import { active, failedUnit, restarting, starting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudInitDone,
  cloudInitRuns,
  initCommands,
  joinCommands,
  joinData,
  joinedNode,
  kubeletActive,
  outputLog,
  scriptsError,
  userCommands,
} from "./parts.ts";

const preflight = "error execution phase preflight: [preflight] Some fatal errors occurred:";
const running = { "cloud-final.service": [{ name: "kubeadm", ageMs: 30_000 }] };

/** cloud-init, kubeadm and restarts on Linux. */
export const cloudInitScenarios: readonly NamedScenario[] = [
  {
    name: "cloud-init-disabled-in-mid-run",
    what: "The user data writes /etc/cloud/cloud-init.disabled while it runs; only the next boot reads that file.",
    provider: "kubeadm",
    state: "hung",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitRuns("modules-final"),
            ...userCommands(joinCommands),
            ...joinData,
            "/etc/cloud/cloud-init.disabled": "",
          },
          processes: running,
        },
        verdict: "waiting",
        stage: "kubeadm-join",
      },
    ],
  },
  {
    name: "cloud-init-disabled-and-rebooted",
    what: "The same, and the machine restarted: cloud-init does not run any more, and kubeadm never ended.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...userCommands(joinCommands, -5000),
            "/etc/cloud/cloud.cfg": "",
            "/etc/cloud/cloud-init.disabled": "",
            "/run/cloud-init/disabled": { text: "", at: 5 },
            "/var/lib/kubelet/kubeadm-flags.env": { text: "", at: -4900 },
            "/var/lib/cloud/instance/sem/config_write_files": { text: "", at: -5020 },
          },
          units: { "kubelet.service": restarting },
        },
        verdict: "failed",
        reason: "BootstrapInterrupted",
      },
    ],
  },
  {
    name: "certificate-expired-while-off",
    what: "A node was off until its certificate had expired: no success, and a failure when it stays so for two minutes.",
    provider: "kubeadm",
    state: "rebooted after success",
    looks: [130, 180, 260].map((uptime) => ({
      machine: {
        files: {
          ...cloudInitDone({ instanceAt: -90_000 }),
          ...userCommands(joinCommands, -89_000),
          ...joinedNode("node-1", -88_000, { to: -1 }),
        },
        units: { "kubelet.service": restarting },
        healthz: { kind: "refused" },
        uptime,
      },
      ...(uptime === 260
        ? { verdict: "failed", reason: "NodeCertificateExpired", says: "expired at 2026-01-09T08:00:00Z" }
        : { verdict: "waiting", stage: "waiting-for-kubelet" }),
    })),
  },
  {
    name: "kubelet-answers-no-healthz",
    what: "systemd calls the kubelet active, but nothing listens on its health port.",
    provider: "kubeadm",
    state: "rebooted after success",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -90_000 }),
            ...userCommands(joinCommands, -89_000),
            ...joinedNode("node-1", -88_000),
          },
          units: kubeletActive,
          healthz: { kind: "refused" },
        },
        verdict: "waiting",
        stage: "waiting-for-kubelet",
        says: "healthz",
      },
    ],
  },
  {
    name: "service-queued-behind-cloud-final",
    what: "The service is ordered after cloud-final.service, so that its job waits when result.json is written.",
    provider: "rke2",
    state: "hung",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands("systemctl enable --now --no-block rke2-agent.service"),
            "/etc/rancher/rke2/config.yaml": "",
          },
          units: { "rke2-agent.service": { job: "start" } },
        },
        verdict: "waiting",
        stage: "rke2-starting",
      },
    ],
  },
  {
    name: "service-right-after-result-json",
    what: "result.json is a second old; the jobs of services that come after cloud-final.service are still to be made.",
    provider: "microk8s",
    state: "hung",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands("/capi-scripts/00-install.sh"),
            "/capi-scripts/00-install.sh": "",
          },
          uptime: 101,
        },
        verdict: "waiting",
        stage: "waiting-for-service",
      },
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands("/capi-scripts/00-install.sh"),
            "/capi-scripts/00-install.sh": "",
          },
          uptime: 130,
        },
        verdict: "failed",
        reason: "BootstrapServiceNotStarted",
      },
    ],
  },
  {
    name: "unrelated-cloud-init-error",
    what: "A module that has nothing to do with the bootstrap failed; the hand-made user data works on in the background.",
    provider: "custom",
    state: "hung",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ errors: ["('ntp', RuntimeError('no such unit'))"] }),
            ...userCommands("/opt/join.sh &"),
          },
        },
        verdict: "waiting",
        stage: "waiting-for-sentinel",
      },
      {
        machine: {
          files: {
            ...cloudInitDone({ errors: ["('ntp', RuntimeError('no such unit'))"] }),
            ...userCommands("/opt/join.sh &"),
            ...joinedNode(),
          },
          units: kubeletActive,
        },
        verdict: "success",
        remarks: "('ntp'",
      },
    ],
  },
  {
    name: "post-command-failed-after-join",
    what: "The user data joins without a sentinel, and a command after the join failed: the node is one.",
    provider: "kubeadm",
    state: "good",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ errors: [scriptsError] }),
            ...userCommands("kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml; false"),
            ...joinData,
            ...joinedNode(),
            ...outputLog("[preflight] Running pre-flight checks", "This node has joined the cluster:"),
          },
          units: kubeletActive,
        },
        verdict: "success",
        remarks: "Runparts: 1 failures",
      },
    ],
  },
  {
    name: "post-command-failed-kubelet-starting",
    what: "The same while the kubelet still starts.",
    provider: "kubeadm",
    state: "hung",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ errors: [scriptsError] }),
            ...userCommands("kubeadm join; false"),
            ...joinData,
            ...joinedNode(),
          },
          units: { "kubelet.service": starting },
        },
        verdict: "waiting",
        stage: "waiting-for-kubelet",
      },
    ],
  },
  {
    name: "joined-at-the-second-try",
    what: "A retry around kubeadm joined at the second try: the error in the log is the first one's.",
    provider: "kubeadm",
    state: "good",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands("until kubeadm join; do sleep 5; done"),
            ...joinData,
            ...joinedNode(),
            ...outputLog(
              "[preflight] Running pre-flight checks",
              preflight,
              "[preflight] Running pre-flight checks",
              "This node has joined the cluster:",
            ),
          },
          units: kubeletActive,
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "rebooted-early-without-a-setting",
    what: "The machine restarted before kubeadm had written a file: what it was to run still stands in cloud-init's script.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: { ...cloudInitDone({ instanceAt: -90_000 }), ...userCommands(joinCommands, -89_000) },
          units: { "kubelet.service": restarting },
        },
        verdict: "failed",
        reason: "BootstrapInterrupted",
        providers: ["kubeadm"],
      },
    ],
  },
  {
    name: "clock-stepped-forward-in-first-boot",
    what: "The clock was set an hour forward after the user data had begun: it is of this boot all the same.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: { ...cloudInitDone(), ...userCommands(joinCommands), ...joinData, ...outputLog(preflight) },
          units: { "kubelet.service": restarting },
          clockStep: 3600,
        },
        verdict: "failed",
        reason: "KubeadmFailed",
        says: preflight,
      },
    ],
  },
  {
    name: "clock-stepped-back-before-join",
    what: "The clock was set an hour back before the join: the certificate looks older than the instance and is not.",
    provider: "kubeadm",
    state: "good",
    looks: [
      {
        machine: {
          files: { ...cloudInitRuns("modules-final"), ...userCommands("kubeadm join", 3640) },
          processes: running,
          clockStep: 3600,
          uptime: 45,
        },
        verdict: "waiting",
      },
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: 3620 }),
            ...userCommands("kubeadm join", 3640),
            ...joinData,
            ...joinedNode("node-1", 70),
          },
          units: kubeletActive,
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "control-plane-failed-late-and-rebooted",
    what: "kubeadm failed on this control plane after its kubelet had joined, and the machine restarted: its log tells.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -90_000 }),
            ...userCommands(initCommands, -89_000),
            ...joinedNode("node-1", -88_900),
            "/etc/kubernetes/manifests/kube-apiserver.yaml": { text: "", at: -88_900 },
            ...outputLog(
              "[init] Using Kubernetes version: v1.31.4",
              "error execution phase upload-config/kubeadm: error uploading: etcdserver: request timed out",
              "Cloud-init v. 24.4 running 'modules:final' at Sun, 11 Jan 2026 08:00:38 +0000. Up 38.02 seconds.",
            ),
          },
          units: kubeletActive,
        },
        verdict: "failed",
        reason: "KubeadmFailed",
        says: "upload-config/kubeadm",
      },
    ],
  },
  {
    name: "control-plane-rebooted-in-mid-init",
    what: "The machine restarted while kubeadm init waited for its control plane: kubeadm's last phases never ran.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -90_000 }),
            ...userCommands(initCommands, -89_000),
            ...joinedNode("node-1", -88_900),
            "/etc/kubernetes/kubelet.conf": { text: "client-certificate-data: AAAA\n", at: -88_900 },
            "/etc/kubernetes/manifests/kube-apiserver.yaml": { text: "", at: -88_900 },
          },
          units: kubeletActive,
        },
        verdict: "failed",
        reason: "BootstrapInterrupted",
        says: "last phases never ran",
      },
    ],
  },
  {
    name: "control-plane-failed-silently-in-this-boot",
    what: "kubeadm init was begun and said no more, its sentinel is missing, and its kubelet is well.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands(initCommands),
            "/run/kubeadm/kubeadm.yaml": { text: "", at: 25 },
            ...joinedNode(),
            ...outputLog("[init] Using Kubernetes version: v1.31.4"),
          },
          units: kubeletActive,
        },
        verdict: "failed",
        reason: "KubeadmFailed",
        says: "without the sentinel that its user data writes",
      },
    ],
  },
  {
    name: "kubelet-active-after-failed-join",
    what: "kubeadm gave up waiting for the kubelet's certificate; the kubelet runs on and may still get it.",
    provider: "kubeadm",
    state: "hung",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ errors: [scriptsError] }),
            ...userCommands(joinCommands),
            ...joinData,
            "/etc/kubernetes/bootstrap-kubelet.conf": "",
            ...outputLog("error execution phase kubelet-start: timed out waiting for the condition"),
          },
          units: { "kubelet.service": active },
        },
        verdict: "waiting",
        stage: "kubelet-tls-bootstrap",
      },
    ],
  },
  {
    name: "sentinel-beside-a-failed-k3s",
    what: "k3s writes its sentinel after the installer; its service has failed for good since.",
    provider: "k3s",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands("curl -sfL https://get.k3s.io | sh"),
            "/etc/rancher/k3s/config.yaml": "",
            "/run/cluster-api/bootstrap-success.complete": "success\n",
          },
          units: { "k3s-agent.service": failedUnit },
        },
        verdict: "failed",
        reason: "BootstrapServiceFailed",
      },
    ],
  },
];
