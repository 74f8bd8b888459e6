import type { Script } from "./activity.ts";
import type { Machine } from "./machine.ts";
import { failedUnit, queuedUnit, startingUnit, stoppedUnit } from "./unit-states.ts";
import { nodeCommands } from "./user-data.ts";
import { runUserScript, writeSentinel } from "./user-script.ts";

/**
 * Ignition runs once, in the initial file system of the first boot; then kubeadm.service runs a script under `set -e` at each boot
 * until /etc/kubeadm.yml has been moved away, which happens after the sentinel is written.
 */
const configPath = "/etc/kubeadm.yml";

export function bootIgnition(machine: Machine): void {
  const { userData } = machine.life;
  const provided = userData === "provider" || userData === "provider-multipart";
  const ignited = machine.files.has("/etc/.ignition-result.json");
  if (!ignited && machine.life.metadata === "found") {
    machine.write("/etc/.ignition-result.json", `{"provisioningBootID":"${machine.vmId}"}\n`);
    if (provided) {
      machine.write(
        "/etc/systemd/system/kubeadm.service",
        "[Service]\nType=oneshot\nExecStart=/bin/bash /etc/kubeadm.sh\n",
      );
      machine.write("/etc/kubeadm.sh", `#!/bin/bash\nset -e\n${nodeCommands(machine).join("\n")}\n`);
      machine.write(configPath, "---\napiVersion: kubeadm.k8s.io/v1beta4\n");
    }
    machine.tell("Ignition has written its files");
  }
  if (!machine.files.has("/etc/systemd/system/kubeadm.service")) return;
  machine.setUnit("kubeadm.service", machine.files.has(configPath) ? queuedUnit : stoppedUnit);
  if (!machine.files.has(configPath)) return;
  machine.start("kubeadm.service", true, function* (self): Script {
    yield machine.about(10_000);
    machine.setUnit("kubeadm.service", startingUnit);
    const { before, after } = machine.attempt;
    const code =
      before === "fails" ? 1 : yield* runUserScript(machine, { self, unit: "kubeadm.service", say: () => undefined });
    self.mayBecomeNode = false;
    if (code !== 0 && !(machine.membership?.complete === true && after === "fails")) {
      machine.setUnit("kubeadm.service", { ...failedUnit, exitStatus: code });
      machine.tell("kubeadm.service has failed");
      return;
    }
    machine.setUnit("kubeadm.service", code === 0 ? stoppedUnit : { ...failedUnit, exitStatus: code });
  });
}

/** After a good kubeadm, still in the script: the sentinel, then the configuration is moved so that no boot runs it again. */
export function sealIgnition(machine: Machine): void {
  machine.files.makeFolder("/run/cluster-api", machine.wallMs);
  writeSentinel(machine, "success\n");
  machine.write("/tmp/kubeadm.yml", machine.files.text(configPath));
  machine.files.remove(configPath);
}
