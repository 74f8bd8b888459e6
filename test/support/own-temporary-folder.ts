import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "capz-tests-";
const ownerFile = "owner";

/**
 * Jest calls it before the first test. Everything that the run and its programs put into the folder for temporary files lies in one of the
 * run's own, which its end removes: a full disk changes what a check says. A run that was killed is cleaned up by the next one.
 */
export default function takeTemporaryFolder(): void {
  sweepTemporaryFolders();
  const outer = realpathSync(tmpdir());
  const folder = mkdtempSync(join(outer, prefix));
  // As /tmp itself: programs of other users look into it, too.
  chmodSync(folder, 0o1777);
  writeFileSync(join(folder, ownerFile), String(process.pid));
  process.env["CAPZ_OUTER_TEMPORARY_FOLDER"] = outer;
  setTemporaryFolder(folder);
  // Packages that the run builds once: scripts/dev/start/kept-in-run.ts.
  process.env["CAPZ_RUN_FOLDER"] = join(folder, "kept");
  mkdirSync(process.env["CAPZ_RUN_FOLDER"]);
  // A run starts the tools from their sources hundreds of times. What Node has compiled once it reads from here.
  process.env["NODE_COMPILE_CACHE"] ??= compiledIn(folder);
  // Names the run, for what is tried once in it: see build-root.sh.
  process.env["CAPZ_RUN"] ??= randomUUID();
}

function compiledIn(folder: string): string {
  return join(folder, "compiled");
}

function setTemporaryFolder(folder: string): void {
  for (const variable of ["TMPDIR", "TMP", "TEMP"]) process.env[variable] = folder;
}

/** Jest calls it after the last test, by leave-temporary-folder.ts. A tool that runs Jest again in the same process finds what was before. */
export function leaveTemporaryFolder(): void {
  const outer = process.env["CAPZ_OUTER_TEMPORARY_FOLDER"];
  if (outer === undefined) return;
  const folder = tmpdir();
  removeFolder(folder);
  setTemporaryFolder(outer);
  if (process.env["NODE_COMPILE_CACHE"] === compiledIn(folder)) delete process.env["NODE_COMPILE_CACHE"];
  delete process.env["CAPZ_OUTER_TEMPORARY_FOLDER"];
  delete process.env["CAPZ_RUN_FOLDER"];
}

export function sweepTemporaryFolders(): void {
  for (const name of readdirSync(tmpdir())) if (name.startsWith(prefix)) removeAbandoned(join(tmpdir(), name));
}

function removeAbandoned(folder: string): void {
  try {
    const owner = readFileSync(join(folder, ownerFile), "utf8");
    if (!isAlive(Number(owner))) removeFolder(folder);
  } catch {
    // No owner yet: another run is just making it. Or it is another user's.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Never into a file system that a test has mounted and could not unmount. */
function removeFolder(folder: string): void {
  if (process.platform !== "win32") spawnSync("rm", ["-rf", "--one-file-system", folder], { stdio: "ignore" });
  else if (existsSync(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
