import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunResult } from "../../handler/host.ts";
import { decryptScript } from "../../handler/platform/decrypt-windows.ts";
import { windowsPrograms } from "../../handler/platform/powershell-windows.ts";
import { readProcessTable } from "../../handler/platform/process-table-windows.ts";
import { capzWindowsScript } from "./capz-windows-command.ts";

const repository = join(import.meta.dirname, "../..");

export interface PowerShellText {
  readonly name: string;
  readonly text: string;
}

/** The script that asks for all processes, as readProcessTable hands it to PowerShell. */
export async function processListScript(): Promise<string> {
  let script = "";
  await readProcessTable(windowsPrograms({}), (_, args) => {
    if (args.includes("-EncodedCommand")) script = Buffer.from(args.at(-1) ?? "", "base64").toString("utf16le");
    const none: RunResult = { kind: "not-started", reason: "only its text is wanted" };
    return Promise.resolve(none);
  });
  return script;
}

/** Every PowerShell text of the package, and those of the pages. */
export async function powershellTexts(): Promise<readonly PowerShellText[]> {
  return [
    { name: "decryption", text: decryptScript("AB".repeat(20)) },
    { name: "process list", text: await processListScript() },
    { name: "CAPZ's own command", text: capzWindowsScript },
    {
      name: "managed Run Command",
      text: await readFile(join(repository, "manifests/vm-application/managed-run-command.ps1"), "utf8"),
    },
    ...(await documented()),
  ];
}

async function documented(): Promise<readonly PowerShellText[]> {
  const folder = join(repository, "docs");
  const pages = (await readdir(folder)).filter((name) => name.endsWith(".md"));
  const texts = await Promise.all(pages.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((page, index) =>
    [...page.matchAll(/^```powershell\n(.*?)^```/gmsu)].map(([, text = ""]) => ({ name: pages[index] ?? "", text })),
  );
}
