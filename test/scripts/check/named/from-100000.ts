import { active, certificateFor, restarting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudbaseRun,
  cloudInitDone,
  cloudInitRuns,
  ends,
  executes,
  joinedNode,
  line,
  runsCommands,
  userCommands,
  windows,
  windowsJoinData,
  windowsNode,
} from "./parts.ts";

const noMetadata = ["No instance datasource found."];
const scripts = { "/capi/scripts/join-cluster.sh": { text: "", at: -90_000 } };
const joinedAs = (name: string, at: number) => ({
  "/etc/kubernetes/kubelet.conf": { text: "kind: Config\n", at },
  "/etc/kubernetes/pki/kubelet-client.crt": { ...certificateFor(name), at },
});
const service = { "snap.k8s.kubelet.service": active };
const healthy = { healthz: { kind: "status", status: 200 } } as const;

/** A clone under its donor's name, an hour later, whose kubelet runs as the donor. */
const namedAsDonor = (...runs: readonly string[]) =>
  windows(
    {
      log: runs.join(""),
      files: { ...windowsJoinData, ...windowsNode("node-1", -7_000) },
      plugins: { "vm-2": "1" },
      kubelet: "running",
      installAt: -90_000,
    },
    healthy,
  );
const firstRun = (...lines: readonly string[]): string =>
  cloudbaseRun(-300, { instance: "vm-2", lines: [executes(-295), runsCommands(-294), ...lines] });
const secondRun = (...lines: readonly string[]): string => cloudbaseRun(10, { instance: "vm-2", lines });

/** Machines from the first run of 100,000 histories, and those after it. */
export const hundredThousandScenarios: readonly NamedScenario[] = [
  {
    name: "certificate-seen-to-be-made-in-an-earlier-boot",
    what: "The certificate was made while this machine was watched, in the boot before: so it is its own, whatever its name.",
    provider: "canonical-kubernetes",
    state: "rebooted after success",
    looks: [
      {
        machine: {
          files: { ...cloudInitDone({ instanceAt: -90_000 }), ...scripts },
          units: { "snap.k8s.kubelet.service": { active: "activating", sub: "start" } },
          bootId: "boot-1",
          uptime: 120,
        },
        verdict: "waiting",
      },
      {
        machine: {
          files: { ...cloudInitRuns("init"), ...scripts, ...joinedAs("by-configuration", -300) },
          units: service,
          bootId: "boot-2",
          uptime: 20,
        },
        verdict: "waiting",
      },
      {
        machine: {
          files: {
            ...cloudInitDone({ errors: noMetadata, instanceAt: -90_000 }),
            ...scripts,
            ...joinedAs("by-configuration", -300),
          },
          units: service,
          bootId: "boot-2",
          uptime: 300,
        },
        verdict: "success",
      },
    ],
  },
  {
    name: "k3s-of-the-image-beside-an-expired-kubeadm-node",
    what: "The user's own script had joined by kubeadm, and that certificate has expired; k3s of the image runs and may be the node.",
    provider: "custom",
    state: "certificate expired",
    looks: [300, 600].map((uptime) => ({
      machine: {
        files: {
          ...cloudInitDone({ instanceAt: -35_000_000 }),
          ...userCommands("/opt/join.sh", -34_999_980),
          ...joinedNode("node-1", -34_999_900, { to: -1 }),
          "/etc/rancher/k3s/config.yaml": { text: "", at: -60_000_000 },
          "/etc/systemd/system/k3s-agent.service": { text: "", at: -60_000_000 },
          "/var/lib/rancher/k3s/agent": { kind: "folder", at: -60_000_000 },
          "/var/lib/rancher/k3s/agent/kubelet.kubeconfig": { text: "", at: 12 },
          "/var/lib/rancher/k3s/agent/client-kubelet.crt": { ...certificateFor("node-1"), at: 12 },
        },
        units: { "kubelet.service": restarting, "k3s-agent.service": active },
        uptime,
      },
      verdict: "waiting" as const,
    })),
  },
  {
    name: "windows-clock-set-forward-after-a-join-by-hand",
    what: "Joined by hand right after the boot, then the clock was set forward by an hour: the certificate is of this boot, not a donor's.",
    provider: "kubeadm (Windows)",
    state: "good",
    looks: [
      {
        machine: windows(
          {
            log: cloudbaseRun(35, { lines: [executes(40)] }),
            logAt: 125,
            files: { ...windowsNode("node-1", 9), "C:\\Windows\\bootstat.dat": { text: "", at: 0 } },
            plugins: { "vm-1": "1" },
            kubelet: "running",
            installAt: -90_000,
          },
          { clockStep: 3600, ...healthy },
        ),
        verdict: "success",
      },
    ],
  },
  {
    name: "windows-joined-by-hand-and-user-data-without-commands",
    what: "Joined by hand in an earlier boot; the user data, which ran in this one, has no command: so the certificate that names the host is its own.",
    provider: "kubeadm (Windows)",
    state: "good",
    looks: [
      {
        machine: windows(
          {
            log: cloudbaseRun(10, {
              lines: [
                executes(15),
                line(16, "Could not process part type <class 'bytes'>: 'Empty yaml stream provided.'"),
              ],
            }),
            files: windowsNode("node-1", -22),
            plugins: { "vm-1": "1" },
            kubelet: "running",
            installAt: -90_000,
          },
          healthy,
        ),
        verdict: "success",
      },
    ],
  },
  {
    name: "windows-clone-with-donor's-name-ended-by-its-restart",
    what: "A clone with its donor's name: its user data was ended by a restart of its own, and did not run again. The node is the donor's.",
    provider: "kubeadm (Windows)",
    state: "cloned",
    looks: [
      {
        machine: namedAsDonor(
          firstRun(ends(-290, 1_073_807_364)),
          secondRun(line(15, "Plugin 'UserDataPlugin' execution already done, skipping")),
        ),
        verdict: "waiting",
        stage: "waiting-for-kubelet",
      },
    ],
  },
  {
    name: "windows-clone-with-donor's-name-second-run-says-nothing",
    what: "A clone with its donor's name: kubeadm failed, the user data asked for another run, and that one had nothing to say.",
    provider: "kubeadm (Windows)",
    state: "cloned",
    looks: [
      {
        machine: namedAsDonor(
          firstRun(
            line(-291, "User_data stdout:"),
            String.raw`b'[preflight] Running pre-flight checks\r\nerror execution phase preflight: taken\r\n'`,
            ends(-290, 1003),
          ),
          secondRun(executes(15), runsCommands(16), ends(20, 0)),
        ),
        verdict: "waiting",
        stage: "waiting-for-kubelet",
      },
    ],
  },
];
