import { expect, test } from "@jest/globals";
import * as v from "valibot";
import { runPowerShell, testWithPowerShell } from "../../support/powershell.ts";
import { powershellTexts } from "../../support/powershell-texts.ts";

const texts = await powershellTexts();

/** What Windows PowerShell 5.1 has, and Get-HnsNetwork of the containers feature. */
const cmdlets = new Set([
  "Add-Content",
  "Add-Type",
  "ForEach-Object",
  "Get-CimInstance",
  "Get-Content",
  "Get-HnsNetwork",
  "Get-Item",
  "Get-ItemProperty",
  "Get-Service",
  "Get-WinEvent",
  "New-Object",
  "Remove-Item",
  "Set-StrictMode",
  "Sort-Object",
  "Start-Sleep",
  "Test-Path",
  "Where-Object",
]);

/** Reads texts from standard input; answers with syntax errors, what only newer PowerShell knows, and the commands called. */
const examine = `$texts = ConvertFrom-Json -InputObject ([Console]::In.ReadToEnd())
$answers = foreach ($item in $texts) {
  $tokens = $null
  $errors = $null
  $ast = [System.Management.Automation.Language.Parser]::ParseInput($item.text, [ref]$tokens, [ref]$errors)
  $newer = $ast.FindAll({ param($node)
    @('TernaryExpressionAst', 'PipelineChainAst') -contains $node.GetType().Name -or
    ($node.PSObject.Properties['NullConditional'] -and $node.NullConditional) -or
    ($node.PSObject.Properties['Operator'] -and "$($node.Operator)" -like 'QuestionQuestion*') }, $true)
  $own = $ast.FindAll({ param($node) $node.GetType().Name -eq 'FunctionDefinitionAst' }, $true)
  $calls = $ast.FindAll({ param($node) $node.GetType().Name -eq 'CommandAst' }, $true)
  [pscustomobject]@{
    name = $item.name
    errors = @($errors | ForEach-Object { $_.Message })
    newer = @($newer | ForEach-Object { $_.Extent.Text })
    own = @($own | ForEach-Object { $_.Name })
    calls = @($calls | ForEach-Object { $_.GetCommandName() })
  }
}
ConvertTo-Json -InputObject @($answers) -Depth 4 -Compress
`;

const answersSchema = v.array(
  v.object({
    name: v.string(),
    errors: v.array(v.string()),
    newer: v.array(v.string()),
    own: v.array(v.string()),
    calls: v.array(v.string()),
  }),
);

test.each(texts.map(({ name, text }) => [name, text] as const))(
  "%s is plain and leaves standard input alone",
  (_, text) => {
    // Windows PowerShell 5.1 takes other bytes for ANSI.
    expect(Buffer.from(text).filter((byte) => byte > 126)).toHaveLength(0);
    // A script that names it makes PowerShell itself read standard input before the script can.
    expect(text).not.toMatch(/\$input\b/iu);
    // These would make the system's language part of the output.
    expect(text).not.toMatch(/\{\d:[yMdHhms]|Get-Date -Format|ToShortDateString/u);
  },
);

testWithPowerShell("every text parses, has nothing newer than 5.1, and calls what 5.1 has", async () => {
  const input = Buffer.from(JSON.stringify(texts));
  const { stdout, stderr } = await runPowerShell(["-NoProfile", "-NonInteractive", "-Command", examine], { input });
  const answers = v.parse(answersSchema, JSON.parse(stdout.toString() || stderr));
  expect(answers.map(({ name }) => name)).toEqual(texts.map(({ name }) => name));
  for (const { name, errors, newer, own, calls } of answers) {
    const unknown = calls.filter((call) => !own.includes(call) && !cmdlets.has(call));
    expect({ name, errors, newer, unknown }).toEqual({ name, errors: [], newer: [], unknown: [] });
  }
});
