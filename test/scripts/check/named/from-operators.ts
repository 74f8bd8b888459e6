import { active, certificateFor, certificateOfName, type FileShape, restarting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudInitDone,
  initCommands,
  joinCommands,
  joinData,
  joinedNode,
  kubeletActive,
  outputLog,
  sentinelCommand,
  userCommands,
} from "./parts.ts";

type Files = Readonly<Record<string, FileShape | string>>;

const sentinel: Files = { "/run/cluster-api/bootstrap-success.complete": { text: "success\n", at: 90 } };
const userData = "/var/lib/cloud/instance/user-data.txt";
const emptyUserData: Files = { [userData]: { text: "", size: 0, at: 20 } };
const kubeletCertificate = "/var/lib/kubelet/pki/kubelet-client-current.pem";
const day = 86_400;

const rke2Commands = `systemctl enable rke2-agent.service\nsystemctl start rke2-agent.service\n${sentinelCommand}`;
const rke2Config = (more = ""): Files => ({
  "/etc/rancher/rke2/config.yaml": { text: `server: https://10.0.0.4:9345\n${more}`, at: 25 },
});
const rke2Node = (at = 70): Files => ({
  "/var/lib/rancher/rke2/agent/kubelet.kubeconfig": { text: "kind: Config\n", at },
  "/var/lib/rancher/rke2/agent/client-kubelet.crt": { ...certificateFor("node-1"), at },
});

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
  {
    name: "control-plane-of-the-retry-script-rebooted",
    what: "A control plane that CABPK's retry script joined phase by phase, rebooted: kubeadm itself never says that it is through.",
    provider: "kubeadm",
    state: "rebooted",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -40 * day }),
            ...userCommands(retryCommands, -40 * day + 20),
            ...joinedNode("node-1", -40 * day + 60),
            ...manifests(-40 * day + 50),
            ...outputLog(...phases, `+++ [2026-01-10T08:01:30+00:00] ${retryEnd} finished`),
          },
          units: kubeletActive,
        },
        verdict: "success",
        providers: ["kubeadm"],
      },
    ],
  },
  {
    name: "retry-script-failed-and-reset",
    what: "The retry script gave up and reset kubeadm; the error that it gave up for stands before the reset.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({
              errors: ["('scripts_user', RuntimeError('Runparts: 1 failures (runcmd) in 1 attempted commands'))"],
            }),
            ...userCommands(retryCommands),
            ...joinData,
            ...outputLog(
              ...phases,
              "error execution phase kubelet-start: timed out waiting for the condition",
              "!!! [2026-01-10T08:05:30+00:00] too many errors, exiting",
              "+++ [2026-01-10T08:05:30+00:00] Resetting kubeadm",
              "[preflight] Running pre-flight checks",
              '[reset] Deleted contents of the etcd data directory: "/var/lib/etcd"',
              "[reset] Stopping the kubelet service",
              `!!! [2026-01-10T08:05:33+00:00] ${retryEnd} exiting with status 1`,
            ),
          },
          units: { "kubelet.service": {} },
        },
        verdict: "failed",
        reason: "CloudInitFailed",
        says: "kubelet-start: timed out waiting",
      },
    ],
  },
  {
    name: "rke2-agent-with-its-own-data-folder",
    what: "RKE2 with data-dir on a data disk (CAPRKE2's dataDir): its node's files are not where they usually are.",
    provider: "rke2",
    state: "joined",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands(rke2Commands),
            ...rke2Config("data-dir: /data/rke2\n"),
            ...sentinel,
          },
          units: { "rke2-agent.service": active },
        },
        verdict: "success",
        providers: ["rke2"],
      },
    ],
  },
  {
    name: "rke2-agent-with-its-own-data-folder-not-joined",
    what: "The same, whose service runs and whose kubelet does not answer: nothing proves it.",
    provider: "rke2",
    state: "joining",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands(rke2Commands),
            ...rke2Config("data-dir: /data/rke2\n"),
            ...sentinel,
          },
          units: { "rke2-agent.service": active },
          healthz: { kind: "refused" },
        },
        verdict: "waiting",
      },
    ],
  },
  {
    name: "rke2-clone-with-its-donor's-data-folder",
    what: "A clone of such a node without user data of its own: its configuration is the donor's, and there is no sentinel.",
    provider: "rke2",
    state: "cloned",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...emptyUserData,
            "/etc/rancher/rke2/config.yaml": { text: "data-dir: /data/rke2\n", at: -9 * day },
          },
          units: { "rke2-agent.service": active },
        },
        verdict: "waiting",
      },
    ],
  },
  {
    name: "k3s-node-with-its-own-data-folder-in-the-service",
    what: "k3s whose data-dir is an argument of its service.",
    provider: "k3s",
    state: "joined",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands(`curl -sfL https://get.k3s.io | sh -s - agent --data-dir /data/k3s && ${sentinelCommand}`),
            "/etc/systemd/system/k3s-agent.service": { text: "ExecStart=k3s agent '--data-dir' '/data/k3s'\n", at: 55 },
            ...sentinel,
          },
          units: { "k3s-agent.service": active },
        },
        verdict: "success",
        providers: ["k3s"],
      },
    ],
  },
  {
    name: "clone-whose-kubelet-renewed-its-donor's-certificate",
    what: "A clone of a node of nearly a year: its kubelet renews the donor's certificate at once, in the donor's name.",
    provider: "kubeadm",
    state: "cloned",
    looks: [
      {
        machine: {
          files: { ...cloudInitDone(), ...emptyUserData, ...joinedNode("donor-7", -300 * day, { from: -300, to: 60 }) },
          units: kubeletActive,
          uptime: 130,
        },
        verdict: "failed",
        reason: "ForeignNodeIdentity",
      },
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...emptyUserData,
            ...joinedNode("donor-7", -300 * day),
            [kubeletCertificate]: { ...certificateFor("donor-7", { from: 0.001 }), at: 140 },
          },
          units: kubeletActive,
        },
        verdict: "failed",
        reason: "ForeignNodeIdentity",
      },
    ],
  },
  {
    name: "node-that-renewed-its-own-certificate",
    what: "A node of nearly a year that renewed its certificate and was rebooted; it is named otherwise than its host.",
    provider: "kubeadm",
    state: "rebooted",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -300 * day }),
            ...userCommands(joinCommands, -300 * day + 20),
            ...joinedNode("worker-a", -300 * day + 60),
            [kubeletCertificate]: { ...certificateFor("worker-a"), at: -20 * day },
          },
          units: kubeletActive,
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "clone-whose-kubelet-folder-is-mounted-late",
    what: "A clone whose /var/lib/kubelet is a data disk that is mounted after the first look: the donor's certificate appears, and was not made.",
    provider: "kubeadm",
    state: "cloned",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...emptyUserData,
            "/etc/kubernetes/kubelet.conf": { text: "kind: Config\n", at: -9 * day },
          },
          units: { "kubelet.service": restarting },
          uptime: 120,
          silent: ({ ask }) => ask === "names",
        },
        verdict: "waiting",
      },
      {
        machine: {
          files: { ...cloudInitDone(), ...emptyUserData, ...joinedNode("donor-7", -9 * day) },
          units: kubeletActive,
        },
        verdict: "failed",
        reason: "ForeignNodeIdentity",
      },
    ],
  },
  {
    name: "ignition-node-whose-host-name-has-a-domain",
    what: "A Flatcar node, rebooted: its host has got a domain from DHCP since, its node the short name.",
    provider: "kubeadm-ignition",
    state: "rebooted",
    looks: [
      {
        machine: {
          files: {
            "/etc/.ignition-result.json": { text: "{}", at: -30 * day },
            "/etc/kubeadm.sh": { text: "", at: -30 * day },
            "/etc/systemd/system/kubeadm.service": { text: "", at: -30 * day },
            "/var/lib/waagent/provisioned": { text: "", at: 12 },
            ...joinedNode("node-1", -30 * day + 60),
          },
          units: { ...kubeletActive, "kubeadm.service": {} },
          hostName: "Node-1.internal.cloudapp.net",
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "no-metadata-and-the-fallback-datasource",
    what: "cloud-init found no metadata and took its fallback, DataSourceNone: no error stands anywhere, and no user data was seen.",
    provider: "none",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            "/run/cloud-init/result.json": {
              text: JSON.stringify({ v1: { datasource: "DataSourceNone", errors: [] } }),
              at: 100,
            },
            ...emptyUserData,
          },
        },
        verdict: "failed",
        reason: "CloudInitFailed",
        says: "DataSourceNone",
      },
    ],
  },
  {
    name: "node-of-another-name-after-a-boot-with-the-fallback-datasource",
    what: "A good node that is named otherwise than its host; at this boot cloud-init found no metadata and took its fallback.",
    provider: "kubeadm",
    state: "rebooted",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            "/run/cloud-init/result.json": {
              text: JSON.stringify({ v1: { datasource: "DataSourceNone", errors: [] } }),
              at: 100,
            },
            ...emptyUserData,
            ...joinedNode("worker-a", -30 * day),
          },
          units: kubeletActive,
        },
        verdict: "waiting",
      },
    ],
  },
  ...[
    ["compressed", "\u001F\uFFFD\b\u0000\uFFFDqP\uFFFD"],
    [
      "base64",
      "Content-Type: multipart/mixed\n\n--x\nContent-Transfer-Encoding: base64\n\nI2Nsb3VkLWNvbmZpZwo=\n--x--\n",
    ],
    ["of-configuration-management", "#cloud-config\npuppet:\n  conf:\n    agent: {server: puppet.example.net}\n"],
    ["of-packages", "#cloud-config\npackages: [example-node-agent]\n"],
  ].map(([kind = "", text = ""]): NamedScenario => ({
    name: `user-data-without-a-script-${kind}`,
    what: `User data that leaves no script and is ${kind.replaceAll("-", " ")}: it may have begun something that goes on.`,
    provider: "custom",
    state: "waiting",
    looks: [
      {
        machine: { files: { ...cloudInitDone(), [userData]: { text, at: 20 } } },
        verdict: "waiting",
      },
    ],
  })),
  {
    name: "image-that-bootstraps-itself-by-a-service-of-its-own",
    what: "Empty user data: a unit of the image runs kubeadm, and multi-user.target waits for it.",
    provider: "none",
    state: "joining",
    looks: [
      {
        machine: {
          files: { ...cloudInitDone(), ...emptyUserData },
          units: { "multi-user.target": { active: "inactive", sub: "dead", job: "start" } },
        },
        verdict: "waiting",
      },
      {
        machine: {
          files: { ...cloudInitDone(), ...emptyUserData },
          units: { "multi-user.target": active },
          processes: { "join.service": [{ name: "kubeadm", ageMs: 4000 }] },
        },
        verdict: "waiting",
        stage: "kubeadm-running",
      },
      {
        machine: {
          files: { ...cloudInitDone(), ...emptyUserData },
          units: { "multi-user.target": active },
        },
        verdict: "failed",
        reason: "NoBootstrapData",
      },
    ],
  },
  {
    name: "control-plane-by-a-later-part",
    what: "kubeadm init stands in the second part of multi-part user data; its late failure left words only there and in the log.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands("", 40),
            "/var/lib/cloud/instance/scripts/runcmd": { text: "#!/bin/sh\ntrue\n", at: 30 },
            "/var/lib/cloud/instance/scripts/part-002": { text: `#!/bin/sh\n${initCommands}\nexit 0\n`, at: 30 },
            ...joinedNode(),
            "/etc/kubernetes/kubelet.conf": { text: "client-certificate-data: x\n", at: 60 },
          },
          units: kubeletActive,
        },
        verdict: "failed",
        reason: "KubeadmFailed",
      },
    ],
  },
  {
    name: "control-plane-with-scripts-of-the-vendor",
    what: "Vendor data holds a script: cloud-init keeps it in a folder beside the user's scripts, and the user's words count all the same.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands(initCommands),
            "/var/lib/cloud/instance/scripts/vendor/part-001": { text: "#!/bin/sh\ntrue\n", at: 30 },
            ...joinedNode(),
            "/etc/kubernetes/kubelet.conf": { text: "client-certificate-data: x\n", at: 60 },
          },
          units: kubeletActive,
        },
        verdict: "failed",
        reason: "KubeadmFailed",
      },
    ],
  },
  {
    name: "k3s-on-a-machine-without-systemd",
    what: "k3s under OpenRC: nothing tells of its service, and its kubelet answers well.",
    provider: "k3s",
    state: "joined",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands(`curl -sfL https://get.k3s.io | sh -s - agent && ${sentinelCommand}`),
            ...sentinel,
            "/var/lib/rancher/k3s/agent/kubelet.kubeconfig": { text: "kind: Config\n", at: 70 },
            "/var/lib/rancher/k3s/agent/client-kubelet.crt": { ...certificateFor("node-1"), at: 70 },
          },
          units: { "k3s.service": { load: "no-systemd" }, "k3s-agent.service": { load: "no-systemd" } },
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "clone-whose-clock-was-set-after-its-first-minute",
    what: "A clone whose clock began in 2020 and was set when the network came: its donor's certificate is not newer than it.",
    provider: "kubeadm",
    state: "cloned",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -2000 * day }),
            "/run/cloud-init/enabled": { text: "", at: -2000 * day - 5 },
            ...emptyUserData,
            "/var/lib/cloud/instance/sem/config_scripts_user": { text: "", at: 40 },
            ...joinedNode("donor-7", -9 * day),
          },
          units: kubeletActive,
        },
        verdict: "failed",
        reason: "ForeignNodeIdentity",
      },
    ],
  },
  {
    name: "node-whose-clock-was-set-after-its-first-minute",
    what: "A new node of another name whose clock was set in mid-bootstrap: what it made before is of this instance, too.",
    provider: "kubeadm",
    state: "joined",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -2000 * day }),
            "/run/cloud-init/enabled": { text: "", at: -2000 * day - 5 },
            ...userCommands("kubeadm join --config x", -2000 * day + 20),
            ...joinedNode("worker-a", -2000 * day + 60),
          },
          units: kubeletActive,
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "node-reimaged-with-its-old-kubelet-folder",
    what: "A VM that was re-imaged while /var/lib/kubelet lies on its data disk: the certificate of its life before names this host.",
    provider: "kubeadm",
    state: "joining",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...userCommands(joinCommands),
            ...joinData,
            [kubeletCertificate]: { ...certificateFor("node-1"), at: -9 * day },
            "/etc/kubernetes/bootstrap-kubelet.conf": { text: "", at: 60 },
            ...outputLog(
              "[preflight] Running pre-flight checks",
              "error execution phase kubelet-start: timed out waiting",
            ),
          },
          units: kubeletActive,
        },
        verdict: "waiting",
        stage: "kubelet-tls-bootstrap",
      },
    ],
  },
  {
    name: "external-etcd-control-plane-rebooted",
    what: "A control plane with an external etcd, rebooted: it has no manifest of etcd.",
    provider: "kubeadm",
    state: "rebooted",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -40 * day }),
            ...userCommands(initCommands, -40 * day + 20),
            ...joinedNode("node-1", -40 * day + 60),
            "/etc/kubernetes/manifests/kube-apiserver.yaml": { text: "", at: -40 * day + 50 },
            ...outputLog(
              "[init] Using Kubernetes version: v1.33.1",
              "Your Kubernetes control-plane has initialized successfully!",
              'error: the server doesn\'t have a resource type "ippools"',
            ),
          },
          units: kubeletActive,
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "rke2-agent-rebooted-with-a-rotated-certificate",
    what: "A working RKE2 agent after a reboot: its certificate was made anew at the start of its service, the sentinel is gone.",
    provider: "rke2",
    state: "rebooted",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -90 * day }),
            ...userCommands(rke2Commands, -90 * day + 20),
            ...rke2Config(),
            ...rke2Node(25),
          },
          units: { "rke2-agent.service": active },
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "certificate-of-no-node-on-a-clone",
    what: "A certificate that names no node where kubeadm's kubelet keeps its own: it proves nothing of this machine.",
    provider: "kubeadm",
    state: "cloned",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            ...emptyUserData,
            ...joinedNode("x", -9 * day),
            [kubeletCertificate]: { ...certificateOfName("kubernetes-admin"), at: -9 * day },
          },
          units: kubeletActive,
        },
        verdict: "waiting",
      },
    ],
  },
  ...[
    ["upgrade", "[preflight] Running pre-flight checks", "[upgrade] Reading configuration from the cluster..."],
    ["phase-that-failed", "error execution phase upload-certs: error uploading certs: etcdserver: request timed out"],
  ].map(([kind = "", ...lines]): NamedScenario => ({
    name: `control-plane-whose-user-data-ran-kubeadm-again-${kind}`,
    what: `A control plane, rebooted, whose user data ran kubeadm once more after its success: ${kind.replaceAll("-", " ")}.`,
    provider: "kubeadm",
    state: "rebooted",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -40 * day }),
            ...userCommands(initCommands, -40 * day + 20),
            ...joinedNode("node-1", -40 * day + 60),
            ...manifests(-40 * day + 50),
            ...outputLog(
              "[init] Using Kubernetes version: v1.33.1",
              "Your Kubernetes control-plane has initialized successfully!",
              ...lines,
            ),
          },
          units: kubeletActive,
        },
        verdict: "success",
      },
    ],
  })),
  {
    name: "user-commands-at-every-boot",
    what: "An image whose cloud-init runs the user's commands at every boot (scripts-user: always), and so keeps no mark of them; kubeadm failed.",
    provider: "kubeadm",
    state: "failed",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone(),
            "/var/lib/cloud/instance/scripts/runcmd": { text: `#!/bin/sh\n${joinCommands}\nexit 0\n`, at: 30 },
            [userData]: { text: "#cloud-config\nruncmd: []\n", at: 20 },
            ...joinData,
            ...outputLog("[preflight] Running pre-flight checks", "error execution phase preflight: Unauthorized"),
          },
          units: { "kubelet.service": restarting },
        },
        verdict: "failed",
        reason: "KubeadmFailed",
        says: "Unauthorized",
      },
    ],
  },
  ...[
    ["no port", "healthzBindAddress: 127.0.0.1\nhealthzPort: 0\n", "success"] as const,
    ["another address", "healthzBindAddress: 10.0.0.7\nhealthzPort: 10248\n", "success"] as const,
    ["kubeadm's own settings", "healthzBindAddress: 127.0.0.1\nhealthzPort: 10248\n", "waiting"] as const,
  ].map(([kind, config, verdict]): NamedScenario => ({
    name: `rebooted-node-whose-kubelet-refuses-with-${kind.replaceAll(/[^a-z]/gu, "-")}`,
    what: `A rebooted node on whose usual port nothing listens; its kubelet is configured with ${kind} for its health.`,
    provider: "kubeadm",
    state: "rebooted",
    looks: [
      {
        machine: {
          files: {
            ...cloudInitDone({ instanceAt: -9 * day }),
            ...userCommands(joinCommands, -9 * day + 20),
            ...joinedNode("node-1", -9 * day + 60),
            "/var/lib/kubelet/config.yaml": { text: config, at: -9 * day + 50 },
          },
          units: kubeletActive,
          healthz: { kind: "refused" },
        },
        verdict,
      },
    ],
  })),
];
