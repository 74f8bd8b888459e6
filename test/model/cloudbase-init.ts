import { cloudbasePluginsKey, instanceIdOf, type Level, logCloudbase, pythonBytes } from "./cloudbase-log.ts";
import { forEver } from "./kubeadm.ts";
import type { Activity, Script } from "./activity.ts";
import type { Machine } from "./machine.ts";
import { runUserScript, writeUserFiles } from "./user-script.ts";

/**
 * One run of the service cloudbase-init: the plugins before the metadata, the instance id, the plugins of the main stage. A plugin is
 * written down as done after it returned; one that was ended by a restart or an exception runs again at the next boot.
 */
export function* cloudbaseInit(machine: Machine, self: Activity): Script {
  const log = (level: Level, text: string): void => {
    logCloudbase(machine, { level, logger: "init", text });
  };
  if (machine.image.sharesLog === true && machine.boots === 1) specialise(machine);
  yield machine.about(25_000);
  setService(machine, "start-pending");
  yield 1_500;
  setService(machine, "running");
  machine.startProcess("python.exe", "cloudbase-init");
  log("INFO", "Cloudbase-Init version: 1.1.6");
  yield machine.about(4_000);
  log("INFO", "Executing plugins for stage 'PRE_NETWORKING':");
  log("INFO", "Executing plugins for stage 'PRE_METADATA_DISCOVERY':");
  yield machine.about(5_000);
  if (machine.life.metadata === "missing") {
    yield machine.about(60_000);
    if (machine.random() < 0.5) {
      yield* endByException(machine, self);
      return;
    }
    log("ERROR", "No metadata service found");
    yield* finish(machine, self);
    return;
  }
  log("INFO", "Metadata service loaded: 'AzureService'");
  log(
    "DEBUG",
    `Instance id: ${instanceIdOf(machine)} configure_host C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\Python\\Lib\\site-packages\\cloudbaseinit\\init.py:202`,
  );
  log("INFO", "Executing plugins for stage 'MAIN':");
  yield machine.about(2_000);
  if (machine.attempt.unrelatedError) log("ERROR", "plugin 'ExtendVolumesPlugin' failed with error 'Access is denied'");
  else plugins(machine).set("ExtendVolumesPlugin", "1");
  if (plugins(machine).get("UserDataPlugin") === "1") {
    log("DEBUG", "Plugin 'UserDataPlugin' execution already done, skipping");
  } else {
    const restarts = yield* userDataPlugin(machine, self);
    if (restarts) {
      log("INFO", "Rebooting");
      machine.restartAtMs = machine.trueMs + 4_000;
      machine.tell("cloudbase-init restarts the machine");
      yield forEver;
    }
  }
  yield* finish(machine, self);
}

/** Its run in sysprep's specialise pass, which has no plugin for user data. */
function specialise(machine: Machine): void {
  const lines = [
    "Cloudbase-Init version: 1.1.6",
    "Executing plugins for stage 'PRE_NETWORKING':",
    ...(machine.life.metadata === "missing" ? [] : [`Instance id: ${instanceIdOf(machine)} configure_host`]),
    "Executing plugins for stage 'MAIN':",
    "Plugins execution done",
  ];
  for (const text of lines) logCloudbase(machine, { level: "INFO", logger: "init", text });
}

function* finish(machine: Machine, self: Activity): Script {
  self.mayBecomeNode = false;
  logCloudbase(machine, { level: "INFO", logger: "init", text: "Plugins execution done" });
  logCloudbase(machine, { level: "INFO", logger: "init", text: "Stopping Cloudbase-Init service" });
  yield* stop(machine);
}

/** A service that was found does not answer again: what none of the program's parts catches ends it before the plugins. */
function* endByException(machine: Machine, self: Activity): Script {
  self.mayBecomeNode = false;
  const lines = [
    ["INFO", "init", "Metadata service loaded: 'AzureService'"],
    ["INFO", "init", "Reporting provisioning started"],
    ["ERROR", "shell", "HTTPConnectionPool(host='168.63.129.16', port=80): Max retries exceeded"],
  ] as const;
  for (const [level, logger, text] of lines) logCloudbase(machine, { level, logger, text });
  yield* stop(machine);
}

