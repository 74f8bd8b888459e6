import { expect, test } from "@jest/globals";
import { readCloudbaseLog } from "../../../scripts/check/cloudbase-init-log.ts";
import { pythonLiteral } from "../../support/python-literal.ts";

const at = (second: number): string => `2026-01-31 12:00:${String(second).padStart(2, "0")}.120 1840`;
const preflight =
  "[preflight] Running pre-flight checks\nerror execution phase preflight: [preflight] Some fatal errors occurred:\n\t[ERROR Port-10250]: Port 10250 is in use\n";
const step = "+ a step of the user's script that goes well, with \"quotes\" and a C:\\path\n";

/** The log of a run whose user data printed so many steps before kubeadm failed. */
function log(steps: number, write: (output: string) => string): string {
  return [
    `${at(1)} INFO cloudbaseinit.init [-] Cloudbase-Init version: 1.1.6`,
    `${at(2)} INFO cloudbaseinit.init [-] Executing plugin 'UserDataPlugin'`,
    `${at(3)} DEBUG cloudbaseinit.plugins.common.userdatautils [-] User_data stdout:`,
    write(step.repeat(steps) + preflight),
    `${at(4)} INFO cloudbaseinit.init [-] Plugins execution done`,
    "",
  ].join("\r\n");
}

function cost(text: string): number {
  const before = process.cpuUsage();
  const { runs } = readCloudbaseLog(text);
  const { user, system } = process.cpuUsage(before);
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({ userData: "executed", end: "done", kubeadm: { kind: "failed" } });
  return user + system;
}

test.each([
  ["b'…'", (output: string) => pythonLiteral(output)],
  ['b"…"', (output: string) => pythonLiteral(output, '"')],
])("kubeadm's error behind 5 MB of output on one line is found, for work that grows with the length: %s", (_, write) => {
  const steps = Math.ceil(5_000_000 / step.length);
  const [small, large] = [log(Math.ceil(steps / 10), write), log(steps, write)];
  cost(small);
  const least = (text: string) => Math.min(...[1, 2, 3].map(() => cost(text)));
  // Ten times the length: ten times the work, and room for a busy machine; what grows faster would be a hundred times as much.
  expect(least(large) / Math.max(1, least(small))).toBeLessThan(40);
});
