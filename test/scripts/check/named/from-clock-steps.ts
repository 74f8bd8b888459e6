import { active, certificateFor, failedUnit } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudbaseRun,
  cloudInitDone,
  ends,
  executes,
  initCommands,
  joinedNode,
  kubeletActive,
  line,
  logText,
  outputLog,
  outputLogAt,
  runsCommands,
  scriptsError,
  userCommands,
  windows,
  windowsJoinData,
  windowsNode,
} from "./parts.ts";

const healthy = { healthz: { kind: "status", status: 200 } } as const;
const hour = 3_600;
/** The clock was an hour ahead until the last restart: cloud-init's marks lie in the future. */
const marksAhead = cloudInitDone({ instanceAt: hour + 20 });
/** It was set back by an hour in this boot, when cloud-init had finished. */
const allAhead = {
  ...marksAhead,
  "/run/cloud-init/enabled": { text: "", at: hour + 2 },
  "/run/cloud-init/result.json": { text: JSON.stringify({ v1: { errors: [] } }), at: hour + 100 },
};
const microk8sNode = (at: number) =>
  ({
    ...userCommands("/capi-scripts/10-join.sh microk8s-join", hour + 30),
    "/capi-scripts": { kind: "folder", at },
    "/var/snap/microk8s/current": { kind: "folder", at },
    "/var/snap/microk8s/current/credentials/kubelet.config": { text: "kind: Config\n", at },
    "/var/snap/microk8s/current/certs/kubelet.crt": { ...certificateFor("node-1"), at },
    "/var/snap/microk8s/current/var/lock/clustered.lock": { text: "", at },
  }) as const;
const microk8sRuns = { "snap.microk8s.daemon-kubelite.service": active, "kubelet.service": failedUnit };

/** An image that was a node, its log removed: the registry knows the donor's instance, too. */
const logRemoved = { plugins: { "vm-1": "1", "vm-2": "1" }, kubelet: "running", installAt: -100_000 } as const;

type Look = NamedScenario["looks"][number];
const one = (
  ...[name, what, provider, state, look]: readonly [string, string, string, string, Look]
): NamedScenario => ({ name, what, provider, state, looks: [look] });

