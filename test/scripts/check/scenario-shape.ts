import { X509Certificate } from "node:crypto";
import { posix } from "node:path";
import { kubeadmCommand } from "../../../handler/check/answers/kubeadm-process.ts";
import type { CertificateAnswer, ProcessSeen, UnitState } from "../../../scripts/check/questions.ts";
import type { Machine, Scenario, ScenarioProcess, ScenarioStep } from "../../../scripts/dev/read-scenarios.ts";
import { bootMs, type FileShape, type MachineShape } from "./machine-of.ts";

const defaultFileTime = 60;
/** Per-instance marks come before what the instance's user data makes. */
const usualTimes: Readonly<Record<string, number>> = {
  "var/lib/cloud/instance": 20,
  "var/lib/cloud/instance/sem/config_scripts_user": 40,
};

/** A scenario as a machine in memory: the same files, times, units and processes as test/support/scenario-machine.ts lays out. */
export function shapeOf(scenario: Scenario): MachineShape {
  const files = filesOf(scenario);
  const facts = (name: string): ReadonlyMap<string, string> => factsOf(files[`capz-facts/${name}`]?.text ?? "");
  const windows = scenario.platform === "windows";
  return {
    system: scenario.platform,
    provider: scenario.setting,
    uptime: windows
      ? 1000 - (Number(facts("times").get("boot") ?? bootMs / 1000) - bootMs / 1000)
      : (scenario.uptime ?? 300),
    hostName: scenario.hostname,
    runIsMemory: scenario.runIsTmpfs,
    files: Object.fromEntries(
      Object.entries(files).map(([path, file]) => [windows ? windowsPath(path) : `/${path}`, file]),
    ),
    ...(windows
      ? { ...windowsShape(facts), processes: processesOf(scenario, 1000) }
      : { ...unitsShape(scenario), healthz: { kind: "no-answer" } }),
  };
}

/** The machine after one more step of its scenario. */
export function afterStep(shape: MachineShape, step: ScenarioStep): MachineShape {
  const uptime = step.uptime ?? 300;
  const put = Object.fromEntries(
    Object.entries(step.put ?? {}).map(([path, text]) => [
      `/${path}`,
      { text, at: step.times?.[path] ?? uptime, ...certificateOf(text) },
    ]),
  );
  const more = unitsShape(step);
  return {
    ...shape,
    uptime,
    files: { ...shape.files, ...put },
    units: { ...shape.units, ...more.units },
    processes: { ...shape.processes, ...more.processes },
  };
}

function filesOf(scenario: Scenario): Readonly<Record<string, FileShape>> {
  const times =
    scenario.times?.["var/lib/cloud/instance"] === undefined ? { ...usualTimes, ...scenario.times } : scenario.times;
  const prefixes = Object.keys(times).sort((one, other) => other.length - one.length);
  const files: Record<string, FileShape> = {};
  for (const [path, raw] of Object.entries(scenario.files)) {
    const text = fillInTimes(raw);
    const prefix = prefixes.find((known) => path === known || path.startsWith(`${known}/`));
    const at = path.endsWith("cloudbase-init.log")
      ? timeOfNewestLine(text)
      : prefix === undefined
        ? defaultFileTime
        : times[prefix];
    const file = { text, at: at ?? defaultFileTime, ...certificateOf(text) };
    files[path] = file;
    for (const linked of pathsByLink(path, scenario.links)) files[linked] = file;
  }
  return files;
}

/** What lies where a link leads to is also below the link. */
function pathsByLink(path: string, links: Scenario["links"]): readonly string[] {
  return Object.entries(links).flatMap(([link, target]) => {
    const real = target.startsWith("/") ? target.slice(1) : posix.join(posix.dirname(link), target);
    return path.startsWith(`${real}/`) ? [link + path.slice(real.length)] : [];
  });
}

function fillInTimes(text: string): string {
  return text.replaceAll(/\{[ET][+-]\d{1,6}\}/gu, (mark) => {
    const seconds = bootMs / 1000 + Number(mark.slice(2, -1));
    return mark[1] === "E" ? String(seconds) : new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ");
  });
}

