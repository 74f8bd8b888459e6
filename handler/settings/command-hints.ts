import type { CommandText, SettingsProblem } from "./settings.ts";

const upstreamFolders = [
  /\/var\/lib\/waagent\/custom-script\/download\/\d+/,
  /[\\/]Packages[\\/]Plugins[\\/]Microsoft\.Compute\.CustomScriptExtension[\\/][\d.*]+[\\/]Downloads/i,
];

/** What in the text of a command works with the Custom Script handler only. */
export function commandHints(command: CommandText): readonly SettingsProblem[] {
  const text = command.kind === "line" ? command.line.reveal() : command.bytes.toString("latin1");
  const folder = upstreamFolders.map((pattern) => pattern.exec(text)?.[0]).find((found) => found !== undefined);
  if (folder === undefined) return [];
  const key = command.kind === "line" ? "commandToExecute" : "script";
  const message = `${key} names the Custom Script handler's folder ${folder}, which does not exist here; the command starts in the folder of its files, so write ./NAME`;
  return [{ key, message }];
}
