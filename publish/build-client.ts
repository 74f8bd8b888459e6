import { build, type Metafile } from "esbuild";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { buildCheckBundle } from "./check-bundle.ts";
import { readComponents } from "./components.ts";
import { sha256 } from "./digest.ts";
import { renderNotice } from "./notice.ts";
import { projectFolder, projectVersion } from "./project.ts";
import { requireTool } from "./run-tool.ts";
import { renderSbom } from "./sbom.ts";
import { readTrustedKeysFile } from "./trusted-keys.ts";
import { writeAtomic } from "./write-atomic.ts";

const clientFolder = join(projectFolder, "dist/client");

export interface BuiltClient {
  /** The single file: `node capz-bootstrap.cjs explain FILE`, or run as a program where `#!` counts. */
  readonly program: string;
  /** The same as a package of npm. */
  readonly archive: string;
  readonly sbom: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** The oldest Node that the client runs on; `engines` of its package says the same. */
const oldestNode = 22;

/**
 * Runs before anything else of the file. An older Node reads the whole file without an error, since esbuild writes it for an older
 * language, and would then fail in the middle of the work.
 */
const gate = `#!/usr/bin/env node
"use strict";
if (Number(process.versions.node.split(".")[0]) < ${String(oldestNode)}) {
  process.stderr.write("capz-bootstrap needs Node ${String(oldestNode)} or newer, and this is Node " + process.versions.node + " (" + process.execPath + "). Next: install a newer Node from https://nodejs.org.\\n");
  process.exit(3);
}`;

/** Bundles the commands that need no node, with the rules inside, and packs them for npm. The same sources give the same bytes. */
export async function buildClient(folder = clientFolder): Promise<BuiltClient> {
  const version = await projectVersion();
  const bundled = await build({
    absWorkingDir: projectFolder,
    entryPoints: ["handler/client.ts"],
    bundle: true,
    platform: "node",
    target: `node${String(oldestNode)}`,
    format: "cjs",
    charset: "utf8",
    write: false,
    metafile: true,
    // Names stay in stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "error",
    banner: { js: gate },
    define: {
      CAPZ_BOOTSTRAP_VERSION: JSON.stringify(version),
      CAPZ_BOOTSTRAP_BUNDLE: JSON.stringify(await packagedFiles()),
    },
  });
  const text = bundled.outputFiles[0]?.text ?? "";
  const program = join(folder, "capz-bootstrap.cjs");
  await writeAtomic(program, text, 0o755);
  const components = await readComponents(inputsOf(bundled.metafile), projectFolder);
  const ownLicence = await readFile(join(projectFolder, "LICENSE"), "utf8");
  const notice = renderNotice({ ownLicence, components });
  const sbom = join(folder, "capz-bootstrap.sbom.cdx.json");
  const files = [{ name: basename(program), content: Buffer.from(text) }];
  await writeAtomic(sbom, renderSbom({ type: "capz-bootstrap", version, components, pins: [], files }));
  const archive = await pack(folder, { version, text, notice, ownLicence });
  return { program, archive, sbom, sha256: sha256(Buffer.from(text)), bytes: Buffer.byteLength(text) };
}

/** The files of which something is left in the bundle: most commands of the handler, and what they use, are not. */
function inputsOf({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : [])).sort();
}

/** What the commands read of a package's folder bundle/. */
async function packagedFiles(): Promise<Readonly<Record<string, string>>> {
  const bundle = await buildCheckBundle();
  const wanted = bundle.filter(({ name }) => name === "rules.json" || name === "bundle.json");
  const texts = wanted.map(({ name, content }) => [name, content.toString("utf8")] as const);
  return { ...Object.fromEntries(texts), "trusted-keys.json": await readTrustedKeysFile() };
}

interface Packed {
  readonly version: string;
  readonly text: string;
  readonly notice: string;
  readonly ownLicence: string;
}

/** `npm pack`, which writes neither times nor owners. */
async function pack(folder: string, { version, text, notice, ownLicence }: Packed): Promise<string> {
  const source = join(folder, "package");
  await rm(source, { recursive: true, force: true });
  await mkdir(source, { recursive: true });
  const put = (name: string, content: string, mode?: number): Promise<void> =>
    writeAtomic(join(source, name), content, mode);
  await put("package.json", `${JSON.stringify(describePackage(version), undefined, 2)}\n`);
  await put("README.md", readme);
  await put("LICENSE", ownLicence);
  await put("NOTICE", notice);
  await put("capz-bootstrap.cjs", text, 0o755);
  const printed = await requireTool("npm", ["pack", "--silent", "--pack-destination", folder, source], { cwd: folder });
  await rm(source, { recursive: true });
  // Without the version in its name, so that one address always has the newest.
  const archive = join(folder, "capz-bootstrap.tgz");
  await rename(join(folder, printed.toString("utf8").trim().split("\n").at(-1) ?? ""), archive);
  return archive;
}

function describePackage(version: string): object {
  return {
    name: "capz-bootstrap",
    version,
    description:
      "Says when and why a Cluster API machine on Azure failed to bootstrap, from what Azure, Kubernetes and logs say",
    license: "MIT",
    bin: { "capz-bootstrap": "capz-bootstrap.cjs" },
    engines: { node: `>=${String(oldestNode)}` },
    files: ["capz-bootstrap.cjs", "NOTICE"],
  };
}

const readme = `# capz-bootstrap

The client of the CAPZ bootstrapping extension. It runs wherever Node ${String(oldestNode)} or newer does, and needs no network.

    az vm get-instance-view --resource-group GROUP --name MACHINE | capz-bootstrap explain -
    kubectl get azuremachine MACHINE --output yaml | capz-bootstrap explain -
    capz-bootstrap diagnose --root COPIED-LOGS
    capz-bootstrap settings check template.yaml
    capz-bootstrap reason DnsResolutionFailed
`;
