import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { Answer, Question, UnitState } from "../../scripts/check/questions.ts";
import { answerOf } from "./answers.ts";
import { certificateFile } from "./certificate-file.ts";
import type { Entry } from "./files.ts";
import { kubeletService } from "./kubelet.ts";
import type { Machine } from "./machine.ts";

/** A machine of the model as real files with their times, a real /proc, and programs that stand in for the service managers. */
export interface LaidOut {
  readonly root: string;
  /** Where the stand-ins lie: to be the first folder of the PATH. */
  readonly programs: string;
  remove(): void;
}

export function layOutFiles(machine: Machine): LaidOut {
  const folder = mkdtempSync(join(tmpdir(), "model-machine-"));
  const root = join(folder, "root");
  const onDisk = [...machine.files.entries.entries()].filter(([path]) => !/^\/(?:proc|sys)(?:\/|$)/u.test(path));
  for (const [key, entry] of onDisk) writeEntry(placeOf(root, machine.system === "windows" ? entry.path : key), entry);
  for (const [from, to] of machine.files.links) writeLink(root, from, to);
  // Times last, and folders after what is in them.
  for (const [key, entry] of onDisk.toReversed().sort(([one], [other]) => other.length - one.length)) {
    const seconds = entry.modifiedMs / 1_000;
    utimesSync(placeOf(root, machine.system === "windows" ? entry.path : key), seconds, seconds);
  }
  writeKernel(root, machine);
  if (machine.system === "linux") writeUnits(folder, machine);
  else writeWindows(folder, machine);
  return {
    root,
    programs: join(folder, "programs"),
    remove: () => {
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * What the same machine answers when it is a folder: the handler asks no port then, and a file has no time but the one that was set
 * (docs/check-protocol.md).
 */
export function answerAsFolder(machine: Machine, question: Question): Answer {
  const answer = answerOf(machine, question);
  if (question.ask === "healthz") return { kind: "cannot-tell", why: "only a running machine has ports" };
  if (question.ask === "path") return withoutOtherTimes(answer as Answer<"path">);
  return answer;
}

function withoutOtherTimes(answer: Answer<"path">): Answer<"path"> {
  if (answer.kind !== "known" || answer.value.kind === "absent") return answer;
  const { kind, size, modifiedMs } = answer.value;
  return { kind: "known", value: { kind, size, modifiedMs, changedMs: modifiedMs } };
}

function placeOf(root: string, path: string): string {
  return join(root, ...path.replace(/^[A-Z]:/u, "").split(/[/\\]/u));
}

function writeEntry(place: string, entry: Entry): void {
  if (entry.kind === "folder") {
    mkdirSync(place, { recursive: true });
    return;
  }
  mkdirSync(dirname(place), { recursive: true });
  const { certificate, text } = entry;
  const isPem = text.startsWith("-----BEGIN");
  writeFileSync(place, certificate !== undefined && isPem ? certificateFile(certificate) : text);
}

function writeLink(root: string, from: string, to: string): void {
  const place = placeOf(root, from);
  if (existsSync(place)) return;
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(relative(dirname(place), placeOf(root, to)), place);
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function writeKernel(root: string, machine: Machine): void {
  const { uptimeMs } = machine;
  const run =
    machine.image.runIsMemory && machine.system === "linux" ? "tmpfs /run tmpfs rw,nosuid,nodev,mode=755 0 0\n" : "";
  put(join(root, "proc/mounts"), `/dev/sda1 / ext4 rw,relatime 0 0\n${run}tmpfs /dev/shm tmpfs rw 0 0\n`);
  put(join(root, "proc/uptime"), `${(uptimeMs / 1_000).toFixed(2)} 410.10\n`);
  put(join(root, "proc/stat"), `btime ${String(Math.round((machine.wallMs - uptimeMs) / 1_000))}\n`);
  put(join(root, "proc/sys/kernel/hostname"), `${machine.hostName}\n`);
  put(join(root, "proc/sys/kernel/random/boot_id"), `${machine.bootId}\n`);
  put(join(root, "sys/class/dmi/id/product_uuid"), `${machine.vmId.toUpperCase()}\n`);
  const answer = answerOf(machine, { ask: "processes" }) as Extract<Answer<"processes">, { kind: "known" }>;
  const groups = new Map<string, string[]>([["init.scope", ["1"]]]);
  put(join(root, "proc/self/mountinfo"), "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n");
  for (const [index, { name, ageMs, command, elsewhere }] of answer.value.entries()) {
    const pid = String(1_000 + index);
    const unit = machine.processes[index]?.unit ?? "kubelet.service";
    groups.set(unit, [...(groups.get(unit) ?? []), pid]);
    const ticks = Math.round((uptimeMs - ageMs) / 10);
    const fields = `S 1 ${pid} ${pid} 0 -1 4194560 900 0 0 0 5 2 0 0 20 0 8 0 ${String(ticks)} 134217728 4000`;
    if (command !== undefined) put(join(root, "proc", pid, "cmdline"), `${name}\0${command.replaceAll(" ", "\0")}\0`);
    if (elsewhere === true) put(join(root, "proc", pid, "mountinfo"), "812 790 0:58 / / rw - overlay overlay rw\n");
    put(join(root, "proc", pid, "comm"), `${name}\n`);
    put(join(root, "proc", pid, "stat"), `${pid} (${name}) ${fields}\n`);
  }
  for (const [unit, pids] of groups)
    put(join(root, "sys/fs/cgroup/system.slice", unit, "cgroup.procs"), `${pids.join("\n")}\n`);
}

const systemctl = `#!/bin/sh
# Stands in for systemctl on a machine of the model: show prints the states that were laid out, list-jobs the queue.
folder="$CAPZ_ROOT/.."
if [ "$1" = list-jobs ]; then cat "$folder/jobs"; exit 0; fi
first=yes
for word; do
  case $word in -*|show) continue ;; esac
  [ "$first" = yes ] || echo
  first=no
  if [ -e "$folder/units/$word" ]; then cat "$folder/units/$word"
  else printf 'Result=success\\nNRestarts=0\\nExecMainStatus=0\\nId=%s\\nLoadState=not-found\\nActiveState=inactive\\nSubState=dead\\n' "$word"; fi
done
`;

function writeUnits(folder: string, machine: Machine): void {
  put(join(folder, "programs/systemctl"), systemctl);
  chmodSync(join(folder, "programs/systemctl"), 0o755);
  const names = [...new Set([...machine.units.keys(), "kubelet.service"])];
  const answer = answerOf(machine, { ask: "units", names }) as Extract<Answer<"units">, { kind: "known" }>;
  const jobs: string[] = [];
  for (const [name, state] of Object.entries(answer.value)) {
    if (state.job !== undefined) jobs.push(`${String(jobs.length + 1)} ${name} ${state.job} waiting\n`);
    put(join(folder, "units", name), unitText(name, state, state.job === undefined ? "" : String(jobs.length)));
  }
  put(join(folder, "jobs"), jobs.join(""));
}

function unitText(name: string, state: UnitState, job: string): string {
  const own = `Result=${state.result}\nNRestarts=${String(state.restarts ?? 0)}\nExecMainStatus=${String(state.exitStatus)}\n`;
  const common = `Id=${name}\nLoadState=${state.load}\nActiveState=${state.active}\nSubState=${state.sub}\n`;
  return `${own}${common}${job === "" ? "" : `Job=${job}\n`}`;
}

/** dwCurrentState and dwStartType (winsvc.h). */
const stateNumbers: Readonly<Record<string, number>> = {
  stopped: 1,
  "start-pending": 2,
  "stop-pending": 3,
  running: 4,
  paused: 7,
};
const startNumbers: Readonly<Record<string, number>> = { boot: 0, automatic: 2, manual: 3, disabled: 4 };

/** As tasklist names them, and WMIC those of kubeadm. */
function writeTasks(folder: string, machine: Machine): void {
  const answer = answerOf(machine, { ask: "processes" }) as Extract<Answer<"processes">, { kind: "known" }>;
  const tasks = answer.value.map(
    ({ name }, index) => `"${name.replace(/\.exe$/u, "")}.exe","${String(1_000 + index)}"\r\n`,
  );
  put(join(folder, "tasks"), tasks.join(""));
  const begun = (ageMs: number): string =>
    `${new Date(machine.wallMs - ageMs).toISOString().replaceAll(/\D/gu, "").slice(0, 14)}.000000+000`;
  const rows = answer.value
    .filter(({ name }) => name === "kubeadm")
    .map(({ command, ageMs }, index) => [`kubeadm.exe ${command ?? ""}`, begun(ageMs), String(1_000 + index)]);
  const table = [["CommandLine", "CreationDate", "ProcessId"], ...rows];
  put(join(folder, "wmic"), table.map((row) => `${row.map((cell) => cell.padEnd(40)).join("")}\r\r\n`).join(""));
}

/** In the form that the stand-ins of test/fixtures/scenario-bin print. */
function writeWindows(folder: string, machine: Machine): void {
  mkdirSync(join(folder, "programs"), { recursive: true });
  writeTasks(folder, machine);
  const registry = new Map(machine.registry);
  const services = new Map([...machine.services, ["kubelet", kubeletService(machine)] as const]);
  for (const [name, service] of services) {
    if (service.kind === "missing") continue;
    put(join(folder, "services", name), `${String(stateNumbers[service.state] ?? 1)}\n`);
    const start = new Map([["Start", String(startNumbers[service.start] ?? 3)]]);
    registry.set(`HKLM\\SYSTEM\\CurrentControlSet\\Services\\${name}`, start);
  }
  registry.set(
    "HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters",
    new Map([["Hostname", machine.hostName]]),
  );
  const keys = [...registry.keys()];
  const parents = new Set(keys.flatMap((key) => ancestors(key)));
  for (const key of new Set([...keys, ...parents])) {
    const below = [...new Set([...keys, ...parents])].filter(
      (other) => other.startsWith(`${key}\\`) && !other.slice(key.length + 1).includes("\\"),
    );
    putKey(folder, { key, values: registry.get(key) ?? new Map<string, string>(), below });
  }
}

function ancestors(key: string): readonly string[] {
  const parts = key.split("\\");
  return parts.slice(2, -1).map((_part, index) => parts.slice(0, index + 3).join("\\"));
}

interface Key {
  readonly key: string;
  readonly values: ReadonlyMap<string, string>;
  readonly below: readonly string[];
}

function putKey(folder: string, { key, values, below }: Key): void {
  const full = (name: string): string => name.replace(/^HKLM/u, "HKEY_LOCAL_MACHINE");
  const rows = [...values].map(([name, value]) =>
    /^\d+$/u.test(value)
      ? `    ${name}    REG_DWORD    0x${Number(value).toString(16)}`
      : `    ${name}    REG_SZ    ${value}`,
  );
  const head = rows.length === 0 ? [] : [full(key), ...rows, ""];
  put(join(folder, "registry", key.replaceAll(/[\\ ]/gu, "_")), ["", ...head, ...below.map(full), ""].join("\r\n"));
}
