import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { readScenarios, type Scenario } from "../../scripts/dev/read-scenarios.ts";
import { differences } from "../support/check-differences.ts";
import { layOut, type ScenarioMachine } from "../support/scenario-machine.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWineMachine, type WineMachine } from "../support/wine-root.ts";
import { lane, wineNeeds } from "./lane.ts";
import { buildPackage } from "./real-package.ts";
import { guardMs, unpackHandler, type WindowsHandler } from "./windows-handler.ts";

/** Needs a kubeadm at work, which Wine's own tasklist cannot be made to name; judged through the stand-ins in test/scenarios.test.ts. */
const needsKubeadm: readonly string[] = ["windows-failed-joined-by-hand"];
const scenarios = (await readScenarios(join(import.meta.dirname, "../fixtures/scenarios"))).filter(
  ({ platform, name }) => platform === "windows" && !needsKubeadm.includes(name),
);
const cloudbaseKey = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Cloudbase Solutions";
const currentVersion = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
const services = ["cloudbase-init", "kubelet"] as const;

const saidSchema = v.object({
  verdict: v.picklist(["bootstrapped", "not-yet", "failed"]),
  report: v.object({
    stage: v.optional(v.string()),
    reason: v.optional(v.string()),
    message: v.optional(v.string()),
    providers: v.optional(v.array(v.string())),
    facts: v.record(v.string(), v.string()),
  }),
});

/**
 * Every Windows scenario judged by the packaged program: its files lie on the drive, its values in Wine's registry, its services in
 * Wine's service manager, and the program asks Wine's own reg.exe, sc.exe and tasklist.exe. No stand-in judges or answers.
 */
lane("the packaged check on every Windows scenario under Wine", wineNeeds, () => {
  let machine: WineMachine;
  let handler: WindowsHandler;
  const states = new Map<string, string>();

  beforeAll(async () => {
    machine = await startWineMachine();
    handler = await unpackHandler(machine, await buildPackage("Windows"));
    // Wine ends its service manager, and all services, with the last program; this one stays.
    void machine.run(["ping", "-n", "100000", "127.0.0.1"]);
    const isOn = async () => (await machine.processes()).some((line) => /ping/iu.test(line));
    await waitUntil("the machine to be on", isOn, { timeoutMs: guardMs });
  });

  afterAll(async () => {
    await machine.dispose();
  });

  /** Only what differs from the scenario before: each call of sc.exe starts a program. */
  async function setServices(scenario: ScenarioMachine): Promise<void> {
    for (const name of services) {
      const wanted = await readService(scenario.folder, name);
      if (states.get(name) === wanted) continue;
      await machine.run(["sc", "stop", name]);
      await machine.run(["sc", "delete", name]);
      states.set(name, wanted);
      if (wanted === "missing") continue;
      const start = wanted === "disabled" ? "disabled" : "auto";
      const program = "C:\\windows\\system32\\spoolsv.exe";
      await machine.run(["sc", "create", name, "binPath=", program, "start=", start]);
      if (wanted === "running") await machine.run(["sc", "start", name]);
    }
  }

  async function setRegistry(scenario: ScenarioMachine): Promise<void> {
    const file = join(machine.drive, "scenario.reg");
    await writeFile(file, `\uFEFF${await registryFile(scenario.folder)}`, "utf16le");
    expect(await machine.run(["regedit", "/S", "C:\\scenario.reg"])).toMatchObject({ code: 0 });
  }

  async function judge(scenario: Scenario): Promise<readonly string[]> {
    const laid = await layOut(scenario);
    const root = join(machine.drive, "scenario");
    const wrong: string[] = [];
    try {
      for (const [index, expected] of scenario.expected.entries()) {
        const step = index === 0 ? undefined : scenario.steps[index - 1];
        if (step !== undefined) await laid.apply(step);
        await rm(root, { recursive: true, force: true });
        await cp(laid.root, root, { recursive: true, preserveTimestamps: true });
        await setServices(laid);
        await setRegistry(laid);
        await keepBoot(root, laid.nowMs());
        const options = ["--provider", scenario.setting, "--root", "C:\\scenario", "--json"];
        const { stdout, stderr } = await machine.run([
          ...["cmd", "/c", `${handler.windowsFolder}\\bin\\capz-bootstrap.cmd`, "check", ...options],
        ]);
        const said = v.safeParse(saidSchema, parse(stdout));
        wrong.push(...(said.success ? differences(expected, said.output) : [`no answer: ${stdout}${stderr}`]));
      }
    } finally {
      await laid.remove();
    }
    return wrong;
  }

  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
    "%s is judged in the words of the table",
    async (_, scenario) => {
      expect(await judge(scenario)).toEqual([]);
    },
  );
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The machine booted when it did: it has run on while its services were set up, for half a minute on a busy host. */
async function keepBoot(root: string, laidOutMs: number): Promise<void> {
  const file = join(root, "proc/uptime");
  const uptime = Number.parseFloat(await readFile(file, "utf8")) + (Date.now() - laidOutMs) / 1000;
  await writeFile(file, `${uptime.toFixed(2)} 0.00\n`);
}

/** As writeWindowsFacts left them: state and start type by the numbers of winsvc.h. */
async function readService(folder: string, name: string): Promise<string> {
  const state = await readFile(join(folder, "services", name), "utf8").catch(() => undefined);
  if (state === undefined) return "missing";
  if (state.trim() === "4") return "running";
  const key = `HKLM_SYSTEM_CurrentControlSet_Services_${name}`;
  const values = await readFile(join(folder, "registry", key), "utf8").catch(() => "");
  return values.includes("0x4") ? "disabled" : "stopped";
}

/** The scenario's registry, which is kept as reg.exe prints it, as a file that regedit reads; nothing of the scenario before stays. */
async function registryFile(folder: string): Promise<string> {
  const lines = [
    "Windows Registry Editor Version 5.00",
    "",
    `[-${cloudbaseKey}]`,
    "",
    `[${currentVersion}]`,
    '"InstallDate"=-',
  ];
  for (const name of await readdir(join(folder, "registry"))) {
    if (name.includes("_Services_") && !name.includes("Tcpip")) continue;
    for (const line of (await readFile(join(folder, "registry", name), "utf8")).split(/\r?\n/u)) {
      if (line.startsWith("HKEY_")) lines.push("", `[${line}]`);
      const [, value, type, data = ""] = /^ {4}(\S.*?) {4}(REG_\w+) {4}(.*)$/u.exec(line) ?? [];
      if (value === undefined) continue;
      const number = Number(data).toString(16).padStart(8, "0");
      lines.push(type === "REG_DWORD" ? `"${value}"=dword:${number}` : `"${value}"="${data.replaceAll("\\", "\\\\")}"`);
    }
  }
  return [...lines, ""].join("\r\n");
}
