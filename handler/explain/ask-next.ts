import type { Subject } from "./situation.ts";

/** Commands that a next step names; each gives a text that `explain` reads. */

export function askInstanceView(subject: Subject): string {
  const instance = instanceOf(subject);
  return instance === undefined
    ? explained(`az vm get-instance-view ${vmOf(subject)}`)
    : explained(`az vmss get-instance-view ${instance}`);
}

/** Runs through the guest agent, so it needs one that works. */
export function askBootstrapLog(subject: Subject): string {
  const instance = instanceOf(subject);
  const command =
    instance === undefined ? `az vm run-command invoke ${vmOf(subject)}` : `az vmss run-command invoke ${instance}`;
  const read =
    subject.windows === true
      ? `--command-id RunPowerShellScript --scripts "Get-Content -Tail 200 'C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\log\\cloudbase-init.log'"`
      : "--command-id RunShellScript --scripts 'tail -n 200 /var/log/cloud-init-output.log'";
  return explained(`${command} ${read}`);
}

/** Needs nothing of the machine. */
export function askBootLog(subject: Subject): string {
  return instanceOf(subject) === undefined
    ? explained(`az vm boot-diagnostics get-boot-log ${vmOf(subject)}`)
    : "open the boot diagnostics of the instance in the portal, save the serial log, and give the file to capz-bootstrap explain";
}

export function askActivityLog({ id }: Subject): string {
  const which = id === undefined ? "--resource-group GROUP" : `--resource-id ${id}`;
  return explained(`az monitor activity-log list ${which} --status Failed --offset 1d`);
}

export function describeInKubernetes({ machine, namespace, kind }: Subject): string {
  const place = namespace === undefined ? "" : ` --namespace ${namespace}`;
  return explained(`kubectl describe ${kind ?? "azuremachine"} ${machine ?? "NAME"}${place}`);
}

function explained(command: string): string {
  return `${command} | capz-bootstrap explain -`;
}

function vmOf({ id, machine }: Subject): string {
  return id === undefined ? `--resource-group GROUP --name ${machine ?? "MACHINE"}` : `--ids ${id}`;
}

/** An instance of a Uniform scale set is no VM resource; its name ends in its number, and its id says so. */
function instanceOf({ id, machine }: Subject): string | undefined {
  const ofId =
    /\/resourceGroups\/(?<group>[^/]+)\/providers\/Microsoft\.Compute\/virtualMachineScaleSets\/(?<pool>[^/]+)\/virtualMachines\/(?<number>[^/]+)$/iu.exec(
      id ?? "",
    )?.groups;
  if (ofId !== undefined) return optionsOf(ofId["group"], ofId["pool"], ofId["number"]);
  if (id !== undefined) return undefined;
  const ofName = /^(?<pool>.+)_(?<number>\d+)$/u.exec(machine ?? "")?.groups;
  return ofName === undefined ? undefined : optionsOf("GROUP", ofName["pool"], ofName["number"]);
}

function optionsOf(group = "GROUP", pool = "SCALESET", number = "NUMBER"): string {
  return `--resource-group ${group} --name ${pool} --instance-id ${number}`;
}
