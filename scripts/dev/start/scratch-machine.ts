import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, uptime } from "node:os";
import { dirname, join } from "node:path";

/** A folder that stands for a node's file system: what cloud-init and kubeadm would write, written by the scenario. */
export interface ScratchMachine {
  readonly root: string;
  write(path: string, content: string): void;
  remove(path: string): void;
  /** A new boot: /run is empty, the boot id is new, the uptime starts again. */
  reboot(): void;
  /** The same disk in another VM. */
  becomeClone(): void;
  discard(): void;
}

export function createScratchMachine(): ScratchMachine {
  const root = mkdtempSync(join(tmpdir(), "capz-bootstrap-"));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const newBoot = () => {
    rmSync(join(root, "run"), { recursive: true, force: true });
    for (const folder of ["run/cluster-api", "run/cloud-init", "var/log/azure", "etc/kubernetes"]) {
      mkdirSync(join(root, folder), { recursive: true });
    }
    write("proc/sys/kernel/random/boot_id", `${randomUUID()}\n`);
    const now = Math.floor(Date.now() / 1000);
    write("proc/uptime", "2.00 2.00\n");
    write("proc/stat", `cpu  1 1 1 1\nbtime ${String(now - 2)}\n`);
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
    discard: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Seconds since this machine started; scenario files that carry times use it. */
export function hostUptime(): number {
  return uptime();
}