/** Machines whose clock was set back, or whose log or records were cut, so that a donor's files look like their own. */
export const clockStepScenarios: readonly NamedScenario[] = [
  one(
    "control-plane-cut-off-and-the-clock-set-back",
    "kubeadm init was ended by a restart, after the clock was set back by an hour: what is later than all that cloud-init did in this boot is of an earlier one, and the user data itself says init.",
    "kubeadm",
    "rebooted early",
    {
      machine: {
        files: {
          ...marksAhead,
          ...userCommands(initCommands, hour + 30),
          ...joinedNode("node-1", -200),
          "/etc/kubernetes/kubelet.conf": { text: "client-certificate-data: TFMw\n", at: -200 },
          ...outputLog("[init] Using Kubernetes version: v1.31.4"),
        },
        units: kubeletActive,
        uptime: 120,
        ...healthy,
      },
      verdict: "failed",
      reason: "BootstrapInterrupted",
    },
  ),
  one(
    "clone-under-its-donors-name-and-the-clock-set-back",
    "MicroK8s of the donor runs under the donor's name; the clock was set back in this boot: what is older than the boot is not of an instance that began in it.",
    "microk8s",
    "clone",
    {
      machine: { files: { ...allAhead, ...microk8sNode(-90_000) }, units: microk8sRuns, uptime: 400, ...healthy },
      verdict: "waiting",
    },
  ),
  one(
    "node-that-joined-after-the-clock-was-set-back",
    "The same with a certificate of this boot: its time is before cloud-init's marks, and it is this node's own.",
    "microk8s",
    "good",
    {
      machine: { files: { ...allAhead, ...microk8sNode(60) }, units: microk8sRuns, uptime: 400, ...healthy },
      verdict: "success",
    },
  ),
  one(
    "clone-under-its-donors-name-rebooted-with-the-clock-set-back",
    "The clock was set back before this boot, by nobody knows how much: a certificate of an earlier boot is the donor's or its own, and the name proves nothing.",
    "microk8s",
    "clone",
    {
      machine: { files: { ...marksAhead, ...microk8sNode(-90_000) }, units: microk8sRuns, uptime: 400, ...healthy },
      verdict: "waiting",
    },
  ),
  one(
    "clone-under-its-donors-name-with-its-records-wiped",
    "Somebody ran `cloud-init clean` in mid-run: nothing dates the instance any more, its own user data failed, and the node has the donor's name.",
    "kubeadm",
    "clone",
    {
      machine: {
        files: {
          "/etc/cloud/cloud.cfg": "users: [default]\n",
          "/run/cloud-init/enabled": { text: "", at: 5 },
          "/run/cloud-init/result.json": { text: JSON.stringify({ v1: { errors: [scriptsError] } }), at: 100 },
          "/run/kubeadm/kubeadm-join-config.yaml": { text: "", at: 25 },
          ...joinedNode("node-1", -90_000),
        },
        units: kubeletActive,
        uptime: 400,
        ...healthy,
      },
      verdict: "waiting",
    },
  ),
  one(
    "clone-under-its-donors-name-with-its-data-wiped-before-it-ran",
    "The same before the last stage, which then made its mark anew: a mark without the file of the user data dates nothing.",
    "kubeadm",
    "clone",
    {
      machine: {
        files: {
          "/etc/cloud/cloud.cfg": "users: [default]\n",
          "/run/cloud-init/enabled": { text: "", at: 5 },
          "/run/cloud-init/result.json": { text: JSON.stringify({ v1: { errors: [scriptsError] } }), at: 100 },
          "/var/lib/cloud/instance/sem/config_scripts_user": { text: "", at: 80 },
          "/run/kubeadm/kubeadm-join-config.yaml": { text: "", at: 25 },
          ...joinedNode("node-1", -90_000),
        },
        units: kubeletActive,
        uptime: 400,
        ...healthy,
      },
      verdict: "waiting",
    },
  ),
  one(
    "windows-clone-whose-log-was-removed",
    "A clone under its donor's name, and no log: the registry knows two instances, so that whose user data made this node nobody says.",
    "kubeadm (Windows)",
    "clone",
    {
      machine: windows({ ...logRemoved, files: windowsNode("node-1", -90_000) }, healthy),
      verdict: "waiting",
    },
  ),
  one(
    "windows-node-whose-log-was-removed",
    "The same, but the certificate is of this boot: the image's own instance in the registry casts no doubt on it.",
    "kubeadm (Windows)",
    "good",
    {
      machine: windows({ ...logRemoved, files: windowsNode("node-1", 60) }, healthy),
      verdict: "success",
    },
  ),
  one(
    "windows-clone-after-a-log-that-was-cleared",
    "The donor's log was cleared in mid-run, so that its run names no instance: it dates nothing of the instance that the next run names.",
    "kubeadm (Windows)",
    "clone",
    {
      machine: windows(
        {
          log: [
            executes(-88_000),
            runsCommands(-88_000),
            ends(-87_900, 0),
            cloudbaseRun(10, { instance: "vm-2", lines: [executes(15), runsCommands(16)], end: "" }),
          ].join("\r\n"),
          logAt: 16,
          service: "running",
          kubelet: "running",
          files: {
            ...windowsJoinData,
            ...windowsNode("donor-1", -87_950),
            "C:\\run\\cluster-api\\bootstrap-success.complete": { text: "", at: -87_910 },
          },
          installAt: -90_000,
        },
        { uptime: 40, ...healthy },
      ),
      verdict: "waiting",
    },
  ),
  one(
    "windows-clone-whose-first-run-ends-without-a-word",
    "A clone under its donor's name: the first run of its user data was ended by a restart and says nothing of it, the second made no node.",
    "kubeadm (Windows)",
    "clone",
    {
      machine: windows(
        {
          log: [
            cloudbaseRun(-300, { instance: "vm-2", lines: [executes(-295), runsCommands(-294)], end: "" }),
            cloudbaseRun(10, { instance: "vm-2", lines: [executes(15), runsCommands(16), ends(60, 0)] }),
          ].join(""),
          files: { ...windowsJoinData, ...windowsNode("node-1", -7_000) },
          plugins: { "vm-2": "1" },
          kubelet: "running",
          installAt: -90_000,
        },
        healthy,
      ),
      verdict: "waiting",
    },
  ),
  one(
    "windows-run-of-the-donor-that-ends-as-this-boot-begins",
    "By a clock that was set back the donor's run ended two seconds before this boot: it began long before, so it is not of this boot.",
    "kubeadm (Windows)",
    "clone",
    {
      machine: windows(
        {
          log: cloudbaseRun(-92, { lines: [executes(-87)] }),
          logAt: -2,
          files: { "C:\\Windows\\bootstat.dat": { text: "", at: 0 } },
          plugins: { "vm-1": "1" },
          installAt: -90_000,
        },
        { uptime: 30 },
      ),
      verdict: "waiting",
    },
  ),
  one(
    "clone-under-its-donor's-name-with-the-donor's-log",
    "A clone under its donor's name, its own script ran and joined nothing; then the clock was set back and it restarted. The donor's kubeadm says in the kept log that it has joined: that is no word of this instance's.",
    "custom",
    "cloned",
    {
      machine: {
        files: {
          ...marksAhead,
          "/var/lib/cloud/instance/scripts/part-001": { text: "#!/bin/sh\n/opt/join.sh &\n", at: hour + 20 },
          "/var/lib/cloud/instance/user-data.txt": { text: "#!/bin/sh\n", at: hour + 20 },
          "/var/lib/cloud/instance/sem/config_scripts_user": { text: "", at: hour + 30 },
          ...joinedNode("node-1", -86_400),
          ...outputLogAt(
            [-86_400, "[preflight] Running pre-flight checks", "This node has joined the cluster:"],
            [hour + 28],
            [28],
          ),
        },
        units: kubeletActive,
        ...healthy,
      },
      verdict: "waiting",
      stage: "waiting-for-kubelet",
      says: "Nothing tells that the user data made this node",
    },
  ),
  one(
    "late-failure-in-a-rotated-log",
    "A control plane that failed in a late phase and restarted. Its log was rotated since: what kubeadm said stands in cloud-init-output.log.1.",
    "kubeadm",
    "rebooted early",
    {
      machine: {
        files: {
          ...cloudInitDone({ instanceAt: -90_000 }),
          ...userCommands("kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml", -89_980),
          ...joinedNode("node-1", -89_900),
          "/etc/kubernetes/manifests/kube-apiserver.yaml": { text: "", at: -89_900 },
          ...outputLogAt([28]),
          "/var/log/cloud-init-output.log.1": {
            text: logText([
              -89_982,
              "[preflight] Running pre-flight checks",
              "error execution phase control-plane-join/etcd: error creating local etcd static pod manifest file: timeout waiting for etcd cluster to be available",
            ]),
            at: -89_000,
          },
        },
        units: kubeletActive,
        ...healthy,
      },
      verdict: "failed",
      reason: "KubeadmFailed",
      says: "control-plane-join/etcd",
    },
  ),
  one(
    "rotated-log-of-a-donor",
    "The same log of a donor, on a control plane that is well: the run of its own user data is not in it.",
    "kubeadm",
    "rebooted after success",
    {
      machine: {
        files: {
          ...cloudInitDone({ instanceAt: -90_000 }),
          ...userCommands("kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml", -89_980),
          ...joinedNode("node-1", -89_900),
          "/etc/kubernetes/manifests/kube-apiserver.yaml": { text: "", at: -89_900 },
          ...outputLogAt([28]),
          "/var/log/cloud-init-output.log.1": {
            text: logText([
              -990_000,
              "[preflight] Running pre-flight checks",
              "error execution phase control-plane-join/etcd: error creating local etcd static pod manifest file: timeout waiting for etcd cluster to be available",
            ]),
            at: -989_000,
          },
        },
        units: kubeletActive,
        ...healthy,
      },
      verdict: "success",
    },
  ),
  one(
    "disabled-on-a-disk-and-the-clock-set-back",
    "kubeadm init was cut off by a restart; /run lies on the disk, cloud-init is disabled since, and the clock was set back in this boot, so that all of the earlier one seems new.",
    "kubeadm",
    "rebooted early",
    {
      machine: {
        files: {
          "/etc/cloud/cloud.cfg": "users: [default]\n",
          "/run/cloud-init/disabled": { text: "", at: hour },
          ...userCommands(initCommands, hour - 90),
          "/var/lib/cloud/instance/sem/config_write_files": { text: "", at: hour - 100 },
          ...joinedNode("node-1", hour - 80),
          "/etc/kubernetes/kubelet.conf": { text: "client-certificate-data: TFM=\n", at: hour - 80 },
          "/etc/kubernetes/manifests/kube-apiserver.yaml": { text: "", at: hour - 80 },
          "/run/kubeadm/kubeadm.yaml": { text: "", at: hour - 100 },
          ...outputLog("[init] Using Kubernetes version: v1.31.4"),
        },
        units: kubeletActive,
        runIsMemory: false,
        uptime: 30,
        ...healthy,
      },
      verdict: "failed",
      reason: "BootstrapInterrupted",
    },
  ),
  one(
    "windows-three-time-zones-in-one-log",
    "A clone of a node in another zone than its donor's, moved to a third one: the times of its own run cannot be read, but the file of its user data has a time of its own.",
    "kubeadm (Windows)",
    "cloned",
    {
      machine: windows({
        log: [
          cloudbaseRun(-90_000, { instance: "vm-1", lines: [executes(-89_995)] }),
          cloudbaseRun(-2_000, {
            instance: "vm-2",
            hours: -8,
            lines: [executes(-1_995, -8), runsCommands(-1_994, -8), ends(-1_990, 1, -8)],
          }),
          cloudbaseRun(10, {
            instance: "vm-2",
            hours: 2,
            lines: [line(15, "Plugin 'UserDataPlugin' execution already done, skipping", 2)],
          }),
        ].join(""),
        files: {
          "C:\\run\\kubeadm\\kubeadm-join-config.yaml": { text: "", at: -1_994 },
          ...windowsNode("node-of-the-donor", -20_000),
        },
        plugins: { "vm-1": "1", "vm-2": "1" },
        kubelet: "running",
        installAt: -500_000,
      }),
      verdict: "waiting",
      stage: "waiting-for-kubelet",
    },
  ),
  one(
    "windows-joined-before-its-user-data",
    "A token lay in the image, and the kubelet joined in the first seconds; the machine restarted before its user data, which then failed. A certificate that is minutes older than the user data is not surely a donor's.",
    "kubeadm (Windows)",
    "rebooted early",
    {
      machine: windows({
        log: [cloudbaseRun(-100, { end: "" }), cloudbaseRun(10, { lines: [executes(15), ends(61, 1)] })].join(""),
        files: {
          "C:\\etc\\kubernetes\\bootstrap-kubelet.conf": { text: "", at: -50_000 },
          ...windowsNode("node-1", -110),
        },
        plugins: { "vm-1": "1" },
        kubelet: "running",
        installAt: -130,
      }),
      verdict: "waiting",
      stage: "waiting-for-kubelet",
    },
  ),
  one(
    "windows-log-without-its-beginning",
    "The log was cleared while the first run joined; the user data ran again after a restart and failed. The certificate is older than the only beginning that the log tells, and may be this machine's own.",
    "kubeadm (Windows)",
    "rebooted early",
    {
      machine: windows({
        log: [
          line(-1_000, "User_data stdout:"),
          "b'This node has joined the cluster:'",
          ends(-1_000, 1003),
          line(-1_000, "Rebooting"),
          cloudbaseRun(10, { lines: [executes(15), runsCommands(16), ends(61, 9009)] }),
        ].join("\r\n"),
        files: { ...windowsJoinData, ...windowsNode("node-1", -1_010) },
        plugins: { "vm-1": "1" },
        kubelet: "running",
        installAt: -2_000,
      }),
      verdict: "waiting",
      stage: "waiting-for-kubelet",
    },
  ),
];
