import { waitForNetwork } from "./cloud-init.ts";
import { type Distribution, type DistributionName, distributions } from "./distribution-table.ts";
import type { JoinOutcome } from "./history.ts";
import { forEver, type Step } from "./kubeadm.ts";
import { issueCertificate, joinAs } from "./kubelet.ts";
import type { Script } from "./activity.ts";
import type { Machine } from "./machine.ts";
import {
  activeUnit,
  failedUnit,
  queuedUnit,
  restartingUnit,
  stoppingUnit,
  startingUnit,
  stoppedUnit,
} from "./unit-states.ts";
import { serviceUnit } from "./user-data.ts";
import { type ScriptRun, writeSentinel } from "./user-script.ts";

export function distributionOf(machine: Machine): Distribution | undefined {
  const { provider } = machine.life;
  return provider === "kubeadm" || provider === "kubeadm-ignition" ? undefined : distributions[provider];
}

/** The commands of a distribution's user data, from its installer to its sentinel. */
export function* runNode(machine: Machine, run: ScriptRun): Step {
  const { provider } = machine.life;
  if (provider === "kubeadm" || provider === "kubeadm-ignition") return 0;
  const { join } = machine.attempt;
  const distribution: Distribution = distributions[provider];
  machine.startProcess("curl", run.unit);
  yield machine.about(12_000);
  machine.endProcess("curl");
  const code = join === "not-installed" ? yield* failToInstall(run) : yield* installAndJoin(machine, run, provider);
  if (join === "hangs") yield forEver;
  if (distribution.sentinel === "always" || (distribution.sentinel === "chained" && code === 0)) {
    writeSentinel(machine, provider === "rke2" || provider === "k3s" ? "success\n" : "");
    return 0;
  }
  // The last command of MicroK8s' script sets up its proxy, and that goes well wherever it is installed.
  return provider === "microk8s" && join !== "not-installed" ? 0 : code;
}

function* failToInstall(run: ScriptRun): Step {
  yield 1_000;
  run.say("curl: (6) Could not resolve host: get.example.net");
  return 6;
}

function* installAndJoin(machine: Machine, run: ScriptRun, provider: DistributionName): Step {
  install(machine, provider);
  if (provider === "microk8s") return yield* joinMicroK8s(machine, run);
  return yield* startService(machine, run, distributions[provider]);
}

function install(machine: Machine, provider: DistributionName): void {
  const unit = serviceUnit(machine);
  const snap = `/snap/${provider === "microk8s" ? "microk8s" : "k8s"}/current/meta/snap.yaml`;
  // Of a snap that is there already nothing is changed.
  if (machine.files.has(snap)) return;
  switch (provider) {
    case "rke2":
    case "k3s":
    case "k0s":
      machine.write(`/usr/local/bin/${provider}`, "");
      machine.write(`/etc/systemd/system/${unit}`, "[Service]\n");
      machine.write(`/etc/systemd/system/multi-user.target.wants/${unit}`, "[Service]\n");
      break;
    case "microk8s":
    case "canonical-kubernetes":
      machine.write(snap, "");
      machine.write(`/etc/systemd/system/${unit}`, "[Service]\n");
      machine.write(`/etc/systemd/system/multi-user.target.wants/${unit}`, "[Service]\n");
      break;
  }
  machine.setUnit(unit, stoppedUnit);
  machine.tell(`${provider} is installed`);
}

function* startService(machine: Machine, run: ScriptRun, distribution: Distribution): Step {
  const unit = serviceUnit(machine);
  if (machine.attempt.queued) {
    queueService(machine, unit);
    return 0;
  }
  runService(machine, machine.attempt.join);
  if (!distribution.notifies) {
    yield 300;
    return 0;
  }
  machine.startProcess("systemctl", run.unit);
  for (;;) {
    yield 500;
    const state = machine.units.get(unit);
    if (state?.active === "active" || state?.sub === "auto-restart" || state?.active === "failed") {
      machine.endProcess("systemctl");
      if (state.active === "active") return 0;
      run.say(`Job for ${unit} failed because the control process exited with error code.`);
      return 1;
    }
  }
}

/** Microk8s is a cluster of its own as soon as it is installed; a join replaces that one. */
function* joinMicroK8s(machine: Machine, run: ScriptRun): Step {
  const { join } = machine.attempt;
  const joins = machine.life.role !== "init";
  if (machine.files.has("/var/snap/microk8s/current/credentials/kubelet.config")) {
    if (!joins) return 0;
    // The installer finds MicroK8s and does nothing; a node of one cluster joins no other.
    machine.startProcess("microk8s", run.unit);
    yield machine.about(200_000);
    run.say(
      "This MicroK8s deployment is already configured as a node of a cluster. Max join retry limit reached, exiting.",
    );
    machine.endProcess("microk8s");
    return 1;
  }
  writeIdentity(machine, { complete: false, failureOnDisk: joins });
  machine.setUnit(serviceUnit(machine), activeUnit);
  machine.tell("MicroK8s runs as a cluster of its own");
  yield machine.about(10_000);
  if (!joins) {
    // The commands behind its installation give it the keys of this cluster.
    writeIdentity(machine, { complete: true, failureOnDisk: false });
    return 0;
  }
  machine.startProcess("microk8s", run.unit);
  if (join === "hangs") yield forEver;
  if (
    join === "refused" ||
    join === "unreachable" ||
    join === "certificate-refused" ||
    join === "late" ||
    join === "killed"
  ) {
    yield machine.about(200_000);
    run.say("Max join retry limit reached, exiting.");
    machine.endProcess("microk8s");
    return 1;
  }
  yield machine.about(join === "ok" ? 20_000 : 120_000);
  machine.write("/var/snap/microk8s/current/var/lock/clustered.lock", "");
  writeIdentity(machine, { complete: true, failureOnDisk: false });
  machine.endProcess("microk8s");
  return 0;
}