/** A log's file was last changed by its newest line. */
function timeOfNewestLine(text: string): number {
  const newest = [...text.matchAll(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gmu)].at(-1)?.[0] ?? "";
  return (Date.parse(`${newest.replace(" ", "T")}Z`) - bootMs) / 1000;
}

function certificateOf(text: string): { readonly certificate?: CertificateAnswer } {
  if (!text.includes("BEGIN CERTIFICATE")) return {};
  const { subject, issuer, validFrom, validTo } = new X509Certificate(text);
  const commonName = /^CN=(?<name>.*)$/mu.exec(subject)?.groups?.["name"] ?? "";
  return {
    certificate: {
      kind: "certificate",
      commonName,
      organizations: ["system:nodes"],
      issuer,
      notBeforeMs: Date.parse(validFrom),
      notAfterMs: Date.parse(validTo),
    },
  };
}

function unitsShape(machine: Machine): Pick<MachineShape, "units" | "processes" | "silent"> {
  const uptime = machine.uptime ?? 300;
  const units = Object.fromEntries(
    Object.entries(machine.units ?? {}).map(([name, state]) => [name, unitWords[state] ?? {}]),
  );
  return {
    units,
    processes: processesOf(machine, uptime),
    ...(machine.units === undefined && { silent: ({ ask }) => ask === "units" }),
  };
}

function processesOf(machine: Machine, uptime: number): Readonly<Record<string, readonly ProcessSeen[]>> {
  const seen = ({ name, startedAt, args, container }: ScenarioProcess): ProcessSeen => {
    const command = args === undefined ? undefined : kubeadmCommand([name, ...args.split(" ")]);
    const elsewhere = container === true;
    const ageMs = (uptime - startedAt) * 1000;
    return { name, ageMs, ...(command !== undefined && { command }), ...(elsewhere && { elsewhere }) };
  };
  return Object.fromEntries(Object.entries(machine.processes ?? {}).map(([unit, list]) => [unit, list.map(seen)]));
}

const unitWords: Readonly<Record<string, Partial<UnitState>>> = {
  active: { active: "active", sub: "running" },
  failed: { active: "failed", sub: "failed", result: "exit-code", exitStatus: 1 },
  starting: { active: "activating", sub: "start" },
  restarting: { active: "activating", sub: "auto-restart", result: "exit-code", exitStatus: 1 },
};

function windowsPath(path: string): string {
  return `C:\\${path.replaceAll("/", "\\")}`;
}

function factsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split("\n")
      .flatMap((line) =>
        line.includes("=") ? [[line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const] : [],
      ),
  );
}

function windowsShape(
  facts: (name: string) => ReadonlyMap<string, string>,
): Pick<MachineShape, "services" | "registry" | "healthz"> {
  const key = "HKLM\\SOFTWARE\\Cloudbase Solutions\\Cloudbase-Init";
  const plugins: Record<string, Record<string, string>> = {};
  for (const [name, value] of facts("plugins")) {
    const [instance = "", plugin = ""] = name.split("/");
    (plugins[`${key}\\${instance}\\Plugins`] ??= {})[plugin] = value;
  }
  const install = facts("times").get("install");
  return {
    healthz: { kind: "no-answer" },
    services: Object.fromEntries(
      [...facts("services")]
        .filter(([, state]) => state !== "Missing")
        .map(([name, state]) => [name, serviceOf(state)]),
    ),
    registry: {
      ...plugins,
      ...(install !== undefined && {
        "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion": { InstallDate: install },
      }),
    },
  };
}

function serviceOf(state: string): {
  readonly kind: "service";
  readonly state: string;
  readonly start: "automatic" | "disabled";
} {
  if (state === "Disabled") return { kind: "service", state: "stopped", start: "disabled" };
  return { kind: "service", state: state.toLowerCase(), start: "automatic" };
}
