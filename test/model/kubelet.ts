import type { ServiceState, UnitState } from "../../scripts/check/questions.ts";
import { waitForNetwork } from "./cloud-init.ts";
import type { ModelCertificate } from "./files.ts";
import type { Activity, Script } from "./activity.ts";
import type { Machine } from "./machine.ts";
import { loadedUnit, activeUnit, queuedUnit, restartingUnit, stoppedUnit } from "./unit-states.ts";

/**
 * The kubelet that kubeadm configures, as its own start decides: with no configuration it ends at once and is started again;
 * with a client certificate that is valid it runs; without one it needs the bootstrap kubeconfig, and ends where that is gone.
 */
const paths = {
  config: "/var/lib/kubelet/config.yaml",
  kubeconfig: "/etc/kubernetes/kubelet.conf",
  bootstrap: "/etc/kubernetes/bootstrap-kubelet.conf",
  certificate: "/var/lib/kubelet/pki/kubelet-client-current.pem",
};

/** A path of this machine's system: `/etc/x` is `C:\etc\x` on Windows. */
export function pathOn(machine: Machine, path: string): string {
  return machine.system === "windows" ? `C:${path.replaceAll("/", "\\")}` : path;
}

export const kubeletPath = (machine: Machine, name: keyof typeof paths): string => pathOn(machine, paths[name]);

export function kubeletCertificate(machine: Machine): ModelCertificate | undefined {
  const own = machine.files.get(kubeletPath(machine, "certificate"))?.certificate;
  return own ?? machine.files.get(kubeletPath(machine, "kubeconfig"))?.certificate;
}

export const ownApiServer = "    server: https://localhost:6443\n";

/** It has a token, and somebody who may take it. */
export function mayAskForCertificate(machine: Machine): boolean {
  const bootstrap = machine.files.get(kubeletPath(machine, "bootstrap"));
  if (bootstrap === undefined || bootstrap.text.includes(ownApiServer)) return false;
  // A kubeconfig with a certificate is used as it is, and the token that lies beside it is not.
  return !machine.files.has(kubeletPath(machine, "kubeconfig"));
}

function hasKubelet(machine: Machine): boolean {
  return machine.files.has(machine.system === "windows" ? "C:\\k\\kubelet.exe" : "/usr/bin/kubelet");
}

export type KubeletState = "absent" | "stopped" | "starting" | "restarting" | "bootstrapping" | "running";

export function kubeletState(machine: Machine): KubeletState {
  if (!hasKubelet(machine)) return "absent";
  if (!machine.kubelet.wanted) return "stopped";
  const shared = machine.files.get("/etc/kubernetes/certs/client.crt")?.certificate;
  if (shared !== undefined && machine.files.has("/var/lib/kubelet/kubeconfig")) {
    return isValid(shared, machine.wallMs) ? "running" : "restarting";
  }
  return machine.files.has(kubeletPath(machine, "config")) ? configuredState(machine) : "restarting";
}

function configuredState(machine: Machine): KubeletState {
  const certificate = machine.files.has(kubeletPath(machine, "kubeconfig")) ? kubeletCertificate(machine) : undefined;
  if (certificate !== undefined && isValid(certificate, machine.wallMs)) {
    return machine.trueMs - machine.kubelet.sinceMs < 3_000 ? "starting" : "running";
  }
  return machine.files.has(kubeletPath(machine, "bootstrap")) ? "bootstrapping" : "restarting";
}

/** The kubelet itself asks only whether its certificate has expired. */
export function isValid(certificate: ModelCertificate, atMs: number): boolean {
  return atMs < certificate.notAfterMs;
}

export function kubeletUnit(machine: Machine): UnitState {
  const base = loadedUnit;
  const restarts = Math.floor(Math.max(0, machine.trueMs - machine.kubelet.sinceMs) / 10_000);
  switch (kubeletState(machine)) {
    case "absent":
      return { ...base, load: "not-found" };
    case "stopped":
      return { ...base, ...(isQueued(machine) ? queuedUnit : stoppedUnit) };
    case "starting":
      return { ...base, ...activeUnit };
    case "restarting":
      return { ...base, ...restartingUnit, restarts };
    case "bootstrapping":
      return { ...base, ...(isBetweenTwoTries(machine) ? restartingUnit : activeUnit), restarts: triesOf(machine) };
    case "running":
      return { ...base, ...activeUnit };
  }
}

/** A kubelet that has got no certificate for five minutes ends itself, and is started again ten seconds later. */
const tryMs = 300_000;
const tryWithPauseMs = tryMs + 10_000;

function isBetweenTwoTries({ trueMs, kubelet }: Machine): boolean {
  return (trueMs - kubelet.sinceMs) % tryWithPauseMs >= tryMs;
}

function triesOf({ trueMs, kubelet }: Machine): number {
  return Math.floor(Math.max(0, trueMs - kubelet.sinceMs) / tryWithPauseMs);
}

/** Enabled, and waits for its turn at this boot. */
const isQueued = (machine: Machine): boolean => machine.activities.some(({ name }) => name === "kubelet start");

