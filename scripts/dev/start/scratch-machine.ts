import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The guest agent comes up later than cloud-init's first stages. */
const secondsBeforeHandler = 30;

/** A folder that stands for a node's file system: what cloud-init and kubeadm would write, written by the scenario. */
export interface ScratchMachine {
  readonly root: string;
  write(path: string, content: string): void;
  remove(path: string): void;
  /** Seconds since its boot, for files that carry such times. */
  uptime(): number;
  /** Brings /proc/uptime up to now, which the kernel does by itself. */
  tick(): void;
  /** A new boot: /run is empty, the boot id is new, the uptime starts again. */
  reboot(): void;
  /** The same disk in another VM. */
  becomeClone(): void;
  /** Removes the machine but for its logs, among which the report is. */
  keepLogs(): void;
  discard(): void;
}

/** `folder`: where it is laid out, instead of a temporary folder; what is there goes. */
export function createScratchMachine(folder?: string): ScratchMachine {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  const root = folder ?? mkdtempSync(join(tmpdir(), "capz-bootstrap-"));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  let bootedAt = 0;
  const uptime = () => Date.now() / 1000 - bootedAt;
  const tick = () => {
    // Never half a file: the check may be reading it.
    write("proc/uptime.new", `${uptime().toFixed(2)} 2.00\n`);
    renameSync(join(root, "proc/uptime.new"), join(root, "proc/uptime"));
  };
  const newBoot = () => {
    rmSync(join(root, "run"), { recursive: true, force: true });
    for (const folder of ["run/cluster-api", "run/cloud-init", "var/log/azure", "etc/kubernetes"]) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    write("proc/sys/kernel/random/boot_id", `${randomUUID()}\n`);
    bootedAt = Math.floor(Date.now() / 1000) - secondsBeforeHandler;
    tick();
    write("proc/stat", `cpu  1 1 1 1\nbtime ${String(bootedAt)}\n`);
  };
  const newVm = () => {
    write("sys/class/dmi/id/product_uuid", `${randomUUID()}\n`);
    write("var/lib/cloud/data/instance-id", `${randomUUID()}\n`);
  };
  newBoot();
  newVm();
  write("etc/hostname", "worker-7f9c\n");
  write("run/cloud-init/enabled", "");
  return {
    root,
    write,
    remove: (path) => {
      rmSync(join(root, path), { recursive: true, force: true });
    },
    reboot: newBoot,
    becomeClone: () => {
      newVm();
      newBoot();
    },
    uptime,
    tick,
    keepLogs: () => {
      for (const name of readdirSync(root)) if (name !== "var") rmSync(join(root, name), { recursive: true });
      for (const name of readdirSync(join(root, "var"))) {
        if (name !== "log") rmSync(join(root, "var", name), { recursive: true });
      }
    },
    discard: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
}
