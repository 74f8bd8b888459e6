import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { access, chmod, mkdir, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cacheFolder, debianRoot, nodeGenerations, type NodeGeneration } from "./node-root.ts";
import { runCommand, tryCommand, type CommandOptions, type CommandResult } from "./run-command.ts";
import { processesOfNode, removeNodeCgroups } from "./node-cgroup.ts";
import { waitUntil } from "./wait-until.ts";

const runFolder = join(cacheFolder, "nodes", "run");

/** nspawn exits with this code when the machine inside asked for a reboot. */
const rebootExitCode = 133;

export interface NodeOptions {
  /** Which year's Debian; the oldest, unless said. */
  readonly generation?: NodeGeneration;
  /** Host folders whose files lie over the clean root, the first one on top; they are only read. */
  readonly layers?: readonly string[];
  /** Writes configuration into the node before its first boot. */
  readonly prepare?: (node: NodeFiles) => Promise<void>;
  /** cloud-init user data (NoCloud seed). */
  readonly userData?: string;
  /** DMI product_uuid, which Azure keeps for the life of a VM. */
  readonly vmId?: string;
}

/** Files of a node that may be off; paths are as seen inside. */
export interface NodeFiles {
  readonly root: string;
  write(path: string, content: string | Uint8Array, mode?: number): Promise<void>;
}