export function kubeletService(machine: Machine): ServiceState {
  const start = machine.image.kubelet === "enabled" ? "automatic" : "manual";
  switch (kubeletState(machine)) {
    case "absent":
      return { kind: "missing" };
    case "stopped":
      return { kind: "service", state: "stopped", start, exitCode: 0 };
    case "starting":
      return { kind: "service", state: "start-pending", start };
    case "restarting":
      // NSSM waits between two starts and shows the service as paused.
      return { kind: "service", state: "paused", start };
    case "bootstrapping":
      // One that ran for minutes is started again at once.
      return { kind: "service", state: "running", start };
    case "running":
      return { kind: "service", state: "running", start };
  }
}

export function startKubelet(machine: Machine): void {
  machine.kubelet = { wanted: true, sinceMs: machine.trueMs };
}

/** At a boot: an enabled kubelet starts, and goes on with a TLS bootstrap that an earlier boot had begun. */
export function bootKubelet(machine: Machine): void {
  machine.kubelet = { wanted: false, sinceMs: machine.trueMs };
  const installed = hasKubelet(machine);
  if (!installed || machine.image.kubelet === "disabled") return;
  const continues = mayAskForCertificate(machine);
  machine.start("kubelet start", continues, function* (self): Script {
    yield machine.about(6_000);
    yield* waitForNetwork(machine);
    startKubelet(machine);
    if (continues) yield* finishBootstrapAlone(machine, self);
  });
}

/** kubeadm is gone but its bootstrap kubeconfig is still there: the kubelet goes on by itself, as long as the token is good. */
export function* finishBootstrapAlone(machine: Machine, self: Activity): Script {
  if (machine.files.has(kubeletPath(machine, "kubeconfig"))) return;
  yield machine.about(15_000);
  // Stopped before it began to ask, or while it did: it asks again when somebody starts it.
  if (!machine.kubelet.wanted) return;
  // Whoever joins the node anew takes the token away first, and a power cut may have lost it.
  if (machine.files.text(kubeletPath(machine, "bootstrap")) === "") return;
  if (machine.files.has(kubeletPath(machine, "kubeconfig"))) return;
  if (["ok", "slow", "killed"].includes(machine.attempt.join)) {
    const failureOnDisk = false;
    writeKubeletIdentity(machine, { complete: false, failureOnDisk });
    machine.joinedAlone = true;
    machine.tell("the kubelet joins without kubeadm");
    return;
  }
  // As long as the token is good, and nobody else has made a node of the machine.
  const mayAsk = (): boolean =>
    machine.files.has(kubeletPath(machine, "bootstrap")) && !machine.files.has(kubeletPath(machine, "kubeconfig"));
  for (let tries = 0; tries < 60 && mayAsk(); tries += 1) yield 15_000;
  self.mayBecomeNode = false;
}

export interface IdentityParts {
  readonly complete: boolean;
  readonly failureOnDisk: boolean;
  readonly byBootstrap?: boolean;
  readonly runsIn?: string;
  readonly certificate?: string;
  /** When the certificate begins to be valid (true time); five minutes ago unless said. */
  readonly notBeforeMs?: number;
}

/** The kubelet gets its client certificate: dated by the cluster's clock, written by this machine's. */
export function writeKubeletIdentity(machine: Machine, parts: IdentityParts): void {
  const nodeName = machine.life.nodeName === "host" ? machine.hostName : `node-of-${machine.vmId.slice(0, 8)}`;
  const certificate = issueCertificate(machine, nodeName, parts.notBeforeMs ?? machine.trueMs - 300_000);
  const path = kubeletPath(machine, "certificate");
  machine.files.write(path, { text: "-----BEGIN CERTIFICATE-----\n", certificate }, machine.wallMs);
  machine.write(kubeletPath(machine, "kubeconfig"), kubeconfig(machine, false));
  joinAs(machine, nodeName, parts);
}

export function kubeconfig(machine: Machine, embedded: boolean): string {
  const path = kubeletPath(machine, "certificate");
  const user = embedded
    ? "    client-certificate-data: TFMwdExTMUNSVWRKVGc9PQ==\n    client-key-data: TFMwdExTMUNSVWRKVGc9PQ==\n"
    : `    client-certificate: ${path}\n    client-key: ${path}\n`;
  const server = "    server: https://capz-apiserver.example.net:6443\n";
  return `apiVersion: v1\nclusters:\n- cluster:\n${server}  name: default-cluster\nkind: Config\nusers:\n- name: default-auth\n  user:\n${user}`;
}

export function issueCertificate(machine: Machine, nodeName: string, notBeforeMs: number): ModelCertificate {
  return {
    commonName: `system:node:${nodeName}`,
    organizations: ["system:nodes"],
    issuer: "CN=kubernetes",
    notBeforeMs,
    notAfterMs: machine.trueMs + machine.image.certificateDays * 86_400_000,
  };
}

export function joinAs(machine: Machine, nodeName: string, parts: IdentityParts): void {
  machine.membership = {
    vmId: machine.vmId,
    nodeName,
    complete: parts.complete,
    failureOnDisk: parts.failureOnDisk,
    shared: false,
    byBootstrap: parts.byBootstrap ?? true,
    bootId: machine.bootId,
    runsIn: parts.runsIn ?? "kubelet.service",
    certificate: parts.certificate ?? kubeletPath(machine, "certificate"),
  };
  if (machine.clockErrorMs !== 0) machine.clockWasWrong = true;
}
