import type { Activity, Script } from "./activity.ts";
import { CloudInitRun, dataFolder, logDate } from "./cloud-init-run.ts";
import type { Machine } from "./machine.ts";
import { activeUnit, queuedUnit, stoppedUnit } from "./unit-states.ts";
import { scriptCommands, userDataText } from "./user-data.ts";
import { runUserScript, writeUserFiles } from "./user-script.ts";

export function cloudInitUnits(machine: Machine): readonly string[] {
  const network = machine.image.cloudInit === "old" ? "cloud-init.service" : "cloud-init-network.service";
  const units = ["cloud-init-local.service", network, "cloud-config.service", "cloud-final.service"];
  return machine.image.cloudInit === "old" ? units : [...units, "cloud-init-main.service"];
}

/** The unit in whose control group the scripts run. */
export function scriptUnit(machine: Machine): string {
  return machine.image.cloudInit === "old" ? "cloud-final.service" : "cloud-init-main.service";
}

export function isCloudInitDisabled(machine: Machine): boolean {
  return machine.image.cloudInit === "disabled" || machine.files.has("/etc/cloud/cloud-init.disabled");
}

/** What systemd's generator decides before anything runs, and then the stages. */
export function bootCloudInit(machine: Machine): void {
  if (machine.image.cloudInit === "absent") return;
  if (isCloudInitDisabled(machine)) {
    machine.write("/run/cloud-init/disabled", "");
    for (const unit of cloudInitUnits(machine)) machine.setUnit(unit, {});
    machine.tell("cloud-init is disabled");
    return;
  }
  machine.write("/run/cloud-init/enabled", "");
  for (const unit of cloudInitUnits(machine)) machine.setUnit(unit, queuedUnit);
  machine.start("cloud-init", mayBootstrap(machine), (self) => stages(machine, self));
}

/** Whether the user data of this instance has not been run, as far as the disk tells. */
function mayBootstrap(machine: Machine): boolean {
  return !machine.files.has(`/var/lib/cloud/instances/${machine.vmId}/sem/config_scripts_user`);
}

/**
 * cloud-init's four stages of one boot, with the files it leaves: /var/lib/cloud on the disk, links to them in /run.
 * A mark in sem/ is written before its module runs, so what was interrupted is not run again for this instance.
 */
function* stages(machine: Machine, self: Activity): Script {
  const run = new CloudInitRun(machine);
  const [local = "", network = "", config = "", final = ""] = cloudInitUnits(machine);
  yield machine.about(4_000);
  begin(machine);
  run.begin({ stage: "init-local", unit: local });
  yield machine.about(3_000);
  const found = becomeInstance(machine, run, self);
  run.finish({ stage: "init-local", unit: local });
  run.begin({ stage: "init", unit: network });
  yield machine.about(4_000);
  if (found) networkStage(machine, run);
  else run.fail("init", "No instance datasource found.");
  run.finish({ stage: "init", unit: network });
  machine.setUnit("multi-user.target", activeUnit);
  yield machine.about(2_000);
  if (isSkipped(machine, self)) return;
  run.begin({ stage: "modules-config", unit: config });
  yield machine.about(2_000);
  if (found) {
    mark(machine, "config_runcmd", () => {
      writeScript(machine);
    });
  } else {
    run.fail("modules-config", "Can not apply stage config, no datasource found! Likely bad things to come!");
  }
  run.finish({ stage: "modules-config", unit: config });
  yield machine.about(3_000);
  if (isSkipped(machine, self)) return;
  run.begin({ stage: "modules-final", unit: final });
  yield machine.about(1_500);
  if (found) yield* finalStage(machine, run, self);
  else run.fail("modules-final", "Can not apply stage final, no datasource found! Likely bad things to come!");
  self.mayBecomeNode = false;
  run.finishStage({ stage: "modules-final", unit: final });
  run.result();
  yield 200;
  run.leaveUnit({ stage: "modules-final", unit: final });
  end(machine);
}

/** Since 23.4 each unit has the generator's condition: a file that comes in mid-run keeps the stages that are left from ever beginning. */
function isSkipped(machine: Machine, self: Activity): boolean {
  if (machine.image.cloudInit !== "new" || !machine.files.has("/etc/cloud/cloud-init.disabled")) return false;
  for (const unit of cloudInitUnits(machine))
    if (machine.units.get(unit)?.job !== undefined) machine.setUnit(unit, stoppedUnit);
  self.mayBecomeNode = false;
  machine.tell("the stages of cloud-init that are left are skipped");
  return true;
}

/** The first stage of each boot takes away what an earlier boot has left to say. */
function begin(machine: Machine): void {
  if (machine.image.cloudInit === "new")
    machine.setUnit("cloud-init-main.service", { active: "active", sub: "running" });
  machine.startProcess("cloud-init", scriptUnit(machine));
  for (const name of ["status.json", "result.json"]) {
    machine.files.unlink(`/run/cloud-init/${name}`);
    machine.files.remove(`${dataFolder}/${name}`);
  }
  machine.files.remove("/var/lib/cloud/instance/boot-finished");
}

function end(machine: Machine): void {
  machine.endProcess("cloud-init");
  if (machine.image.cloudInit === "new")
    machine.setUnit("cloud-init-main.service", { active: "inactive", sub: "dead" });
  machine.tell("cloud-init has finished");
}