/** A Debian machine with its own systemd as process 1, network namespace and disk; everything in it is real but the kernel, which is shared; its uptime is its own. */
export interface BootedNode extends NodeFiles {
  readonly name: string;
  readonly networkNamespace: string;
  /** Host path of everything that process 1 of the node sees, its tmpfs mounts (`/run`) included. */
  inside(path: string): string;
  read(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
  /** Runs a command inside, in all of the node's namespaces. */
  exec(command: readonly string[], options?: CommandOptions): Promise<CommandResult>;
  /** Like exec, but throws unless the command exits 0. */
  run(command: readonly string[], options?: CommandOptions): Promise<string>;
  /** Waits until the node's services are up; cloud-init's last stage may still run. */
  waitBooted(): Promise<void>;
  /** Orderly reboot, as `systemctl reboot` does it; resolves when the node is up again. */
  reboot(): Promise<void>;
  /** Ends everything at once with SIGKILL, as a power cut does; files written but not yet synced stay (the kernel lives on). */
  powerOff(): Promise<void>;
  powerOn(): Promise<void>;
  consoleText(): Promise<string>;
  dispose(): Promise<void>;
}

interface Running {
  readonly nspawn: ChildProcess;
  readonly exited: Promise<number | null>;
  readonly leader: number;
}

/** Makes a fresh node from the clean Debian root and boots it. */
export async function bootNode(options: NodeOptions = {}): Promise<BootedNode> {
  const lower = await debianRoot(nodeGenerations[options.generation ?? "oldest"]);
  await sweepAbandonedNodes();
  const name = `capz-${randomUUID().slice(0, 8)}`;
  const folder = join(runFolder, name);
  const root = join(folder, "root");
  for (const part of ["upper", "work", "root"]) await mkdir(join(folder, part), { recursive: true });
  await writeFile(join(folder, "owner"), String(process.pid));
  const lowerLayers = [...(options.layers ?? []), lower].join(":");
  const layers = `lowerdir=${lowerLayers},upperdir=${join(folder, "upper")},workdir=${join(folder, "work")}`;
  await runCommand(["mount", "-t", "overlay", "overlay", "-o", layers, root]);
  await runCommand(["ip", "netns", "add", name]);
  await runCommand(["ip", "-n", name, "link", "set", "lo", "up"]);

  const machine = { name, folder, root };
  const node = nodeHandle(machine);
  try {
    await writeIdentity(node, options.vmId ?? randomUUID());
    await writeCloudInit(node, options.userData ?? "#cloud-config\n{}\n");
    await options.prepare?.(node);
    await node.powerOn();
  } catch (error) {
    await node.dispose();
    throw error;
  }
  return node;
}

interface Machine {
  readonly name: string;
  readonly folder: string;
  readonly root: string;
}

function nodeHandle(machine: Machine): BootedNode {
  const { name, folder, root } = machine;
  const consoleFile = join(folder, "console.log");
  let running: Running | undefined;

  const current = (): Running => {
    if (running === undefined) throw new Error(`Node ${name} is off`);
    return running;
  };
  const inside = (path: string): string => `/proc/${current().leader}/root${path}`;
  const enter = (): readonly string[] => [
    "nsenter",
    "-t",
    String(current().leader),
    "-m",
    "-u",
    "-i",
    "-n",
    "-p",
    "-C",
    "-T",
    "-w",
  ];

  const node: BootedNode = {
    name,
    root,
    networkNamespace: name,
    inside,
    read: (path) => readFile(inside(path), "utf8"),
    exists: (path) =>
      access(inside(path)).then(
        () => true,
        () => false,
      ),
    write: async (path, content, mode = 0o644) => {
      const target = running === undefined ? join(root, path) : inside(path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
      await chmod(target, mode);
    },
    exec: (command, commandOptions) => tryCommand([...enter(), ...command], asOnNode(commandOptions)),
    run: (command, commandOptions) => runCommand([...enter(), ...command], asOnNode(commandOptions)),
    waitBooted: async () => {
      await waitUntil(
        `node ${name} to reach multi-user.target`,
        async () => (await node.exec(["systemctl", "is-active", "multi-user.target"])).code === 0,
        { describe: () => readFile(consoleFile, "utf8") },
      );
    },
    reboot: async () => {
      const { exited } = current();
      // The shutdown may cut this very command off, so its exit code tells nothing.
      await node.exec(["systemctl", "--no-block", "reboot"]);
      const code = await exited;
      running = undefined;
      if (code !== rebootExitCode) throw new Error(`Node ${name} ended with ${String(code)} in place of a reboot`);
      await node.powerOn();
    },
    powerOff: async () => {
      if (running === undefined) return;
      const { leader, nspawn, exited } = running;
      running = undefined;
      // The death of process 1 ends every process of its pid namespace.
      killIfAlive(leader);
      await exited;
      if (nspawn.pid !== undefined) killIfAlive(nspawn.pid);
      await removeNodeCgroups(name);
    },
    powerOn: async () => {
      running = await startMachine(machine, consoleFile);
      await node.waitBooted();
    },
    consoleText: () => readFile(consoleFile, "utf8"),
    dispose: async () => {
      await node.powerOff();
      await removeTraces(name);
    },
  };
  return node;
}

/** The folder for temporary files of the test run does not exist on a node. */
function asOnNode(options: CommandOptions = {}): CommandOptions {
  return { ...options, env: { TMPDIR: "/tmp", ...options.env } };
}

async function removeTraces(name: string): Promise<void> {
  await tryCommand(["umount", "-R", join(runFolder, name, "root")]);
  await tryCommand(["ip", "netns", "del", name]);
  await removeNodeCgroups(name);
  await rm(join(runFolder, name), { recursive: true, force: true });
}

/** Ends nodes whose test run was itself killed, so that a broken run leaves nothing for ever. */
export async function sweepAbandonedNodes(): Promise<void> {
  for (const name of await readdir(runFolder).catch(() => [])) {
    const owner = Number(await readFile(join(runFolder, name, "owner"), "utf8").catch(() => "0"));
    // No owner yet: another run is just making this node.
    if (owner === 0 || (await stat(`/proc/${owner}`).catch(() => undefined)) !== undefined) continue;
    for (const pid of await processesOfNode(name)) killIfAlive(pid);
    await removeTraces(name);
  }
}

async function startMachine(machine: Machine, consoleFile: string): Promise<Running> {
  const log = await open(consoleFile, "a");
  const options = [
    "--quiet",
    "--settings=no",
    "--register=no",
    "--keep-unit",
    "--link-journal=no",
    "--resolv-conf=off",
    "--timezone=off",
    "--capability=CAP_NET_ADMIN",
    `--network-namespace-path=/run/netns/${machine.name}`,
    `--machine=${machine.name}`,
    `--directory=${machine.root}`,
    "--boot",
  ];
  // A cgroup of its own, so that nothing of the node stays in the caller's and all of it can be found again. A time namespace of
  // its own, so that its uptime begins with its boot: files of an earlier boot, or of a donor, are then older than this one.
  const script = `
    for top in /sys/fs/cgroup/unified /sys/fs/cgroup; do
      [ -e "$top/cgroup.controllers" ] || continue
      mkdir -p "$top/$0" && echo $$ >"$top/$0/cgroup.procs"
      break
    done
    read -r up idle </proc/uptime
    exec unshare --time --boottime="-\${up%.*}" --monotonic="-\${up%.*}" systemd-nspawn "$@"`;
  const nspawn = spawn("sh", ["-c", script, machine.name, ...options], {
    env: { ...process.env, SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: "1" },
    stdio: ["ignore", log.fd, log.fd],
  });
  await log.close();
  const exited = new Promise<number | null>((resolve) => nspawn.once("exit", resolve));
  const leader = await waitUntil(
    `systemd-nspawn to start process 1 of ${machine.name}`,
    async () => {
      if (nspawn.exitCode !== null) {
        throw new Error(`systemd-nspawn ended with ${nspawn.exitCode}: ${await readFile(consoleFile, "utf8")}`);
      }
      return nspawn.pid === undefined ? undefined : processOne(nspawn.pid);
    },
    { everyMs: 20 },
  );
  return { nspawn, exited, leader };
}

/** nspawn's payload is its child that is process 1 of a pid namespace of its own. */
async function processOne(nspawnPid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${nspawnPid}/task/${nspawnPid}/children`, "utf8").catch(() => "");
  for (const pid of children.trim().split(" ").filter(Boolean)) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const isInit = /^NSpid:\s+\d+\s+1$/m.test(status);
    const name = /^Name:\s+(\S+)/m.exec(status)?.[1];
    // Until it has become systemd, mounts and namespaces are still being set up.
    if (isInit && name === "systemd" && (await stat(`/proc/${pid}/root/run/systemd`).catch(() => undefined))) {
      return Number(pid);
    }
  }
  return undefined;
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Already gone, which is what is wanted.
  }
}

async function writeIdentity(node: NodeFiles, vmId: string): Promise<void> {
  await node.write("/etc/machine-id", `${randomUUID().replaceAll("-", "")}\n`);
  await node.write("/etc/hostname", "capz-node-1\n");
  // debootstrap copies the build machine's; Azure's resolver is what a VM is given.
  await node.write("/etc/resolv.conf", "nameserver 168.63.129.16\n");
  await node.write("/etc/hosts", "127.0.0.1 localhost\n127.0.1.1 capz-node-1\n");
  // The kernel of a test machine may have no DMI table; Azure VMs always do. The agent and the handler read product_uuid.
  await node.write("/usr/local/lib/test-node/sys-class/dmi/id/product_uuid", `${vmId}\n`);
  await node.write(
    "/etc/systemd/system/test-node-dmi.service",
    [
      "[Unit]",
      "Description=DMI product_uuid of an Azure VM",
      "DefaultDependencies=no",
      "Before=sysinit.target cloud-init-local.service",
      "[Service]",
      "Type=oneshot",
      "RemainAfterExit=yes",
      "ExecStart=/bin/mount -t overlay overlay -o lowerdir=/usr/local/lib/test-node/sys-class:/sys/class /sys/class",
      "[Install]",
      "WantedBy=sysinit.target",
      "",
    ].join("\n"),
  );
  await runCommand(["systemctl", "--root", node.root, "--quiet", "enable", "test-node-dmi.service"]);
  // The agent starts only on Hyper-V by its unit; lanes that want it enable it.
  await runCommand(["systemctl", "--root", node.root, "--quiet", "disable", "walinuxagent.service"]);
}

async function writeCloudInit(node: NodeFiles, userData: string): Promise<void> {
  await node.write(
    "/var/lib/cloud/seed/nocloud/meta-data",
    `instance-id: ${randomUUID()}\nlocal-hostname: capz-node-1\n`,
  );
  await node.write("/var/lib/cloud/seed/nocloud/user-data", userData);
  await node.write(
    "/etc/cloud/cloud.cfg.d/99-test-node.cfg",
    [
      "datasource_list: [ NoCloud ]",
      // One quick key in place of four, and a locale that needs no generating: less time at each boot.
      "ssh_genkeytypes: [ ed25519 ]",
      "locale: C.UTF-8",
      // The root file system is an overlay, which no VM has; there is nothing to grow.
      "resize_rootfs: false",
      "growpart: { mode: 'off' }",
      "network: { config: disabled }",
      "",
    ].join("\n"),
  );
}