function* stop(machine: Machine): Script {
  yield 800;
  machine.endProcess("python.exe");
  setService(machine, "stopped");
  machine.tell("cloudbase-init has finished");
}

function setService(machine: Machine, state: string): void {
  machine.services.set("cloudbase-init", {
    kind: "service",
    state,
    start: "automatic",
    ...(state === "stopped" ? { exitCode: 0 } : {}),
  });
}

function plugins(machine: Machine): Map<string, string> {
  const key = cloudbasePluginsKey(machine);
  const held = machine.registry.get(key) ?? new Map<string, string>();
  machine.registry.set(key, held);
  return held;
}

/** Runs the user data; true when cloudbase-init is to restart the machine. */
function* userDataPlugin(machine: Machine, self: Activity): Generator<number, boolean> {
  const { userData, attempts } = machine.life;
  const say = (level: Level, logger: string, text: string): void => {
    logCloudbase(machine, { level, logger, text });
  };
  say("INFO", "init", "Executing plugin 'UserDataPlugin'");
  machine.beginUserData();
  const done = (status: "1" | "2"): void => {
    plugins(machine).set("UserDataPlugin", status);
  };
  if (userData === "none" || userData === "empty") {
    done("1");
    return false;
  }
  say("DEBUG", "plugins.common.userdata", "User data content length: 5320");
  if (userData === "comment-only" || userData === "broken") {
    const why = userData === "broken" ? "Invalid yaml stream provided." : "Empty yaml stream provided.";
    say("ERROR", "plugins.common.userdataplugins.cloudconfig", `Could not process part type <class 'bytes'>: '${why}'`);
    done("1");
    return false;
  }
  writeUserFiles(machine);
  const isCloudConfig = userData === "provider" || userData === "provider-multipart";
  if (isCloudConfig)
    say("INFO", "plugins.common.userdataplugins.cloudconfigplugins.runcmd", "Running cloud-config runcmd entries.");
  const output: string[] = [];
  const first = machine.attemptNumber === 0;
  const code = yield* runUserScript(machine, { self, unit: "cloudbase-init", say: (line) => output.push(line) });
  say("DEBUG", "plugins.common.userdatautils", `User_data stdout:\r\n${pythonBytes(output.join("\r\n"))}`);
  say("DEBUG", "plugins.common.userdatautils", "User_data stderr:\r\nb''");
  say("INFO", "plugins.common.userdatautils", endOfScript(machine, { code, isCloudConfig }));
  machine.tell(`the user data's script ends with return code ${String(code)}`);
  const endsByRestart = first && attempts[0].restarts === "before-join";
  const { again, restart } = meaningOf(code, isCloudConfig);
  done(again ? "2" : "1");
  if (!again && !endsByRestart) self.mayBecomeNode = false;
  return restart;
}

/** A part of several that is a script is run as a file. */
function endOfScript(
  machine: Machine,
  { code, isCloudConfig }: { readonly code: number; readonly isCloudConfig: boolean },
): string {
  const isPart = !isCloudConfig && machine.random() < 0.3;
  return isPart
    ? `Script "C:\\Windows\\TEMP\\part-001.ps1" ended with exit code: ${String(code)}`
    : `User_data script ended with return code: ${String(code)}`;
}

/** 1001 to 1003 are a script's wishes; of a cloud-config's commands every wish to restart is one to run again as well. */
function meaningOf(code: number, isCloudConfig: boolean): { readonly again: boolean; readonly restart: boolean } {
  if (code < 1_001 || code > 1_003) return { again: false, restart: false };
  const restart = (code & 1) === 1;
  return { restart, again: isCloudConfig ? restart : (code & 2) === 2 };
}
