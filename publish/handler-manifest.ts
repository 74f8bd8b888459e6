import { isRecord, listOf, member } from "./json-value.ts";
import { signingIdentity, type ExtensionDefinition } from "./extension-definition.ts";
import { PublishError } from "./publish-error.ts";

const commandKeys = ["installCommand", "enableCommand", "updateCommand", "disableCommand", "uninstallCommand"] as const;

/** The manifest that a package carries: the root one for Linux, with `.cmd` commands for Windows. */
export function deriveHandlerManifest(rootManifest: string, definition: ExtensionDefinition, version: string): string {
  const first = listOf(JSON.parse(rootManifest))[0];
  const handler = member(first, "handlerManifest");
  if (!isRecord(first) || !isRecord(handler)) {
    throw new PublishError("HandlerManifest.json is not a list with one handler.", "Restore HandlerManifest.json.");
  }
  const commands = Object.fromEntries(commandKeys.map((key) => [key, commandFor(definition, handler[key])]));
  const manifest = {
    ...first,
    name: definition.type,
    handlerManifest: { ...handler, ...commands },
    // Compared, ignoring case, with the goal state.
    signingInfo: { ...signingIdentity(definition), version },
  };
  return `${JSON.stringify([manifest], null, 2)}\n`;
}

function commandFor(definition: ExtensionDefinition, linuxCommand: unknown): string {
  const parts = typeof linuxCommand === "string" ? /^bin\/capz-bootstrap ([a-z]+)$/.exec(linuxCommand) : null;
  if (parts === null || typeof linuxCommand !== "string") {
    throw new PublishError(
      `HandlerManifest.json has the command ${JSON.stringify(linuxCommand)}.`,
      'Every command has the form "bin/capz-bootstrap NAME".',
    );
  }
  return definition.os === "Linux" ? linuxCommand : `bin\\capz-bootstrap.cmd ${parts[1] ?? ""}`;
}
