import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readComponents } from "./components.ts";
import { sha256 } from "./digest.ts";
import { projectFolder, projectVersion } from "./project.ts";
import { requireTool } from "./run-tool.ts";
import { writeAtomic } from "./write-atomic.ts";

export interface BuiltCluster {
  /** The bundle that the image runs. */
  readonly program: string;
  /** The same as a plugin for kubectl, in the archive that krew installs. */
  readonly archive: string;
  readonly manifest: string;
  readonly bytes: number;
}

const clusterFolder = join(projectFolder, "dist/cluster");

/**
 * A file without an ending is an ES module where the nearest package.json says so, which may be one in a person's home; `require` is then made. In
 * a CommonJS module this declares nothing new.
 */
const requireAnywhere =
  'var require = typeof require === "undefined" ? process.getBuiltinModule("node:module").createRequire(process.argv[1]) : require;';

/** Bundles the program of the management side into one file, and packs the kubectl plugin with its krew manifest. */
export async function buildCluster(folder = clusterFolder): Promise<BuiltCluster> {
  const version = await projectVersion();
  const bundled = await build({
    absWorkingDir: projectFolder,
    entryPoints: ["cluster/main.ts"],
    bundle: true,
    platform: "node",
    target: "node22",
    format: "cjs",
    charset: "utf8",
    write: false,
    metafile: true,
    minify: false,
    legalComments: "none",
    logLevel: "error",
    define: { CAPZ_BOOTSTRAP_VERSION: JSON.stringify(version) },
  });
  const text = `${requireAnywhere}\n${bundled.outputFiles[0]?.text ?? ""}`;
  const program = join(folder, "capz-bootstrap-cluster.cjs");
  await writeAtomic(program, text);
  // kubectl finds a plugin by this name: an underscore where the command has a hyphen.
  await writeAtomic(join(folder, "kubectl-capz_bootstrap"), `#!/usr/bin/env node\n${text}`, 0o755);
  await writeAtomic(join(folder, "NOTICE"), await notice(Object.keys(bundled.metafile.inputs)));
  const archive = join(folder, "kubectl-capz_bootstrap.tar.gz");
  await writeAtomic(archive, await pack(folder));
  const manifest = join(folder, "capz-bootstrap.yaml");
  await writeAtomic(manifest, await krewManifest(version, sha256(await readFile(archive))));
  return { program, archive, manifest, bytes: Buffer.byteLength(text) };
}

async function notice(inputs: readonly string[]): Promise<string> {
  const components = await readComponents(inputs, projectFolder);
  const parts = components.map(
    ({ name, version, licence, licenceText }) => `${name} ${version} (${licence})\n\n${licenceText.trim()}`,
  );
  return `${["This program holds the software of others listed below, each under its own licence.", ...parts].join(`\n\n${"=".repeat(79)}\n`)}\n`;
}

/** The same sources give the same bytes: no times, no owners, a fixed order. */
function pack(folder: string): Promise<Buffer> {
  const fixed = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"];
  return requireTool("tar", [
    "-C",
    folder,
    ...fixed,
    "--use-compress-program=gzip -n",
    "-cf",
    "-",
    "NOTICE",
    "kubectl-capz_bootstrap",
  ]);
}

async function krewManifest(version: string, digest: string): Promise<string> {
  const text = await readFile(join(projectFolder, "manifests/management/krew/capz-bootstrap.yaml"), "utf8");
  return text.replaceAll("v1.0.0", `v${version}`).replace("0".repeat(64), digest);
}
