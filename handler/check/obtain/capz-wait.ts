import type { Host } from "../../host.ts";
import type { CommandText } from "../../settings/settings.ts";

/*
 * The commands that CAPZ itself attaches (azure/defaults.go). Linux: 240 rounds in v0.5 and 60 since v1.0, `return 1` until v1.2 and
 * `exit 1` since v1.3, with a printed sentence since v1.20. Windows, since v0.5.3: 240 rounds, 60 since v1.0. All do nothing but
 * wait for one file, so nothing is lost when they are ended early or run again.
 */

const sentinel = "/run/cluster-api/bootstrap-success.complete";

/** `for i in $(seq 1 60); do test -f FILE && break; if [ $i -eq 60 ]; then echo '…'; exit 1; else sleep 5; fi; done` */
const linuxLoop = new RegExp(
  [
    String.raw`^for (?<round>[a-z]+) in \$\(seq 1 (?<rounds>\d{1,5})\); do test -f (?<file>[^\s;&|<>$]+) && break;`,
    String.raw`if \[ \$\k<round> -eq \k<rounds> \]; then (?:echo '[^']*'; )?(?:exit|return) \d{1,3};`,
    String.raw`else sleep \d{1,4}; fi; done$`,
  ].join(" "),
  "u",
);

/** `for ($i = 0; $i -lt 60; $i++) {if (Test-Path 'FILE') {exit 0} else {Start-Sleep -Seconds 5}} exit -2` */
const windowsLoop = new RegExp(
  [
    String.raw`^for \(\$(?<round>[a-z]+) = 0; \$\k<round> -lt \d{1,5}; \$\k<round>\+\+\)`,
    String.raw`\{if \(Test-Path '(?<file>[^']+)'\) \{exit 0\} else \{Start-Sleep -Seconds \d{1,4}\}\} exit -\d{1,3}$`,
  ].join(" "),
  "u",
);

const powershell = /^(?:[a-z]:[\w.\\]+\\)?powershell(?:\.exe)? -Command "(?<inner>[^"]*)"$/iu;

/** True for a command that only waits for the sentinel: CAPZ's own, as a line or as a script, and nothing beside it. */
export function waitsForSentinel(command: CommandText, host: Pick<Host, "platform" | "root">): boolean {
  const text = plainText(command);
  switch (host.platform.name) {
    case "linux":
      return isSentinel(linuxLoop.exec(text)?.groups?.["file"], host);
    case "windows": {
      const inner = powershell.exec(text)?.groups?.["inner"] ?? (command.kind === "script" ? text : "");
      return isSentinel(windowsLoop.exec(inner)?.groups?.["file"], host);
    }
  }
}

/** One line, one blank between words, without the line that names the interpreter. Longer texts are no such loop. */
function plainText(command: CommandText): string {
  const text = command.kind === "line" ? command.line.reveal() : command.bytes.toString("utf8");
  if (text.length > 4000) return "";
  return text
    .replace(/^\uFEFF?#![^\n]*\n/u, "")
    .replaceAll(/\s+/gu, " ")
    .trim();
}

function isSentinel(path: string | undefined, { platform, root }: Pick<Host, "platform" | "root">): boolean {
  if (path === undefined) return false;
  const file = withoutDrive(path);
  return file === sentinel || file === withoutDrive(platform.paths(root).sentinel);
}

function withoutDrive(path: string): string {
  return path.replaceAll("\\", "/").replace(/^[a-z]:/iu, "");
}