/** Finds out which instance this is; a new one gets folders of its own, and its modules run again. */
function becomeInstance(machine: Machine, run: CloudInitRun, self: Activity): boolean {
  const { files } = machine;
  const known = files.has(`/var/lib/cloud/instances/${machine.vmId}/datasource`);
  if (machine.life.metadata === "missing" && !known) {
    self.mayBecomeNode = false;
    machine.tell("cloud-init finds no metadata");
    return false;
  }
  run.datasource = "DataSourceAzure [seed=/dev/sr0]";
  const previous = files.text(`${dataFolder}/instance-id`);
  files.link("/var/lib/cloud/instance", `/var/lib/cloud/instances/${machine.vmId}`);
  if (known) return true;
  machine.write("/var/lib/cloud/instance/datasource", "DataSourceAzure: DataSourceAzure [seed=/dev/sr0]\n");
  machine.write(`${dataFolder}/previous-instance-id`, previous === "" ? "NO_PREVIOUS_INSTANCE_ID\n" : previous);
  machine.write(`${dataFolder}/instance-id`, `${machine.vmId}\n`);
  machine.write(`${dataFolder}/previous-hostname`, `${machine.hostName}\n`);
  machine.write("/run/cloud-init/.instance-id", `${machine.vmId}\n`);
  machine.tell(`cloud-init sees a new instance (${machine.vmId.slice(0, 8)})`);
  return true;
}

/** Runs a module once per instance. */
function mark(machine: Machine, name: string, module: () => void): void {
  const path = `/var/lib/cloud/instance/sem/${name}`;
  if (machine.files.has(path)) return;
  machine.write(path, `812: ${String(machine.wallMs / 1_000)}\n`);
  module();
}

const errorOfDisk =
  "('growpart', ProcessExecutionError(\"Unexpected error while running command.\\nCommand: ['growpart', '/dev/sda', '1']\\nExit code: 2\"))";
/** Scripts of vendor data come before the user's. */
const errorOfVendor = "('scripts_vendor', RuntimeError('Runparts: 1 failures (part-001) in 1 attempted commands'))";

function networkStage(machine: Machine, run: CloudInitRun): void {
  const text = userDataText(machine);
  machine.write("/var/lib/cloud/instance/user-data.txt", text);
  machine.write(
    "/var/lib/cloud/instance/cloud-config.txt",
    text.startsWith("#cloud-config") || text.startsWith("## template") ? text : "",
  );
  machine.files.makeFolder("/var/lib/cloud/instance/scripts", machine.wallMs);
  if (machine.life.userData === "broken") {
    run.status["init"]?.recoverable.push(
      'Failed loading yaml blob. Invalid format at line 4 column 1: "while scanning for the next token"',
    );
  }
  mark(machine, "config_users_groups", () => undefined);
  mark(machine, "config_write_files", () => {
    writeUserFiles(machine);
    if (machine.attempt.unrelatedError) {
      run.status["init"]?.errors.push(machine.random() < 0.5 ? errorOfDisk : errorOfVendor);
    }
  });
}

function writeScript(machine: Machine): void {
  if (machine.life.userData === "broken") return;
  const commands = scriptCommands(machine);
  if (commands.length > 0)
    machine.write(`/var/lib/cloud/instance/scripts/${scriptName(machine)}`, `#!/bin/sh\n${commands.join("\n")}\n`);
}

/** The script as it lies on the disk: a power cut may have left it empty, and such a file is no program. A folder that was wiped is passed over. */
function* runScript(machine: Machine, run: CloudInitRun, self: Activity): Generator<number, number> {
  const path = `/var/lib/cloud/instance/scripts/${scriptName(machine)}`;
  const script = machine.files.get(path);
  if (script === undefined) return 0;
  if (script.text === "") return 126;
  const say = (line: string): void => {
    run.log(line);
  };
  return yield* runUserScript(machine, { self, unit: scriptUnit(machine), say });
}

const scriptName = (machine: Machine): string => (machine.life.userData.startsWith("own") ? "part-001" : "runcmd");

/** cloud-init's network stage comes before network-online.target, and whatever joins a cluster comes after it. */
export function* waitForNetwork(machine: Machine): Script {
  const [, network = ""] = cloudInitUnits(machine);
  while (
    machine.activities.some(({ name }) => name === "cloud-init") &&
    machine.units.get(network)?.active !== "active"
  ) {
    if (machine.units.get(network)?.active === "failed") return;
    yield 300;
  }
}

function* finalStage(machine: Machine, run: CloudInitRun, self: Activity): Script {
  if (!machine.files.has("/var/lib/cloud/instance/sem/config_scripts_user")) {
    machine.write("/var/lib/cloud/instance/sem/config_scripts_user", `812: ${String(machine.wallMs / 1_000)}\n`);
    const code = yield* runScript(machine, run, self);
    if (code !== 0) {
      run.log(
        `${new Date(machine.wallMs).toISOString().slice(0, 19).replace("T", " ")},120 - cc_scripts_user.py[WARNING]: Failed to run module scripts_user (scripts in /var/lib/cloud/instance/scripts)`,
      );
      run.status["modules-final"]?.errors.push(
        `('scripts_user', RuntimeError('Runparts: 1 failures (${scriptName(machine)}) in 1 attempted commands'))`,
      );
      machine.tell(`the script of the user data ends with exit code ${String(code)}`);
    }
  }
  run.log(
    `Cloud-init v. 24.1.3 finished at ${logDate(machine)}. Datasource ${run.datasource ?? "None"}.  Up ${String(machine.uptimeMs / 1_000)} seconds`,
  );
  machine.write(
    "/var/lib/cloud/instance/boot-finished",
    `${String(machine.uptimeMs / 1_000)} - ${logDate(machine)} - v. 24.1.3\n`,
  );
}
