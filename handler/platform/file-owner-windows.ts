import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { RunProcess } from "../process-port.ts";
import { decodeOutput, type WindowsPrograms } from "./powershell-windows.ts";

/** LocalSystem, administrators, and the installer of Windows, whom the folders of Windows itself belong to. */
const trustedOwners = [
  "*S-1-5-18",
  "*S-1-5-32-544",
  "*S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464",
] as const;

/** The column of the owner in front of the name; longer owners are cut. */
const ownerWidth = 23;
const timeoutMs = 10_000;

/**
 * Owners as `dir /q` prints them. No program of Windows but PowerShell prints an owner's id, and names are translated: so a name is
 * compared with what stands beside files that were given to the trusted owners by their ids.
 */
export class FileOwners {
  readonly #programs: Pick<WindowsPrograms, "cmd" | "icacls">;
  readonly #run: RunProcess;
  #trusted: Promise<ReadonlySet<string>> | undefined;

  constructor(programs: Pick<WindowsPrograms, "cmd" | "icacls">, run: RunProcess) {
    this.#programs = programs;
    this.#run = run;
  }

  /** Undefined: it belongs to the system or the administrators. Else whose it is, or that it cannot be told. */
  async strangeOwner(path: string, kind: "file" | "folder", scratch: string): Promise<string | undefined> {
    const owner = await this.#ownerOf(path, kind);
    if (owner === undefined) return "its owner cannot be told";
    const trusted = await (this.#trusted ??= this.#readTrusted(scratch));
    if (trusted.has(owner)) return undefined;
    // A look that had no room or no time to ask must not speak for all that follow.
    if (trusted.size < trustedOwners.length) this.#trusted = undefined;
    return trusted.size === 0
      ? "whom the system's own files belong to cannot be told (icacls)"
      : `it belongs to ${owner}`;
  }

  async #readTrusted(scratch: string): Promise<ReadonlySet<string>> {
    const names = await Promise.all(
      trustedOwners.map(async (owner, index) => {
        const file = join(scratch, `owner-${String(index)}`);
        if (!writeEmpty(file)) return undefined;
        const given = await this.#run(this.#programs.icacls, [file, "/setowner", owner, "/Q"], { timeoutMs });
        return given.kind === "exited" && given.code === 0 ? this.#ownerOf(file, "file") : undefined;
      }),
    );
    return new Set(names.filter((name) => name !== undefined));
  }

  /** `/u`: what a command of cmd.exe itself prints is UTF-16 then, whatever the code page. */
  async #ownerOf(path: string, kind: "file" | "folder"): Promise<string | undefined> {
    const result = await this.#run(this.#programs.cmd, ["/u", "/d", "/c", "dir", "/q", "/a", path], { timeoutMs });
    if (result.kind !== "exited" || result.code !== 0) return undefined;
    return ownerIn(decodeOutput(result.stdout), kind === "file" ? basename(path) : ".");
  }
}

function writeEmpty(file: string): boolean {
  try {
    writeFileSync(file, "");
    return true;
  } catch {
    return false;
  }
}

/** "03/01/2026  08:30 AM                12 BUILTIN\\Administrators 10-gpu.ps1": dates differ by language, the end does not. */
export function ownerIn(listing: string, name: string): string | undefined {
  const line = listing
    .split(/\r?\n/u)
    .map((text) => text.trimEnd())
    // An entry has a time; the lines around it have none.
    .find((text) => /\d[:.]\d\d\b/u.test(text) && text.endsWith(name) && (name !== "." || !text.endsWith("..")));
  const owner = line?.slice(0, -name.length).slice(-ownerWidth).trim();
  return owner === "" ? undefined : owner;
}
