import { expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readScenarios } from "../../scripts/dev/read-scenarios.ts";
import { pwsh, testWithPowerShell } from "../support/powershell.ts";
import { differences, runCheckScript } from "./run-check-script.ts";
import { layOut } from "./scenario-machine.ts";

const repository = join(import.meta.dirname, "../..");
const script = join(repository, "scripts/check.ps1");
const source = await readFile(script, "utf8");
const bare = withoutTexts(source);
const scenarios = await readScenarios(join(repository, "test/fixtures/scenarios"));
const windows = scenarios.filter(({ platform }) => platform === "windows");

/** The script without comments and quoted texts; what is in braces of a double-quoted text counts as text. */
function withoutTexts(text: string): string {
  let kept = "";
  let end = "";
  for (const sign of text) {
    if (end === "") {
      if (sign === "'" || sign === '"') end = sign;
      else if (sign === "#") end = "\n";
      if (end === "") kept += sign;
    } else if (sign === end) {
      kept += end === "\n" ? end : '""';
      end = "";
    }
  }
  return kept;
}

test("check.ps1 is plain ASCII, since Windows PowerShell 5.1 reads a file without a mark as ANSI", () => {
  expect(Buffer.from(source).filter((byte) => byte > 126)).toHaveLength(0);
});

test("check.ps1 closes every brace and bracket in order", () => {
  const pairs: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
  const open: string[] = [];
  for (const sign of bare.replaceAll(/[^()[\]{}]/gu, "")) {
    const wanted = pairs[sign];
    if (wanted === undefined) open.push(sign);
    else expect(open.pop()).toBe(wanted);
  }
  expect(open).toEqual([]);
});

test.each([
  ["??", /\?\?/u],
  ["?.", /\?\.\w/u],
  ["&& and ||", /&&|\|\|/u],
  ["the ternary operator", /\s\?\s/u],
  ["::new()", /::new\(/u],
])("check.ps1 has none of what only newer PowerShell knows: %s", (_, pattern) => {
  expect(bare).not.toMatch(pattern);
});

test("check.ps1 calls only its own functions and cmdlets of Windows PowerShell 5.1", () => {
  const cmdlets = new Set([
    "Get-CimInstance",
    "Get-Content",
    "Get-Item",
    "Get-ItemProperty",
    "Get-Service",
    "New-Object",
    "Set-StrictMode",
    "Test-Path",
  ]);
  const own = new Set([...bare.matchAll(/^function ([A-Z]\w*-\w+)/gmu)].map(([, name]) => name));
  const called = bare.split(/[^\w$-]/u).filter((word) => /^[A-Z][A-Za-z]*-[A-Z]\w*$/u.test(word));
  expect([...new Set(called)].filter((name) => !own.has(name) && !cmdlets.has(name))).toEqual([]);
  expect([...own].filter((name) => called.filter((other) => other === name).length < 2)).toEqual([]);
});

test("check.ps1 ends with the exit codes of the protocol only, in one place", () => {
  expect(bare.match(/\bexit\b/gu)).toHaveLength(1);
  expect([...bare.matchAll(/Complete-Check (\d+)/gu)].map(([, code]) => code)).toEqual(["0", "75", "75", "1"]);
});

test("check.ps1 turns every error of its own into the answer 'not yet'", () => {
  const statements = bare.split("\n").filter((line) => /^[A-Z]/u.test(line) || line.startsWith("try"));
  expect(statements.at(-1)).toMatch(/^try \{ Invoke-Check \} catch \{ Complete-Undecided /u);
  expect(statements.filter((line) => !line.startsWith("try"))).toEqual(["Set-StrictMode -Version 2.0"]);
});

test("check.ps1 reads no path through wildcards, which stand in names of folders, too", () => {
  expect(bare).not.toMatch(/(?:Test-Path|Get-Item|Get-ItemProperty|Get-Content) (?!-LiteralPath)/u);
});

testWithPowerShell.each(windows.map((scenario) => [scenario.name, scenario] as const))(
  "check.ps1 under PowerShell judges %s as the table says",
  async (_, scenario) => {
    const machine = await layOut(scenario);
    const [expected] = scenario.expected;
    if (expected === undefined) throw new Error(`${scenario.name} has no expected verdict`);
    const command = [pwsh, "-NoLogo", "-NoProfile", "-NonInteractive", "-File", script] as const;
    const answer = await runCheckScript({ command: [...command], machine, provider: scenario.setting });
    await machine.remove();
    expect(differences(expected, answer)).toEqual([]);
  },
);
