import { describe, expect, it } from "@jest/globals";
import type { Attempt, Command, History, Image, Life } from "./history.ts";
import { machineOf } from "./play.ts";
import { administer, cloneOf, powerCut } from "./acts.ts";
import type { Machine } from "./machine.ts";
import { answerOf } from "./answers.ts";
import { type Truth, truthOf } from "./truth.ts";

const attempt: Attempt = {
  before: "none",
  join: "ok",
  after: "none",
  unrelatedError: false,
  restarts: "no",
  queued: false,
};
const life: Life = {
  provider: "kubeadm",
  role: "join-worker",
  userData: "provider",
  attempts: [attempt, attempt],
  nodeName: "host",
  setting: "auto",
  metadata: "found",
};
const image: Image = {
  cloudInit: "new",
  leftovers: [],
  kubelet: "enabled",
  runIsMemory: true,
  builderTraces: false,
  sharedIdentity: false,
  sentinel: false,
  clusterAgeDays: 0,
  certificateDays: 365,
};

interface Parts {
  readonly life?: Partial<Life>;
  readonly attempt?: Partial<Attempt>;
  readonly image?: Partial<Image>;
  readonly system?: History["system"];
}

/** A machine that has booted and lived for an hour. */
function lived(parts: Parts, ms = 3_600_000): Machine {
  const first = { ...attempt, ...parts.attempt };
  const machine = machineOf({
    system: parts.system ?? "linux",
    image: { ...image, ...parts.image },
    life: { ...life, attempts: [first, first], ...parts.life },
    commands: [],
    seed: 7,
  });
  machine.boot();
  machine.advance(ms);
  return machine;
}

function cloned(donor: Machine, parts: Partial<Extract<Command, { readonly do: "clone" }>>, ms = 3_600_000): Machine {
  const machine = cloneOf(donor, { do: "clone", hostName: "other", prepared: "not", offMs: 3_600_000, life, ...parts });
  machine.boot();
  machine.advance(ms);
  return machine;
}

const kind = (machine: Machine): Truth["kind"] => truthOf(machine).kind;
const final = (machine: Machine): Truth["final"] => truthOf(machine).final;
const has = (machine: Machine, path: string): boolean => machine.files.has(path);
const sentinel = "/run/cluster-api/bootstrap-success.complete";

describe("the truth of a machine with kubeadm", () => {
  it("is that it can become a node until its script has ended", () => {
    const machine = lived({}, 5_000);
    expect(kind(machine)).toBe("can-still");
    machine.advance(600_000);
    expect(kind(machine)).toBe("working");
    expect(has(machine, sentinel)).toBe(true);
    expect(final(machine)).toBe("bootstrapped");
  });

  it("is a failure that a later command of the same script hides from cloud-init", () => {
    const machine = lived({ attempt: { join: "refused", after: "ok" } });
    expect(kind(machine)).toBe("never");
    expect(final(machine)).toBe("failed");
    expect(machine.files.text("/run/cloud-init/result.json")).toContain('"errors": []');
  });

  it("is a good node although cloud-init reports the error of a command after the join", () => {
    const machine = lived({ attempt: { after: "fails" } });
    expect(kind(machine)).toBe("working");
    expect(machine.files.text("/run/cloud-init/result.json")).toContain("scripts_user");
  });

  it("is a good node after a restart, which took the sentinel", () => {
    const machine = lived({});
    machine.restart(20_000);
    expect(kind(machine)).toBe("was-working");
    machine.advance(600_000);
    expect(kind(machine)).toBe("working");
    expect(has(machine, sentinel)).toBe(false);
  });

  it("is the end when it restarts in mid-script, since cloud-init runs nothing twice", () => {
    const machine = lived({ attempt: { before: "hangs" } }, 40_000);
    expect(kind(machine)).toBe("can-still");
    machine.restart(20_000);
    machine.advance(600_000);
    expect(kind(machine)).toBe("never");
    expect(final(machine)).toBe("failed");
    expect(machine.files.text("/run/cloud-init/result.json")).toContain('"errors": []');
  });

  it("is open as long as a hung script runs", () => {
    expect(kind(lived({ attempt: { join: "hangs" } }))).toBe("can-still");
  });

  it("is no node any more when the certificate has expired while it was off", () => {
    const machine = lived({ image: { certificateDays: 30 } });
    machine.restart(40 * 86_400_000);
    machine.advance(600_000);
    expect(kind(machine)).toBe("was-working");
    expect(truthOf(machine).allowed).not.toContain("bootstrapped");
  });

  it("is a failed control plane although its kubelet runs and answers", () => {
    const machine = lived({ life: { role: "init" }, attempt: { join: "unreachable" } });
    expect(kind(machine)).toBe("never");
    expect(answerOf(machine, { ask: "healthz", port: 10_248 })).toMatchObject({
      value: { kind: "status", status: 200 },
    });
    machine.restart(20_000);
    machine.advance(600_000);
    expect(truthOf(machine).allowed).not.toContain("bootstrapped");
    expect(machine.files.text("/etc/kubernetes/kubelet.conf")).toContain("client-certificate-data");
  });

  it("is open again when the interrupted kubelet goes on by itself after a power cut", () => {
    const machine = lived({ attempt: { join: "ok" } }, 0);
    for (let ms = 0; ms < 200_000 && !has(machine, "/etc/kubernetes/bootstrap-kubelet.conf"); ms += 250)
      machine.advance(250);
    machine.restart(20_000);
    expect(kind(machine)).toBe("can-still");
    machine.advance(600_000);
    // A worker needs nothing more of kubeadm.
    expect(kind(machine)).toBe("working");
  });

  it("is not changed by a file that disables cloud-init in mid-run", () => {
    const machine = lived({ attempt: { before: "ok" } }, 20_000);
    administer(machine, "disable-cloud-init");
    machine.advance(600_000);
    expect(kind(machine)).toBe("working");
  });
});

