import type { NamedScenario } from "./named-scenario.ts";
import {
  cloudbaseRun,
  configPath,
  ends,
  executes,
  line,
  runsCommands,
  windows,
  windowsJoinData,
  windowsNode,
  windowsSentinel,
} from "./parts.ts";

const provider = "kubeadm (Windows)";
const began = [executes(15), runsCommands(16)];
const literal = (text: string): string =>
  `b'${text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}'`;
const preflight =
  "[preflight] Running pre-flight checks\r\nerror execution phase preflight: [preflight] Some fatal errors occurred:\r\n\t[ERROR Port-10250]: Port 10250 is in use\r\n";
const outputOf = (text: string): string =>
  [line(60, "User_data stdout:"), literal(text), line(60, "User_data stderr:"), "b''"].join("\r\n");
const sentinel = (at: number) => ({ [windowsSentinel]: { text: "success \r\n", at } });

/** cloudbase-init and the nodes of Windows. */
export const windowsScenarios: readonly NamedScenario[] = [
  {
    name: "windows-output-as-bytes-literal",
    what: "cloudbase-init logs the user data's output on one line, as a Python bytes literal: kubeadm's error is found in it.",
    provider,
    state: "failed",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, {
            lines: [...began, outputOf(`${"x".repeat(2_000_000)}\r\n${preflight}`), ends(61, 1)],
          }),
          files: windowsJoinData,
          plugins: { "vm-1": "1" },
        }),
        verdict: "failed",
        reason: "CloudbaseInitFailed",
        says: "kubeadm said: error execution phase preflight: [preflight] Some fatal errors occurred:",
      },
    ],
  },
  {
    name: "windows-clone-with-donor's-name",
    what: "A clone with its donor's host name: its own user data ran and failed, the donor's certificate is older.",
    provider,
    state: "cloned",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { instance: "vm-2", lines: [...began, outputOf(preflight), ends(61, 1)] }),
          files: { ...windowsJoinData, ...windowsNode("node-1", -90_000) },
          plugins: { "vm-1": "1", "vm-2": "1" },
          kubelet: "running",
          installAt: -500_000,
        }),
        verdict: "failed",
        reason: "CloudbaseInitFailed",
      },
    ],
  },
  {
    name: "windows-clone-with-donor's-name-set-up-anew",
    what: "A clone with its donor's host name, cloudbase-init disabled: Windows was set up after the certificate was made.",
    provider,
    state: "cloned",
    looks: [
      {
        machine: windows({
          files: windowsNode("node-1", -90_000),
          start: "disabled",
          kubelet: "running",
          installAt: -50,
        }),
        verdict: "waiting",
      },
    ],
  },
  {
    name: "windows-certificate-expired",
    what: "The certificate has expired: no success. NSSM shows the kubelet as running.",
    provider,
    state: "rebooted after success",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { lines: [line(15, "Plugin 'UserDataPlugin' execution already done, skipping")] }),
          files: { ...windowsJoinData, ...windowsNode("node-1", -88_000, { to: -1 }), ...sentinel(-88_000) },
          plugins: { "vm-1": "1" },
          kubelet: "running",
          installAt: -90_000,
        }),
        verdict: "waiting",
        stage: "waiting-for-kubelet",
        says: "expired",
      },
    ],
  },
  {
    name: "windows-kubelet-dead",
    what: "The service kubelet is Running, and nothing listens on the kubelet's health port.",
    provider,
    state: "rebooted after success",
    looks: [
      {
        machine: windows(
          {
            log: cloudbaseRun(10, { lines: [line(15, "Plugin 'UserDataPlugin' execution already done, skipping")] }),
            files: { ...windowsJoinData, ...windowsNode("node-1", -88_000) },
            plugins: { "vm-1": "1" },
            kubelet: "running",
            installAt: -90_000,
          },
          { healthz: { kind: "refused" } },
        ),
        verdict: "waiting",
        stage: "waiting-for-kubelet",
      },
    ],
  },
  ...[-8, 9].map((hours): NamedScenario => ({
    name: `windows-zone-changed-${hours < 0 ? "west" : "east"}`,
    what: `tzutil set another time zone in mid-bootstrap (${hours} h): the sentinel of this boot counts.`,
    provider,
    state: "good",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { lines: [...began], end: "" }) + `${line(90, "Plugins execution done", hours)}\r\n`,
          logAt: 90,
          files: { ...windowsJoinData, ...sentinel(60) },
          plugins: { "vm-1": "1" },
        }),
        verdict: "success",
      },
    ],
  })),
  {
    name: "windows-zone-changed-failure",
    what: "The same with user data that failed: it is told.",
    provider,
    state: "failed",
    looks: [
      {
        machine: windows({
          log:
            cloudbaseRun(10, { lines: [...began, ends(61, 1, 9)], end: "" }) +
            `${line(90, "Plugins execution done", 9)}\r\n`,
          logAt: 90,
          files: windowsJoinData,
          plugins: { "vm-1": "1" },
        }),
        verdict: "failed",
        reason: "CloudbaseInitFailed",
      },
    ],
  },
  {
    name: "windows-clock-stepped-forward",
    what: "The clock was set two hours forward after cloudbase-init had failed: what was seen to grow is of this boot.",
    provider,
    state: "failed",
    looks: [
      {
        machine: windows(
          { log: cloudbaseRun(10, { lines: began, end: "" }), service: "running", logAt: 20, files: windowsJoinData },
          { uptime: 30 },
        ),
        verdict: "waiting",
      },
      {
        machine: windows(
          {
            log: cloudbaseRun(10, { lines: [...began, ends(61, 3)] }),
            files: windowsJoinData,
            plugins: { "vm-1": "1" },
          },
          { clockStep: 7200 },
        ),
        verdict: "failed",
        reason: "CloudbaseInitFailed",
        says: "return code: 3",
      },
    ],
  },
  ...[1_073_807_364, 3_221_225_786].map((code): NamedScenario => ({
    name: `windows-ended-by-its-own-restart-${code}`,
    what: `The user data restarted the machine and was ended by it (${code}): wait for the restart; afterwards nothing goes on.`,
    provider,
    state: "rebooted mid-bootstrap",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { lines: [...began, ends(61, code)] }),
          files: windowsJoinData,
          plugins: { "vm-1": "1" },
        }),
        verdict: "waiting",
        stage: "waiting-for-restart",
      },
      {
        machine: windows(
          {
            log:
              cloudbaseRun(10, { lines: [...began, ends(61, code)] }) +
              cloudbaseRun(2010, { lines: [line(2015, "Plugin 'UserDataPlugin' execution already done, skipping")] }),
            logAt: 2100,
            files: windowsJoinData,
            plugins: { "vm-1": "1" },
          },
          { bootId: "boot-2", uptime: 1000, clockStep: 2000 },
        ),
        verdict: "failed",
        reason: "BootstrapInterrupted",
      },
    ],
  })),
  ...[
    [
      "windows-no-metadata",
      "No metadata service was found, so no user data either.",
      [line(60, "No metadata service found")],
      "CloudbaseInitFailed",
      "",
    ],
    [
      "windows-part-of-user-data-failed",
      "A part of the user data could not be handled.",
      [executes(15), line(16, "Exception during multipart part handling: text/x-shellscript, part-001")],
      "CloudbaseInitFailed",
      "vm-1",
    ],
    ["windows-no-user-data", "There is no user data.", [executes(15)], "NoBootstrapData", "vm-1"],
  ].map(([name, what, lines, reason, id]): NamedScenario => ({
    name: String(name),
    what: String(what),
    provider: "none (Windows)",
    state: "failed",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { instance: String(id), lines: lines as readonly string[] }),
          plugins: id === "" ? {} : { "vm-1": "1" },
        }),
        verdict: "failed",
        reason: String(reason),
      },
    ],
  })),
  {
    name: "windows-beginning-of-log-cut",
    what: "The first line of the run was cut off the log.",
    provider,
    state: "failed",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { lines: [...began, ends(61, 1)] })
            .split("\r\n")
            .slice(1)
            .join("\r\n"),
          files: windowsJoinData,
          plugins: { "vm-1": "1" },
        }),
        verdict: "failed",
        reason: "CloudbaseInitFailed",
      },
    ],
  },
  {
    name: "windows-log-elsewhere",
    what: "cloudbase-init.conf names another folder for the log: it is read there.",
    provider,
    state: "failed",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { lines: [...began, ends(61, 1)] }),
          logPath: "D:\\logs\\ci.log",
          files: { ...windowsJoinData, [configPath]: "[DEFAULT]\nlogdir=D:\\logs\\\nlogfile = ci.log\n" },
          plugins: { "vm-1": "1" },
        }),
        verdict: "failed",
        reason: "CloudbaseInitFailed",
      },
    ],
  },
  {
    name: "windows-log-nowhere",
    what: "No log can be found; the sentinel was written while this machine was watched.",
    provider,
    state: "good",
    looks: [
      {
        machine: windows({ service: "running" }, { uptime: 60 }),
        verdict: "waiting",
        stage: "waiting-for-cloudbase-init",
      },
      { machine: windows({ files: { ...windowsJoinData, ...sentinel(120) } }, { uptime: 130 }), verdict: "success" },
    ],
  },
  {
    name: "windows-restart-code-without-debug",
    what: "Code 1002 of a plain script, and no debug lines in the log: the registry tells that the user data runs again.",
    provider,
    state: "hung",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { instance: "", lines: [executes(15), ends(61, 1002)] }),
          files: windowsJoinData,
          plugins: { "vm-1": "2" },
        }),
        verdict: "waiting",
        stage: "waiting-for-restart",
      },
    ],
  },
  {
    name: "windows-registry-knows-the-instance",
    what: "The log was cleared, the registry knows that this instance's user data ran: a name other than the host's is no clone's.",
    provider,
    state: "rebooted after success",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { lines: [line(15, "Plugin 'UserDataPlugin' execution already done, skipping")] }),
          files: { ...windowsJoinData, ...windowsNode("other-name", -88_000) },
          plugins: { "vm-1": "1" },
          kubelet: "running",
          installAt: -90_000,
        }),
        verdict: "waiting",
      },
    ],
  },
  {
    name: "windows-flags-file-of-the-image",
    what: "The image carries kubeadm-flags.env; the user data is of another kind.",
    provider: "custom (Windows)",
    state: "hung",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { lines: [executes(15), runsCommands(16), ends(61, 0)] }),
          files: { "C:\\var\\lib\\kubelet\\kubeadm-flags.env": { text: "", at: -90_000 } },
          plugins: { "vm-1": "1" },
        }),
        verdict: "waiting",
        stage: "waiting-for-sentinel",
        providers: ["custom"],
      },
    ],
  },
  {
    name: "windows-write-files-failed-beside-a-join",
    what: "A file of the user data could not be written; kubeadm joined all the same.",
    provider,
    state: "good",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, {
            lines: [executes(15), line(16, "Processing plugin write_files failed"), runsCommands(17), ends(61, 0)],
          }),
          files: { ...windowsJoinData, ...windowsNode("node-1", 60) },
          plugins: { "vm-1": "1" },
          kubelet: "running",
        }),
        verdict: "success",
        remarks: "write_files failed",
      },
    ],
  },
  {
    name: "windows-donor's-error-of-last-year",
    what: "The log tells of a failure of the donor, a year ago; this machine's user data runs.",
    provider,
    state: "cloned",
    looks: [
      {
        machine: windows({
          log:
            cloudbaseRun(-31_000_000, { instance: "donor", lines: [executes(-30_999_995), ends(-30_999_950, 1)] }) +
            cloudbaseRun(10, { lines: began, end: "" }),
          logAt: 20,
          service: "running",
          files: windowsJoinData,
          plugins: { donor: "1" },
        }),
        verdict: "waiting",
        stage: "kubeadm-join",
      },
    ],
  },
  {
    name: "windows-user-data-runs-again",
    what: "Code 1003 after the join: the user data runs again, kubeadm refuses, and the node is one all the same.",
    provider,
    state: "rebooted after success",
    looks: [
      {
        machine: windows(
          {
            log:
              cloudbaseRun(10, { lines: [...began, ends(61, 1003)], end: "Rebooting" }) +
              cloudbaseRun(2010, { lines: [executes(2015), runsCommands(2016), outputOf(preflight), ends(2061, 1)] }),
            logAt: 2100,
            files: { ...windowsJoinData, ...windowsNode("node-1", 50), ...sentinel(60) },
            plugins: { "vm-1": "1" },
            kubelet: "running",
          },
          { bootId: "boot-2", uptime: 200, clockStep: 2000 },
        ),
        verdict: "success",
      },
    ],
  },
  {
    name: "windows-clock-set-back-after-set-up",
    what: "The clock was set an hour back after Windows was set up: what is of this boot is not older than the machine.",
    provider,
    state: "good",
    looks: [
      {
        machine: windows(
          {
            log: cloudbaseRun(-3590, { lines: [executes(-3585), runsCommands(-3584), ends(-3540, 1)] }),
            logAt: -3500,
            files: { ...windowsJoinData, ...windowsNode("node-1", -3550), ...sentinel(-3545) },
            plugins: { "vm-1": "1" },
            kubelet: "running",
            installAt: 0,
          },
          { clockStep: -3600, uptime: 300 },
        ),
        verdict: "success",
      },
    ],
  },
  {
    name: "windows-sentinel-of-earlier-boot-dead-kubelet",
    what: "The sentinel of an earlier boot says that the machine was a node; its kubelet does not run now.",
    provider,
    state: "rebooted after success",
    looks: [
      {
        machine: windows({
          log: cloudbaseRun(10, { lines: [line(15, "Plugin 'UserDataPlugin' execution already done, skipping")] }),
          files: { ...windowsJoinData, ...windowsNode("node-1", -88_000), ...sentinel(-88_000) },
          plugins: { "vm-1": "1" },
          kubelet: "stopped",
          installAt: -90_000,
        }),
        verdict: "waiting",
        stage: "waiting-for-kubelet",
      },
    ],
  },
];
