import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** A Debian root file system that debootstrap makes once and that every node uses as its read-only lower layer. */
export interface RootRecipe {
  readonly suite: "bookworm" | "trixie" | "sid";
  readonly packages: readonly string[];
  /** Free space that building it takes, its packages included. */
  readonly needsMb: number;
  /** Shell commands that are run inside the new root once, with /proc mounted. */
  readonly finish?: string;
}

/**
 * A Linux node: systemd, cloud-init, containerd and the real Azure guest agent, all from Debian's own archive.
 * python3-cffi-backend is named because debootstrap does not resolve the virtual packages that python3-cryptography asks for.
 */
function linuxNode(suite: RootRecipe["suite"]): RootRecipe {
  return { suite, packages: nodePackages, needsMb: 2000 };
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

/**
 * The systems that a lane of nodes runs on: the oldest and the newest, which enclose what happens between them. LANE_GENERATIONS
 * names others, with commas: `LANE_GENERATIONS=middle npm run lanes -- guest-agent`.
 */
export function laneGenerations(): readonly NodeGeneration[] {
  const wanted = process.env["LANE_GENERATIONS"]?.split(",") ?? ["oldest", "newest"];
  return wanted.map((name) => {
    if (name === "oldest" || name === "middle" || name === "newest") return name;
    const known = Object.keys(nodeGenerations).join(", ");
    throw new Error(`LANE_GENERATIONS: "${name}" is no generation of nodes; known are ${known}`);
  });
}

export const projectFolder = join(import.meta.dirname, "..", "..");
export const cacheFolder = join(projectFolder, ".cache");

/** The user's, so that a fresh clone does not build again what its recipe says was built: `rm -rf` it to build all anew. */
const rootsFolder = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "capz-bootstrap");

const mirror = "http://deb.debian.org/debian";

const builder = join(projectFolder, "test/support/build-root.sh");

/**
 * Bounds of a build, generous because it may run behind everything else of a busy machine: what falls silent is ended by wget's own
 * limits, in build-root.sh, and `npm run roots` has a limit for all roots.
 */
const bounds = { TRY_SECONDS: "900", FINISH_SECONDS: "1200", PAUSE_SECONDS: "5", LOCK_SECONDS: "1500" };

/** How long a hook may wait for a root that is not there yet. */
export const rootBuildLimitMs = 1_800_000;

/** Where the root that the recipe describes lies, or will lie. */
export function debianRootFolder(recipe: RootRecipe): string {
  const digest = createHash("sha256")
    .update(`${recipe.suite} ${packagesOf(recipe)} ${recipe.finish ?? ""} ${readFileSync(builder, "utf8")}`)
    .digest("hex")
    .slice(0, 16);
  return join(rootsFolder, "nodes", `${recipe.suite}-${digest}`);
}

/** Folder of the root that the recipe describes; builds it when it is not there (one to two minutes). */
export async function debianRoot(recipe: RootRecipe, signal?: AbortSignal): Promise<string> {
  const final = debianRootFolder(recipe);
  if (existsSync(final)) return final;
  const debs = join(rootsFolder, "debs");
  await mkdir(join(rootsFolder, "nodes"), { recursive: true });
  await mkdir(debs, { recursive: true });
  const { code, said } = await build(signal, {
    ...bounds,
    FINAL: final,
    DEBS: debs,
    PACKAGES: packagesOf(recipe),
    SUITE: recipe.suite,
    MIRROR: mirror,
    FINISH: recipe.finish ?? "",
    NEEDS_MB: String(recipe.needsMb),
    // What failed once in this run is not tried again.
    RUN: process.env["CAPZ_RUN"] ?? "",
  });
  if (code !== 0) throw new Error(`The Debian root ${final} could not be built. ${said.trim()}`);
  return final;
}

function packagesOf(recipe: RootRecipe): string {
  return [...recipe.packages].sort().join(",");
}

function build(
  signal: AbortSignal | undefined,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly said: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn("sh", [builder], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const end = () => child.kill("SIGTERM");
    signal?.addEventListener("abort", end, { once: true });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    }
    child.once("error", reject);
    child.once("close", (code) => {
      signal?.removeEventListener("abort", end);
      resolve({ code, said: signal?.aborted === true ? `Its time was over. ${said}` : said });
    });
  });
}
