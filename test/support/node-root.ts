import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";

/** A Debian root file system that debootstrap makes once and that every node uses as its read-only lower layer. */
export interface RootRecipe {
  readonly suite: "bookworm" | "trixie" | "sid";
  readonly packages: readonly string[];
  /** Shell commands that are run inside the new root once, with /proc mounted. */
  readonly finish?: string;
}

/**
 * A Linux node: systemd, cloud-init, containerd and the real Azure guest agent, all from Debian's own archive.
 * python3-cffi-backend is named because debootstrap does not resolve the virtual packages that python3-cryptography asks for.
 */
function linuxNode(suite: RootRecipe["suite"]): RootRecipe {
  return { suite, packages: nodePackages };
}

const nodePackages = [
  "cloud-init",
  "containerd",
  "dbus",
  "iproute2",
  "openssh-server",
  "openssl",
  "procps",
  "python3",
  "python3-cffi-backend",
  "systemd",
  "systemd-sysv",
  "waagent",
];

/** The machines of three years: stable before, stable and unstable Debian, each with its own agent, cloud-init and systemd. */
export const nodeGenerations = {
  oldest: linuxNode("bookworm"),
  middle: linuxNode("trixie"),
  newest: linuxNode("sid"),
} as const;

export type NodeGeneration = keyof typeof nodeGenerations;

export const projectFolder = join(import.meta.dirname, "..", "..");
export const cacheFolder = join(projectFolder, ".cache");

const mirror = "http://deb.debian.org/debian";

/** The finished root is renamed into place, so a half-built one is never used; flock makes two test runs build only one. */
const buildScript = `
set -eu
[ -d "$FINAL" ] && exit 0
if [ -d "$FINAL.partial" ]; then
  umount -R "$FINAL.partial/proc" "$FINAL.partial/sys" 2>/dev/null || true
  rm -rf --one-file-system "$FINAL.partial"
fi
debootstrap --variant=minbase --cache-dir="$DEBS" --include="$PACKAGES" "$SUITE" "$FINAL.partial" "$MIRROR"
rm -rf "$FINAL.partial/var/cache/apt/archives" "$FINAL.partial/debootstrap"
mkdir -p "$FINAL.partial/var/cache/apt/archives/partial"
: >"$FINAL.partial/etc/machine-id"
if [ -n "$FINISH" ]; then
  mount -t proc proc "$FINAL.partial/proc"
  chroot "$FINAL.partial" sh -euc "$FINISH"
  umount "$FINAL.partial/proc"
fi
mv "$FINAL.partial" "$FINAL"
`;

/** Where the root that the recipe describes lies, or will lie. */
export function debianRootFolder(recipe: RootRecipe): string {
  const packages = [...recipe.packages].sort().join(",");
  const digest = createHash("sha256")
    .update(`${recipe.suite} ${packages} ${recipe.finish ?? ""} ${buildScript}`)
    .digest("hex")
    .slice(0, 16);
  return join(cacheFolder, "nodes", `${recipe.suite}-${digest}`);
}

/** Folder of the root that the recipe describes; builds it when it is not there (one to two minutes). */
export async function debianRoot(recipe: RootRecipe): Promise<string> {
  const packages = [...recipe.packages].sort().join(",");
  const finish = recipe.finish ?? "";
  const final = debianRootFolder(recipe);
  const debs = join(cacheFolder, "debs");
  await mkdir(join(cacheFolder, "nodes"), { recursive: true });
  await mkdir(debs, { recursive: true });
  await runToLog(["flock", `${final}.lock`, "sh", "-c", buildScript], `${final}.log`, {
    FINAL: final,
    DEBS: debs,
    PACKAGES: packages,
    SUITE: recipe.suite,
    MIRROR: mirror,
    FINISH: finish,
  });
  return final;
}

async function runToLog(
  command: readonly [string, ...string[]],
  logFile: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const log = await open(logFile, "a");
  try {
    const [file, ...args] = command;
    const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ["ignore", log.fd, log.fd] });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
    if (code !== 0) throw new Error(`Building a Debian root failed (exit ${String(code)}); see ${logFile}`);
  } finally {
    await log.close();
  }
}
