import { certificateFor } from "../machine-of.ts";
import type { NamedScenario } from "./named-scenario.ts";
import {
  all,
  cloudbaseRun,
  configPath,
  ends,
  executes,
  fails,
  file,
  line,
  passes,
  runsCommands,
  scenario,
  told,
  waits,
  windows,
  windowsJoinData,
  windowsNode,
  windowsSentinel,
} from "./parts.ts";

const provider = "kubeadm (Windows)";
const log = (...lines: readonly string[]): string => cloudbaseRun(10, { lines });
const ran = (code: number, ...said: readonly string[]): string =>
  log(executes(15), runsCommands(16), ...said, ends(70, code));
const specialised = cloudbaseRun(10, { lines: [line(12, "Executing plugins for stage 'MAIN':")] });
const skipped = line(14, "Plugin 'UserDataPlugin' execution already done, skipping");
const bootstraps = file("C:\\etc\\kubernetes\\bootstrap-kubelet.conf", "", 40);
const gaveUp = "error execution phase kubelet-start: timed out waiting for the condition";
const exception = line(33, "Max retries exceeded").replace("INFO cloudbaseinit.init", "ERROR cloudbaseinit.shell");
const endedByException = cloudbaseRun(10, { instance: "", lines: [exception], end: "" });
const part = (code: number): string =>
  line(60, `Script "C:\\Windows\\TEMP\\part-001.ps1" ended with exit code: ${code}`);
const notRun = line(64, "An error occurred during file execution: [WinError 193]");
const joinConfig = "C:\\run\\kubeadm\\kubeadm-join-config.yaml";
const plugins = { "vm-1": "1" };
const joinsWindows = [executes(15), runsCommands(16), ends(70, 0)];

