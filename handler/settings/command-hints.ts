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
