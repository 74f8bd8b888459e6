import type { CommandText, SettingsProblem } from "./settings.ts";

/** Folders of the Custom Script extensions for Linux and Windows, as far as they are the same on every machine. */
const upstreamFolders = [
  "/var/lib/waagent/custom-script",
  "/var/log/azure/custom-script",
  "Microsoft.Azure.Extensions.CustomScript",
  "Microsoft.Compute.CustomScriptExtension",
];

/** What in the text of a command works with the Custom Script extension only. */
export function commandHints(command: CommandText): readonly SettingsProblem[] {
  const text = command.kind === "line" ? command.line.reveal() : command.bytes.toString("latin1");
  const folder = upstreamFolders.find((name) => text.includes(name));
  if (folder === undefined) return [];
  const key = command.kind === "line" ? "commandToExecute" : "script";
  const message = `${key} names the Custom Script extension's folder ${folder}, which does not exist here; the command starts in the folder of its files, so write ./NAME`;
  return [{ key, message }];
}

const downPrograms = ["reboot", "shutdown", "restart-computer", "poweroff", "halt", "telinit", "sysrq-trigger"];

/** Ends the machine: programs by their names alone, however they are called, and `init 6`, which `git init 6` is not. */
export function goesDown(text: string): boolean {
  const words = text.toLowerCase().split(/[\s"'();|&`{}]/);
  const names = words.map((word) => (word.split(/[/\\]/).at(-1) ?? "").replace(".exe", ""));
  const isInit = (at: number): boolean => ["0", "6"].includes(names[at + 1] ?? "") && names[at - 1] !== "git";
  return names.some((name, at) => downPrograms.includes(name) || (name === "init" && isInit(at)));
}
