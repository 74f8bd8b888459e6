import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runCommand } from "../support/run-command.ts";
import type { WineMachine } from "../support/wine-root.ts";

export const sentinel = "run/cluster-api/bootstrap-success.complete";
export const cloudbaseInitLog = "Program Files/Cloudbase Solutions/Cloudbase-Init/log/cloudbase-init.log";
export const instance = "vm-1";

/** What happens on a Windows node, done to the Wine machine by real files, its registry and its service manager. */
export interface WindowsNode {
  /** `path` as below C:\ with slashes. `at`: time of its content; now unless given. */
  write(path: string, text: string, at?: Date): Promise<void>;
  remove(...paths: readonly string[]): Promise<void>;
  /** cloudbase-init's log of one run, each line stamped with the present local time of Wine, which is UTC. */
  log(...lines: readonly string[]): Promise<void>;
  setValue(key: string, name: string, value: string | number): Promise<void>;
  removeKey(key: string): Promise<void>;
  /** A real service of Wine's service manager; the program behind it is Wine's idle print spooler. */
  service(name: string, wanted: "running" | "stopped" | "missing"): Promise<void>;
  /** kubelet.conf and the kubelet's client certificate, for the node of this name. */
  join(name: string, options?: { readonly at?: Date; readonly expired?: boolean }): Promise<void>;
}

export function windowsNode(machine: WineMachine, scratch: string): WindowsNode {
  const onDrive = (path: string): string => join(machine.drive, path);

  async function write(path: string, text: string, at?: Date): Promise<void> {
    await mkdir(dirname(onDrive(path)), { recursive: true });
    await writeFile(onDrive(path), text);
    if (at !== undefined) await utimes(onDrive(path), at, at);
  }

  async function reg(...args: readonly string[]): Promise<void> {
    const result = await machine.run(["reg", ...args, "/f"]);
    if (result.code !== 0) throw new Error(`reg ${args.join(" ")} ended with ${String(result.code)}`);
  }

  return {
    write,
    remove: async (...paths) => {
      for (const path of paths) await rm(onDrive(path), { recursive: true, force: true });
    },
    log: (...lines) => write(cloudbaseInitLog, runOfCloudbaseInit(lines)),
    setValue: (key, name, value) =>
      reg("add", key, "/v", name, "/t", typeof value === "number" ? "REG_DWORD" : "REG_SZ", "/d", String(value)),
    removeKey: async (key) => {
      await machine.run(["reg", "delete", key, "/f"]);
    },
    service: async (name, wanted) => {
      await machine.run(["sc", "stop", name]);
      await machine.run(["sc", "delete", name]);
      if (wanted === "missing") return;
      const program = "C:\\windows\\system32\\spoolsv.exe";
      await machine.run(["sc", "create", name, "binPath=", program, "start=", "auto"]);
      if (wanted === "running") await machine.run(["sc", "start", name]);
    },
    join: async (name, { at, expired = false } = {}) => {
      await write("etc/kubernetes/kubelet.conf", "kind: Config\r\n", at);
      await write(
        "var/lib/kubelet/pki/kubelet-client-current.pem",
        await makeCertificate(scratch, name, expired ? "20200101000000Z" : "20990101000000Z"),
        at,
      );
    },
  };
}

/** The user data was begun. */
export const userDataBegins = "INFO cloudbaseinit.init [-] Executing plugin 'UserDataPlugin'";
export const pluginsDone = "INFO cloudbaseinit.init [-] Plugins execution done";

export function userDataEnds(code: number): string {
  return `INFO cloudbaseinit.plugins.common.userdatautils [-] User_data script ended with return code: ${String(code)}`;
}

/** cloudbase-init logs all output of the user data on one line, as a Python bytes literal. */
export function userDataPrints(text: string): string {
  const literal = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `DEBUG cloudbaseinit.plugins.common.userdatautils [-] User_data stdout:\r\nb'${literal}'`;
}

function runOfCloudbaseInit(lines: readonly string[]): string {
  const stamp = `${new Date().toISOString().slice(0, 19).replace("T", " ")}.120 1840`;
  const head = [
    "INFO cloudbaseinit.init [-] Cloudbase-Init version: 1.1.6",
    `DEBUG cloudbaseinit.init [-] Instance id: ${instance} configure_host`,
  ];
  return [...head, ...lines].map((line) => `${stamp} ${line}\r\n`).join("");
}

async function makeCertificate(scratch: string, node: string, until: string): Promise<string> {
  const file = (suffix: string): string => join(scratch, `kubelet${suffix}`);
  const subject = `/O=system:nodes/CN=system:node:${node}`;
  const config = `[ca]\ndefault_ca=d\n[d]\ndatabase=${file(".db")}\nnew_certs_dir=${scratch}\nrand_serial=yes\ndefault_md=sha256\npolicy=p\n[p]\norganizationName=supplied\ncommonName=supplied\n`;
  await writeFile(file(".db"), "");
  await writeFile(file(".cnf"), config);
  const request = ["-newkey", "rsa:2048", "-nodes", "-keyout", file(".key"), "-subj", subject, "-out", file(".csr")];
  await runCommand(["openssl", "req", "-new", ...request]);
  const dates = ["-startdate", "20190101000000Z", "-enddate", until];
  const files = ["-config", file(".cnf"), "-in", file(".csr"), "-keyfile", file(".key")];
  return runCommand(["openssl", "ca", "-batch", "-selfsign", "-notext", ...files, ...dates]);
}