describe("the truth of a clone", () => {
  it("is never, with the identity of its donor and no user data", () => {
    const machine = cloned(lived({}), { life: { ...life, userData: "empty" } });
    expect(kind(machine)).toBe("never");
    expect(final(machine)).toBe("failed");
    expect(answerOf(machine, { ask: "healthz", port: 10_248 })).toMatchObject({
      value: { kind: "status", status: 200 },
    });
  });

  it("is open while its own user data runs, whatever of the donor's lies about", () => {
    const machine = cloned(lived({}), {}, 12_000);
    expect(kind(machine)).toBe("can-still");
    machine.advance(600_000);
    expect(kind(machine)).toBe("never");
  });

  it("is a node at once where the image has one identity for all", () => {
    const machine = cloned(lived({ image: { sharedIdentity: true }, life: { userData: "empty" } }), {
      life: { ...life, userData: "empty" },
    });
    expect(kind(machine)).toBe("working");
  });

  it("is a node of its own with k3s, whose service takes a new certificate at each start", () => {
    const machine = cloned(lived({ life: { provider: "k3s" } }), {
      life: { ...life, provider: "k3s", userData: "empty" },
    });
    expect(kind(machine)).toBe("working");
  });
});

describe("the truth about other providers", () => {
  it("is a failure of RKE2 in spite of its sentinel", () => {
    const machine = lived({ life: { provider: "rke2" }, attempt: { join: "not-installed" } });
    expect(has(machine, sentinel)).toBe(true);
    expect(kind(machine)).toBe("never");
    expect(final(machine)).toBe("failed");
  });

  it("is a failed join of MicroK8s in spite of a kubelet that is well in a cluster of its own", () => {
    const machine = lived({ life: { provider: "microk8s" }, attempt: { join: "refused" } });
    expect(kind(machine)).toBe("never");
    expect(answerOf(machine, { ask: "units", names: ["snap.microk8s.daemon-kubelite.service"] })).toMatchObject({
      value: { "snap.microk8s.daemon-kubelite.service": { active: "active" } },
    });
  });

  it("is a second chance for Ignition at each boot until its configuration is moved away", () => {
    const machine = lived({
      life: { provider: "kubeadm-ignition", attempts: [{ ...attempt, join: "refused" }, attempt] },
    });
    expect(kind(machine)).toBe("never");
    machine.restart(20_000);
    expect(kind(machine)).toBe("can-still");
    machine.advance(600_000);
    expect(kind(machine)).toBe("working");
    expect(has(machine, "/etc/kubeadm.yml")).toBe(false);
  });
});

describe("the truth of Windows", () => {
  it("is a good node, and its sentinel is there after a restart", () => {
    const machine = lived({ system: "windows" });
    expect(kind(machine)).toBe("working");
    machine.restart(20_000);
    expect(has(machine, "C:\\run\\cluster-api\\bootstrap-success.complete")).toBe(true);
    machine.advance(600_000);
    expect(kind(machine)).toBe("working");
  });

  it("is a failure whose words stand in one line of cloudbase-init's log", () => {
    const machine = lived({ system: "windows", attempt: { join: "refused" } });
    expect(final(machine)).toBe("failed");
    const log = machine.files.text("C:\\Program Files\\Cloudbase Solutions\\Cloudbase-Init\\log\\cloudbase-init.log");
    expect(log).toMatch(/^b'\[preflight\][^\n]*error execution phase preflight[^\n]*'\r$/mu);
  });

  it("is open again after a power cut in mid-script, since cloudbase-init runs it once more", () => {
    const machine = lived(
      {
        system: "windows",
        attempt: { before: "hangs" },
        life: { attempts: [{ ...attempt, before: "hangs" }, attempt] },
      },
      90_000,
    );
    powerCut(machine, 20_000);
    expect(kind(machine)).toBe("can-still");
    machine.advance(900_000);
    expect(kind(machine)).toBe("working");
  });

  it("is a failure without metadata", () => {
    expect(final(lived({ system: "windows", life: { metadata: "missing" } }))).toBe("failed");
  });
});
