import { active, failedUnit, type MachineShape, restarting } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
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
  kubeletActive,
  kubeletIdle,
  outputLog,
  passes,
  ran,
  scenario,
  scriptsError,
  scriptsMark,
  sentinel,
  userCommands,
  userData,
  waits,
} from "./parts.ts";

const result = (v1: object, at = 100): Files => file("/run/cloud-init/result.json", JSON.stringify({ v1 }), at);
const handMade = "/opt/prepare.sh\nkubeadm join --config /etc/join.yaml";
const inFinal = (seconds: number, name: string): Pick<MachineShape, "processes"> => ({
  processes: { "cloud-init-main.service": [{ name, ageMs: seconds * 1000 }] },
});

/** Machines as public issues and manuals show them: of cloud-init and of Azure. */
export const fieldScenarios: readonly NamedScenario[] = [
  scenario(
    ["degraded-by-a-deprecated-key", "kubeadm", "good"],
    "cloud-init 24: deprecated keys make its end degraded; recoverable errors stand beside empty errors, and the node has joined without a sentinel of this boot.",
    passes(
      { units: kubeletActive },
      joins(),
      joinedNode(),
      result({ datasource: "DataSourceAzure [seed=/dev/sr0]", errors: [], recoverable_errors: { DEPRECATED: ["x"] } }),
    ),
  ),
  scenario(
    ["schema-warning-and-no-commands", "none", "failed"],
    "The user data is no YAML: cloud-init 23 warns of its schema, ends without an error, and has made no script of its runcmd.",
    fails(
      { units: kubeletIdle, reason: "NoBootstrapData" },
      cloudInitDone(),
      file(userData, "#cloud-config\nruncmd:\n  - [kubeadm\n", 20),
      scriptsMark(),
    ),
  ),
  scenario(
    ["one-process-runs-all-stages", "kubeadm", "hung"],
    "cloud-init 25 runs all stages in cloud-init-main.service: kubeadm is a child of that.",
    waits(
      { units: kubeletIdle, ...inFinal(40, "kubeadm"), stage: "kubeadm-join" },
      cloudInitRuns("modules-final"),
      joinData,
    ),
  ),
  scenario(
    ["one-process-was-killed", "kubeadm", "failed"],
    "The same process was killed for want of memory: cloud-final.service fails, and no result is written.",
    fails(
      {
        units: {
          ...kubeletIdle,
          "cloud-final.service": failedUnit,
          "cloud-init-main.service": { ...failedUnit, result: "oom-kill" },
        },
        reason: "CloudInitFailed",
      },
      cloudInitRuns("modules-final"),
      joinData,
    ),
  ),
  scenario(
    ["error-of-a-script-of-the-vendor", "custom", "hung"],
    "A script of vendor data failed; the user's own script left a join behind that goes on.",
    waits(
      { units: kubeletIdle },
      cloudInitDone({
        errors: ["('scripts_vendor', RuntimeError('Runparts: 1 failures (part-001) in 1 attempted commands'))"],
      }),
      userCommands("/opt/join.sh &"),
    ),
  ),
  scenario(
    ["error-of-a-script-at-every-boot", "custom", "hung"],
    "A script that the image runs at every boot failed; the user's own script goes on in a service of its own.",
    waits(
      { units: kubeletIdle },
      cloudInitDone({
        errors: ["('scripts_per_boot', RuntimeError('Runparts: 1 failures (tune.sh) in 2 attempted commands'))"],
      }),
      userCommands("systemctl start --no-block join"),
    ),
  ),
  scenario(
    ["image-joins-by-a-script-at-every-boot", "none", "failed"],
    "An image whose script for every boot joins; no user data. The script failed.",
    fails(
      { units: kubeletIdle, reason: "CloudInitFailed" },
      cloudInitDone({
        errors: ["('scripts_per_boot', RuntimeError('Runparts: 1 failures (join.sh) in 1 attempted commands'))"],
      }),
      emptyUserData,
      scriptsMark(),
    ),
  ),
  scenario(
    ["two-parts-with-commands", "kubeadm", "failed"],
    "Two parts of cloud-config with a runcmd each: the later one replaced that of the provider, so kubeadm was never begun.",
    fails({ units: kubeletIdle, reason: "KubeadmFailed" }, ran("apt-get install -y jq"), joinData),
  ),
  scenario(
    ["interface-renamed-too-late", "kubeadm", "good"],
    "An interface was attached late: cloud-init's first stage failed over its name, and the bootstrap went well all the same.",
    passes(
      { units: kubeletActive, remarks: "physical devices" },
      joins(["Not all expected physical devices present: {'00:0d:3a:11:22:33'}"]),
      joinedNode(),
      sentinel,
    ),
  ),
  scenario(
    ["result-not-written-on-a-full-run", "kubeadm", "good"],
    "/run is full: cloud-init ended without its result, and the sentinel with it; the node is well.",
    passes(
      { units: { ...kubeletActive, "cloud-final.service": failedUnit } },
      cloudInitRuns("modules-final"),
      userCommands(joinCommands),
      joinedNode(),
    ),
  ),
  scenario(
    ["disk-full-at-the-first-stage", "none", "failed"],
    "The disk was full when cloud-init wrote the user data: an empty file, no scripts, and its error.",
    fails(
      { units: kubeletIdle, reason: "CloudInitFailed" },
      cloudInitDone({ errors: ["OSError(28, 'No space left on device')"] }),
      emptyUserData,
    ),
  ),
  scenario(
    ["scripts-may-not-be-executed", "kubeadm", "failed"],
    "/var is mounted noexec, or SELinux refuses: no script of the user ran.",
    fails(
      { units: kubeletIdle, reason: "CloudInitFailed" },
      joins([scriptsError]),
      outputLog("/var/lib/cloud/instance/scripts/runcmd: Permission denied"),
    ),
  ),
  scenario(
    ["second-part-after-a-restart", "kubeadm", "hung"],
    "The user's script wrote a unit that joins, and restarted the machine for a driver: the boot waits for that unit, which prepares.",
    waits(
      { units: { ...kubeletIdle, "multi-user.target": { job: "start" } }, uptime: 60 },
      earlier(0.01, `${handMade}\nreboot`),
    ),
    waits({ units: { ...kubeletIdle, "multi-user.target": active } }, earlier(0.01, `${handMade}\nreboot`)),
  ),
  scenario(
    ["interrupted-while-the-boot-waits", "kubeadm", "failed"],
    "A provider's user data was cut off by a restart, and the boot waits for a service: nobody is told before it has come up.",
    waits({ units: { ...kubeletIdle, "multi-user.target": { job: "start" } }, uptime: 60 }, earlier(0.01)),
    fails({ units: { ...kubeletIdle, "multi-user.target": active }, reason: "BootstrapInterrupted" }, earlier(0.01)),
  ),
  scenario(
    ["clone-whose-unit-joins-it-anew", "kubeadm", "cloned"],
    "A clone under its donor's name: its own script began a unit that will reset and join it, and shows nothing yet.",
    waits({ units: kubeletActive }, ran(handMade), joinedNode("node-1", -day)),
  ),
  scenario(
    ["join-in-a-unit-that-tries-again", "kubeadm", "hung"],
    "The user's script wrote and started a unit that runs kubeadm join until it succeeds; between two attempts no kubeadm runs.",
    waits(
      { units: { ...kubeletIdle, "join.service": restarting } },
      ran("cat > /etc/systemd/system/join.service <<EOF\nExecStart=kubeadm join\nEOF\nsystemctl start --no-block join"),
    ),
  ),
  scenario(
    ["hand-made-join-that-failed", "kubeadm", "failed"],
    "A hand-made script joins in the foreground and fails: kubeadm's own words say so.",
    fails(
      { units: kubeletIdle, reason: "KubeadmFailed", says: "validate the identity" },
      ran(`${handMade} || true`),
      outputLog(
        "[preflight] Running pre-flight checks",
        "error execution phase preflight: couldn't validate the identity of the API Server",
      ),
    ),
  ),
  scenario(
    ["prepared-machine-taken-days-later", "kubeadm", "good"],
    "A pre-provisioned machine waited for two days in cloud-init's first stage before it was given away; then it joined, and a command removed /run/cluster-api.",
    passes(
      { units: kubeletActive, uptime: 2 * day + 300 },
      cloudInitDone({ instanceAt: 2 * day }),
      userCommands(joinCommands, 2 * day + 20),
      joinedNode("node-1", 2 * day + 60),
    ),
  ),
  scenario(
    ["prepared-machine-still-waits", "kubeadm", "hung"],
    "The same machine while it still waits.",
    waits({ units: kubeletIdle, uptime: 2 * day, stage: "cloud-init-local" }, cloudInitRuns("init-local")),
  ),
  scenario(
    ["saved-machine-with-a-clock-that-stood", "kubeadm", "good"],
    "A machine that was saved for a week: its clock was set forward when chrony came, after the join.",
    passes({ units: kubeletActive, clockStep: 7 * day }, joins(), joinedNode("worker-a")),
  ),
  scenario(
    ["renamed-by-the-platform-before-the-join", "kubeadm", "good"],
    "The image's host name stood until the second stage; the node has the name that the platform gave.",
    passes({ units: kubeletActive, hostName: "vmss000003" }, joins(), joinedNode("vmss000003")),
  ),
  scenario(
    ["operating-system-disk-made-anew", "kubeadm", "hung"],
    "An ephemeral disk was re-imaged, etcd's data disk kept its folder: kubeadm init refuses, by its own words.",
    fails(
      { units: kubeletIdle, reason: "CloudInitFailed", says: "var-lib-etcd" },
      cloudInitDone({ errors: [scriptsError] }),
      userCommands(initCommands),
      file("/run/kubeadm/kubeadm.yaml", "", 25),
      outputLog(
        "[init] Using Kubernetes version: v1.34.1",
        "\t[ERROR DirAvailable--var-lib-etcd]: /var/lib/etcd is not empty",
      ),
    ),
  ),
  scenario(
    ["provisioned-by-the-agent-alone", "kubeadm", "good"],
    "No cloud-init: the guest agent ran the custom data, which joined; there is no sentinel.",
    passes(
      { units: kubeletActive },
      file("/var/lib/waagent/provisioned", "x", 20),
      file("/var/lib/waagent/CustomData", "#!/bin/sh\nkubeadm join\n", 15),
      joinedNode(),
    ),
  ),
  scenario(
    ["metadata-service-late", "none", "hung"],
    "The metadata service does not answer yet: cloud-init asks for twenty minutes.",
    waits({ units: kubeletIdle, uptime: 900 }, cloudInitRuns("init-local")),
  ),
  scenario(
    ["root-on-an-overlay-rebooted", "kubeadm", "good"],
    "The root is an overlay in memory: every boot is the first one, and joined again.",
    passes({ units: kubeletActive, uptime: 200, bootId: "boot-7" }, joins(), joinedNode(), sentinel),
  ),
];