/** Machines with Windows as public issues and manuals of cloudbase-init, of nssm and of providers show them. */
export const windowsFieldScenarios: readonly NamedScenario[] = [
  scenario(
    ["windows-plugins-and-restarts", "kubeadm (Windows)", "good"],
    "cloudbase-init restarted the machine for its host name and for a driver before the user data, which then joined.",
    passes(
      windows({
        log: [
          cloudbaseRun(-400, { end: "Rebooting" }),
          cloudbaseRun(-200, { end: "Rebooting" }),
          log(line(13, "Plugin 'SetHostNamePlugin' execution already done, skipping"), ...joinsWindows),
        ].join(""),
        files: { ...windowsJoinData, ...windowsNode(), [windowsSentinel]: { text: "success", at: 65 } },
        plugins: { "vm-1": "1" },
        kubelet: "running",
        installAt: -500,
      }),
    ),
  ),
  scenario(
    ["windows-between-two-restarts", "kubeadm (Windows)", "hung"],
    "The same behind the second restart: the service runs and has not spoken in this boot.",
    waits(
      windows(
        {
          log: [cloudbaseRun(-400, { end: "Rebooting" }), cloudbaseRun(-200, { end: "Rebooting" })].join(""),
          logAt: -110,
          service: "running",
          kubelet: "stopped",
          installAt: -500,
        },
        { uptime: 20 },
      ),
    ),
  ),
  scenario(
    ["windows-other-plugin-failed", "kubeadm (Windows)", "good"],
    "The plugin that extends volumes failed; the user data joined the machine and wrote no sentinel.",
    passes(
      windows({
        log: log(line(13, "plugin 'ExtendVolumesPlugin' failed with error 'not found'"), ...joinsWindows),
        files: { ...windowsJoinData, ...windowsNode() },
        plugins: { "vm-1": "1" },
        kubelet: "running",
      }),
    ),
  ),
  scenario(
    ["windows-restart-without-another-run", "kubeadm (Windows)", "hung"],
    "A script, and no list of commands, asked for a restart and no further run (1001) before it joined: nothing runs again behind it.",
    fails(
      windows({
        log: log(executes(15), ends(70, 1001)),
        files: windowsJoinData,
        plugins: { "vm-1": "1" },
        kubelet: "stopped",
      }),
    ),
  ),
  scenario(
    ["windows-kubelet-pending", "kubeadm (Windows)", "hung"],
    "The image's kubelet service hangs in its start on a node of this boot, joined without a sentinel.",
    waits(
      windows({
        log: log(...joinsWindows),
        files: { ...windowsJoinData, ...windowsNode() },
        plugins: { "vm-1": "1" },
        kubelet: "start-pending",
      }),
    ),
  ),
  scenario(
    ["windows-script-stopped-by-a-guard", "kubeadm (Windows)", "failed"],
    "A virus guard took the script away: PowerShell ended with 1, and nothing was joined.",
    fails({
      ...windows({
        log: log(
          executes(15),
          runsCommands(16),
          "b'At line:1 char:1\\r\\nThis script contains malicious content and has been blocked by your antivirus software.\\r\\n'",
          ends(20, 1),
        ),
        files: windowsJoinData,
        plugins: { "vm-1": "1" },
        kubelet: "stopped",
      }),
      reason: "CloudbaseInitFailed",
    }),
  ),
  scenario(
    ["windows-stages-that-share-a-log", provider, "hung"],
    "The run of sysprep's specialise pass wrote into the log of the service, which begins in the same boot: that run knew no user data.",
    waits(windows({ log: specialised, service: "start-pending" }, { uptime: 120 })),
    waits(windows({ log: specialised, service: "stopped" }, { uptime: 120 })),
    fails({ ...windows({ log: specialised, service: "stopped" }, { uptime: 900 }), reason: "NoBootstrapData" }),
  ),
  scenario(
    ["windows-kubelet-throttled-by-nssm", provider, "hung"],
    "kubeadm gave up; nssm waits (paused) before it starts the kubelet again, which goes on asking for its certificate.",
    waits({
      ...windows({ log: ran(1, gaveUp), files: all(windowsJoinData, bootstraps), plugins, kubelet: "paused" }),
      stage: "kubelet-tls-bootstrap",
    }),
  ),
  scenario(
    ["windows-kubelet-throttled-on-a-node", provider, "rebooted after success"],
    "The same on a node after a restart: it waits for its network.",
    waits(
      windows({
        log: cloudbaseRun(-9000, { lines: [executes(-8995), runsCommands(-8994), ends(-8940, 0)] }) + log(skipped),
        files: all(file(joinConfig, "", -8992), windowsNode("node-1", -8950), {
          [windowsSentinel]: { text: "success", at: -8945 },
        }),
        plugins,
        kubelet: "paused",
        installAt: -9500,
      }),
    ),
  ),
  scenario(
    ["windows-first-part-failed", provider, "good"],
    "User data of several parts: the first one failed, the second joined and wrote no sentinel.",
    passes(
      windows({
        log: log(executes(15), ends(17, 1), runsCommands(18), ends(70, 0)),
        files: all(windowsJoinData, windowsNode()),
        plugins,
        kubelet: "running",
      }),
    ),
  ),
  scenario(
    ["windows-part-of-an-unknown-type", provider, "good"],
    "A part of a type that cloudbase-init does not know beside the one that joined.",
    passes(
      windows({
        log: ran(0, line(17, "Could not process part type 'text/x-other': no handler")),
        files: all(windowsJoinData, windowsNode(), { [windowsSentinel]: { text: "success", at: 65 } }),
        plugins,
        kubelet: "running",
      }),
    ),
  ),
  scenario(
    ["windows-joins-by-a-scheduled-task", "custom (Windows)", "good"],
    "The user data registers a task that joins, and ends; the task writes the sentinel.",
    waits(windows({ log: ran(0), plugins, kubelet: "stopped" }, { uptime: 200 })),
    passes(
      windows({
        log: ran(0),
        files: all(windowsNode("node-1", 300), { [windowsSentinel]: { text: "success", at: 310 } }),
        plugins,
        kubelet: "running",
      }),
    ),
  ),
  scenario(
    ["windows-runtime-restarted", provider, "hung"],
    "A command after the join restarts containerd, and the kubelet with it.",
    waits(windows({ log: ran(0), files: all(windowsJoinData, windowsNode()), plugins, kubelet: "stop-pending" })),
  ),
  scenario(
    ["windows-script-that-always-restarts", provider, "hung"],
    "The script ends with 1003 at every boot: it restarts and runs again for ever.",
    waits(
      windows(
        {
          log:
            cloudbaseRun(-200, {
              lines: [executes(-195), runsCommands(-194), ends(-150, 1003)],
              end: "Rebooting",
            }) + cloudbaseRun(10, { lines: [executes(15), runsCommands(16)], end: "" }),
          files: windowsJoinData,
          service: "running",
        },
        { uptime: 60 },
      ),
    ),
  ),
  scenario(
    ["windows-that-speaks-german", provider, "failed"],
    "kubeadm is not on the path; cmd says so in German, and its code tells.",
    fails({
      ...windows({
        log: ran(
          9009,
          "b'Der Befehl \"kubeadm\" ist entweder falsch geschrieben oder\\r\\nkonnte nicht gefunden werden.\\r\\n'",
        ),
        files: windowsJoinData,
        plugins,
      }),
      reason: "CloudbaseInitFailed",
    }),
  ),
  scenario(
    ["windows-joined-by-a-local-script", "none (Windows)", "good"],
    "The image's LocalScriptsPlugin joins the machine; there is no user data.",
    passes(
      windows({
        log: log(line(13, "Executing plugin 'LocalScriptsPlugin'"), executes(80)),
        files: windowsNode("node-1", 60),
        plugins,
        kubelet: "running",
      }),
    ),
  ),
  scenario(
    ["windows-host-name-in-capitals", provider, "rebooted after success"],
    "Windows shows its name in capital letters, the node has small ones; rebooted.",
    passes(
      windows(
        {
          log: cloudbaseRun(-9000, { lines: [executes(-8995), runsCommands(-8994), ends(-8940, 0)] }) + log(skipped),
          files: all(file(joinConfig, "", -8992), windowsNode("capz-win-1", -8950), {
            [windowsSentinel]: { text: "success", at: -8945 },
          }),
          plugins,
          kubelet: "running",
          installAt: -9500,
        },
        { hostName: "CAPZ-WIN-1" },
      ),
    ),
  ),
  scenario(
    ["windows-k0s-worker", "k0s (Windows)", "good"],
    "k0smotron's script installed a worker, whose kubelet has its certificate; the sentinel was not written.",
    passes({
      ...windows({
        log: ran(0),
        files: all(file("C:\\bootstrap\\k0s_install.ps1", "", 18), file("C:\\var\\lib\\k0s\\kubelet.conf", "", 60), {
          "C:\\var\\lib\\k0s\\kubelet\\pki\\kubelet-client-current.pem": { ...certificateFor("node-1"), at: 61 },
        }),
        plugins,
      }),
      services: { "cloudbase-init": "stopped", k0sworker: "running" },
    }),
  ),
  scenario(
    ["windows-provisioned-without-cloudbase-init", "custom (Windows)", "hung"],
    "An image of AKS: a script of an extension makes the node under C:\\k, and cloudbase-init is not there.",
    waits(windows({ service: "", files: file("C:\\k\\config", "kind: Config\n", 60), kubelet: "running" })),
  ),
  scenario(
    ["windows-cloudbase-init-ended-by-an-exception", provider, "failed"],
    "The wire server does not take cloudbase-init's report, which nothing in it catches: it ends before the plugins.",
    fails({
      ...windows({ log: endedByException, logAt: 33, kubelet: "stopped" }),
      reason: "CloudbaseInitFailed",
      says: "cloudbase-init ended: Max retries exceeded",
    }),
  ),
  scenario(
    ["windows-part-that-is-a-script", "custom (Windows)", "hung"],
    "A part of the user data is a script, which leaves a task behind that joins; a script of the image fails after it.",
    waits(
      windows({ log: log(executes(15), part(0), line(62, "Executing plugin 'LocalScriptsPlugin'"), part(1)), plugins }),
    ),
  ),
  scenario(
    ["windows-part-and-a-script-of-the-image-that-cannot-be-run", "custom (Windows)", "hung"],
    "A part of the user data is a script, which leaves a task behind that joins; a script of the image cannot be run.",
    waits(
      windows({ log: log(executes(15), part(0), line(62, "Executing plugin 'LocalScriptsPlugin'"), notRun), plugins }),
    ),
  ),
  scenario(
    ["windows-part-that-cannot-be-run", "custom (Windows)", "failed"],
    "A part of the user data is a script that cannot be run.",
    fails({
      ...windows({ log: log(executes(15), notRun), plugins }),
      reason: "CloudbaseInitFailed",
      says: "An error occurred during file execution",
    }),
  ),
  ...(
    [
      [1, "failed"],
      [1_073_807_364, "waiting"],
    ] as const
  ).map(([code, verdict]) =>
    scenario(
      [`windows-part-that-is-a-script-${code}`, "custom (Windows)", verdict === "failed" ? "failed" : "hung"],
      `A part of the user data is a script, and ended with ${code}.`,
      told(verdict, {
        ...windows({ log: log(executes(15), part(code)), plugins }),
        ...(verdict === "failed" && { reason: "CloudbaseInitFailed" }),
      }),
    ),
  ),
  ...[
    ["by-its-whole-path", "logfile=D:\\logs\\init.log\r\n"],
    ["with-colons-and-quotes", "log_dir : \"D:\\logs\"\r\nlog_file : 'init.log'\r\n"],
  ].map(([how = "", text = ""]) =>
    scenario(
      [`windows-log-named-${how}`, provider, "failed"],
      `cloudbase-init.conf names another log, ${how.replaceAll("-", " ")}.`,
      fails(
        windows({
          log: ran(3),
          logPath: "D:\\logs\\init.log",
          files: all(windowsJoinData, file(configPath, `[DEFAULT]\r\n${text}`, -1000)),
          plugins,
        }),
      ),
    ),
  ),
  ...[
    [
      "before-the-user-data",
      cloudbaseRun(10, { lines: [line(12, "Executing plugin 'SetHostNamePlugin'")], end: "Rebooting" }),
    ],
    ["and-runs-it-again", log(executes(15), ends(70, 1002))],
    [
      "and-an-exception-follows",
      [
        cloudbaseRun(10, { lines: [line(12, "Executing plugin 'SetHostNamePlugin'")], end: "Rebooting" }),
        exception,
      ].join(""),
    ],
  ].map(([when = "", text = ""]) =>
    scenario(
      [`windows-none-wanted-restarts-${when}`, "none (Windows)", "hung"],
      `The setting says that nothing bootstraps here: cloudbase-init wants a restart ${when.replaceAll("-", " ")}.`,
      waits({ ...windows({ log: text, plugins: { "vm-1": "2" } }), provider: "none", stage: "waiting-for-restart" }),
    ),
  ),
  scenario(
    ["windows-kubelet-held-back-for-half-an-hour", provider, "failed"],
    "kubeadm gave up, and nssm still holds the kubelet back half an hour after the boot: it crashes at each start.",
    ...([1799, 1800] as const).map((uptime) =>
      told(uptime < 1800 ? "waiting" : "failed", {
        ...windows(
          { log: ran(1, gaveUp), files: all(windowsJoinData, bootstraps), plugins, kubelet: "paused" },
          { uptime },
        ),
      }),
    ),
  ),
];