/** `systemctl start --no-block` of a service that is ordered after cloud-init: a job in the queue until then. */
function queueService(machine: Machine, unit: string): void {
  machine.setUnit(unit, queuedUnit);
  machine.start(unit, true, function* (): Script {
    while (machine.activities.some((activity) => activity.name === "cloud-init")) yield 300;
    yield 700;
    runService(machine, machine.attempt.join);
  });
}

/** The service as systemd keeps it: it starts, joins, or is started again. A unit is one: whoever starts it again has no second one beside it. */
export function runService(machine: Machine, outcome: JoinOutcome): void {
  const unit = serviceUnit(machine);
  const distribution = distributionOf(machine);
  if (distribution === undefined) return;
  machine.end(unit);
  machine.setUnit(unit, distribution.notifies ? startingUnit : activeUnit);
  machine.start(unit, true, function* (self): Script {
    yield machine.about(8_000);
    const failures = outcome === "second-try" ? 1 : outcome === "refused" ? 10_000 : outcome === "killed" ? 5 : 0;
    for (let failed = 0; failed < failures; failed += 1) {
      machine.setUnit(unit, { ...stoppingUnit, restarts: failed });
      yield 400;
      machine.setUnit(unit, { ...restartingUnit, restarts: failed + 1 });
      // A service that never comes up is started again without end; the model need not count each time.
      yield failed < 20 ? 5_000 : 3_600_000;
      machine.setUnit(unit, distribution.notifies ? startingUnit : activeUnit);
      yield 3_000;
    }
    if (outcome === "killed") {
      self.mayBecomeNode = false;
      machine.setUnit(unit, { ...failedUnit, restarts: failures });
      machine.tell(`${unit} has failed too often and is given up`);
      return;
    }
    if (outcome === "unreachable" || outcome === "certificate-refused" || outcome === "hangs") yield forEver;
    yield machine.about(outcome === "slow" ? 200_000 : 10_000);
    writeIdentity(machine, { complete: true, failureOnDisk: false });
    machine.setUnit(unit, activeUnit);
    machine.tell(`${unit} has joined`);
  });
}

/** `systemctl stop` and `start` of a service that has joined, as an upgrade or a restore has them done. */
export function stopService(machine: Machine): void {
  const unit = machine.membership?.runsIn ?? "";
  if (distributionOf(machine) === undefined || machine.units.get(unit)?.active !== "active") return;
  machine.end(unit);
  machine.setUnit(unit, stoppedUnit);
}

export function startStoppedService(machine: Machine): void {
  const unit = machine.membership?.runsIn ?? "";
  if (distributionOf(machine) === undefined || machine.units.get(unit)?.active !== "inactive") return;
  machine.setUnit(unit, activeUnit);
}

/** Writes what the service writes when it has its certificate. */
export function writeIdentity(
  machine: Machine,
  parts: { readonly complete: boolean; readonly failureOnDisk: boolean },
): void {
  const distribution = distributionOf(machine);
  if (distribution === undefined) return;
  const nodeName = machine.life.nodeName === "host" ? machine.hostName : `node-of-${machine.vmId.slice(0, 8)}`;
  // k3s and RKE2 date a certificate from the beginning of their authority, which is as old as the cluster.
  const clusterBorn = machine.firstBootMs - machine.image.clusterAgeDays * 86_400_000;
  const issued = issueCertificate(machine, nodeName, distribution.renewsAtStart ? clusterBorn : machine.trueMs - 1_000);
  const certificate = { ...issued, issuer: distribution.issuer };
  machine.files.write(distribution.certificate, { text: "-----BEGIN CERTIFICATE-----\n", certificate }, machine.wallMs);
  machine.write(distribution.kubeconfig, "apiVersion: v1\nkind: Config\n");
  joinAs(machine, nodeName, { ...parts, runsIn: serviceUnit(machine), certificate: distribution.certificate });
}

/** At a boot: an installed and enabled service starts again, as a member or as one that still tries. */
export function bootService(machine: Machine): void {
  const unit = serviceUnit(machine);
  const distribution = distributionOf(machine);
  if (distribution === undefined || !machine.files.has(`/etc/systemd/system/multi-user.target.wants/${unit}`)) return;
  const wasMember = machine.files.has(distribution.certificate);
  machine.setUnit(unit, queuedUnit);
  machine.start(unit, !wasMember || distribution.renewsAtStart, function* (self): Script {
    yield machine.about(9_000);
    yield* waitForNetwork(machine);
    if (!wasMember) {
      runService(machine, machine.attempt.join);
      return;
    }
    machine.setUnit(unit, startingUnit);
    yield machine.about(6_000);
    if (distribution.renewsAtStart && machine.membership?.complete !== undefined)
      writeIdentity(machine, { complete: true, failureOnDisk: false });
    machine.setUnit(unit, activeUnit);
    self.mayBecomeNode = false;
  });
}
